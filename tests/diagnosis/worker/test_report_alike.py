"""``report`` finds in files what the worker finds of them in Redis, to the last number."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.api.alerts import served
from app.diagnosis.alert import Alert
from app.diagnosis.handling import Standing
from collector import handing
from collector.follow.files import DiskFiles
from collector.health import Identity
from collector.runs import Naming
from collector.service import Pace, Service
from collector.store import Store
from collector.wire.records import RunId
from tests.diagnosis.worker.conftest import Bench
from tests.generate.fault import Fault
from tests.generate.plan import Plan, Shape
from tests.generate.writer import Writer
from tests.support.reporting import report

USUAL = ("loss", "learning-rate", "grad-norm", "iteration-time", "local_lm_loss", "compute-time")
SPOILT = Plan(Shape(dp=8), USUAL, 420, faults=(Fault("nan", (2,), 300, spread=3), Fault("off", (5,), 150, by=0.2)))
PIPELINE = Plan(
    Shape(dp=4, pp=2),
    USUAL,
    300,
    resumed=120,
    faults=(Fault("silent", (6,), 200), Fault("straggler", (1,), 90, by=0.5)),
)
PLANS = {
    "logs and event files": SPOILT,
    "event files of a resumed run": replace(SPOILT, resumed=350, parts=("events",)),
    "a resumed pipeline": PIPELINE,
    "logs of PyNative mode": Plan(Shape(dp=4), (), 300, pynative=True, parts=("worker",)),
}


def collected(root: Path, url: str) -> None:
    """All files below a directory, in Redis."""
    store = Store(url)
    service = Service([str(root)], Identity("host:1", "host", 1), Naming(), Pace())
    handing.read_all(service, DiskFiles(), store)
    store.close()


def judged(bench: Bench) -> tuple[int, int, dict[str, Alert]]:
    """Rows, attempts, and what a worker finds, nobody of whom it waits for being left."""
    worker = bench.worker()
    for _ in range(3):
        bench.settle(worker)
        bench.now += 20
    known = worker.places[RunId("job")].run.known
    assert known is not None
    return known.taken, known.attempt, bench.alerts.alerts(RunId("job"))


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_the_findings_are_those_of_the_worker(tmp_path: Path, redis_url: str, bench: Bench, plan: Plan) -> None:
    Writer(plan, tmp_path / "job").history()
    collected(tmp_path, redis_url)
    rows, attempts, expected = judged(bench)
    done = report(tmp_path, "--format", "json")
    (run,) = json.loads(done.stdout)["runs"]
    known = {
        one.id: served(Standing(one, "open" if one.is_open else "resolved", None, False), run["last_step"])
        for one in expected.values()
    }
    found = {one["id"]: {name: one[name] for name in known.get(one["id"], one)} for one in run["alerts"]}
    assert found == known
    assert (run["rows"], run["attempts"]) == (rows, attempts)
    assert bool(known) == bool(plan.faults or plan.resumed)
