"""The demonstration run: files that MindFormers 2.1 could have written, with the incidents that the page is to show."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from contextlib import ExitStack
from datetime import datetime
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import pytest
from tensorboardX.proto.event_pb2 import Event

from app.demo import curves, event_bytes, log_lines
from app.demo.job import Job
from app.demo.story import length, story, until
from tests.support.dashboard import ROOT

HISTORY, LAST = 410, 411


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command's own files: a short past at once, one step live."""
    directory = tmp_path_factory.mktemp("demo") / "demo"
    command = [sys.executable, "-m", "app.demo", str(directory), "--history", str(HISTORY), "--steps", str(LAST)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=30)
    return directory


@pytest.fixture(scope="module")
def read(job: Path) -> dict[str, Any]:
    """What `python -m collector read` makes of them."""
    command = [sys.executable, "-m", "collector", "read", str(job), "--format", "json"]
    whole = subprocess.run(command, cwd=ROOT, check=True, timeout=60, capture_output=True)
    result: dict[str, Any] = json.loads(whole.stdout)
    return result


def series(read: dict[str, Any], source: str, metric: str) -> dict[int, list[list[float]]]:
    """Rank → points of one metric from one kind of file; of the two logs of a rank, info.log."""
    return {
        one["rank"]: one["points"]
        for name, run in read["runs"].items()
        for one in run["series"]
        if one["source"] == source and one["metric"] == metric and "worker" not in name
    }


@pytest.mark.parametrize("metric", ["loss", "lr", "grad_norm", "loss_scale", "step_time", "tflops", "throughput"])
@pytest.mark.parametrize("source", ["log", "tensorboard"])
def test_every_rank_has_every_step_in_its_log_and_its_event_file(
    read: dict[str, Any], source: str, metric: str
) -> None:
    found = series(read, source, metric)
    assert sorted(found) == list(range(8))
    assert all([step for step, _, _ in points] == list(range(1, LAST + 1)) for points in found.values())


def test_the_reader_has_nothing_to_complain_about(read: dict[str, Any]) -> None:
    assert read["warnings"] == []


def test_log_and_event_file_agree(read: dict[str, Any]) -> None:
    logged, exact = series(read, "log", "loss")[3], series(read, "tensorboard", "loss")[3]
    assert all(abs(one[2] - other[2]) < 2e-6 for one, other in zip(logged, exact, strict=True))
    assert all(abs(one[1] - other[1]) < 0.002 for one, other in zip(logged, exact, strict=True))


def test_the_evaluation_loss_comes_every_two_hundred_steps(read: dict[str, Any]) -> None:
    assert [step for step, _, _ in series(read, "log", "eval_loss")[0]] == [200, 400]


def test_the_loss_spikes_once_and_comes_back() -> None:
    loss = [curves.step(number).loss for number in range(1, 2001)]
    assert loss[curves.SPIKE - 1] > loss[curves.SPIKE - 2] + 2
    assert abs(loss[curves.SPIKE + 40] - loss[curves.SPIKE - 10]) < 0.2
    assert max(loss[1200:]) < loss[curves.SPIKE - 1] - 1
    assert sum(loss[-50:]) < 0.4 * sum(loss[:50])


def test_one_burst_of_overflows_halves_the_loss_scale_and_it_recovers() -> None:
    steps = [curves.step(number) for number in range(1, 2001)]
    assert [one.step for one in steps if one.overflow] == list(curves.BURST)
    scales = [one for one, _ in groupby(step.loss_scale for step in steps)]
    assert scales == [65536.0, 32768.0, 16384.0, 8192.0, 4096.0, 8192.0, 16384.0, 32768.0, 65536.0]


def test_one_rank_drifts_away_from_its_peers() -> None:
    shared = curves.step(1900)
    ranks = [curves.local(shared, rank) for rank in range(curves.RANKS)]
    peers = [one for rank, one in enumerate(ranks) if rank != curves.BAD_RANK]
    bad = ranks[curves.BAD_RANK]
    assert bad.local_loss > 1.08 * max(one.local_loss for one in peers)
    assert bad.device_norm > 1.3 * max(one.device_norm for one in peers)
    assert bad.step_ms > max(one.step_ms for one in peers) + 5


