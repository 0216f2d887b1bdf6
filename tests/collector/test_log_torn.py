"""Records that another write tore: nothing wrong is read, what is whole of them is kept, and it is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from collector.parse.parsers import parser_for
from collector.read import read
from tests.support.scalars import Followed, curve

PARSER = parser_for("log")
CLOCK = "2025-06-01 10:00:30,099"
STEPS = (11, 12, 13)
PREFIX = f"{CLOCK} - mindformers[callback.py:494] - INFO - "


def graph(step: int) -> str:
    return (
        f"{{ Epoch:[  1/  1], step:[{step:5d}/  100], loss: {step}.500, per_step_time: 742ms, lr: 1e-05, "
        f"overflow cond: False, loss_scale: 1024.0, global_norm: [{step}.25]"
    )


def pynative(step: int) -> str:
    return f"{{ step:[{step:5d}/  100], loss: {step:10.6f}, lr: 1.000000e-05, grad_norm: {step}.250000 }}"


Writer = Callable[[int], str]
Read = Mapping[str, list[tuple[int, float | str]]]


def parse(text: str) -> tuple[Read, int]:
    parsed = PARSER.parse(text.encode(), {}, final=True)
    return {tag: curve(parsed, tag) for tag in parsed.scalars}, parsed.counts.get("torn_line", 0)


def test_two_whole_records_in_one_line_are_two_records() -> None:
    found, torn = parse(f"{PREFIX}{pynative(3)}{PREFIX}{pynative(4)}\n")
    assert found["loss"] == [(3, 3.0), (4, 4.0)]
    assert found["grad_norm"] == [(3, 3.25), (4, 4.25)]
    assert torn == 0


def test_two_records_in_one_line_are_whole_when_both_have_every_field() -> None:
    found, torn = parse(f"{PREFIX}{graph(1)}\n{PREFIX}{graph(3)}{PREFIX}{graph(4)}\n")
    assert found["loss"] == [(1, 1.5), (3, 3.5), (4, 4.5)]
    assert found["global_norm"] == [(1, 1.25), (3, 3.25), (4, 4.25)]
    assert torn == 0


@pytest.mark.parametrize("prefix", [PREFIX, "", f"[INFO] {CLOCK} [callback.py:313] print_output_info: "])
@pytest.mark.parametrize("record", [graph, pynative])
def test_a_record_torn_anywhere_by_another_gives_no_wrong_value(record: Writer, prefix: str) -> None:
    first, second, third = (prefix + record(step) for step in STEPS)
    whole = {
        step: {tag: points[0][1] for tag, points in parse(f"{prefix}{record(step)}\n")[0].items()} for step in STEPS
    }
    for cut in range(len(first)):
        found, torn = parse(f"{first}\n{second[:cut]}{third}\n")
        for tag, points in found.items():
            assert [point for point in points if point[1] != whole[point[0]][tag]] == [], (cut, tag)
        assert found["loss"][-1] == (13, whole_loss(record, 13)), cut
        assert not torn or "step:" in second[:cut]


def whole_loss(record: Writer, step: int) -> float:
    return step + 0.5 if record is graph else float(step)


def test_the_rest_of_a_torn_record_is_not_taken_for_fields_of_the_other() -> None:
    whole, other = pynative(11), pynative(12)
    for cut in range(20, len(whole)):
        found, _ = parse(f"{whole[:cut]}{other}{whole[cut:]}\n")
        assert found["loss"][-1] == (12, 12.0)
        assert [point for point in found["grad_norm"] if point[0] == 12] == [(12, 12.25)]


def test_a_name_that_comes_twice_ends_the_record() -> None:
    found, torn = parse("{ Epoch:[  1/  1], step:[    4/  100], loss: 2.0, loss_scale: 1.0125, loss: 9.5, lr: 1e-05\n")
    assert (found, torn) == ({"loss": [(4, 2.0)]}, 1)


def test_a_record_that_ends_early_loses_its_last_value_and_no_other() -> None:
    short = graph(2)[: graph(2).index("742ms") + 2]
    found, torn = parse(f"{graph(1)}\n{short}\n{graph(3)}\n")
    assert found["loss"] == [(1, 1.5), (2, 2.5), (3, 3.5)]
    assert found["per_step_time"] == [(1, 742.0), (3, 742.0)]
    assert torn == 1


def test_fewer_fields_from_some_record_on_are_torn_once() -> None:
    shorter = [graph(step).partition(", global_norm")[0] for step in (2, 3, 4)]
    found, torn = parse("\n".join([graph(1), *shorter]))
    assert [step for step, _ in found["loss_scale"]] == [1, 3, 4]
    assert torn == 1


def test_torn_records_are_told_once_a_file(tmp_path: Path) -> None:
    text = "".join(f"{pynative(step)[:60]}{pynative(step + 1)}\n" for step in range(1, 80, 2))
    (tmp_path / "worker_0.log").write_text(text)
    (told,) = read(tmp_path).warnings
    assert (told.code, told.file) == ("torn_line", "worker_0.log")
    assert told.detail.startswith("40 records")


def test_torn_records_are_counted_the_same_for_every_cut() -> None:
    text = "".join(f"{graph(step)[:90]}{graph(step + 1)}\n{graph(step + 2)}\n" for step in range(1, 40, 3)).encode()
    whole = Followed(PARSER, text)
    assert whole.counts["torn_line"] == 13
    for cut in range(0, len(text), 7):
        assert Followed(PARSER, text, [cut]).all() == whole.all()
