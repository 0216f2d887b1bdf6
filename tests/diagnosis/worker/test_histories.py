"""Whatever a job did, in whatever pieces its files came: the alerts are those of everything at once, each told once."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest

from collector.wire import schema
from tests.diagnosis.worker.conftest import Bench
from tests.diagnosis.worker.course import AT, Course, commit
from tests.support.seed import RUN, Point, Seed

Rows = Sequence[Mapping[str, Point]]


@dataclass
class Piece:
    """Rows of one generation of one file, in order."""

    file: str
    generation: int
    reason: str
    rows: Rows
    source: str = "log"


def job(chance: random.Random) -> list[Piece]:
    """Attempts of a job, each from a little before the end of the last, in two logs and an event file."""
    pieces, first, at = list[Piece](), 1, AT
    for number in range(chance.choice((1, 2, 3))):
        last = first + chance.randrange(80, 300)
        ill, high = chance.randrange(first, last), chance.randrange(first, last)
        nan = range(ill, ill + chance.choice((0, 1, 4)))
        spikes = dict.fromkeys(range(high, high + chance.choice((0, 3))), 2.0)
        rows = Course(range(first, last), nan, spikes, at, seed=number).rows()
        if chance.random() < 0.3:  # the norm is told in every other row alone
            rows = [one if at % 2 else {**one, "grad_norm": one["lr"]} for at, one in enumerate(rows)]
        reason = "start_announced" if number else "first"
        pieces.append(Piece("log/rank_0/info.log", number, reason, rows))
        pieces.append(Piece("msrun_log/worker_0.log", number, reason.replace("start_announced", "truncated"), rows))
        pieces.append(Piece(f"tensorboard/rank_0/e{number}", 0, "first", rows, "tensorboard"))
        at += len(rows) + chance.choice((40.0, 4000.0))
        first = max(1, last - chance.choice((0, 1, 20, 60)))
    return pieces


def write(seed: Seed, piece: Piece, rows: Rows) -> None:
    if rows:
        where = {"file": piece.file, "generation": piece.generation, "reason": piece.reason, "source": piece.source}
        commit(seed, rows, **where)


def arrive(bench: Bench, seed: Seed, pieces: Sequence[Piece], chance: random.Random, *, live: bool) -> None:
    """Each file in its order, the files in any, or as a job writes them; now and then a worker has its turn, now and
    then another one."""
    files: dict[str, list[tuple[Piece, Mapping[str, Point]]]] = {}
    for piece in pieces:
        files.setdefault(piece.file, []).extend((piece, row) for row in piece.rows)
    worker = bench.worker()
    while files:
        oldest = min(files[one][0][1]["loss"][1] for one in files)
        near = [one for one in files if not live or files[one][0][1]["loss"][1] < oldest + 10.0]
        name, count = chance.choice(near), chance.choice((1, 5, 60) if live else (1, 5, 60, 400))
        piece = files[name][0][0]
        rows = [row for of, row in files[name][:count] if of is piece]
        write(seed, piece, rows)
        bench.now = max(bench.now, rows[-1]["loss"][1])
        files[name] = files[name][len(rows) :]
        if not files[name]:
            del files[name]
        if chance.random() < 0.6:
            bench.settle(worker)
        if chance.random() < 0.2:
            worker = bench.worker()
    bench.settle(worker)
    bench.now += 6.0  # what looks incomplete is taken for what it is
    bench.settle(worker)


def found(bench: Bench) -> str:
    return "\n".join(repr(one) for one in bench.found().values())


@pytest.mark.parametrize("live", [True, False], ids=["live", "history"])
@pytest.mark.parametrize("number", [*range(6), 14, 26, 31, 41, 42, 56])
def test_any_pieces_make_the_alerts_of_everything_at_once(bench: Bench, seed: Seed, number: int, live: bool) -> None:
    chance = random.Random(number)
    pieces = job(chance)
    arrive(bench, seed, pieces, chance, live=live)
    pieces_found, told = found(bench), [(one.alert, one.change) for one in bench.notices()]
    bench.client.delete(schema.diagnosis(RUN), schema.alerts(RUN), schema.outbox(RUN))
    worker = bench.worker()
    bench.settle(worker)
    bench.now += 6.0
    bench.settle(worker)
    assert pieces_found == found(bench)
    assert not live or sorted(set(told)) == sorted(told)
