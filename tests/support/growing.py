"""Files that grow as a training job's do: log lines, a job's directory, a process that writes until it is stopped."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tests.support import event_writer

PROJECT = Path(__file__).resolve().parents[2]


def line(step: int) -> bytes:
    """One line of PyNative's LossCallback as 2.1 prints it; the loss is a quarter of the step."""
    clock = datetime.fromtimestamp(1.7e9 + step, UTC).strftime("%Y-%m-%d %H:%M:%S,000")
    return (
        f"{clock} - mindformers[mindformers/pynative/callback/loss_callback.py:132] - INFO - "
        f"{{ step:[{step:5d}/99999], loss: {step / 4:10.6f}, per_step_time:    716ms, lr: 9.999780e-05, "
        f"grad_norm:   1.287336, throughput: 715.78T }}\n"
    ).encode()


def lines(steps: Iterable[int]) -> bytes:
    return b"".join(line(step) for step in steps)


@dataclass(frozen=True)
class Job:
    """The directory of one job of one rank."""

    root: Path

    @property
    def events(self) -> Path:
        return self.root / "tensorboard" / "rank_0" / "events.out.tfevents.1700000000.node0"

    @property
    def log(self) -> Path:
        return self.root / "output" / "log" / "rank_0" / "info.log"

    @property
    def worker(self) -> Path:
        return self.root / "msrun_log" / "worker_0.log"

    def prepare(self) -> Job:
        for path in (self.events, self.log, self.worker):
            path.parent.mkdir(parents=True, exist_ok=True)
        return self

    def append(self, step: int) -> None:
        """One step in all three files, each written in two halves, as buffers are flushed in the middle."""
        for path, data in (
            (self.events, event_writer.scalars([step], ("loss", "lr"))),
            (self.log, line(step)),
            (self.worker, line(step)),
        ):
            with path.open("ab", buffering=0) as file:
                file.write(data[: len(data) // 2])
                file.write(data[len(data) // 2 :])


@contextmanager
def writer(root: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that appends to the files of a job, about 300 steps a second, until the block ends."""
    process = subprocess.Popen([sys.executable, "-m", __name__, str(root)], cwd=PROJECT, stdin=subprocess.PIPE)
    try:
        yield process
    finally:
        process.communicate(timeout=10)  # closes its standard input: it ends after a whole step


def _write_until_told(root: Path) -> None:
    import select

    job, step = Job(root).prepare(), 0
    while not select.select([sys.stdin], [], [], 0)[0]:
        step += 1
        job.append(step)
        time.sleep(0.003)


if __name__ == "__main__":
    _write_until_told(Path(sys.argv[1]))
