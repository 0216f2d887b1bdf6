"""A curve that grows is at every moment what all its points together make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.series import weave
from app.series.assemble import Stored, assemble
from app.series.attempts import Timeline, timeline
from app.series.curve import POINT, Curve, concat, from_blocks
from app.series.grown import Growing, Grown, Tangled, Whole
from app.series.parts import Line
from app.series.recount import counts_anew
from app.series.segments import Reasons, segments
from app.series.trail import Anew, Trail
from collector.wire.records import SeriesMeta
from tests.support.curve_points import curve, meta, points

LOG, WORKER, OLD = meta(), meta("msrun_log/worker_0.log"), meta("log/rank_0/info.log.1")
EVENTS, AGAIN = meta("e.1", source="tensorboard"), meta("e.2", source="tensorboard")
SUMMARY, NEXT = meta("s.1", source="mindspore"), meta(generation=1)
MONITOR, RESUMED = (meta(file, source="tensorboard", tag="local_lm_loss") for file in ("e.3", "e.4"))
SERIES = (LOG, WORKER, OLD, EVENTS, AGAIN, SUMMARY, NEXT, MONITOR, RESUMED)
WHY: Reasons = {(NEXT.file, 1): "start_announced"}


@dataclass
class Growth:
    """A curve beside all of its points; begun again when it says so, as the reader does."""

    growing: Growing = field(default_factory=Grown)
    held: dict[SeriesMeta, list[Curve]] = field(default_factory=dict)
    again: int = 0

    def extend(self, new: Mapping[SeriesMeta, Sequence[Curve]], known: Timeline) -> Line:
        for one, curves in new.items():
            self.held.setdefault(one, []).extend(curves)
        try:
            return self.growing.extend(new, known)
        except (Anew, Tangled):
            self.again += 1
            self.growing = Grown()
        try:
            return self.growing.extend(self.held, known)
        except Tangled:
            self.growing = Whole()
            return self.growing.extend(self.held, known)

    def whole(self, known: Timeline) -> Curve:
        return assemble([Stored(one, concat(curves)) for one, curves in self.held.items()], known)

    def timeline(self) -> Timeline:
        found = sorted(self.held.items(), key=lambda it: (it[0].file, it[0].generation))
        anew = frozenset((one.file, one.generation) for one in self.held if counts_anew(one))
        return timeline([part for one, curves in found for part in segments(one, concat(curves), WHY)], anew)


def check(line: Line, whole: Curve) -> None:
    found = line.curve()
    for column in ("steps", "walls", "values", "sources", "attempts"):
        np.testing.assert_array_equal(getattr(found, column), getattr(whole, column))


WRITTEN = st.tuples(
    st.sampled_from(SERIES),
    st.integers(0, 60),  # first step
    st.integers(1, 12),  # points
    st.sampled_from([0, 1, 1, 1, 2]),  # steps between them
    st.sampled_from([0.0, 100.0, 200.0]),  # where the clock stands
    st.sampled_from([True, True, True, False]),  # has a clock
)


def _value(moment: float) -> float:
    """Two files that tell of one step at one moment tell the same."""
    return (0.0, 1.5, float("nan"), -2.0, float("inf"))[int(moment) % 5]


def block(first: int, count: int, every: int, at: float, clocked: bool) -> Curve:
    steps = [first + every * number for number in range(count)]
    return curve([(step, at + step if clocked else float("nan"), _value(step + at)) for step in steps])


def sourced(one: SeriesMeta, found: Curve) -> Curve:
    return curve(points(found), one.source)


@settings(deadline=None, max_examples=60)
@given(st.lists(WRITTEN, min_size=1, max_size=10))
def test_whatever_is_written_in_whatever_order_is_what_all_of_it_makes(written: list[tuple]) -> None:  # type: ignore[type-arg]
    growth = Growth()
    for one, *rest in written:
        new = {one: [sourced(one, block(*rest))]}
        before = {series: list(curves) for series, curves in growth.held.items()}
        before.setdefault(one, []).extend(new[one])
        known = Growth(held=before).timeline()
        check(growth.extend(new, known), growth.whole(known))


LATE = st.lists(st.tuples(st.sampled_from((LOG, EVENTS)), st.integers(1, 30)), min_size=10, max_size=25)


@settings(deadline=None, max_examples=8)
@given(LATE)
def test_files_that_go_forward_are_woven_on_and_never_begun_again(written: list[tuple[SeriesMeta, int]]) -> None:
    growth, ends = Growth(), {LOG: 0, EVENTS: 0}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weave, "PART", 64)
        patch.setattr(weave, "LITTLE", 8)
        for one, count in written:
            found = block(ends[one], count, 1, 0.0, True)
            ends[one] += count
            known = timeline([])
            check(growth.extend({one: [sourced(one, found)]}, known), growth.whole(known))
            assert all(len(part) <= 2 * 64 for part in growth.growing._line.pieces)  # type: ignore[attr-defined]
    assert growth.again == 0


STEPS = st.lists(
    st.tuples(st.integers(0, 90), st.integers(1, 15), st.sampled_from([0, 1, 1, 3, -1]), st.booleans()),
    min_size=1,
    max_size=8,
)


@settings(deadline=None)
@given(STEPS, st.lists(st.integers(1, 60), max_size=5), st.sampled_from(["", "replaced"]))
def test_a_trail_shows_the_segments_that_all_points_show(
    written: list[tuple[int, int, int, bool]], cuts: list[int], reason: str
) -> None:
    rows = [
        (first + every * at, at + 100.0 * first if clocked else float("nan"), 0.0)
        for first, count, every, clocked in written
        for at in range(count)
    ]
    whole, why = curve(rows), {(LOG.file, 0): reason} if reason else {}
    trail, edges = Trail(), sorted({0, len(rows), *(one for one in cuts if one < len(rows))})
    for start, end in pairwise(edges):
        try:
            trail.extend([whole.take(slice(start, end))])
        except Anew:
            trail = Trail()
            trail.extend([whole.take(slice(0, start)), whole.take(slice(start, end))])
        assert repr(trail.segments(LOG, why)) == repr(segments(LOG, whole.take(slice(0, end)), why))


def long(count: int, one: SeriesMeta) -> list[Curve]:
    """So many points, in the blocks in which they are read."""
    rows = np.zeros(count, dtype=POINT)
    rows["step"] = rows["wall"] = np.arange(count)
    blocks = (rows[at : at + weave.PART].tobytes() for at in range(0, count, weave.PART))
    return from_blocks(blocks, one.source, count)


def test_a_curve_of_one_file_is_held_once_in_few_parts() -> None:
    growing, count = Grown(), 3 * weave.PART
    blocks = long(count, EVENTS)
    growing.extend({EVENTS: blocks}, timeline([]))
    for step in range(count, count + 50):
        found = growing.extend({EVENTS: [curve([(step, float(step), 0.0)], "tensorboard")]}, timeline([]))
    assert [len(one) for one in found.pieces] == [weave.PART] * 3 + [50]
    assert np.shares_memory(found.pieces[0].part.curve.steps, blocks[0].steps)
    assert growing.weight == (count + 50) * weave.POINT_BYTES


def test_what_cannot_change_any_more_is_held_as_the_result_alone() -> None:
    growing, count = Grown(), 4 * weave.PART
    for one in (LOG, EVENTS):
        growing.extend({one: long(count, one)}, timeline([]))
    # the result, and of each file what may still matter
    assert growing.weight < 2.6 * count * weave.POINT_BYTES
    found = growing.extend({LOG: [curve([(count, count + 0.0, 0.0)])]}, timeline([]))
    assert (len(found), found.pieces[-1].part.curve.sources[-1]) == (count + 1, 2)
    with pytest.raises(Anew):
        growing.extend({LOG: [curve([(5, 5.0, 0.0)])]}, timeline([]))
