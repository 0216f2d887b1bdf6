"""Histories that are too long to be held: joined piece by piece, with nothing lost that says something."""

from __future__ import annotations

import numpy as np
import pytest

import app.pasts as module
from app.grids import Grids
from app.pasts import Pasts, Whole
from app.reader import Reader
from app.store import RedisRunStore
from app.surveys import Surveys
from tests.app.test_grids import LOCAL, NAN, exact, file, local, run_of
from tests.support.seed import Seed, straight

RANKS, STEPS = 8, 1_000
ODD = {(3, 77): 1e6, (5, 301): -1e6, (0, 555): NAN, (7, 640): float("inf"), (2, 999): 1e5}


@pytest.fixture
def pasts(store: RedisRunStore, monkeypatch: pytest.MonkeyPatch) -> Pasts:
    """Of which 166 columns are held, and 100 joined ones."""
    monkeypatch.setattr(module, "COLUMNS", 100)
    reader = Reader(store)
    return Pasts(Surveys(Grids(store, reader, kept_bytes=20_000)), reader)


@pytest.fixture
def long(seed: Seed) -> Seed:
    dice = np.random.default_rng(7)
    for rank in range(RANKS):
        noise = dice.normal(0, 0.02, STEPS + 1)
        points = [(step, 1e6 + step, ODD.get((rank, step), 2 + float(noise[step]))) for step in range(1, STEPS + 1)]
        local(seed, rank, points)
    return seed


def whole(store: RedisRunStore, pasts: Pasts, most: int = 20) -> Whole:
    """Asked until everything is there."""
    for _ in range(most):
        found = pasts.of(run_of(store), LOCAL)
        if found.found.seen.since is None:
            return found
    raise AssertionError(f"not whole after {most} questions")


def odd(found: Whole) -> set[float]:
    """Values that are none of the usual ones, as text has them."""
    values, there = found.found.grid.values, found.found.grid.there
    return {repr(one) for one in values[there & ~(np.abs(values) < 1e3)].tolist()}


def test_each_question_reads_one_piece_more_until_all_is_there(store: RedisRunStore, pasts: Pasts, long: Seed) -> None:
    edges = []
    while (found := pasts.of(run_of(store), LOCAL)).found.seen.since is not None:
        edges.append(found.found.seen.since)
        assert found.found.grid.steps[0] >= edges[-1]
    assert edges == sorted(set(edges), reverse=True)
    assert 3 <= len(edges) <= 12
    assert found.total == STEPS
    assert found.joined is not None


def test_no_extreme_and_no_nan_is_lost(store: RedisRunStore, pasts: Pasts, long: Seed) -> None:
    found = whole(store, pasts)
    grid = found.found.grid
    assert 100 <= len(grid.steps) <= 200
    assert (np.diff(grid.steps) > 0).all()
    assert np.diff(grid.steps).max() <= 2 * np.diff(grid.steps).min()  # a column stands for about as many everywhere
    assert odd(found) == {repr(one) for one in ODD.values()}
    every = exact(store, LOCAL)
    for row in range(RANKS):
        assert set(grid.values[row][np.isfinite(grid.values[row])]) <= set(every.values[row])
    assert found.found.z.shape == found.found.kinds.shape == grid.shape
    assert abs(found.found.z[3, np.searchsorted(grid.steps, 77)]) > 100


def test_a_window_of_it_is_some_of_its_columns(store: RedisRunStore, pasts: Pasts, long: Seed) -> None:
    every = whole(store, pasts).found.grid
    some = pasts.of(run_of(store), LOCAL, 200, 400).found
    assert some.grid.steps.tolist() == [step for step in every.steps.tolist() if 200 <= step <= 400]
    assert some.z.shape == some.grid.shape


def test_what_comes_later_stands_behind_it_and_what_is_left_behind_is_joined(
    store: RedisRunStore, pasts: Pasts, long: Seed
) -> None:
    whole(store, pasts)
    for step in range(STEPS + 1, STEPS + 301):
        for rank in range(RANKS):
            local(long, rank, [(step, 1e6 + step, -1e7 if (rank, step) == (4, STEPS + 20) else 2.0)])
        if step % 20 == 0:
            pasts.of(run_of(store), LOCAL)
    found = whole(store, pasts)
    assert found.total == STEPS + 300
    assert found.found.grid.steps[-1] == STEPS + 300
    assert (np.diff(found.found.grid.steps) > 0).all()
    assert odd(found) == {repr(one) for one in (*ODD.values(), -1e7)}
    assert len(found.found.grid.steps) <= 300


def test_a_resumed_run_is_read_anew(store: RedisRunStore, pasts: Pasts, long: Seed) -> None:
    for rank in range(RANKS):
        long.points(straight(range(1, STEPS + 1)), file=file(rank), rank=rank, source="tensorboard")
    whole(store, pasts)
    for rank in range(RANKS):  # the steps from 501 on once more, which the tag counts from 1
        long.points(straight(range(501, 1_001), at=1_010_000.0), file=file(rank, 2), rank=rank, source="tensorboard")
        local(long, rank, straight(range(1, 501), at=1_010_000.0), start=2)
    found = whole(store, pasts)
    assert odd(found) == {repr(ODD[3, 77]), repr(ODD[5, 301])}


def test_what_can_be_held_is_not_joined(store: RedisRunStore, pasts: Pasts, seed: Seed) -> None:
    for rank in range(RANKS):
        local(seed, rank, straight(range(1, 51)))
    found = pasts.of(run_of(store), LOCAL)
    assert (found.joined, found.total, len(found.found.grid.steps)) == (None, 50, 50)
