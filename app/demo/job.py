"""The files of the demonstration run: what `msrun` and MindFormers 2.1 leave in a job's directory, eight ranks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from itertools import dropwhile
from pathlib import Path
from typing import BinaryIO

from app.demo import curves, event_bytes, log_lines, settings
from app.demo.curves import Local, Step
from app.demo.story import Moment, story, until

FLUSH_EVERY = 20  # steps: event files come late, as they do with tensorboardX
AWAY = (
    60.0  # seconds behind the clock that are made up for; after a longer sleep of the machine the run has stood still
)


class RankFiles:
    """The files of one rank, open for appending, with what is not yet written of each."""

    def __init__(self, job: Path, rank: int, files: ExitStack) -> None:
        self.rank = rank
        self._files = files
        self._worker = job / "msrun_log" / f"worker_{rank}.log"
        self._summaries = job / "tensorboard" / f"rank_{rank}"
        self._info = _create(job / "output" / "log" / f"rank_{rank}" / "info.log", files)
        _create(job / "output" / "log" / f"rank_{rank}" / "error.log", files)
        self._console: BinaryIO | None = None
        self._events: BinaryIO | None = None
        self._of_console: list[bytes] = []
        self._of_events: list[bytes] = []

    def start(self, wall: float) -> None:
        """An attempt begins: msrun empties the worker's log, tensorboardX begins another event file."""
        self._console = _create(self._worker, self._files)
        self._of_console.clear()
        self.flush_events()
        self._events = _create(self._summaries / f"events.out.tfevents.{int(wall)}.node0", self._files)
        self._of_events.append(event_bytes.first_record(wall))
        self._of_events += [event_bytes.text(1, wall, key, str(value)) for key, value in settings.SECTIONS.items()]

    def log(self, records: Iterable[log_lines.Record], wall: float) -> None:
        """Into both logs, in whole lines."""
        listed = list(records)
        self._info.write("".join(one.in_file(wall) for one in listed).encode())
        self._of_console.append("".join(one.on_console(wall) for one in listed).encode())

    def step(self, shared: Step, own: Local, wall: float) -> None:
        """One training step, and what the callbacks make of it."""
        self.log(log_lines.records(shared, own), wall)
        self._of_events.append(event_bytes.scalars(shared.step, wall, tags(shared, own)))
        self._of_events.append(event_bytes.scalars(shared.current, wall, state_tags(own)))

    def flush_events(self) -> None:
        """Hand the event records to the file system."""
        if self._events is not None:
            self._events.write(b"".join(self._of_events))
            self._events.flush()
        self._of_events.clear()

    def flush_logs(self) -> None:
        """Logs are flushed line by line."""
        self._info.flush()
        if self._console is not None:
            self._console.write(b"".join(self._of_console))
            self._console.flush()
        self._of_console.clear()


def tags(shared: Step, own: Local) -> dict[str, float]:
    """Tag → value as MFLossMonitor names them, without the copies over samples."""
    return {
        "model-flops-throughput-per-npu": own.tflops,
        "learning-rate": shared.lr,
        "batch-size": float(curves.BATCH),
        "loss": shared.loss,
        "loss-scale": shared.loss_scale,
        "grad-norm": shared.grad_norm,
        "iteration-time": own.step_ms,
        "throughput": own.samples_per_second,
    }


def state_tags(own: Local) -> dict[str, float]:
    """Tag → value as TrainingStateMonitor names them; it counts its steps from the start of the attempt."""
    return {
        "device_local_norm": own.device_norm,
        "local_lm_loss": own.local_loss,
        "device_accum_local_lm_loss": own.device_loss,
    }


class Job:
    """The whole run. ``history`` writes its past at once, ``live`` the rest at the pace of the clock."""

    def __init__(self, directory: Path, began: float, files: ExitStack) -> None:
        self._health = directory / "output" / "health_ckpts.json"
        self._ranks = [RankFiles(directory, rank, files) for rank in range(curves.RANKS)]
        self.wall = began

    def history(self, step: int) -> None:
        """Everything up to ``step``, each moment as long after the one before as it took. The workers' logs come last,
        since of those an attempt leaves nothing to the next."""
        for moment in until(step):
            self.wall += moment.after
            self._write(moment)
        self._flush()

    def live(self, done: int, last: int, sleep: Callable[[float], None], clock: Callable[[], float]) -> None:
        """Everything after step ``done``, written when it is due, to the closing lines behind step ``last``. What fell
        due while the history was being written is written at once, so that between the two nothing stands still."""
        for moment in dropwhile(lambda one: one.kind != "over" and one.step <= done, story(last)):
            due = self.wall + moment.after
            sleep(max(due - clock(), 0.0))
            self.wall = due if clock() - due < AWAY else clock()
            self._write(moment)
            for one in self._ranks:
                one.flush_logs()
        self._flush()

    def _write(self, moment: Moment) -> None:
        if moment.kind in ("start", "over"):
            self._frame(moment)
            return
        shared = curves.step(moment.step, moment.attempt)
        if moment.kind == "step":
            for one in self._ranks:
                one.step(shared, curves.local(shared, one.rank), self.wall)
                if moment.step % FLUSH_EVERY == 0:
                    one.flush_events()
            return
        if moment.kind == "saving":
            self._judge(shared)
        tell = {
            "saving": log_lines.saving,
            "saved": log_lines.saved,
            "evaluated": log_lines.evaluated,
            "stopped": log_lines.stopped,
        }[moment.kind]
        self._tell(list(tell(shared)))

    def _frame(self, moment: Moment) -> None:
        """The first and the last lines of an attempt."""
        if moment.kind == "start":
            for one in self._ranks:
                one.start(self.wall)
        self._tell(list(log_lines.opening(moment.attempt) if moment.kind == "start" else log_lines.closing()))

    def _tell(self, listed: list[log_lines.Record]) -> None:
        for one in self._ranks:
            one.log(listed, self.wall)

    def _judge(self, shared: Step) -> None:
        """Rank 0 writes its record of checkpoints anew, with one more; 1 means not healthy."""
        name = f"{curves.PREFIX}-{log_lines.epoch(shared.step)}_{log_lines.within(shared.current)}.safetensors"
        told: list[dict[str, int | str]] = json.loads(self._health.read_bytes()) if self._health.exists() else []
        told.append({"is_health": int(shared.step == curves.UNHEALTHY), "ckpt_name": name})
        self._health.write_text(json.dumps(told, indent=4))

    def _flush(self) -> None:
        for one in self._ranks:
            one.flush_events()
            one.flush_logs()


def _create(path: Path, files: ExitStack) -> BinaryIO:
    path.parent.mkdir(parents=True, exist_ok=True)
    return files.enter_context(path.open("wb"))
