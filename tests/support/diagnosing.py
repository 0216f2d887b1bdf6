"""A real diagnosis worker, and the log of a job whose loss goes as a test wants it."""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from app.diagnosis.store import AlertStore
from tests.support.waiting import eventually

PROJECT = Path(__file__).resolve().parents[2]


def start(redis_url: str) -> subprocess.Popen[bytes]:
    """``python -m app.diagnosis``; whoever starts it ends it."""
    environ = {**os.environ, "REDIS_URL": redis_url, "TZ": "UTC"}
    return subprocess.Popen([sys.executable, "-m", "app.diagnosis"], cwd=PROJECT, env=environ)


def works(alerts: AlertStore, worker: subprocess.Popen[bytes]) -> bool:
    """Whether it has given a sign of life."""
    return any(one.worker.endswith(f":{worker.pid}") for one in alerts.vitals())


@contextmanager
def diagnosis(redis_url: str) -> Iterator[subprocess.Popen[bytes]]:
    """The worker, at work, until the block ends; it has to end well."""
    process, alerts = start(redis_url), AlertStore(redis_url)
    try:
        eventually(lambda: works(alerts, process), seconds=20)
        yield process
    finally:
        alerts.close()
        process.terminate()
        assert process.wait(timeout=15) == 0


def line(step: int, loss: float, at: float) -> bytes:
    """One line of PyNative's LossCallback as 2.1 prints it, written at ``at`` (Unix seconds)."""
    clock = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")
    spelled = "nan" if math.isnan(loss) else f"{loss:10.6f}"
    return (
        f"{clock},{int(at % 1 * 1000):03d} - mindformers[mindformers/pynative/callback/loss_callback.py:132] - INFO - "
        f"{{ step:[{step:5d}/99999], loss: {spelled}, per_step_time:    716ms, lr: 9.999780e-05, "
        f"grad_norm:   1.287336, throughput: 715.78T }}\n"
    ).encode()


def lines(steps: Iterable[int], *, nan: range = range(0), since: float | None = None, seed: int = 1) -> list[bytes]:
    """A line a second, the last of them now, or the first ``since``."""
    noise, several = random.Random(seed), list(steps)
    first = time.time() - len(several) if since is None else since
    losses = (
        math.nan if step in nan else 2.0 + 0.01 * noise.gauss(0, 1) + 3 * math.exp(-step / 50) for step in several
    )
    return [line(step, loss, first + number) for number, (step, loss) in enumerate(zip(several, losses, strict=True))]
