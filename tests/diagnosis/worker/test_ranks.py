"""Ranks of a stored run: the one that is off is named, whatever pieces its values came in and whoever is killed."""

from __future__ import annotations

import math
import random

import pytest

from app.diagnosis.alert import Alert
from collector.wire import schema
from tests.diagnosis.worker.conftest import Bench
from tests.support.seed import RUN, Point, Seed

RANKS = 16
ILL = 5


def rows(count: int, first: int = 1, ill_from: int = 200, worse: float = 1.25) -> list[list[Point]]:
    """Row by row the local loss of every rank, one of which is off from a step on."""
    noise = random.Random(first)
    return [
        [
            (
                step,
                1e6 + step,
                (2 + 3 * math.exp(-step / 100)) * (1 + 0.01 * noise.gauss(0, 1)) * _of(rank, step, ill_from, worse),
            )
            for rank in range(RANKS)
        ]
        for step in range(first, first + count)
    ]


def _of(rank: int, step: int, ill_from: int, worse: float) -> float:
    return worse if rank == ILL and step >= ill_from else 1.0


def commit(seed: Seed, some: list[list[Point]], ranks: range = range(RANKS)) -> None:
    """Each rank's own file."""
    for rank in ranks:
        points = [row[rank] for row in some]
        seed.points(points, metric="local_loss", rank=rank, file=f"log/rank_{rank}/info.log", live=rank == 0)


@pytest.fixture
def seed(bench: Bench) -> Seed:
    return Seed(bench.client, facts={"data_parallel": str(RANKS)})


def of_ranks(bench: Bench) -> dict[str, Alert]:
    return {name: one for name, one in bench.found().items() if one.rank is not None}


def test_the_rank_that_is_off_is_named_once(bench: Bench, seed: Seed) -> None:
    commit(seed, rows(300))
    worker = bench.worker()
    bench.now = 1e6 + 300
    bench.settle(worker)
    (found,) = of_ranks(bench).values()
    assert (found.about, found.rank, found.ranks, found.is_open) == ("rank_outlier", ILL, ((ILL, ILL),), True)
    assert 195 <= found.first_step <= found.raised_step <= 230
    assert [(one.alert, one.change) for one in bench.notices()] == [(found.id, "opened")]


@pytest.mark.parametrize("piece", [1, 13, 130])
def test_pieces_and_killed_workers_change_nothing(bench: Bench, seed: Seed, piece: int) -> None:
    every = rows(320)
    commit(seed, every[:60])
    worker = bench.worker()
    bench.settle(worker)
    for start in range(60, 320, piece):
        part = every[start : start + piece]
        bench.now = 1e6 + start
        commit(seed, part, range(0, RANKS, 2))
        if start % 3 == 0:
            bench.settle(worker)
        commit(seed, part, range(1, RANKS, 2))
        if start % (5 * piece) == 0:
            worker = bench.worker()
        bench.settle(worker)
    bench.settle(bench.worker())
    pieces, told = of_ranks(bench), [(one.alert, one.change) for one in bench.notices()]
    assert len(told) == len(set(told)) == 1
    bench.client.delete(schema.diagnosis(RUN), schema.alerts(RUN), schema.outbox(RUN))
    bench.settle(bench.worker())
    assert repr(of_ranks(bench)) == repr(pieces)


def test_ranks_that_fall_ill_together_are_one_alert(bench: Bench, seed: Seed) -> None:
    every = rows(240, worse=1.0)
    for row in every[200:]:
        for rank in (3, 4, 9):
            row[rank] = (row[rank][0], row[rank][1], math.nan)
    commit(seed, every)
    bench.settle(bench.worker())
    (found,) = of_ranks(bench).values()
    assert (found.ranks, found.severity, found.rank) == (((3, 4), (9, 9)), "critical", 3)


def test_a_rank_that_died_holds_the_others_up_for_seconds_alone(bench: Bench, seed: Seed) -> None:
    every = rows(300)
    commit(seed, every[:150])
    worker = bench.worker()
    bench.settle(worker)
    commit(seed, every[150:], range(RANKS - 1))
    bench.settle(worker)
    assert of_ranks(bench) == {}
    bench.now += 11.0
    bench.settle(worker)
    (found,) = of_ranks(bench).values()
    assert found.rank == ILL
    crews = worker.places[RUN].run.crews
    assert crews is not None
    (crew,) = crews.crews.values()
    assert (crew.taken, crew.lost) == (300, [RANKS - 1])


def test_what_was_found_in_columns_that_are_no_longer_held_is_kept(bench: Bench, seed: Seed) -> None:
    commit(seed, rows(300))
    bench.settle(bench.worker())
    before = of_ranks(bench)
    bench.client.hset(schema.diagnosis(RUN), schema.RANKS_FIELD, b"of another version")
    worker = bench.worker()
    worker.grids._most = 16 * 40  # cells
    commit(seed, rows(20, first=301))
    bench.settle(worker)
    kept = of_ranks(bench)
    assert before.keys() <= kept.keys()
