"""Who is named, and that nobody else is: labelled cases, real files with one rank's altered, and generated runs."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.series.curve import Curve, Floats, from_block
from app.series.ranks.grid import Grid, assembled
from app.series.ranks.layout import Layout
from app.series.ranks.states import State, Verdict, survey, verdicts
from collector.read import read
from tests.app.test_ranks_grid import grid
from tests.conftest import SHARED

FIXTURES = Path(__file__).parents[1] / "data/fixtures"
CASES = SHARED / "detection/public"
EIGHT = FIXTURES / "tensorboard/mf2.1.0_graph_tensorboard_8ranks"
FINE = ("ok", "no_data_by_design")


def named(found: tuple[Verdict, ...]) -> dict[int, State]:
    """Ranks with something wrong."""
    return {one.rank: one.state for one in found if one.state not in FINE}


def of(found: tuple[Verdict, ...], rank: int) -> Verdict:
    (mine,) = (one for one in found if one.rank == rank)
    return mine


def losses(ranks: int, steps: int = 200, *, seed: int = 0, noise: float = 0.05) -> Floats:
    """Losses of shards: falling, with noise that has heavy tails and some memory."""
    chance = np.random.default_rng(seed)
    jitter = noise * chance.standard_t(5, (ranks, steps))
    jitter[:, 1:] = 0.9 * jitter[:, 1:] + 0.3 * jitter[:, :-1]
    return np.asarray((2 + 6 * np.exp(-np.arange(steps) / 80)) * (1 + jitter))


# The labelled cases


def labelled() -> Iterator[tuple[str, str]]:
    for file in sorted(CASES.glob("cases/*/rank*.csv")):
        yield file.parent.name, file.stem


def case(name: str, stem: str) -> tuple[Grid, Layout]:
    with (CASES / "cases" / name / f"{stem}.csv").open() as file:
        rows = list(csv.reader(file))[1:]
    values = np.array([[float(cell) if cell else math.nan for cell in row[1:]] for row in rows]).T
    there = np.array([[cell != "" for cell in row[1:]] for row in rows]).T
    sizes = json.loads((CASES / "cases" / name / "meta.json").read_text())["parallel"]
    steps = np.array([int(row[0]) for row in rows])
    mine = Grid(np.arange(len(values)), steps, np.full(len(steps), np.nan), values, there)
    return mine, Layout(dp=sizes["dp"], tp=sizes["tp"], pp=sizes["pp"], origin="told")


@pytest.mark.skipif(not CASES.exists(), reason="the labelled cases are not on this machine")
@pytest.mark.parametrize("known", [True, False], ids=["told", "guessed"])
@pytest.mark.parametrize(("name", "stem"), list(labelled()))
def test_the_labelled_rank_is_named_in_time_and_no_other(name: str, stem: str, known: bool) -> None:
    whole, layout = case(name, stem)
    labels = json.loads((CASES / "labels.json").read_text())["cases"][name]["labels"]
    wanted = {one["rank"]: one for one in labels if "rank" in one}
    layout = layout if known else Layout(dp=len(whole.ranks))
    metric = "local_loss" if stem == "ranks" else stem
    for last in {int(whole.steps[-1])} | {label["deadline"] for label in wanted.values()}:
        found = verdicts(whole.window(None, last), layout, metric)
        assert named(found).keys() == wanted.keys()
    for rank, label in wanted.items():
        mine = of(found, rank)
        assert mine.step is not None
        assert label["start"] - 2 <= mine.step <= label["deadline"]
        assert (mine.state == "straggler") == (stem == "rank_time")


# Real files


def of_files(root: Path) -> Mapping[str, Grid]:
    """By metric, or tag without one: of each rank the file that has most of it."""
    blocks: dict[str, dict[int, bytes]] = {}
    series = [one for run in read(root).runs.values() for one in run.series]
    for one in series:
        if one.rank is not None:
            mine = blocks.setdefault(one.metric or one.tag, {})
            mine[one.rank] = max(mine.get(one.rank, b""), one.points, key=len)
    return {name: assembled({rank: once(block) for rank, block in of.items()}) for name, of in blocks.items()}


def once(block: bytes) -> Curve:
    """The last point of each step."""
    points = from_block(block, "log")
    last = {step: place for place, step in enumerate(points.steps.tolist())}
    return points.take(np.array([last[step] for step in sorted(last)], dtype=np.int64))


def changed(whole: Grid, rank: int, how: str) -> Grid:
    values = whole.values.copy()
    last = values.shape[1] // 2
    if how == "scaled":
        values[rank] *= 1.5
    elif how == "frozen":
        values[rank, last:] = values[rank, last]
    else:
        values[rank, last:] = math.nan
    return Grid(whole.ranks, whole.steps, whole.walls, values, whole.there)


MONITORED = ("local_loss", "device_local_loss", "device_local_norm")


@pytest.mark.parametrize(
    ("how", "state"), [("scaled", "outlier"), ("frozen", "frozen"), ("nan", "nan")], ids=lambda one: one
)
@pytest.mark.parametrize("metric", MONITORED)
def test_of_eight_real_ranks_the_altered_one_is_named(metric: str, how: str, state: str) -> None:
    whole = of_files(EIGHT)[metric]
    for rank in range(8):
        assert named(verdicts(changed(whole, rank, how), Layout(dp=8), metric)) == {rank: state}


@pytest.mark.parametrize("metric", ["loss", "grad_norm", "lr"])
def test_of_eight_real_ranks_one_with_another_reduced_value_is_named(metric: str) -> None:
    whole = of_files(EIGHT)[metric]
    altered = changed(whole, 6, "scaled")
    assert named(verdicts(altered, Layout(dp=8), metric)) == {6: "broken_reduction"}


@pytest.mark.parametrize(
    ("root", "layouts"),
    [
        (EIGHT, [Layout(dp=8), Layout(dp=2, tp=4)]),
        (FIXTURES / "logs/mf1.6.0_pp2_state_monitor", [Layout(dp=4, pp=2, origin="read"), Layout(dp=8)]),
        (FIXTURES / "logs/mf2.1.0_pynative_pp2", [Layout(dp=4, pp=2, origin="read"), Layout(dp=8)]),
    ],
    ids=["8 ranks", "1.6 with pp", "2.1 with pp"],
)
def test_in_real_files_nobody_is_accused(root: Path, layouts: list[Layout]) -> None:
    accused = {
        (metric, layout.tp, layout.pp): named(verdicts(whole, layout, metric))
        for metric, whole in of_files(root).items()
        for layout in layouts
    }
    assert len(accused) > 10
    assert {key: those for key, those in accused.items() if those} == {}


# What is by design


def test_ranks_without_the_last_stage_have_no_loss_whatever_they_print() -> None:
    values = losses(16)
    values[:8] = 7.5  # nothing marks it as meaningless
    found = survey(grid(values), Layout(dp=8, pp=2), "loss")
    assert {one.state for one in found.verdicts[:8]} == {"no_data_by_design"}
    assert {one.state for one in found.verdicts[8:]} == {"ok"}
    assert found.reason == "pp"
    assert np.isnan(found.z[:8]).all()


def test_losses_of_tensor_parallel_shards_are_compared_within_their_own_place() -> None:
    values = losses(32) * (1 + 0.4 * (np.arange(32) % 4))[:, None]
    assert named(verdicts(grid(values), Layout(dp=8, tp=4), "local_loss")) == {}
    values[10, 90:] *= 1.3
    found = survey(grid(values), Layout(dp=8, tp=4), "local_loss")
    assert named(found.verdicts) == {10: "outlier"}
    assert found.reason == "tp"


def test_a_constant_distance_of_many_ranks_is_normal_and_a_change_of_one_is_not() -> None:
    chance = np.random.default_rng(5)
    values = losses(64, 300, noise=0.02) * np.exp(0.5 * chance.standard_normal((64, 1)))
    assert named(verdicts(grid(values), Layout(dp=64), "expert_load")) == {}
    values[11, 200:] *= 1.2
    assert named(verdicts(grid(values), Layout(dp=64), "expert_load")) == {11: "outlier"}


# What is wrong, and its evidence


def test_an_outlier_has_its_evidence() -> None:
    values = losses(64)
    values[20, 120:] *= 1.4
    mine = of(verdicts(grid(values), Layout(dp=64), "local_loss"), 20)
    assert mine.state == "outlier"
    assert mine.step is not None
    assert mine.last == 200
    assert 119 <= mine.step <= 130
    assert mine.at is not None
    assert mine.value == values[20, mine.at - 1]
    assert mine.ratio is not None
    assert mine.value is not None
    assert mine.usual is not None
    assert mine.value / mine.usual == pytest.approx(mine.ratio)
    assert mine.ratio > 1.3
    assert mine.z is not None
    assert mine.z > 4


def test_what_is_over_is_told_as_over() -> None:
    values = losses(64, 300)
    values[20, 100:150] *= 1.4
    mine = of(verdicts(grid(values), Layout(dp=64), "local_loss"), 20)
    assert (mine.state, mine.open) == ("outlier", False)
    assert mine.last is not None
    assert mine.last < 165


def test_single_hard_batches_accuse_nobody() -> None:
    values = losses(256, 400, noise=0.03)
    chance = np.random.default_rng(3)
    values *= 1 + (chance.random(values.shape) < 0.01) * chance.uniform(0.1, 0.9, values.shape)
    assert named(verdicts(grid(values), Layout(dp=256), "local_loss")) == {}


def test_a_single_value_that_is_none_is_no_state_and_two_are() -> None:
    values = losses(8)
    values[3, 50] = math.nan
    values[5, 60:62] = math.nan
    values[6, 60], values[6, 61] = math.inf, -math.inf
    found = verdicts(grid(values), Layout(dp=8), "local_loss")
    assert named(found) == {5: "nan", 6: "nan"}
    assert (of(found, 5).step, of(found, 5).last, of(found, 5).open) == (61, 62, False)


def test_where_all_are_nan_each_is_told_so_from_its_own_step() -> None:
    values = losses(8)
    values[:, 150:] = math.nan
    values[2, 140:] = math.nan
    found = verdicts(grid(values), Layout(dp=8), "local_loss")
    assert {one.state for one in found} == {"nan"}
    assert (of(found, 2).step, of(found, 3).step) == (141, 151)


def test_a_slow_rank_shows_in_its_own_time_and_not_in_the_step_time_of_all() -> None:
    values = 0.5 + 0.01 * np.random.default_rng(0).standard_normal((16, 200))
    values[4, 100:] *= 1.3
    for metric in ("forward_time", "own-compute-ms", "rank_time"):
        assert named(verdicts(grid(values), Layout(dp=16), metric)) == {4: "straggler"}
    for metric in ("step_time", "iteration-time", "throughput", "throughput_linearity", "B-samples-per-day"):
        assert named(verdicts(grid(values), Layout(dp=16), metric)) == {}
    values[4, 100:] *= 0.5
    assert named(verdicts(grid(values), Layout(dp=16), "forward_time")) == {}


@pytest.mark.parametrize("decimals", [None, 3])
def test_a_reduced_loss_that_differs_is_a_broken_reduction(decimals: int | None) -> None:
    values = np.tile(losses(1), (16, 1))
    values[7] = np.round(values[7], 3)  # this one comes from a log
    if decimals is not None:
        values = np.round(values, decimals)
    assert named(verdicts(grid(values), Layout(dp=4, tp=4), "loss")) == {}
    values[9, 80] += 0.1
    assert named(verdicts(grid(values), Layout(dp=4, tp=4), "loss")) == {}
    values[9, 120:] *= 1.01
    found = verdicts(grid(values), Layout(dp=4, tp=4), "loss")
    assert named(found) == {9: "broken_reduction"}
    assert of(found, 9).step == 121


def test_losses_that_differ_on_every_rank_were_not_reduced() -> None:
    values = losses(16)
    assert named(verdicts(grid(values), Layout(dp=16), "loss")) == {}
    values[3, 100:] *= 1.4
    assert named(verdicts(grid(values), Layout(dp=16), "loss")) == {3: "outlier"}


def test_two_ranks_of_a_reduced_loss_that_differ_are_both_told() -> None:
    values = np.tile(losses(1), (2, 1))
    values[1, 190:] *= 1.1
    assert named(verdicts(grid(values), Layout(dp=2), "loss")) == dict.fromkeys((0, 1), "broken_reduction")


def silent_after(last: int, *, every: int = 1, seconds: float = 10.0) -> Grid:
    values = losses(8)
    values[:, np.arange(200) % every != 0] = -1
    values[5, last:] = -1
    whole = grid(values, missing=-1.0)
    return Grid(whole.ranks, whole.steps, 1e9 + seconds * whole.steps.astype(np.float64), whole.values, whole.there)


def test_a_rank_that_is_behind_by_more_than_its_pace_is_silent() -> None:
    found = verdicts(silent_after(160), Layout(dp=8), "local_loss")
    assert named(found) == {5: "silent"}
    mine = of(found, 5)
    assert (mine.step, mine.value, mine.usual, mine.open) == (160, 40, 1, True)


@pytest.mark.parametrize(
    ("last", "every", "seconds"),
    [(196, 1, 10.0), (160, 10, 10.0), (180, 1, 1.0), (182, 1, math.nan)],
    ids=["few steps", "seldom", "its writer may still hold them", "no clock"],
)
def test_what_its_own_pace_or_its_writer_explains_is_not_silence(last: int, every: int, seconds: float) -> None:
    assert named(verdicts(silent_after(last, every=every, seconds=seconds), Layout(dp=8), "local_loss")) == {}


def test_without_a_clock_twenty_steps_are_silence() -> None:
    assert named(verdicts(silent_after(170, seconds=math.nan), Layout(dp=8), "local_loss")) == {5: "silent"}


# Few ranks


@pytest.mark.parametrize(("dp", "tp"), [(2, 8), (1, 16), (3, 3)])
def test_of_small_groups_the_one_that_leaves_its_own_history_is_named(dp: int, tp: int) -> None:
    values = losses(dp * tp, 300) * (1 + 0.2 * (np.arange(dp * tp) % tp))[:, None]
    found = survey(grid(values), Layout(dp=dp, tp=tp), "device_local_norm")
    assert (named(found.verdicts), found.reason) == ({}, "small")
    values[4, 200:] *= 1.6
    assert named(verdicts(grid(values), Layout(dp=dp, tp=tp), "device_local_norm")) == {4: "outlier"}


@pytest.mark.parametrize("ranks", [2, 3])
def test_of_two_or_three_the_one_that_rises_is_named(ranks: int) -> None:
    values = losses(ranks, 300)
    assert named(verdicts(grid(values), Layout(dp=ranks), "local_loss")) == {}
    values[1, 200:] *= 1.8
    assert named(verdicts(grid(values), Layout(dp=ranks), "local_loss")) == {1: "outlier"}


def test_one_rank_alone_differs_from_nobody() -> None:
    values = losses(1, 300)
    values[0, 200:] *= 3
    assert named(verdicts(grid(values), Layout(dp=1), "local_loss")) == {}


# What all do together


@pytest.mark.parametrize(("dp", "tp"), [(8, 1), (2, 4), (64, 4), (3, 1), (2, 1), (1, 1)])
def test_a_resume_that_moves_everyone_accuses_nobody(dp: int, tp: int) -> None:
    values = losses(dp * tp, 300)
    values[:, 150:] *= 1.4  # the weights of another checkpoint
    values[:, 220:223] *= 3  # a spike of the run
    values[:, 260:] *= 0.5
    for metric in ("local_loss", "device_local_norm", "forward_time"):
        assert named(verdicts(grid(values), Layout(dp=dp, tp=tp), metric)) == {}


def test_ranks_that_write_at_steps_of_their_own_are_compared_where_they_meet() -> None:
    values = losses(32, 300)
    values[::4, np.arange(300) % 2 == 1] = -1
    values[1::4, :40] = -1  # these came later
    values[np.random.default_rng(1).random(values.shape) < 0.05] = -1
    assert named(verdicts(grid(values, missing=-1.0), Layout(dp=32), "local_loss")) == {}
    bad = values[8] != -1
    values[8, bad] *= np.where(np.arange(300) < 150, 1, 1.4)[bad]
    assert named(verdicts(grid(values, missing=-1.0), Layout(dp=32), "local_loss")) == {8: "outlier"}


# Anything at all

CELLS = np.array([0.0, 1.0, 1.125, 1.25, 1.5, -2.0, 1e30, 1e300, math.nan, math.inf, -math.inf, -1.0])


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 6),
    st.integers(0, 40),
    st.integers(0, 10_000),
    st.sampled_from([Layout(dp=6), Layout(dp=3, tp=2), Layout(dp=1, tp=2, pp=3)]),
    st.sampled_from(["loss", "local_loss", "own_time", "step_time", "weight_norm"]),
)
def test_every_rank_has_a_verdict_whatever_it_wrote(
    ranks: int, steps: int, seed: int, layout: Layout, metric: str
) -> None:
    chance = np.random.default_rng(seed)
    whole = grid(chance.choice(CELLS, (ranks, steps)), missing=-1.0)
    found = survey(whole, layout, metric)
    assert [one.rank for one in found.verdicts] == whole.ranks.tolist()
    assert found.z.shape == found.kinds.shape == whole.shape
    for one in found.verdicts:
        assert one.step is None or (one.last is not None and whole.steps[0] <= one.step <= one.last <= whole.steps[-1])
        assert all(number is None or math.isfinite(number) for number in (one.value, one.usual, one.z, one.ratio))


@pytest.mark.parametrize("seed", range(3))
def test_names_do_not_depend_on_the_order_or_the_unit(seed: int) -> None:
    values = losses(16, seed=seed)
    values[2, 100:] *= 1.4
    order = np.random.default_rng(seed).permutation(16)
    mine = named(verdicts(grid(values), Layout(dp=16), "x"))
    assert named(verdicts(grid(values * 1024), Layout(dp=16), "x")) == mine
    turned = named(verdicts(grid(values[order]), Layout(dp=16), "x"))
    assert {int(order[rank]): state for rank, state in turned.items()} == mine


def test_of_healthy_runs_hardly_anybody_is_named() -> None:
    """Less than five in a million values of a rank at a step, each with memory and heavy tails."""
    cells = accused = 0
    for seed, (dp, tp) in enumerate([(4, 1), (8, 1), (4, 4), (64, 1), (128, 8)] * 3):
        values = losses(dp * tp, 300, seed=seed, noise=0.03 + 0.02 * (seed % 3))
        accused += len(named(verdicts(grid(values), Layout(dp=dp, tp=tp), "local_loss")))
        cells += values.size
    assert accused <= 5e-6 * cells


def test_of_ten_thousand_ranks_the_one_is_found() -> None:
    values = losses(10_240, 300)
    values[4711, 200:] *= 1.3
    assert named(verdicts(grid(values), Layout(dp=1_280, tp=8), "device_local_loss")) == {4711: "outlier"}