def test_the_learning_rate_warms_up_and_falls() -> None:
    rates = [curves.learning_rate(number) for number in (1, curves.WARM_UP, 5000, curves.STEPS)]
    assert rates[0] < rates[3] < rates[2] < rates[1] == curves.PEAK_LR
    assert math.isclose(rates[3], curves.PEAK_LR / 10)


def test_two_demonstrations_are_the_same_to_the_byte(tmp_path: Path) -> None:
    contents = []
    for name in ("one", "two"):
        with ExitStack() as files:
            Job(tmp_path / name, 1_750_000_000.0, files).history(30)
        contents.append(
            {path.relative_to(tmp_path / name): path.read_bytes() for path in (tmp_path / name).rglob("*.*")}
        )
    assert contents[0] == contents[1]
    assert len(contents[0]) == 8 * 4


def test_live_steps_come_at_the_pace_of_the_clock_and_the_end_is_said(tmp_path: Path) -> None:
    slept: list[float] = []
    with ExitStack() as files:
        job = Job(tmp_path, 1000.0, files)
        job.history(0)
        job.live(0, 4, slept.append, lambda: 1000.0 + sum(slept))
    text = (tmp_path / "msrun_log" / "worker_7.log").read_text()
    assert all(0.45 < one < 0.55 for one in slept[1:-1])
    assert (slept[0], slept[-1]) == (30.0, 0.0)
    assert text.count("per_step_time") == 4
    assert text.splitlines()[-1].endswith(".........Training Over!.............")


def test_an_evaluation_and_a_checkpoint_are_told_when_they_are_through(tmp_path: Path) -> None:
    with ExitStack() as files:
        Job(tmp_path, 1_750_000_000.0, files).history(401)
    lines = (tmp_path / "output" / "log" / "rank_0" / "info.log").read_text().splitlines()
    at = {key: _time(next(one for one in lines if key in one)) for key in ("Saving", "Finish", "eval time")}
    steps = [_time(one) for one in lines if "per_step_time" in one]
    evaluated = [_time(one) for one in lines if "eval time" in one]
    assert evaluated[0] - steps[199] == pytest.approx(curves.EVAL_SECONDS, abs=0.01)
    assert steps[200] - evaluated[0] == pytest.approx(0.5, abs=0.05)
    assert at["Saving"] == steps[399]
    assert at["Finish"] - at["Saving"] == pytest.approx(curves.CHECKPOINT_SECONDS, abs=0.01)
    assert steps[400] - evaluated[1] == pytest.approx(0.5, abs=0.05)
    assert length(401) - length(400) == pytest.approx(0.5, abs=0.05)


def _time(line: str) -> float:
    return datetime.strptime(line[7:30], "%Y-%m-%d %H:%M:%S,%f").timestamp()


