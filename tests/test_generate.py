"""Generated runs of many ranks: bytes as single writers would have written them, and the faults that were asked for."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from collector.parse.parsed import Parsed
from collector.read import read
from collector.whole_file import parsed_file
from collector.wire.records import unpack_points
from tests.generate import fault, pynative
from tests.generate.events import FIVE, FULL, USUAL
from tests.generate.plan import Plan, Shape
from tests.generate.stamped import Cycle
from tests.generate.writer import Writer, grow
from tests.support import event_writer
from tests.support.dashboard import ROOT
from tests.support.waiting import eventually

Curves = dict[int, dict[int, float]]  # rank → step → value


def written(folder: Path, plan: Plan) -> Path:
    job = folder / "job"
    Writer(plan, job).history()
    return job


def curves(job: Path, tag: str, below: str = "tensorboard") -> Curves:
    """What the collector reads of a tag, rank by rank; of two attempts the newer."""
    found: Curves = {}
    for run in read(job / below).runs.values():
        for one in run.series:
            if one.tag == tag and one.rank is not None:
                found.setdefault(one.rank, {}).update((step, value) for step, _, value in unpack_points(one.points))
    return found


def alone(rank: int, values: Curves, step: int) -> float:
    """How far the rank's value is from the median of the others, as a share."""
    others = np.median([curve[step] for other, curve in values.items() if other != rank])
    return float(values[rank][step] / others - 1)


def test_records_made_at_once_are_those_that_are_written_one_by_one() -> None:
    tags, first = ("loss", "local_norm/layer.0.weight"), 16_384
    steps, walls = np.arange(first, first + 50), 1.76e9 + np.arange(50) / 3
    values = np.random.default_rng(0).normal(size=(2, 3, 50)).astype(np.float32)
    values[0, 0, :3] = [np.nan, np.inf, -np.inf]
    made = Cycle(tags, np.array([steps, steps - 15_000 + 300]), walls).filled(list(values))
    for rank in range(3):
        one_by_one = b"".join(
            event_writer.scalar(int(step) - late, float(wall), tag, float(values[number, rank, at]))
            for at, (step, wall) in enumerate(zip(steps, walls, strict=True))
            for number, (tag, late) in enumerate(zip(tags, (0, 14_700), strict=True))
        )
        assert made[rank].tobytes() == one_by_one


