"""Where the time of a run went: every millisecond has one cause, whatever is missing."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.series.attempts import Attempt
from app.series.curve import Curve
from app.series.ledger import CAUSES, Ledger, ledger
from app.series.marks import marks
from app.series.pauses import Split
from app.series.stretches import CHUNK
from collector.wire.records import RunEvent
from tests.support.curve_points import curve

BEGAN = 1_700_000_000.0
T = TypeVar("T")
Point = tuple[int, float, float]


def attempt(number: int, first: int, last: int) -> Attempt:
    return Attempt(number, "first" if number == 1 else "start_announced", None, None, first, last, 0)


def points(steps: range, at: float = BEGAN, every: float = 1.0, pauses: dict[int, float] | None = None) -> list[Point]:
    """One point a step, ``every`` seconds apart; before a step in ``pauses`` so many seconds more."""
    found, wall = [], at
    for number, step in enumerate(steps):
        wall += (every if number else 0.0) + (pauses or {}).get(step, 0.0)
        found.append((step, wall, 1.0))
    return found


def told(*attempts: Sequence[Point], events: Sequence[RunEvent] = (), printed_ms: float | None = None) -> Ledger:
    whole = curve([point for one in attempts for point in one])
    numbers = [number for number, one in enumerate(attempts, 1) for _ in one]
    spans = [
        attempt(number, min(p[0] for p in one), max(p[0] for p in one)) for number, one in enumerate(attempts, 1) if one
    ]
    found = ledger(replace(whole, attempts=np.array(numbers)), spans, marks(events, 0), printed_ms=printed_ms)
    assert found is not None
    return found


def seconds(found: Ledger) -> dict[str, float]:
    return {cause: ms / 1000 for cause, ms in found.parts.items() if ms}


def line(kind: str, at: float, text: str = "", step: int | None = None) -> RunEvent:
    return RunEvent(kind, step, BEGAN + at, text or kind, rank=0)


def test_a_run_that_went_through_was_productive_all_the_time() -> None:
    found = told(points(range(1, 101)))
    assert seconds(found) == {"productive": 99.0}
    assert (found.ratio, found.total, found.unknown) == (1.0, 99_000, ("no_log",))


def test_an_evaluation_and_a_checkpoint_take_what_their_lines_say() -> None:
    run = points(range(1, 101), pauses={51: 20.0, 81: 5.0})
    events = [
        line("eval", 70.0, "Eval result: {'PPL': 3.0}, eval time is 20.000000 s.", 50),
        line("checkpoint", 104.0, "Finish saving ckpt of epoch 1 step 80 using 5.000 seconds", 80),
    ]
    found = told(run, events=events)
    assert seconds(found) == {"productive": 99.0, "evaluation": 20.0, "checkpoint": 5.0}
    assert found.usual_ms == {"evaluation": 20_000, "checkpoint": 5_000}


def test_works_of_unknown_length_take_what_their_pause_is_too_long() -> None:
    run = points(range(1, 101), pauses={51: 20.0, 81: 6.0})
    events = [
        line("eval", 55.0, "Starting Evaluate Model", 50),
        line("checkpoint", 100.5, "Checkpoint saved at step 80 to ./ckpt (async=False, remove_redundancy=False)", 80),
    ]
    assert seconds(told(run, events=events)) == {"productive": 99.0, "evaluation": 20.0, "checkpoint": 6.0}


def test_a_begin_and_an_end_are_one_work() -> None:
    run = points(range(1, 101), pauses={51: 20.0})
    events = [line("eval", 49.5, "Starting Evaluate Model"), line("eval", 69.5, "Evaluate Over!")]
    found = told(run, events=events)
    assert seconds(found) == {"productive": 99.0, "evaluation": 20.0}
    assert found.usual_ms["evaluation"] == 20_000


def test_a_work_that_is_under_way_tells_nothing_of_its_usual_length() -> None:
    begun = line("eval", 99.2, "Starting Evaluate Model")
    assert told(points(range(1, 101)), events=[begun, line("overflow", 99.9)]).usual_ms == {}
    earlier = line("eval", 55.0, "Starting Evaluate Model")
    found = told(
        points(range(1, 101), pauses={51: 20.0}), events=[earlier, line("eval", 119.5, "Starting Evaluate Model")]
    )
    assert found.usual_ms == {"evaluation": 20_000}


def test_a_checkpoint_that_is_saved_beside_training_costs_no_time() -> None:
    run = points(range(1, 101))
    saved = line("checkpoint", 90.0, "Finish saving ckpt of epoch 1 step 50 using 40.000 seconds", 50)
    assert seconds(told(run, events=[saved])) == {"productive": 99.0}


def test_an_evaluation_in_every_pause_is_told_by_the_printed_step_time() -> None:
    run = points(range(10, 510, 10), every=25.0)  # ten steps of 2 s, then 5 s of evaluation
    events = [line("eval", 25.0 * n, f"Eval result: x, eval time is 5.000000 s. {n}", 10 * n) for n in range(1, 50)]
    assert seconds(told(run, events=events, printed_ms=2000.0)) == {"productive": 20.0 * 49, "evaluation": 5.0 * 49}


def test_a_long_pause_that_nothing_explains_is_a_stall_and_says_where() -> None:
    found = told(points(range(1, 101), pauses={40: 600.0, 60: 30.0}))
    assert seconds(found) == {"productive": 99.0, "stalled": 630.0}
    assert (found.stalls, found.longest_stall_ms, found.stall_step) == (2, 600_000, 39)


def test_a_slower_phase_is_still_training() -> None:
    slow = points(range(601, 1201), at=BEGAN + 603.0, every=4.0)
    assert seconds(told([*points(range(1, 601)), *slow])).keys() == {"productive"}


def test_jitter_is_no_stall() -> None:
    random = np.random.default_rng(3)
    walls = BEGAN + np.cumsum(random.gamma(4.0, 0.25, 5000))
    found = told([(step, wall, 1.0) for step, wall in enumerate(walls.tolist())])
    assert found.parts["stalled"] < 0.01 * found.total


def test_start_up_and_compilation_reach_to_the_first_point() -> None:
    run = points(range(1, 101))
    events = [line("start", -130.0), line("compile", -120.0), line("train", -61.0)]
    found = told(run, events=events)
    assert seconds(found) == {"productive": 100.0, "startup": 129.0}
    assert (found.usual_ms, found.unknown) == ({"startup": 129_000}, ())


def test_work_that_was_thrown_away_is_the_older_copy() -> None:
    first, second = points(range(1, 101)), points(range(81, 121), at=BEGAN + 500)
    events = [line("start", -11.0), line("traceback", 105.0), line("start", 440.0)]
    found = told(first, second, events=events)
    assert seconds(found) == {
        "productive": 1 + 79 + 1 + 39,  # first point, steps 2 to 80, first point, the second attempt's
        "redone": 20.0 + 1.0,  # steps 81 to 100, and one that was not printed any more
        "startup": 10.0 + 59.0,
        "stalled": 5.0,
        "down": 335.0,
    }
    assert found.steps_lost == 20


def test_without_any_line_the_time_between_two_attempts_is_down() -> None:
    found = told(points(range(1, 101)), points(range(81, 121), at=BEGAN + 500))
    assert seconds(found) == {"productive": 79 + 39 + 1, "redone": 20.0, "down": 400.0}


def test_starts_that_came_to_nothing_count_each_as_one() -> None:
    first, second = points(range(1, 101)), points(range(101, 121), at=BEGAN + 500)
    events = [
        line("end", 100.0),
        line("start", 200.0),
        line("traceback", 230.0),
        line("start", 300.0),
        line("train", 350.0),
    ]
    found = told(first, second, events=events)
    assert seconds(found) == {"productive": 99 + 1 + 1 + 19, "startup": 30.0 + 199.0, "down": 100.0 + 70.0}


def test_a_start_that_ended_in_a_traceback_without_a_clock_came_to_nothing() -> None:
    first, second = points(range(1, 101)), points(range(101, 121), at=BEGAN + 500)
    died = RunEvent("traceback", None, None, "ValueError: no such dataset", rank=0)
    events = [line("end", 100.0), line("start", 200.0), died, line("start", 300.0), line("train", 350.0)]
    found = told(first, second, events=events)
    assert seconds(found) == {"productive": 99 + 1 + 1 + 19, "startup": 0.001 + 199.0, "down": 100.0 + 99.999}


def test_a_traceback_whose_file_tells_no_time_is_left_out() -> None:
    assert marks([RunEvent("traceback", 9, None, "ValueError", rank=0), line("end", 5.0)], 0) == marks(
        [line("end", 5.0)], 0
    )


def test_a_job_that_hung_before_it_died_was_stalled() -> None:
    events = [line("traceback", 99 + 1800.0, "RuntimeError: HCCL timed out")]
    found = told(points(range(1, 101)), events=events)
    assert seconds(found) == {"productive": 100.0, "stalled": 1799.0}


def test_of_several_ranks_the_shown_ones_lines_count_once() -> None:
    run = points(range(1, 101), pauses={51: 20.0})
    text = "Eval result: {'PPL': 3.0}, eval time is 20.000000 s."
    events = [replace(line("eval", 70.0 + rank / 10, text), rank=rank) for rank in range(8)]
    found = told(run, events=[*events, *events])
    assert (seconds(found)["evaluation"], found.usual_ms["evaluation"]) == (20.0, 20_000)


def test_no_clock_is_no_ledger() -> None:
    assert ledger(curve([(1, math.nan, 1.0), (2, math.nan, 1.0)]), [attempt(1, 1, 2)], []) is None
    assert ledger(curve([]), [], []) is None


def test_a_run_of_lines_alone_is_in_its_start() -> None:
    found = ledger(curve([]), [], marks([line("start", 0.0), line("compile", 60.0)], None))
    assert found is not None
    assert (seconds(found), found.ratio) == ({"startup": 60.0}, 0.0)


def test_a_clock_that_goes_back_costs_nothing_and_is_told() -> None:
    back = [*points(range(1, 51)), *points(range(51, 101), at=BEGAN - 3600)]
    found = told(back)
    assert seconds(found) == {"productive": 98.0}
    assert "clock_back" in found.unknown


def test_one_wrong_clock_among_right_ones_is_passed_over() -> None:
    run = points(range(1, 101))
    run[50] = (51, BEGAN + 9e8, 1.0)
    assert seconds(told(run)) == {"productive": 99.0}


def test_steps_beyond_all_measure_and_clocks_before_all_time_do_no_harm() -> None:
    run = [*points(range(1, 51)), (2**62, BEGAN + 60, 1.0), (2**62 + 1, -5.0, 1.0), (2**62 + 2, 1e300, 1.0)]
    assert told(run).total == 60_000


FRACTIONS = st.integers(0, 5000).map(lambda ms: ms / 1000)
ATTEMPTS = st.lists(
    st.lists(st.tuples(st.integers(-1, 60), FRACTIONS), min_size=1, max_size=40), min_size=1, max_size=4
)
KINDS = st.sampled_from(["start", "train", "eval", "checkpoint", "end", "traceback", "overflow"])
TEXTS = st.sampled_from(["x", "Saving ckpt", "Starting Evaluate Model", "eval time is 3.5 s", "using 2.25 seconds"])
EVENTS = st.lists(
    st.builds(lambda kind, text, at: RunEvent(kind, None, BEGAN + at, text, rank=0), KINDS, TEXTS, FRACTIONS),
    max_size=12,
)


@given(ATTEMPTS, EVENTS, st.none() | st.floats(1, 5000))
def test_the_parts_are_the_whole_time(
    raw: list[list[tuple[int, float]]], events: list[RunEvent], printed: float | None
) -> None:
    """However lines and points lie: nothing is counted twice, nothing is lost, nothing is negative."""
    wall, made = BEGAN, []
    for steps in raw:
        one, step = [], max(1, steps[0][0])
        for more, pause in steps:
            step, wall = max(0, step + more), wall + pause
            one.append((step, wall, 1.0))
        made.append(sorted(one, key=lambda point: point[0]))
    found = told(*made, events=events, printed_ms=printed)
    assert set(found.parts) == set(CAUSES)
    assert min(found.parts.values()) >= 0
    assert sum(found.parts.values()) == found.total
    rises = all(a[1] <= b[1] for a, b in pairwise([point for one in made for point in one]))
    clocks = [round(point[1] * 1000) for one in made for point in one]
    after = [round(one.wall * 1000) for one in events if one.wall and round(one.wall * 1000) >= clocks[-1]]
    begun = [round(one.wall * 1000) for one in events if one.wall and one.kind in ("start", "train")]
    if rises:
        began = min([one for one in begun if one <= clocks[0]] + clocks[:1])
        assert found.total == max(after + clocks[-1:]) - began


def long_run(count: int) -> Curve:
    random = np.random.default_rng(7)
    walls = BEGAN + np.cumsum(random.gamma(9.0, 0.1, count)) + np.where(np.arange(count) > count // 2, 4000.0, 0.0)
    ones = np.ones(count, dtype=np.int64)
    return Curve(np.arange(count), walls, walls * 0, ones.astype(np.uint8), ones)


class Kept:
    """Remembers what stretches went to, and counts how often that was worked out."""

    def __init__(self) -> None:
        self.known: dict[Hashable, object] = {}
        self.made = 0

    def __call__(self, key: Hashable, make: Callable[[], T]) -> T:
        if key not in self.known:
            self.known[key] = make()
            self.made += isinstance(self.known[key], Split)
        return cast(T, self.known[key])


def test_what_was_split_once_is_not_looked_at_again() -> None:
    kept = Kept()
    whole = long_run(3 * CHUNK + 100)
    event = marks([line("checkpoint", 50_000.0, "Finish saving ckpt of epoch 1 step 9 using 2.0 seconds")], 0)
    for count in (3 * CHUNK + 50, 3 * CHUNK + 60, 3 * CHUNK + 100):
        part = whole.take(slice(0, count))
        told_again = ledger(part, [attempt(1, 0, count - 1)], event, remember=kept)
        assert told_again == ledger(part, [attempt(1, 0, count - 1)], event)
    assert kept.made == 3


@pytest.mark.parametrize("event_count", [0, 400])
def test_a_million_points_are_counted_to_the_millisecond(event_count: int) -> None:
    whole = long_run(1_000_000)
    events = [line("eval", 2000.0 * n, f"eval time is 1.5 s {n}") for n in range(event_count)]
    found = ledger(whole, [attempt(1, 0, 999_999)], marks(events, 0))
    assert found is not None
    assert found.total == round(whole.walls[-1] * 1000) - round(whole.walls[0] * 1000)
    assert found.parts["stalled"] >= 3_999_000
