"""The ``read`` command: print every scalar of a file or of all files below a directory, without Redis.

Runs are named as TensorBoard names them, before anything is put together: event and summary files by their directory
below PATH, a text log by its own path below PATH.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TextIO

from collector.errors import InputError
from collector.follow.discovery import Found, Snapshot, discover
from collector.follow.files import DiskFiles, Missing
from collector.follow.yard import Yard
from collector.normalise import canonical
from collector.parse.parsed import Parsed
from collector.parse.select import FileRole, role_of, source_of
from collector.printed import PrintedRun, PrintedSeries, Scalars, Warned, write_csv, write_json
from collector.said import plain
from collector.whole_file import Flaw, parsed_file
from collector.wire.records import Source, unpack_points

LOOKED_FOR = "info.log, worker_N.log or another .log, events.out.tfevents.*, *.out.events.summary.*_MS"

CLOCK_JITTER = 1.0  # seconds
SeriesKey = tuple[str, int | None, Source]


def run(
    path: Path,
    *,
    form: Literal["json", "csv"],
    tag: str | None,
    out: TextIO,
    complaints: TextIO | None = None,
    follow_links: bool = False,
) -> int:
    """Print every scalar below ``path`` whose tag holds ``tag``, a regular expression; returns exit code 0.

    Raises ``errors.InputError`` with a sentence for the person who asked. CSV has no place for warnings: they go to
    ``complaints`` (standard error).
    """
    scalars = read(path, tag, follow_links=follow_links)
    if form == "json":
        write_json(scalars, out)
        return 0
    write_csv(scalars, out)
    for one in scalars.warnings:
        print(plain(f"{one.code} {one.file}: {one.detail}"), file=complaints or sys.stderr)
    return 0


def read(path: Path, tag: str | None = None, *, follow_links: bool = False) -> Scalars:
    """Every scalar below ``path``, in order of arrival, and what was wrong with the files."""
    files = DiskFiles(yard=Yard([str(path)], everywhere=follow_links))
    gathered = _Gathered(_pattern(tag), files)
    snapshot = _snapshot(path, files)
    for state in snapshot.problems:
        code, _, why = state.reason.partition(": ")
        gathered.warnings.append(
            Warned(code if code.endswith(("_loop", "_symlink", "_link")) else "unreadable", state.file, why)
        )
    for file in sorted(snapshot.files.values(), key=lambda found: found.path):
        gathered.read(file, _below(file, path))
    if path.is_file():
        _check_named(path, gathered)
    return gathered.scalars()


def _pattern(tag: str | None) -> re.Pattern[str]:
    try:
        return re.compile(tag or "")
    except re.error as error:
        raise InputError(f"--tag {tag!r} is not a regular expression: {error}.") from error


def _snapshot(path: Path, files: DiskFiles) -> Snapshot:
    place = files.resolve(str(path))
    if isinstance(place, Missing):
        raise InputError(f"{path} cannot be read: {place.reason}.")
    if place[1] == "file":
        return Snapshot({str(path): Found(str(path), str(path.parent), _named_role(path))})
    snapshot = discover(files, [str(path)], _role_with_points)
    if not snapshot.files:
        why = "".join(f" {state.file}: {state.reason}." for state in snapshot.problems)
        raise InputError(f"{path} holds nothing to read: looked for {LOOKED_FOR}.{why}")
    return snapshot


def _role_with_points(root: str, below: str) -> FileRole | None:
    role = role_of(below, root)
    return None if role is None or role.source == "health" else role


def _named_role(path: Path) -> FileRole:
    """A file that a person names is read whatever its name; its directory may tell the rank."""
    role = role_of(path.name, str(path.absolute().parent))
    return role or FileRole(path.name, ".", path.name, source_of(path.name), None, own=True)


def _below(found: Found, path: Path) -> str:
    """Where a found file is below PATH, with ``/`` on every system; its base name when PATH is the file."""
    file = Path(found.path)
    return file.name if file == path else file.relative_to(path).as_posix()


def _check_named(path: Path, gathered: _Gathered) -> None:
    for warned in gathered.warnings:
        if warned.code == "unreadable":
            raise InputError(f"{path} cannot be read: {warned.detail}.")
    if role_of(path.name) is None and not gathered.points:
        raise InputError(f"{path} holds no metric that is known: looked for {LOOKED_FOR}.")


@dataclass(slots=True)
class _Gathered:
    wanted: re.Pattern[str]
    files: DiskFiles
    runs: dict[str, dict[SeriesKey, bytearray]] = field(default_factory=dict)
    metrics: dict[tuple[str, SeriesKey], str | None] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    warnings: list[Warned] = field(default_factory=list)
    points: int = 0

    def read(self, found: Found, name: str) -> None:
        """All points of one file, and what was wrong with it."""
        is_log = found.role.source == "log"
        run = name if is_log else name.rpartition("/")[0] or "."
        self.paths.setdefault(run, found.path if is_log else str(Path(found.path).parent))
        self.runs.setdefault(run, {})
        for one in parsed_file(found.path, found.role.source, files=self.files):
            if isinstance(one, Flaw):
                self.warnings.append(Warned(one.code, name, one.detail))
            else:
                self._add(run, found.role, one)

    def _add(self, run: str, role: FileRole, parsed: Parsed) -> None:
        for tag, block in parsed.scalars.items():
            self.points += len(block)
            if not self.wanted.search(tag):
                continue
            key = (tag, role.rank, role.source)
            self.runs[run].setdefault(key, bytearray()).extend(block)
            metric = None if role.suffix else canonical(role.source, tag, rank=role.rank, state=parsed.state)
            self.metrics[run, key] = metric

    def scalars(self) -> Scalars:
        """What was gathered, with the warnings that need a whole series to be seen."""
        runs = {run: PrintedRun(self.paths[run], list(self._series(run))) for run in self.runs}
        back = [
            Warned("steps_went_back", name, f"{one.tag}: from step {before} to step {after}")
            for name, run in runs.items()
            for one in run.series
            for before, after in _first_step_back(one.points)
        ]
        return Scalars(runs, [*self.warnings, *back, *_clocks_back(runs)])

    def _series(self, run: str) -> Iterator[PrintedSeries]:
        for key, block in self.runs[run].items():
            tag, rank, source = key
            yield PrintedSeries(tag, self.metrics[run, key], rank, source, bytes(block))


def _clocks_back(runs: Mapping[str, PrintedRun]) -> Iterator[Warned]:
    """One warning a run whose clock was put back while it wrote; a writer's threads may disagree by less."""
    for name, run in runs.items():
        for one in run.series:
            jump = _first_clock_back(one.points)
            if jump is not None:
                step, seconds = jump
                yield Warned("clock_went_back", name, f"{one.tag}: by {seconds:.0f} s at step {step}")
                break


def _first_clock_back(block: bytes) -> tuple[int, float] | None:
    before = -math.inf
    for step, wall, _ in unpack_points(block):
        if wall < before - CLOCK_JITTER:
            return step, before - wall
        before = before if math.isnan(wall) else wall
    return None


def _first_step_back(block: bytes) -> Iterator[tuple[int, int]]:
    """The first step that is smaller than the one before it, if there is one: the mark of a resumed run."""
    before: int | None = None
    for step, _, _ in unpack_points(block):
        if before is not None and step < before:
            yield before, step
            return
        before = step
