"""``read --format commits``: what a collector would commit of a finished directory, handed to another program instead.

The same service reads the same files in the same pieces; only the store is a stream. Nothing is kept but where each
file is, so it takes no more memory than following does.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from collector.backlog import backlog_of
from collector.batch import Batch, Committed
from collector.errors import InputError
from collector.follow.files import DiskFiles, Entry, Missing
from collector.follow.yard import Yard
from collector.health import Identity
from collector.read import LOOKED_FOR
from collector.runs import Naming, select
from collector.service import Pace, Service
from collector.store import RunStore
from collector.tracked import SILENT_LINE
from collector.wire.delivery import Commit, End
from collector.wire.records import Heartbeat, RunId

MEASURE_SECONDS = 0.2  # between two counts of what is read; of ten thousand files one takes milliseconds
Measure = Callable[[], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class OneFile(DiskFiles):
    """A directory as if one file were all that is in it."""

    name: str = ""

    def entries(self, path: str) -> Sequence[Entry] | Missing:
        """That file."""
        found = DiskFiles.entries(self, path)
        return found if isinstance(found, Missing) else [one for one in found if one.name == self.name]


@dataclass(slots=True)
class Outlet:
    """The store that a service writes to (collector.store.RunStore). It has no more than was written just now."""

    out: BinaryIO
    measure: Measure = lambda: (0, 0)
    commits: int = 0
    _versions: dict[RunId, str] = field(default_factory=dict)
    _measured: tuple[float, tuple[int, int]] = (float("-inf"), (0, 0))

    def check(self) -> None:
        """There is no layout to be wrong."""

    def cursors_of(self, runs: Sequence[RunId]) -> Sequence[Mapping[str, str]]:
        """Nothing is known of any run."""
        return [{} for _ in runs]

    def commit(self, batch: Batch, now: float) -> Committed:
        """Hand it over."""
        blocks = tuple((one.meta, one.points) for one in batch.blocks)
        cursors = tuple(one.cursor for one in batch.progress)
        told = Commit(batch.run, cursors, blocks, batch.facts or {}, batch.events, batch.generations, *self._share())
        told.write(self.out)
        self.commits += 1
        before, version = self._versions.get(batch.run.id), str(self.commits)
        self._versions[batch.run.id] = version
        return Committed(version, before)

    def versions(self, runs: Sequence[RunId]) -> Sequence[str | None]:
        """As the last commits left them."""
        return [self._versions.get(run) for run in runs]

    def beat(self, heartbeat: Heartbeat, runs: Sequence[RunId], facts: Mapping[str, str] | None = None) -> None:
        """Whoever reads the stream sees that we live."""

    def hosts(self) -> Sequence[str]:
        """Nobody else reads for this stream."""
        return ()

    def home(self, run: RunId, file: str) -> RunId:
        """A stream is one place."""
        return run

    def doubt(self, run: RunId) -> None:
        """Nothing is ever taken back."""

    def skew(self) -> None:
        """There is no other clock."""

    def _share(self) -> tuple[int, int]:
        at, found = self._measured
        if time.monotonic() - at > MEASURE_SECONDS:
            found = self.measure()
            self._measured = time.monotonic(), found
        return found


def run(path: Path, out: BinaryIO, naming: Naming, pace: Pace, *, follow_links: bool = False) -> int:
    """Write every commit of the files below ``path``, or of that one file, and an end; returns exit code 0. Raises
    ``errors.InputError``."""
    root, files = _place(path, follow_links)
    service = Service([root], Identity("", "", os.getpid()), naming, pace)
    outlet = Outlet(out, lambda: _measured(service))
    read_all(service, files, outlet)
    beat = service.heartbeat(0.0)
    if not outlet.commits:
        why = "".join(f" {one.file}: {one.reason}." for one in beat.problems[:3])
        raise InputError(f"{path} holds nothing to read: looked for {LOOKED_FOR}.{why}")
    End(beat.files, beat.problems).write(out)
    out.flush()
    return 0


def _place(path: Path, follow_links: bool) -> tuple[str, DiskFiles]:
    """The root to walk, and how its files are seen."""
    if not path.exists():
        raise InputError(f"{path} does not exist: name the directory that the training job wrote to.")
    if not os.access(path, os.R_OK | os.X_OK if path.is_dir() else os.R_OK):
        raise InputError(f"{path} cannot be read by this user: let it read the directory and the files below it.")
    absolute = os.path.abspath(path)  # noqa: PTH100 (resolve() would follow links)
    if path.is_dir():
        return absolute, DiskFiles(yard=Yard([absolute], everywhere=follow_links))
    parent, _, name = absolute.rpartition("/")
    if select(parent or "/", name) is None:
        raise InputError(f"{path} is no file that training writes: looked for {LOOKED_FOR}.")
    # What a person names is read wherever it leads; the directory is there to be walked.
    return parent or "/", OneFile(name=name, yard=Yard([parent or "/", absolute], everywhere=follow_links))


def read_all(service: Service, files: DiskFiles, store: RunStore) -> None:
    """To the end of every file, and then a minute later by the service's clock: what has no newline by then is said to
    be the last line. Files that still grow are read as far as they are when we come by."""
    for ahead in (0.0, 2 * SILENT_LINE):
        while service.step(time.time() + ahead, files, store) == 0.0 or not service.has_met_all:
            pass


def _measured(service: Service) -> tuple[int, int]:
    found = backlog_of(service.roster)
    return found.read, found.total
