"""Folding loses none of what a bucket's range, ends and counts are made of."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collector.fold import fold, folded_bytes, is_worth
from collector.wire.folded import BUCKET_POINTS, HEAD, Bucket, buckets_of, chunks, head_of, kept_of
from collector.wire.records import pack_point, unpack_points

Point = tuple[int, float, float]

finite = st.floats(allow_nan=False, allow_infinity=False)
values = st.one_of(finite, finite, finite, st.sampled_from([math.nan, math.inf, -math.inf, 0.0, -0.0]))
orderly = st.lists(values, min_size=BUCKET_POINTS, max_size=3 * BUCKET_POINTS).map(
    lambda found: [
        (step, 1e9 + step / 4, value) for step, value in enumerate(found[: len(found) // BUCKET_POINTS * BUCKET_POINTS])
    ]
)
step = st.integers(-(2**63), 2**63 - 1)
wild = st.lists(st.tuples(step, st.floats(), values), min_size=BUCKET_POINTS, max_size=BUCKET_POINTS)


def packed(points: list[Point]) -> bytes:
    return b"".join(pack_point(*one) for one in points)


def folded(points: list[Point]) -> bytes:
    block = packed(points)
    return HEAD.pack(len(points), 0) + fold(block)


def pairs(points: list[Point]) -> list[tuple[Bucket, list[Point], list[Point]]]:
    """Each bucket, the points that it was made of, and those that it keeps."""
    text, at, kept, found = folded(points), 0, 0, []
    all_kept = list(unpack_points(kept_of(text)))
    for bucket in buckets_of(text):
        found.append((bucket, points[at : at + bucket.count], all_kept[kept : kept + bucket.kept]))
        at, kept = at + bucket.count, kept + bucket.kept
    assert (at, kept) == (len(points), len(all_kept))
    return found


def same(points: list[Point]) -> list[bytes]:
    return [pack_point(*one) for one in points]


@settings(max_examples=30, deadline=None)
@given(st.one_of(orderly, wild))
def test_ends_extremes_mean_and_counts_of_each_bucket_are_kept(points: list[Point]) -> None:
    for bucket, before, kept in pairs(points):
        assert same([kept[0], kept[-1]]) == same([before[0], before[-1]])
        numbers = [value for _, _, value in before if math.isfinite(value)]
        left = [value for _, _, value in kept if math.isfinite(value)]
        assert (min(left, default=None), max(left, default=None)) == (
            min(numbers, default=None),
            max(numbers, default=None),
        )
        if numbers:
            assert bucket.mean == pytest.approx(math.fsum(one / len(numbers) for one in numbers), rel=1e-9, abs=1e292)
        else:
            assert math.isnan(bucket.mean)
        for hidden, is_one in (
            (bucket.nan, math.isnan),
            (bucket.up, lambda one: one == math.inf),
            (bucket.down, lambda one: one == -math.inf),
        ):
            assert hidden + sum(is_one(value) for _, _, value in kept) == sum(is_one(value) for _, _, value in before)


@settings(max_examples=30, deadline=None)
@given(st.one_of(orderly, wild))
def test_what_is_kept_are_points_of_the_series_in_their_order(points: list[Point]) -> None:
    for _, before, kept in pairs(points):
        rest = iter(same(before))
        assert all(one in rest for one in same(kept))


@settings(max_examples=30, deadline=None)
@given(orderly)
def test_every_stretch_of_nan_and_infinity_begins_and_ends_where_it_did(points: list[Point]) -> None:
    def ends(found: list[Point]) -> list[tuple[str, int, int]]:
        stretches: list[list[tuple[str, int]]] = []
        for step, _, value in found:
            kind = "number" if math.isfinite(value) else str(value)
            if not stretches or stretches[-1][-1][0] != kind:
                stretches.append([])
            stretches[-1].append((kind, step))
        return [(one[0][0], one[0][1], one[-1][1]) for one in stretches]

    assert ends(list(unpack_points(kept_of(folded(points))))) == ends(points)


@settings(max_examples=30, deadline=None)
@given(wild)
def test_where_steps_or_clocks_are_out_of_order_nothing_is_folded_away(points: list[Point]) -> None:
    orderly = all(one[0] < other[0] and one[1] <= other[1] for one, other in pairwise(points))
    ((_, before, kept),) = pairs(points)
    assert orderly or same(kept) == same(before)


def test_a_points_room_is_measured() -> None:
    points = [(step, 1e9 + step, math.sin(step / 7) + step % 3) for step in range(64 * 100)]
    text = folded(points)
    assert len(text) / len(points) < 2.0
    assert len(text) <= folded_bytes(len(points)) + 200
    assert is_worth(packed(points), fold(packed(points)))


def test_points_without_a_clock_are_not_worth_it() -> None:
    block = packed([(step, math.nan, 1.0) for step in range(128)])
    assert not is_worth(block, fold(block))


def test_folds_follow_each_other_and_the_head_tells_how_many_points_they_were() -> None:
    points = [(step, float(step), float(step % 5)) for step in range(192)]
    first, second = packed(points[:64]), packed(points[64:])
    text = HEAD.pack(192, 12) + fold(first) + fold(second)
    assert (head_of(text), head_of(text[: HEAD.size]), head_of(b"")) == ((192, 12), (192, 12), (0, 0))
    assert len(list(chunks(text))) == 2
    assert [one.count for one in buckets_of(text)] == [64, 64, 64]
    steps = [step for step, _, _ in unpack_points(kept_of(text))]
    assert steps == sorted(steps)
    assert {0, 63, 64, 191} <= set(steps)
