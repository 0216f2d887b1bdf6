"""Rows that stand for many ranks: the lowest, the middle and the highest of them, and the worst of each column."""

from __future__ import annotations

import math

import numpy as np
import pytest

from app.series.ranks.fold import Folded, Label, Level, fold
from app.series.ranks.grid import FROZEN, MISSING, NAN, OK, ZERO, kinds
from app.series.ranks.layout import Layout
from tests.app.test_ranks_grid import grid

HOSTS = {rank: f"node{rank // 4}" for rank in range(16)}
LAYOUT = Layout(dp=4, tp=2, pp=2)
VALUES = np.arange(16.0)[:, None] + np.arange(5) * 100


def folded(level: Level, values: np.ndarray = VALUES, hosts: dict[int, str] = HOSTS) -> Folded:
    whole = grid(values, missing=-1.0)
    z = np.where(whole.there, whole.values - 3, np.nan).astype(np.float32)
    return fold(whole, LAYOUT, hosts, level, z=z, kinds=kinds(whole))


def test_by_node() -> None:
    found = folded("node")
    assert found.labels == [Label(f"node{number}") for number in range(4)]
    assert [one.tolist() for one in found.members] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]]
    assert found.low[:, 0].tolist() == [0, 4, 8, 12]
    assert found.mid[:, 0].tolist() == [1.5, 5.5, 9.5, 13.5]
    assert found.high[:, 1].tolist() == [103, 107, 111, 115]
    assert found.worst[0, 0] == -3
    assert found.worst[1:, 0].tolist() == [4, 8, 12]


def test_by_stage_and_by_group_within_a_node() -> None:
    assert folded("stage").labels == [Label(f"node{one}", one // 2) for one in range(4)]
    found = folded("group")
    assert found.labels[:4] == [Label("node0", 0, 0), Label("node0", 0, 1), Label("node1", 0, 0), Label("node1", 0, 1)]
    assert [one.tolist() for one in found.members[:4]] == [[0, 2], [1, 3], [4, 6], [5, 7]]


def test_without_hosts_all_are_one_node() -> None:
    found = folded("node", hosts={})
    assert (found.labels, len(found.members[0])) == ([Label("")], 16)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([1.0, 2.0, math.nan, -1.0], NAN),
        ([1.0, 2.0, 3.0, -1.0], OK),
        ([-1.0, -1.0, -1.0, -1.0], MISSING),
        ([0.0, 0.0, -1.0, 0.0], ZERO),
        ([0.0, 1.0, 0.0, 0.0], OK),
    ],
)
def test_the_heaviest_kind_of_cell_stands_for_all(cells: list[float], kind: int) -> None:
    values = VALUES.copy()
    values[:4] = np.array(cells)[:, None]
    assert (folded("node", values).kinds[0] == kind).all()


def test_a_frozen_cell_is_heavier_than_a_number() -> None:
    whole = grid(VALUES)
    cells = np.full(whole.shape, OK, np.uint8)
    cells[6, 2] = FROZEN
    found = fold(whole, LAYOUT, HOSTS, "node", z=np.full(whole.shape, np.nan, np.float32), kinds=cells)
    assert found.kinds[1].tolist() == [OK, OK, FROZEN, OK, OK]
    assert np.isnan(found.worst).all()


def test_what_is_no_number_has_no_place_in_the_range() -> None:
    values = VALUES.copy()
    values[0], values[1], values[4:8] = math.inf, math.nan, math.nan
    found = folded("node", values)
    assert (found.low[0, 0], found.mid[0, 0], found.high[0, 0]) == (2, 2.5, 3)
    assert np.isnan([found.low[1], found.mid[1], found.high[1]]).all()


@pytest.mark.parametrize("shape", [(0, 0), (0, 4), (4, 0)])
def test_nothing_folds_to_nothing(shape: tuple[int, int]) -> None:
    found = folded("stage", np.ones(shape))
    assert found.low.shape == found.kinds.shape == (1 if shape[0] else 0, shape[1])
