"""The files of the demonstration run: what `msrun` and MindFormers 2.1 leave in a job's directory, eight ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from app.demo import curves, event_bytes, log_lines
from app.demo.curves import Local, Step

CONFIGURATION = {  # top-level YAML keys, of which MindFormers makes one text summary each
    "runner_config": {"epochs": curves.EPOCHS, "batch_size": curves.BATCH // curves.RANKS, "sink_mode": True},
    "parallel_config": {
        "data_parallel": curves.RANKS,
        "model_parallel": 1,
        "pipeline_stage": 1,
        "expert_parallel": 1,
        "micro_batch_num": 1,
    },
}
FLUSH_EVERY = 20  # steps: event files come late, as they do with tensorboardX


class RankFiles:
    """The three files of one rank, open for appending, with event records held back as tensorboardX holds them."""

    def __init__(self, job: Path, rank: int, wall: float, files: ExitStack) -> None:
        self.rank = rank
        self._info = _create(job / "output" / "log" / f"rank_{rank}" / "info.log", files)
        self._error = _create(job / "output" / "log" / f"rank_{rank}" / "error.log", files)
        self._console = _create(job / "msrun_log" / f"worker_{rank}.log", files)
        self._events = _create(job / "tensorboard" / f"rank_{rank}" / f"events.out.tfevents.{int(wall)}.node0", files)
        self._held = [event_bytes.first_record(wall)]
        self._held += [event_bytes.text(1, wall, key, str(value)) for key, value in CONFIGURATION.items()]

    def log(self, records: Iterable[log_lines.Record], wall: float) -> None:
        """Into both logs, in whole lines."""
        listed = list(records)
        self._info.write("".join(one.in_file(wall) for one in listed).encode())
        self._console.write("".join(one.on_console(wall) for one in listed).encode())

    def step(self, shared: Step, own: Local, wall: float) -> None:
        """One training step, and what the callbacks make of it."""
        self.log(log_lines.records(shared, own), wall)
        self._held.append(event_bytes.scalars(shared.step, wall, tags(shared, own)))

    def flush(self) -> None:
        """Hand everything to the file system."""
        self._events.write(b"".join(self._held))
        self._held.clear()
        for file in (self._events, self._info, self._console):
            file.flush()

    def flush_logs(self) -> None:
        """Logs are flushed line by line."""
        self._info.flush()
        self._console.flush()


def tags(shared: Step, own: Local) -> dict[str, float]:
    """Tag → value as MFLossMonitor and TrainingStateMonitor name them, without the copies over samples."""
    return {
        "model-flops-throughput-per-npu": own.tflops,
        "learning-rate": shared.lr,
        "batch-size": float(curves.BATCH),
        "loss": shared.loss,
        "loss-scale": shared.loss_scale,
        "grad-norm": shared.grad_norm,
        "iteration-time": own.step_ms,
        "throughput": own.samples_per_second,
        "device_local_norm": own.device_norm,
        "local_lm_loss": own.local_loss,
        "device_accum_local_lm_loss": own.device_loss,
    }


class Job:
    """The whole run. ``history`` writes its past at once, ``live`` the rest at the pace of the clock."""

    def __init__(self, directory: Path, began: float, files: ExitStack) -> None:
        self._ranks = [RankFiles(directory, rank, began, files) for rank in range(curves.RANKS)]
        self.wall = began
        for one in self._ranks:
            one.log(log_lines.opening(), began)

    def history(self, steps: int) -> None:
        """The steps 1 to ``steps``, each as long after the one before as it took."""
        for number in range(1, steps + 1):
            self.wall += seconds(number)
            self._step(number)
        self._flush()

    def live(self, first: int, last: int, sleep: Callable[[float], None], clock: Callable[[], float]) -> None:
        """The steps ``first`` to ``last``, written when they end, then the closing lines."""
        for number in range(first, last + 1):
            sleep(seconds(number))
            self.wall = clock()
            self._step(number)
            for one in self._ranks:
                one.flush_logs()
            if number % FLUSH_EVERY == 0:
                self._flush()
        for one in self._ranks:
            one.log(log_lines.closing(), self.wall)
        self._flush()

    def _step(self, number: int) -> None:
        shared = curves.step(number)
        for one in self._ranks:
            one.step(shared, curves.local(shared, one.rank), self.wall)

    def _flush(self) -> None:
        for one in self._ranks:
            one.flush()


def seconds(number: int) -> float:
    """How long after the step before this one ends; the evaluation after a step delays the next."""
    pause = curves.EVAL_SECONDS if number > 1 and (number - 1) % curves.EVAL_EVERY == 0 else 0.0
    return curves.step_ms(number) / 1000 + pause


def length(steps: int) -> float:
    """Seconds that the first ``steps`` take together."""
    return sum(seconds(number) for number in range(1, steps + 1))


def _create(path: Path, files: ExitStack) -> BinaryIO:
    path.parent.mkdir(parents=True, exist_ok=True)
    return files.enter_context(path.open("wb"))
