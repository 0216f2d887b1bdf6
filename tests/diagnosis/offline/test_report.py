"""``report``: the same findings as the worker's, from files alone; its words, exit codes and errors."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from app.diagnosis.alert import Alert
from app.diagnosis.offline.document import document
from app.diagnosis.offline.judged import Judged
from app.diagnosis.signal import Evidence
from app.words.report import text
from collector.wire.records import RunId
from tests.generate.fault import Fault
from tests.generate.plan import Plan, Shape
from tests.generate.writer import Writer
from tests.support.diagnosing import lines
from tests.support.reporting import PROJECT, findings, report
from tests.support.waiting import eventually

USUAL = ("loss", "learning-rate", "grad-norm", "iteration-time", "local_lm_loss", "device_local_norm")
SPOILT = Plan(Shape(dp=4), USUAL, 420, faults=(Fault("nan", (2,), 300, spread=3),))


def generate(root: Path, plan: Plan = SPOILT) -> Path:
    Writer(plan, root / "job").history()
    return root


def test_a_healthy_run_is_good_news_and_exit_code_0(tmp_path: Path) -> None:
    done = report(generate(tmp_path, replace(SPOILT, faults=())))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "job · steps 1 to 420 of 420 · 1 attempt · ended\n"
        "  read: 12 files, 4 ranks, logs, event files, 36,960 points, 420 rows judged\n"
        "  ✓ No NaN or Inf in 420 rows. Nothing else was found.\n"
    )


def test_a_finding_has_its_numbers_causes_steps_and_commands_and_exit_code_1(tmp_path: Path) -> None:
    done = report(generate(tmp_path))
    assert done.returncode == 1
    told = done.stdout.splitlines()
    assert "  ● NaN or Inf · critical · since step 303, seen 2025-10-09 08:58:22, not over at the end" in told
    assert "    loss NaN at step 303, loss scale 65,536, since step 303" in told
    for part in ("    Likely causes:", "    What to do:", "        check_for_nan_in_loss_and_grad: True"):
        assert part in told
    assert not any("✓" in one for one in told)


def test_it_is_said_in_chinese(tmp_path: Path) -> None:
    told = report(generate(tmp_path), "--lang", "zh").stdout
    assert "job · 第 1 至 420 步（共 420 步） · 1 次启动 · 已结束" in told
    assert "● 出现 NaN 或 Inf · 严重 · 自第 303 步起" in told
    assert "可能原因：" in told


def test_advice_stands_at_the_first_finding_of_its_kind(tmp_path: Path) -> None:
    log = tmp_path / "job" / "log" / "rank_0" / "info.log"
    log.parent.mkdir(parents=True)
    log.write_bytes(b"".join(lines(range(1, 401), nan=range(150, 351, 200), since=1e9)))
    told = report(tmp_path).stdout
    assert told.count("● NaN or Inf · critical") == 2
    assert told.count("Likely causes:") == 1
    assert "loss NaN at step 150, steps 150 to 170" in told
    assert "no line says that it ended" in told


def test_consequences_stand_below_their_cause_and_the_gravest_first() -> None:
    root = Alert("grad_explode-a1-10", "grad_explode", "G1", "warning", False, 1, 10, 12, 20, Evidence(9.0, 1.0))
    after = replace(root, id="loss_spike-a1-11", about="loss_spike", first_step=11, cause=root.id)
    worse = replace(
        root, id="divergence-a2-90", about="divergence", severity="critical", first_step=90, last_step=95, attempt=2
    )
    run = Judged(
        RunId("job"), "j\x1bob", "/job", "failed", 1, 99, None, 2, 99, 0, 99, 1, 0, ("log",), (root, after, worse)
    )
    told = [one for one in text(run).splitlines() if "●" in one or " · " in one]
    assert [one.partition(",")[0] for one in told] == [
        "j?ob · steps 1 to 99 · 2 attempts · ended with an error",
        "  ● Divergence · critical · steps 90 to 95",
        "  ● Gradient explosion · warning · steps 10 to 20",
        "    ● Loss spike · warning · steps 11 to 20",
    ]


def test_what_is_not_over_is_told_since_its_first_step_and_reaches_to_the_newest() -> None:
    one = Alert("plateau-a1-201", "plateau", "P1", "warning", True, 1, 201, 206, 206, Evidence(2.0, 2.0))
    run = Judged(RunId("job"), "job", "/job", "failed", 1, 600, None, 1, 600, 0, 600, 1, 0, ("log",), (one,))
    assert "  ● Plateau · warning · since step 201, not over at the end" in text(run).splitlines()
    (told,) = json.loads(json.dumps(document([run], [])))["runs"][0]["alerts"]
    assert (told["first_step"], told["raised_step"], told["last_step"], told["value_step"]) == (201, 206, 600, 206)


def test_one_file_is_enough(tmp_path: Path) -> None:
    log = generate(tmp_path) / "job" / "output" / "log" / "rank_3" / "info.log"
    assert [*findings(log)] == ["nan_inf-a1-303"]


def test_rules_of_ones_own_are_asked_too(tmp_path: Path) -> None:
    rules = tmp_path / "alerts.yaml"
    rules.write_text("rules:\n- name: norm\n  tag: device_local_norm\n  above: 2\n  severity: info\n")
    (run,) = json.loads(
        report(generate(tmp_path, replace(SPOILT, faults=())), "--format", "json", "--alerts", rules).stdout
    )["runs"]
    assert [one["id"] for one in run["alerts"]] == ["custom.norm-a1-1"]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nowhere", "does not exist: name the directory that the training job wrote to."),
        ("empty", "holds nothing to read: looked for info.log, worker_N.log"),
        ("notes.txt", "is no file that training writes: looked for info.log"),
        ("closed", "cannot be read by this user: let it read the directory and the files below it."),
        ("sealed", "holds nothing to read: looked for info.log"),
    ],
)
def test_wrong_input_is_one_sentence_and_exit_code_2(tmp_path: Path, name: str, sentence: str) -> None:
    place = tmp_path / name
    if name.endswith(".txt"):
        place.write_text("notes")
    elif name != "nowhere":
        place.mkdir()
    if name == "sealed":
        (place / "info.log").write_text("{ step:[ 1/ 9], loss: 1.0 }\n")
        (place / "info.log").chmod(0)
    place.chmod(0) if name == "closed" else None
    done = report(place, before=(sys.executable, "-m", "tests.support.unprivileged"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert f"diagnosis: {place} {sentence}" in done.stderr


def test_a_file_that_cannot_be_read_is_told_below_the_others(tmp_path: Path) -> None:
    sealed = generate(tmp_path) / "job" / "output" / "log" / "rank_0" / "info.log"
    sealed.chmod(0)
    done = report(tmp_path, before=(sys.executable, "-m", "tests.support.unprivileged"))
    assert done.returncode == 1
    assert done.stdout.splitlines()[-2:] == [
        "1 file was not read in full:",
        "  output/log/rank_0/info.log: permission denied",
    ]


def test_a_terminal_sees_how_far_it_is(tmp_path: Path) -> None:
    generate(tmp_path)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "app.diagnosis", "report", str(tmp_path)]
    done = subprocess.run(command, cwd=PROJECT, stderr=theirs, stdout=subprocess.DEVNULL, timeout=60)
    os.close(theirs)
    seen = os.read(ours, 65_536).decode()
    os.close(ours)
    assert done.returncode == 1
    assert "Reading: " in seen
    assert seen.endswith("\r\x1b[K")


def test_classes_are_muted_and_weighed_as_the_file_of_alerts_says(tmp_path: Path) -> None:
    alerts = tmp_path / "alerts.yaml"
    alerts.write_text("classes:\n  nan_inf: {severity: info}\n  rank_outlier: {mute: true}\n")
    done = report(generate(tmp_path), "--alerts", alerts)
    assert done.returncode == 0
    assert [one for one in done.stdout.splitlines() if "●" in one] == [
        "  ● NaN or Inf · information · since step 303, seen 2025-10-09 08:58:22, not over at the end"
    ]


def test_it_ends_quietly_when_it_is_interrupted_or_nobody_reads_on(tmp_path: Path) -> None:
    generate(tmp_path, replace(SPOILT, shape=Shape(dp=1), steps=20_000, faults=()))
    command = [sys.executable, "-m", "app.diagnosis", "report", str(tmp_path)]
    process = subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    eventually(lambda: Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(), seconds=20)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=20)
    assert (process.returncode, out, errors) == (130, b"", b"")
    alone = subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert alone.stdout is not None
    alone.stdout.close()
    assert (alone.wait(timeout=60), alone.communicate()[1]) == (0, b"")


def test_the_way_back_is_the_newest_healthy_checkpoint_before_the_onset(tmp_path: Path) -> None:
    log = tmp_path / "job" / "log" / "rank_0" / "info.log"
    log.parent.mkdir(parents=True)
    rows = lines(range(1, 401), nan=range(300, 320), since=1e9)
    saved = "{} - mindformers[a.py:1] - INFO - Checkpoint saved at step {} to ./output/checkpoint (async=False)\n"
    for step in (100, 200, 350):
        rows[step - 1] += saved.format(rows[step - 1][:23].decode(), step).encode()
    log.write_bytes(b"".join(rows))
    told = report(tmp_path).stdout
    assert "Way back: None of the checkpoints before step 300 is marked healthy; the newest that is not marked" in told
    assert "is of step 200. 200 steps are done again: " in told
