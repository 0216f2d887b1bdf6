"""What is drawn of a line: no extreme, no stretch of NaN or infinity, no first or last point of any window is lost."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from app.series.curve import Curve
from app.series.draw import Drawn, draw
from app.series.parts import LEAF, Line, between, during, joined, line, part
from app.series.reduce import LEAST
from app.series.spans import runs, spans
from app.series.splice import latest
from app.series.stitch import abandoned, alone, stitched
from tests.support.curve_points import points

KINDS = {"nan": np.isnan, "up": np.isposinf, "down": np.isneginf}


@dataclass(frozen=True)
class Case:
    """A curve whose steps are their own places, and the same curve in parts."""

    whole: Curve
    line: Line


def made(values: NDArray[np.float64], attempts: NDArray[np.int64], cuts: list[int]) -> Case:
    count = len(values)
    steps = np.arange(count)
    whole = Curve(steps, steps + 0.5, values, np.zeros(count, dtype=np.uint8), attempts)
    edges = sorted({0, count, *(one % count for one in cuts)})
    pieces = [part(whole.take(slice(start, end))) for start, end in pairwise(edges)]
    return Case(whole, joined(pieces))


@st.composite
def cases(draw_from: st.DrawFn) -> Case:
    """Up to 1,500 points with stretches of everything; a seed rather than lists, so that long ones are cheap."""
    numbers = np.random.default_rng(draw_from(st.integers(0, 2**32)))
    values = numbers.normal(0, 1, draw_from(st.integers(1, 1500))).round(2)
    for _ in range(draw_from(st.integers(0, 40))):
        at = numbers.integers(len(values))
        values[at : at + numbers.integers(1, 6)] = numbers.choice([np.nan, np.inf, -np.inf, 50.0])
    attempts = np.sort(numbers.integers(1, draw_from(st.integers(2, 5)), len(values)))
    return made(values, attempts, draw_from(st.lists(st.integers(0, 1500), max_size=4)))


WINDOWS = st.none() | st.tuples(st.integers(-5, 1500), st.integers(0, 1500), st.booleans())


def windowed(case: Case, window: tuple[int, int, bool] | None) -> tuple[Line, Curve]:
    if window is None:
        return case.line, case.whole
    start, width, by_step = window
    mine = case.whole.take((case.whole.steps >= start) & (case.whole.steps <= start + width))
    found = between if by_step else during
    return found(case.line, start, start + width + (0 if by_step else 0.75)), mine  # type: ignore[operator]


@settings(deadline=None)
@given(cases(), WINDOWS, st.integers(1, 300))
def test_nothing_is_lost_of_any_window(case: Case, window: tuple[int, int, bool] | None, budget: int) -> None:
    found, mine = windowed(case, window)
    drawn = draw(found, budget)
    room = max(budget, LEAST)
    assert len(drawn.curve) <= room
    assert drawn.total == len(mine)
    if not len(mine):
        return
    places = drawn.curve.steps - mine.steps[0]
    assert (np.diff(places) > 0).all()
    np.testing.assert_array_equal(drawn.curve.values, mine.values[places])
    assert drawn.curve.walls.tolist() == mine.walls[places].tolist()
    assert drawn.curve.attempts.tolist() == mine.attempts[places].tolist()
    assert (places[0], places[-1]) == (0, len(mine) - 1)
    no_extreme_is_lost(mine.values, places, room)
    no_stretch_is_lost(mine, drawn, places, room)


def no_extreme_is_lost(values: NDArray[np.float64], places: NDArray[np.int64], room: int) -> None:
    """Every finite point lies between two drawn ones that are no further away than two buckets."""
    finite, shown = np.isfinite(values), np.isfinite(values[places])
    if not finite.any():
        return
    at, kept = places[shown], values[places][shown]
    assert (kept.min(), kept.max()) == (values[finite].min(), values[finite].max())
    width = -(-len(values) // max(1, (room - 2 - 2 * (room // 4)) // 2)) + LEAF
    for place in np.flatnonzero(finite):
        near = kept[np.abs(at - place) <= width]
        assert near.min() <= values[place] <= near.max()


def no_stretch_is_lost(mine: Curve, drawn: Drawn, places: NDArray[np.int64], room: int) -> None:
    assert drawn.nan == np.count_nonzero(np.isnan(mine.values))
    assert drawn.inf == np.count_nonzero(np.isinf(mine.values))
    wanted = stretches(mine)
    assert [(one.kind, one.first_step, one.last_step) for one in drawn.spans] == wanted
    assert all(one.first_wall == one.first_step + 0.5 for one in drawn.spans)
    assert drawn.hidden_spans == 0
    first = mine.steps[0]
    if len(wanted) <= room // 4 and len(mine) > room:
        assert {start - first for _, start, _ in wanted} <= set(places.tolist())
    strange = np.concatenate([[False], ~np.isfinite(mine.values), [False]])
    lone = np.flatnonzero(strange[:-2] & ~strange[1:-1] & strange[2:])
    assert drawn.hidden_lone == len(set(lone.tolist()) - set(places.tolist()))
    assert drawn.hidden_lone == 0 or len(lone) > room // 4


def stretches(mine: Curve) -> list[tuple[str, int, int]]:
    """The same, point by point."""
    kinds = [next((kind for kind, is_it in KINDS.items() if is_it(one)), "") for one in mine.values.tolist()]
    named = zip(kinds, mine.attempts.tolist(), mine.steps.tolist(), strict=True)
    found = [(kind, [step for _, _, step in group]) for (kind, _), group in groupby(named, lambda it: it[:2])]
    return [(kind, steps[0], steps[-1]) for kind, steps in found if kind]


@settings(deadline=None)
@given(cases(), WINDOWS)
def test_0_points_is_every_point(case: Case, window: tuple[int, int, bool] | None) -> None:
    found, mine = windowed(case, window)
    drawn = draw(found, 0)
    np.testing.assert_array_equal(drawn.curve.values, mine.values)
    assert drawn.curve.steps.tolist() == mine.steps.tolist()
    assert (drawn.total, drawn.hidden_lone) == (len(mine), 0)


def test_every_spike_of_a_million_points_is_drawn_and_every_gap_told() -> None:
    values = np.zeros(1_000_000)
    spikes = np.arange(500, 1_000_000, 2500)
    values[spikes] = 5.0
    values[spikes + 1] = -5.0
    gaps = np.arange(1_000, 1_000_000, 5000)
    values[gaps] = np.nan
    values[gaps + 2] = np.nan
    found = draw(line(made(values, np.ones(1_000_000, dtype=np.int64), []).whole), 2000)
    drawn = set(found.curve.steps.tolist())
    assert set(spikes.tolist()) | set((spikes + 1).tolist()) <= drawn
    assert set((gaps + 1).tolist()) <= drawn
    assert len(drawn) <= 2000
    assert (found.nan, found.hidden_lone, len(found.spans), found.hidden_spans) == (400, 0, 300, 100)


def test_of_many_stretches_the_first_the_last_and_the_longest_are_told() -> None:
    values = np.zeros(1000)
    values[::2] = np.nan
    values[500:520] = np.nan
    case = made(values, np.ones(1000, dtype=np.int64), [507])
    told, hidden = spans(case.line, runs(case.line), 3)
    assert [(one.first_step, one.last_step) for one in told] == [(0, 0), (500, 520), (998, 998)]
    assert hidden == len(runs(case.line)) - 3


@pytest.mark.parametrize("budget", [8, 40, 500])
def test_lone_points_that_find_no_room_are_counted(budget: int) -> None:
    values = np.full(4000, np.nan)
    values[1::2] = 1.0
    drawn = draw(made(values, np.ones(4000, dtype=np.int64), [77]).line, budget)
    shown = np.count_nonzero(np.isfinite(drawn.curve.values))
    assert shown >= budget // 4
    # the last point is drawn as such, and has no stretch behind it
    assert drawn.hidden_lone == 2000 - shown


def test_set_flags_come_first() -> None:
    values = np.zeros(5000)
    values[::50] = 1.0
    values[2500:2600] = np.nan
    drawn = draw(made(values, np.ones(5000, dtype=np.int64), []).line, 110, flags=True)
    assert np.count_nonzero(drawn.curve.values == 1) == 98
    assert len(drawn.curve) <= 110


ATTEMPTED = st.lists(
    st.tuples(st.integers(1, 4), st.integers(0, 60), st.integers(1, 30), st.sampled_from([1, 1, 1, 2, 0, -1])),
    max_size=6,
)


@settings(deadline=None)
@given(ATTEMPTED, st.lists(st.integers(0, 80), max_size=4).map(sorted), st.integers(3, 40))
def test_stitched_is_what_the_latest_curve_is(
    written: list[tuple[int, int, int, int]], first_steps: list[int], size: int
) -> None:
    rows = [
        (attempt, first + every * number)
        for attempt, first, count, every in sorted(written, key=lambda it: it[0])
        for number in range(count)
    ]
    attempts, steps = (np.array([row[at] for row in rows], dtype=np.int64) for at in (0, 1))
    count = len(rows)
    whole = Curve(steps, np.arange(count) + 0.0, np.arange(count) * 1.5, np.zeros(count, dtype=np.uint8), attempts)
    found = joined([part(whole.take(slice(at, at + size))) for at in range(0, count, size)])
    wanted = latest(whole, first_steps)
    mine = stitched(found, first_steps).curve()
    assert points(mine) == points(wanted)
    assert mine.attempts.tolist() == wanted.attempts.tolist()
    for attempt in range(1, 5):
        assert points(alone(found, attempt).curve()) == points(whole.take(attempts == attempt))
        later = first_steps[attempt:]
        ghost = (attempts == attempt) & (steps >= min(later)) if later else np.zeros(count, dtype=bool)
        assert points(abandoned(found, attempt, first_steps).curve()) == points(whole.take(ghost))