def test_files_hold_every_step_of_every_tag_and_no_damage(tmp_path: Path) -> None:
    job = written(tmp_path, Plan(Shape(dp=16), FULL, steps=150))
    found = read(job)
    assert not found.warnings
    events = [one for run in found.runs.values() for one in run.series if one.source == "tensorboard"]
    assert {one.rank for one in events} == set(range(16))
    assert {one.tag for one in events} == set(FULL)
    assert {len(one.points) // 24 for one in events} == {150}


def test_every_file_tells_the_layout(tmp_path: Path) -> None:
    job = written(tmp_path, Plan(Shape(dp=2, tp=2, pp=2), FIVE, steps=2))
    for path in (path for path in job.rglob("*") if path.is_file()):
        source = "tensorboard" if "tfevents" in path.name else "log"
        facts = {
            name: said
            for one in parsed_file(str(path), source)
            if isinstance(one, Parsed)
            for name, said in one.facts.items()
        }
        assert [facts[name] for name in ("data_parallel", "model_parallel", "pipeline_stages")] == ["2", "2", "2"]


def test_event_files_and_logs_tell_of_the_same_losses(tmp_path: Path) -> None:
    job = written(tmp_path, Plan(Shape(dp=8), FIVE, steps=20))
    for below in ("output", "msrun_log"):
        logged, kept = curves(job, "loss", below), curves(job, "loss")
        assert logged.keys() == kept.keys()
        assert all(
            logged[rank][step] == pytest.approx(value, abs=1e-6)
            for rank, curve in kept.items()
            for step, value in curve.items()
        )


def test_the_same_seed_makes_the_same_bytes_and_another_one_others(tmp_path: Path) -> None:
    plans = [Plan(Shape(dp=9), USUAL, steps=30, seed=seed) for seed in (1, 1, 2)]
    jobs = [written(tmp_path / str(number), plan) for number, plan in enumerate(plans)]
    files = [
        {str(path.relative_to(job)): path.read_bytes() for path in job.rglob("*") if path.is_file()} for job in jobs
    ]
    assert files[0] == files[1]
    assert files[0].keys() == files[2].keys()
    assert files[0] != files[2]


def test_stages_without_the_loss_print_numbers_that_mean_nothing(tmp_path: Path) -> None:
    job = written(tmp_path, Plan(Shape(dp=2, tp=2, pp=3), USUAL, steps=20))
    loss, local = curves(job, "loss"), curves(job, "local_lm_loss")
    assert {loss[rank][20] for rank in range(4)} == {0.0}
    assert len({loss[rank][20] for rank in range(4, 12)}) == 2
    assert set(local) == {8, 9, 10, 11}
    assert abs(local[9][20] / local[8][20] - 1) > 0.05  # of two that share a tensor
    assert abs(local[10][20] / local[8][20] - 1) < 0.05  # of two that see other data
    assert "pipeline stages: 3 > 1" in (job / "msrun_log" / "worker_0.log").read_text()


@pytest.mark.parametrize("kind", ["off", "spike"])
def test_a_rank_has_other_values_than_its_group(tmp_path: Path, kind: str) -> None:
    said = fault.parsed(f"{kind}:rank=5,from=30,by=40")
    job = written(tmp_path, Plan(Shape(dp=8), FIVE, steps=40, faults=(said,)))
    for tag in FIVE[2:]:
        values = curves(job, tag)
        assert abs(alone(5, values, 29)) < 0.2
        assert alone(5, values, 31) == pytest.approx(0.4, abs=0.2)
        assert (alone(5, values, 40) > 0.2) == (kind == "off")
    assert abs(alone(5, curves(job, "loss"), 31)) < 1e-6


def test_a_rank_repeats_itself(tmp_path: Path) -> None:
    job = written(tmp_path, Plan(Shape(dp=8), FIVE, steps=40, faults=(fault.parsed("frozen:rank=6,from=30"),)))
    values = curves(job, "local_lm_loss")
    assert len({values[6][step] for step in range(30, 41)}) == 1
    assert len({values[5][step] for step in range(30, 41)}) == 11


def test_no_number_spreads_from_a_rank_to_all(tmp_path: Path) -> None:
    job = written(tmp_path, Plan(Shape(dp=8), FIVE, steps=40, faults=(fault.parsed("nan:rank=3,from=30,spread=2"),)))
    values = curves(job, "device_local_norm")
    assert [sum(math.isnan(values[rank][step]) for rank in values) for step in range(29, 34)] == [0, 1, 1, 8, 8]
    assert [math.isnan(curves(job, "loss")[0][step]) for step in (31, 32)] == [False, True]
    assert "loss:   nan" in (job / "msrun_log" / "worker_0.log").read_text()


def test_a_rank_falls_silent(tmp_path: Path) -> None:
    job = written(tmp_path, Plan(Shape(dp=8), FIVE, steps=40, faults=(fault.parsed("silent:rank=3,from=30"),)))
    assert {rank: max(curve) for rank, curve in curves(job, "loss").items()} == {
        rank: 29 if rank == 3 else 40 for rank in range(8)
    }
    assert max(curves(job, "loss", "output")[3]) == 29


def test_a_straggler_makes_the_step_longer_for_everybody(tmp_path: Path) -> None:
    said = fault.parsed("straggler:rank=3,from=21,by=50")
    job = written(tmp_path, Plan(Shape(dp=8), USUAL, steps=40, faults=(said,)))
    own, steps = curves(job, "compute-time"), curves(job, "iteration-time")
    assert alone(3, own, 30) == pytest.approx(0.5, abs=0.05)
    assert steps[0][30] == steps[3][30]
    assert steps[0][30] / steps[0][20] == pytest.approx(1.4, abs=0.1)


def test_a_broken_reduction_shows_in_what_should_be_alike(tmp_path: Path) -> None:
    said = fault.parsed("broken:rank=3,from=21,by=1")
    job = written(tmp_path, Plan(Shape(dp=8), FIVE, steps=40, faults=(said,)))
    for below in ("tensorboard", "output"):
        loss = curves(job, "loss", below)
        assert len({curve[20] for curve in loss.values()}) == 1
        assert alone(3, loss, 30) == pytest.approx(0.01, abs=1e-4)


def test_a_traceback_ends_all_ranks_each_with_its_own(tmp_path: Path) -> None:
    said = fault.parsed("traceback:rank=3+4,from=21")
    job = written(tmp_path, Plan(Shape(dp=8), FIVE, steps=40, faults=(said,)))
    assert {max(curve) for curve in curves(job, "loss").values()} == {20}
    ends = [(job / "msrun_log" / f"worker_{rank}.log").read_text().splitlines()[-1] for rank in range(8)]
    assert [rank for rank, end in enumerate(ends) if "Out of Memory" in end] == [3, 4]
    assert all("HCCL timeout" in end for rank, end in enumerate(ends) if rank not in (3, 4))


def test_after_a_resume_the_monitors_tags_count_from_one(tmp_path: Path) -> None:
    job = written(tmp_path, Plan(Shape(dp=8), FIVE, steps=60, resumed=30))
    first, second = sorted((job / "tensorboard" / "rank_0").iterdir())
    steps = {
        (path.name, one.tag): [step for step, _, _ in unpack_points(one.points)]
        for path in (first, second)
        for run in read(path).runs.values()
        for one in run.series
    }
    assert steps[first.name, "loss"] == steps[first.name, "device_local_norm"] == list(range(1, 41))
    assert steps[second.name, "loss"] == list(range(31, 61))
    assert steps[second.name, "device_local_norm"] == list(range(1, 31))
    assert set(curves(job, "loss", "msrun_log")[0]) == set(range(31, 61))  # msrun empties it


def test_hosts_without_shared_storage_count_their_workers_alone(tmp_path: Path) -> None:
    job = written(tmp_path, Plan(Shape(dp=16), FIVE, steps=5, apart=True))
    second = job / "node1" / "job"
    assert sorted(path.name for path in (second / "msrun_log").iterdir()) == [f"worker_{one}.log" for one in range(8)]
    assert {path.name for path in (second / "tensorboard").iterdir()} == {f"rank_{one}" for one in range(8, 16)}
    assert "host_name: node1" in (second / "msrun_log" / "worker_0.log").read_text()


def test_rows_go_on_where_history_ends(tmp_path: Path) -> None:
    shape, said = Shape(dp=2, tp=2, pp=2), (fault.parsed("broken:rank=5"), fault.parsed("silent:rank=6,from=31"))
    plan, whole = (Plan(shape, FULL, steps=steps, faults=said) for steps in (30, 32))
    writer = Writer(plan, tmp_path / "job")
    writer.history()
    for step in (31, 32):
        grow(writer.row(step, plan.began + step))
    job, expected = tmp_path / "job", written(tmp_path / "whole", whole)
    for tag, below in [(tag, "tensorboard") for tag in FULL] + [("loss", "output"), ("global_norm", "msrun_log")]:
        assert curves(job, tag, below) == curves(expected, tag, below)


def test_pynative_says_where_there_is_no_loss_and_has_one_event_file(tmp_path: Path) -> None:
    job = written(tmp_path, Plan(Shape(dp=4, pp=2), pynative.TAGS, steps=20, pynative=True))
    assert [path.name.partition(".17")[0] for path in (job / "tensorboard").iterdir()] == ["events.out.tfevents"]
    assert set(curves(job, "loss", "output")) == {4, 5, 6, 7}
    assert (job / "msrun_log" / "worker_3.log").read_text().count("loss: N/A") == 20


@pytest.mark.parametrize("below", ["output", "msrun_log"])
def test_pynative_tells_each_ranks_own_loss_in_its_log(tmp_path: Path, below: str) -> None:
    said = (fault.parsed("off:rank=2,from=10,by=30"), fault.parsed("nan:rank=5,from=15"))
    plan = Plan(Shape(dp=8), pynative.TAGS, steps=18, faults=said, pynative=True)
    writer = Writer(plan, tmp_path / "job")
    writer.history()
    grow(writer.row(19, plan.began + 19))
    local, reduced = curves(tmp_path / "job", "local_loss", below), curves(tmp_path / "job", "device_loss", below)
    assert [len(local), len(local[0]), len({curve[9] for curve in local.values()})] == [8, 19, 8]
    assert alone(2, local, 12) == pytest.approx(0.3, abs=0.1)
    assert math.isnan(local[5][19])
    assert len({curve[19] for curve in reduced.values()}) == 1


def test_more_ranks_or_other_faults_than_there_can_be_are_refused() -> None:
    with pytest.raises(ValueError, match="there is no rank 8"):
        Plan(Shape(dp=8), FIVE, faults=(fault.parsed("off:rank=8"),))
    for wrong in ("bad:rank=3", "off", "off:rank=3,until=4", "off:from=3"):
        with pytest.raises(ValueError):
            fault.parsed(wrong)


def test_the_command_writes_and_goes_on(tmp_path: Path) -> None:
    job, words = tmp_path / "job", ["--layout", "dp=4,tp=2", "--steps", "10", "--every", "0.05", "--live"]
    command, last = [sys.executable, "-m", "tests.generate", str(job), *words], job / "msrun_log" / "worker_7.log"
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            eventually(lambda: last.is_file() and max(curves(job, "loss")[7]) >= 13, seconds=20)
        finally:
            process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=10)
    assert process.returncode == 0
    assert said.startswith("8 ranks × 10 steps")
    assert set(curves(job, "loss")) == set(range(8))