@pytest.fixture(scope="module")
def restarted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was stopped and went on from a checkpoint."""
    directory = tmp_path_factory.mktemp("restarted") / "demo"
    with ExitStack() as files:
        Job(directory, 1_750_000_000.0, files).history(curves.STOP + 10)
    return directory


def test_the_gradient_norm_stops_the_run_and_it_goes_on_from_a_checkpoint(restarted: Path) -> None:
    lines = (restarted / "output" / "log" / "rank_3" / "info.log").read_text().splitlines()
    stop = next(at for at, one in enumerate(lines) if ", stop training..." in one)
    norms = [float(one.split("global_norm: [")[1].split("]")[0]) for one in lines if "global_norm: [" in one]
    assert max(norms) == norms[curves.STOP - 1] > curves.NORM_THRESHOLD > sorted(norms)[-3]
    assert any(f"initial step: {curves.RESUMED}" in one for one in lines[stop:])
    again = [one for one in lines[stop:] if "step:[" in one]
    assert f"step:[{curves.RESUMED + 1:5d}/" in again[0]
    assert "per_step_time: 30" in again[0]
    assert len(again) == curves.STOP + 10 - curves.RESUMED


def test_a_restart_empties_the_workers_log_and_begins_another_event_file(restarted: Path) -> None:
    worker = (restarted / "msrun_log" / "worker_3.log").read_text()
    assert f"step:[{curves.RESUMED:5d}/" not in worker
    assert f"step:[{curves.RESUMED + 1:5d}/" in worker
    assert len(list((restarted / "tensorboard" / "rank_3").glob("events.out.tfevents.*"))) == 2


def test_one_checkpoint_is_not_healthy(restarted: Path) -> None:
    told = json.loads((restarted / "output" / "health_ckpts.json").read_text())
    steps = range(curves.CHECKPOINT_EVERY, curves.STOP, curves.CHECKPOINT_EVERY)
    assert [one["ckpt_name"] for one in told] == [f"demonstration_rank_0-1_{step}.safetensors" for step in steps]
    assert [step for step, one in zip(steps, told, strict=True) if one["is_health"]] == [curves.UNHEALTHY]


def test_the_reader_understands_the_restart_too(restarted: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "collector",
        "read",
        str(restarted / "output" / "log" / "rank_3"),
        "--format",
        "json",
    ]
    whole = json.loads(subprocess.run(command, cwd=ROOT, check=True, timeout=120, capture_output=True).stdout)
    assert {one["code"] for one in whole["warnings"]} == {"steps_went_back"}


@pytest.mark.parametrize("step", [1, 410, curves.RESUMED + 5, curves.STOP, 2000])
def test_history_and_what_follows_are_one_story(step: int) -> None:
    before = list(until(step))
    assert max(moment.step for moment in before) == step
    whole = list(story(step + 3))
    assert whole[: len(before)] == before
    assert whole[len(before)].step == step + 1


def test_nothing_stands_still_between_the_history_and_what_is_live(tmp_path: Path) -> None:
    """Writing the history takes a while: what falls due in that time is written at once, with the time it was due."""
    now = 1_750_000_000.0
    slept: list[float] = []
    with ExitStack() as files:
        job = Job(tmp_path, now - length(50), files)
        job.history(50)
        job.live(50, 60, slept.append, lambda: now + 4 + sum(slept))
    lines = (tmp_path / "output" / "log" / "rank_0" / "info.log").read_text().splitlines()
    times = [_time(one) for one in lines if "per_step_time" in one]
    assert all(0.4 < after - before < 0.6 for before, after in pairwise(times[1:]))
    assert 0.4 < sum(slept) < 1.6


def test_a_machine_that_slept_leaves_a_hole_in_the_run(tmp_path: Path) -> None:
    with ExitStack() as files:
        Job(tmp_path, 1_750_000_000.0, files).live(2, 4, lambda _: None, lambda: 1_750_009_000.0)
    lines = (tmp_path / "output" / "log" / "rank_0" / "info.log").read_text().splitlines()
    assert _time(lines[0]) == 1_750_009_000.0


def test_event_bytes_are_what_tensorboard_reads() -> None:
    whole = event_bytes.scalar(300, 1.5, "grad-norm", 0.25)
    event = Event.FromString(whole[12:-4])
    assert (event.step, event.wall_time, event.summary.value[0].tag) == (300, 1.5, "grad-norm")
    assert event.summary.value[0].simple_value == 0.25
    words = Event.FromString(event_bytes.text(1, 2.0, "runner_config", "{'epochs': 4}")[12:-4]).summary.value[0]
    assert words.tag == "runner_config/text_summary"
    assert words.tensor.string_val == [b"{'epochs': 4}"]
    assert words.metadata.plugin_data.plugin_name == "text"


def test_a_line_is_spelled_as_mindformers_spells_it() -> None:
    """Against the form in formats.md: 1.2 of graph mode, version 2.1."""
    shared = curves.step(2501)
    lines = [one.in_file(1_750_000_000.25) for one in log_lines.records(shared, curves.local(shared, 0))]
    assert lines[0].startswith("[INFO] 20")
    assert ",250 [mindformers/core/callback/callback.py:747] print_output_info: { Epoch:[  2/  4], " in lines[0]
    assert ", step:[    1/ 2500], loss: " in lines[0]
    assert lines[1].endswith(" }\n")
    assert f"{'█' * 12}{' ' * 38}|" in lines[1]
