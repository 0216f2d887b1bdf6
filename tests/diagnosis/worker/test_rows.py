"""Points → rows: the same rows whatever pieces the points came in."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence

import pytest

from app.diagnosis.block import Block
from app.diagnosis.column import Column, Point
from app.diagnosis.row import Row
from app.diagnosis.rows import Anew, Rows, Taken

NAN = math.nan


def block(file: str = "log", generation: int = 0, source: str = "log", reason: str = "", **points: Sequence[Point]):
    columns = {name: Column(f"{file}/{generation}/{name}") for name in points}
    made = Block(file, generation, source, columns, "loss", reason)
    for name, several in points.items():
        columns[name].add(several, whole=True)
    return made


def taken(rows: Rows, *, final: bool = False) -> list[Taken]:
    return list(rows.rows(final=final))


def steps(found: Iterable[Taken]) -> list[int]:
    return [one.row.step for one in found]


def test_the_values_of_a_record_are_one_row_and_milliseconds_become_seconds() -> None:
    one = block(loss=[(1, 5.0, 3.0), (2, 6.0, 2.0)], step_time=[(1, 5.0, 700.0)], overflow=[(1, 5.0, 1.0)])
    assert taken(Rows([one]))[0].row == Row(1, 5.0, 3.0, step_time=0.7, overflow=True)


def test_a_row_without_a_clock_has_none() -> None:
    assert taken(Rows([block(loss=[(1, NAN, 3.0)])]), final=True)[0].row.t is None


def test_the_first_row_waits_for_a_second_since_nobody_knows_what_rows_have() -> None:
    one = block(loss=[(1, 5.0, 3.0)], lr=[])
    assert taken(Rows([one])) == []
    one.columns["loss"].add([(2, 6.0, 3.0)], whole=True)
    assert steps(taken(Rows([one]))) == [1, 2]


def test_the_newest_row_of_an_event_file_waits_for_what_others_had() -> None:
    one = block(source="tensorboard", loss=[(1, 5.0, 3.0), (2, 6.0, 2.0)], lr=[(1, 5.0, 0.1)])
    rows = Rows([one])
    assert steps(taken(rows)) == [1]
    one.columns["lr"].add([(2, 6.0, 0.2)], whole=True)
    assert [found.row.lr for found in taken(rows)] == [0.2]


def test_a_metric_that_rows_seldom_have_holds_nothing_up_in_a_log() -> None:
    one = block(loss=[(1, 5.0, 3.0), (2, 6.0, 2.0), (3, 7.0, 2.0)], grad_norm=[(1, 5.0, 9.0)])
    assert [found.row.grad_norm for found in taken(Rows([one]))] == [9.0, None, None]


def test_a_point_of_a_step_that_the_loss_does_not_have_is_passed_over() -> None:
    one = block(loss=[(10, 5.0, 3.0), (30, 7.0, 2.0)], lr=[(10, 5.0, 0.1), (20, 6.0, 0.2), (30, 7.0, 0.3)])
    assert [found.row.lr for found in taken(Rows([one]))] == [0.1, 0.3]


def test_steps_that_go_back_stay_in_the_order_of_the_file() -> None:
    one = block(loss=[(1, 5.0, 3.0), (9, 6.0, 2.0), (2, 7.0, 2.0), (3, 8.0, 2.0)])
    assert steps(taken(Rows([one]), final=True)) == [1, 9, 2, 3]


def test_two_logs_of_one_rank_tell_of_each_row_once() -> None:
    points = [(step, 5.0 + step, 3.0) for step in range(1, 8)]
    both = Rows([block("a", loss=points[:5]), block("b", loss=points)])
    assert steps(taken(both, final=True)) == [1, 2, 3, 4, 5, 6, 7]


def test_a_file_that_began_later_follows_and_an_announced_start_is_one() -> None:
    first = block("w", 0, loss=[(1, 5.0, 3.0), (2, 6.0, 3.0)])
    second = block("w", 1, reason="start_announced", loss=[(2, 90.0, 3.0), (3, 91.0, 3.0)])
    found = taken(Rows([second, first]), final=True)
    assert [(one.row.step, one.starts) for one in found] == [(1, False), (2, False), (2, True), (3, False)]


def test_a_file_that_turns_out_to_have_begun_earlier_has_all_begin_anew() -> None:
    rows = Rows([block("late", loss=[(50, 90.0, 3.0), (51, 91.0, 3.0)])])
    assert taken(rows)
    rows.blocks.append(block("early", loss=[(1, 5.0, 3.0)]))
    with pytest.raises(Anew):
        taken(rows)


def test_what_follows_in_time_waits_until_a_long_file_is_read_to_its_end() -> None:
    long, later = block("a", loss=[(1, 5.0, 3.0), (2, 6.0, 3.0)]), block("b", loss=[(9, 90.0, 3.0), (10, 91.0, 3.0)])
    long.columns["loss"].whole = False
    rows = Rows([long, later])
    assert 9 not in steps(taken(rows))
    long.columns["loss"].add([(3, 7.0, 3.0)], whole=True)
    assert steps(taken(rows, final=True))[-3:] == [3, 9, 10]


@pytest.mark.parametrize("seed", range(20))
def test_rows_are_the_same_in_pieces_of_any_size(seed: int) -> None:
    chance = random.Random(seed)
    walls = [1e9 + number for number in range(60)]
    at = [*range(1, 31), *range(20, 50)]
    names = ("loss", "lr", "grad_norm")
    records = [
        {name: (step, wall, chance.random()) for name in names if name == "loss" or chance.random() < 0.8}
        for step, wall in zip(at, walls, strict=True)
    ]
    files = ("info.log", "worker_0.log")  # the second has what the first has, and is read at another pace

    def points(some: Sequence[dict[str, Point]], name: str) -> list[Point]:
        return [one[name] for one in some if name in one]

    whole = Rows([block(file, **{name: points(records, name) for name in names}) for file in files])
    expected = [(one.row, one.starts) for one in taken(whole, final=True)]
    pieces = Rows([block(file, **{name: [] for name in names}) for file in files])
    read, found = dict.fromkeys(files, 0), list[tuple[Row, bool]]()
    while any(count < len(records) for count in read.values()):
        file = chance.choice(files)
        part = records[read[file] : read[file] + chance.choice((1, 3, 17))]
        read[file] += len(part)
        mine = next(one for one in pieces.blocks if one.file == file)
        for name, column in mine.columns.items():
            column.add(points(part, name), whole=True)
        found += [(one.row, one.starts) for one in taken(pieces)]
    found += [(one.row, one.starts) for one in taken(pieces, final=True)]
    assert found == expected
