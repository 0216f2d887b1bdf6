"""People's own rules, from points in a store to a message on the wire."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.diagnosis.rules.custom import UserRule
from app.diagnosis.worker import Worker
from tests.diagnosis.worker.conftest import Bench
from tests.diagnosis.worker.course import Course, commit
from tests.support.hook import hook
from tests.support.seed import Seed
from tests.support.waiting import eventually

ROOT = Path(__file__).resolve().parents[3]
ROWS = Course(range(1, 301), spikes=dict.fromkeys(range(200, 230), 1.01)).rows()
HIGH = UserRule("norm high", "above", 5.0, metric="grad_norm", rows=5, severity="critical")
HOT = UserRule("hot", "rises_by", 0.3, tag="temperature", within=20)
UNSEEN = UserRule("no evaluation", "missing_for", 120.0, metric="eval_loss")
OTHERS = UserRule("not this run", "above", -1.0, metric="loss", runs=("llama*",))
RULES = (HIGH, HOT, UNSEEN, OTHERS)


def worker(bench: Bench, *rules: UserRule) -> Worker:
    made = bench.worker()
    made.rules = rules or RULES
    return made


def own(bench: Bench) -> dict[str, tuple[int, int, bool]]:
    return {
        name: (one.first_step, one.raised_step, one.is_open)
        for name, one in bench.found().items()
        if one.about == "custom"
    }


def feed(seed: Seed, rows, start: int, end: int) -> None:
    commit(seed, rows[start:end])
    degrees = [(step, wall, 60.0 if step < 150 else 90.0) for step, wall, _ in (one["loss"] for one in rows[start:end])]
    seed.points(degrees, metric=None, tag="temperature")
    seed.points([point for point in degrees if point[0] % 60 == 0 and point[0] < 200] or [], metric="eval_loss")


EXPECTED = {
    "custom.norm-high-a1-200": (200, 204, False),
    "custom.hot-a1-152": (152, 152, False),
    "custom.no-evaluation-a1-180": (180, 180, True),
}


def test_rules_of_metrics_tags_and_silence_make_alerts(bench: Bench, seed: Seed) -> None:
    feed(seed, ROWS, 0, 300)
    bench.settle(worker(bench))
    found = own(bench)
    assert found == EXPECTED
    high = bench.found()["custom.norm-high-a1-200"]
    assert (high.severity, high.rule) == ("critical", "norm high")


@pytest.mark.parametrize("piece", [7, 50])
@pytest.mark.parametrize("is_killed", [False, True])
def test_pieces_and_kills_make_the_same_alerts(bench: Bench, seed: Seed, piece: int, is_killed: bool) -> None:
    following = worker(bench)
    for start in range(0, 300, piece):
        feed(seed, ROWS, start, min(300, start + piece))
        following = worker(bench) if is_killed else following
        bench.settle(following)
    assert own(bench) == EXPECTED


def test_other_rules_judge_the_run_anew_and_tell_nothing_twice(bench: Bench, seed: Seed) -> None:
    bench.now = ROWS[-1]["loss"][1]
    feed(seed, ROWS, 0, 300)
    first = worker(bench)
    bench.settle(first)
    first.end()
    before = [(one.alert, one.change) for one in bench.notices()]
    second = worker(bench, HOT, UserRule("loss above 0", "above", 0.0, metric="loss"))
    bench.settle(second)
    assert set(own(bench)) == {"custom.hot-a1-152", "custom.loss-above-0-a1-1"}
    after = [(one.alert, one.change) for one in bench.notices()][len(before) :]
    assert [one for one in after if one[1] == "opened"] == [("custom.loss-above-0-a1-1", "opened")]


def test_from_points_to_a_message_through_a_worker_of_its_own(redis_url: str, seed: Seed, tmp_path: Path) -> None:
    file = tmp_path / "alerts.yaml"
    with hook() as chat:
        file.write_text(
            "policy: {group_wait: 1 s}\nlanguage: zh\nchannels:\n"
            "  - {name: team, url: 'feishu+${HOOK}', secret: hush, allow_internal: true}\n"
            "rules:\n  - {name: 范数过大, metric: grad_norm, above: 5, for: 5 rows, severity: critical}\n"
        )
        environ = {
            **os.environ,
            "REDIS_URL": redis_url,
            "TIDEWATCH_ALERTS": str(file),
            "TIDEWATCH_URL": "https://watch.example/",
            "HOOK": chat.url,
        }
        process = subprocess.Popen([sys.executable, "-m", "app.diagnosis"], cwd=ROOT, env=environ)
        try:
            rows = Course(range(1, 301), nan=range(280, 300), spikes={}, at=time.time() - 300).rows()
            norms = [{**one, "grad_norm": (one["grad_norm"][0], one["grad_norm"][1], 50.0)} for one in rows[290:]]
            commit(seed, [*rows[:290], *norms])
            eventually(lambda: any("范数过大" in one.body.decode() for one in chat.posted), seconds=40)
        finally:
            process.terminate()
            assert process.wait(timeout=20) == 0
    text = "\n".join(one.json["card"]["elements"][0]["text"]["content"] for one in chat.posted)
    assert "出现 NaN 或 Inf" in text
    assert "check_for_nan_in_loss_and_grad: True" in text
    assert "https://watch.example/run/gpt?view=" in text
    assert all(one.json["sign"] for one in chat.posted)
