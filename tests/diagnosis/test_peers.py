"""Ranks that are off are named, in time and alone; healthy ones never are; rows in pieces say the same."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.diagnosis.cases import RankTable
from app.diagnosis.peers import NOBODY, Peers
from app.diagnosis.rank_tables import numbered, table_signals
from app.diagnosis.signal import Signal
from tests.diagnosis.simulate.ranks import Fault, Profile, Ranks, harm, healthy

LOSS, TIME = "local_loss", "own_compute_time"
BEGAN = 50  # row at which the fault begins


def said(ranks: Ranks, metric: str = LOSS, peers: Peers | None = None) -> list[Signal]:
    peers = peers or Peers(metric, ranks.numbers)
    rows = zip(ranks.steps.tolist(), ranks.values, ranks.there, strict=True)
    return [one for step, values, there in rows for one in peers.take(step, None, values, there)]


def raised(ranks: Ranks, metric: str = LOSS) -> list[tuple[int | None, str]]:
    return [(one.rank, one.rule) for one in said(ranks, metric) if one.act == "raise"]


def faulty(fault: Fault, size: float, profile: Profile, seed: int = 7, rank: int = 5) -> Ranks:
    rng = np.random.default_rng(seed)
    ranks = healthy(rng, profile)
    harm(rng, ranks, fault, size, BEGAN, rank)
    return ranks


@pytest.mark.parametrize(
    ("fault", "size", "rule"),
    [
        ("offset", 0.2, "K4"),
        ("offset", -0.2, "K4"),
        ("drift", 0.3, "K4"),
        ("frozen", 0.0, "K3"),
        ("nan", 0.0, "K1"),
    ],
)
@pytest.mark.parametrize("profile", [Profile(size=8), Profile(size=16, groups=4), Profile(size=128)], ids=str)
def test_the_rank_that_is_off_is_named_alone(fault: Fault, size: float, rule: str, profile: Profile) -> None:
    assert raised(faulty(fault, size, profile)) == [(5, rule)]


def test_one_of_eight_ranks_that_is_seven_percent_low_is_found() -> None:
    found = [raised(faulty("offset", -0.07, Profile(size=8, sigma=0.02, rows=120), seed)) for seed in range(10)]
    assert sum(one == [(5, "K4")] for one in found) >= 9


def test_an_episode_tells_where_it_began_by_how_much_and_when_it_is_over() -> None:
    ranks = faulty("offset", 0.3, Profile(size=16, rows=200))
    back = BEGAN + 60
    ranks.values[back:, 5] = ranks.values[back:, 6] * 1.001
    begin, end = said(ranks)
    assert (begin.act, end.act, begin.about, begin.rank, end.rank) == ("raise", "clear", "rank_outlier", 5, 5)
    assert abs(begin.first_step - int(ranks.steps[BEGAN])) <= 6 * ranks.profile.every
    assert begin.step <= ranks.steps[BEGAN + 15]
    assert ranks.steps[back] < end.step <= ranks.steps[back + 30]
    assert begin.evidence.ratio == pytest.approx(1.3, abs=0.15)
    assert begin.evidence.z is not None and begin.evidence.z > 3
    assert json.loads(json.dumps(begin.evidence.beside)) == [list(one) for one in begin.evidence.beside]


@pytest.mark.parametrize("part", [0.12, 0.3, -0.12])
@pytest.mark.parametrize(("size", "groups"), [(2, 1), (3, 1), (3, 2), (4, 2), (8, 2)])
def test_a_rank_that_is_off_for_good_stays_off_until_it_comes_back(size: int, groups: int, part: float) -> None:
    rows, back = 2_000, 1_900
    profile = Profile(size=size, groups=groups, rows=rows, every=1, sigma=0.015, rho=0.3)
    ranks = healthy(np.random.default_rng(12), profile)
    usual = ranks.values[back:, 1].copy()
    harm(np.random.default_rng(12), ranks, "offset", part, 100, 1)
    ranks.values[back:, 1] = usual
    begin, end = said(ranks)
    assert (begin.act, begin.rank, end.act, end.rank) == ("raise", 1, "clear", 1)
    assert begin.step <= 160
    assert back < end.step <= back + 60


def test_a_slow_rank_is_a_matter_of_throughput_and_a_quick_one_is_none() -> None:
    profile = Profile(size=16, sigma=0.01, is_time=True)
    begin, *rest = said(faulty("slow", 0.4, profile), TIME)
    assert (begin.about, begin.rule, begin.rank, rest) == ("throughput", "K5", 5, [])
    assert said(faulty("slow", -0.4, profile), TIME) == []
    assert said(faulty("slow", 0.07, profile), TIME) == []  # less than a tenth is nothing


@pytest.mark.parametrize(
    "profile",
    [
        Profile(size=8, groups=8, rho=0.5, tails=4.0, rows=1_000),
        Profile(size=4, groups=8, rho=0.5, tails=4.0, rows=1_000),
        Profile(size=256, rho=0.4, tails=4.0, hard=0.02, sigma=0.05, rows=500),
        Profile(size=32, groups=2, offsets=0.1, sigma=0.02, rows=500),
        Profile(size=16, groups=2, sigma=0.005, digits=2, rows=500),
    ],
    ids=["eight", "four", "hard batches", "lasting offsets", "two digits"],
)
def test_nobody_is_accused_of_noise(profile: Profile) -> None:
    assert raised(healthy(np.random.default_rng(11), profile)) == []


def test_a_rank_that_moves_away_from_its_own_distance_is_found_among_ranks_that_keep_some() -> None:
    assert raised(faulty("offset", 0.3, Profile(size=32, offsets=0.1, sigma=0.02, rows=160))) == [(5, "K4")]


def test_a_rank_that_was_off_from_the_first_row_is_found_where_the_others_are_alike() -> None:
    rng = np.random.default_rng(3)
    ranks = healthy(rng, Profile(size=32))
    harm(rng, ranks, "offset", 0.3, 0, 5)
    assert raised(ranks) == [(5, "K4")]


def test_groups_have_levels_of_their_own_and_stages_without_a_loss_do_not_count() -> None:
    ranks = healthy(np.random.default_rng(5), Profile(size=8, groups=3))
    ranks.values[:, 8:16] = 0.0
    ranks.there[:, 4::2] &= ranks.values[:, 4::2] != 0
    assert said(ranks) == []
    assert said(ranks, peers=Peers(LOSS, np.where(ranks.numbers == 1, NOBODY, ranks.numbers))) == []


def test_nobody_with_a_value_says_nothing() -> None:
    peers = Peers(LOSS, np.full(4, NOBODY))
    assert peers.take(1, None, np.ones(4)) == []


def test_absence_is_not_wrong_here_and_does_not_hide_a_fault() -> None:
    ranks = faulty("offset", 0.3, Profile(size=16))
    ranks.there[:] = np.random.default_rng(1).random(ranks.there.shape) > 0.2
    assert raised(ranks) == [(5, "K4")]


def test_nan_of_the_whole_group_accuses_nobody_and_a_single_one_neither() -> None:
    ranks = healthy(np.random.default_rng(2), Profile(size=16))
    ranks.values[60:70] = np.nan
    ranks.values[80, 3] = np.nan
    assert said(ranks) == []


def test_nan_is_graver_than_what_is_open() -> None:
    ranks = faulty("offset", 0.4, Profile(size=16))
    ranks.values[100:, 5] = np.inf
    assert [(one.act, one.rule, one.severity) for one in said(ranks)] == [
        ("raise", "K4", "warning"),
        ("update", "K1", "critical"),
    ]


def test_a_reduced_value_that_one_rank_has_otherwise_is_a_broken_reduction() -> None:
    one = np.round(2 + 0.01 * np.random.default_rng(0).standard_normal(60), 4)
    ranks = Ranks(Profile(size=8, rows=60), np.arange(60), np.repeat(one[:, None], 8, axis=1), np.ones((60, 8), bool))
    ranks.values[:30, 2] += 0.00005  # the last digit may be rounded otherwise
    assert said(ranks, "loss") == []
    ranks.values[40:, 5] += 0.002
    begin, *rest = said(ranks, "loss")
    assert (begin.rule, begin.rank, begin.step, begin.first_step, rest) == ("K2", 5, 41, 40, [])


def test_a_pace_that_all_share_names_nobody() -> None:
    assert said(faulty("offset", 0.5, Profile(size=8)), "step_time") == []


def test_three_ranks_have_their_own_history_and_one_alone_has_nothing() -> None:
    profile = Profile(size=3, sigma=0.01, rows=200)
    assert raised(faulty("offset", 0.3, profile, rank=1)) == [(1, "K4")]
    alone = faulty("offset", 0.3, replace(profile, size=1), rank=0)
    assert said(alone) == []


def test_a_thousand_ranks_that_fail_together_are_named_once_each() -> None:
    ranks = healthy(np.random.default_rng(4), Profile(size=1_024, rows=60))
    ranks.values[30:, 100:300] = np.nan
    assert raised(ranks) == [(rank, "K1") for rank in range(100, 300)]


def test_tables_leave_out_what_is_in_no_group_and_what_is_empty() -> None:
    ranks = faulty("nan", 0.0, Profile(size=8, groups=2))
    table = ranks.table()
    assert [(one.rank, one.rule) for one in table_signals(LOSS, table)] == [(5, "K1")]
    other = RankTable(table.steps, table.values, table.groups[1:])
    assert list(table_signals(LOSS, other)) == []
    assert list(table_signals(LOSS, RankTable([], [], []))) == []
    assert numbered([[1, 2]], 4).tolist() == [NOBODY, 0, 0, NOBODY]


FAULTS = st.sampled_from(["offset", "drift", "nan", "frozen"])


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), FAULTS, st.sampled_from([3, 4, 8, 20]), st.lists(st.integers(1, 110), max_size=4))
def test_a_saved_state_goes_on_to_the_same_bits(seed: int, fault: Fault, size: int, cuts: list[int]) -> None:
    ranks = faulty(fault, 0.3, Profile(size=size, groups=2, rows=110, offsets=0.05), seed)
    ranks.there[:30, 0] = False  # comes late: cohorts are made anew
    peers = whole = Peers(LOSS, ranks.numbers)
    expected, found = said(ranks, peers=whole), []
    peers = Peers(LOSS, ranks.numbers)
    for row in range(110):
        if row in cuts:
            peers = Peers.restore(LOSS, ranks.numbers, json.loads(json.dumps(peers.save())))
        found += peers.take(int(ranks.steps[row]), None, ranks.values[row], ranks.there[row])
    assert found == expected
    assert json.dumps(peers.save()) == json.dumps(whole.save())
