"""What a snapshot does not tell of the machines it came from, unless its author wants it to: hosts and paths. Pure.

Names of files are parts of what identifies a series, so a file has one name in all that is handed out, and no two files
have the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from app.hosts import of_name
from app.sharing.snapshot import End, Moment
from app.stored import StoredRun
from collector.wire.records import FileState, Heartbeat, RunEvent

Masked = Callable[[str], str]
"""A text without secrets."""


class Words(Protocol):
    """What takes the place of names (app.discretion)."""

    def text(self, text: str) -> str:
        """A text without hosts and paths."""
        ...

    def host(self, host: str) -> str:
        """What a host is called."""
        ...

    def path(self, path: str) -> str:
        """What a path is called."""
        ...


class Plain:
    """Names as they are."""

    def text(self, text: str) -> str:
        """The same."""
        return text

    host = path = text


@dataclass(frozen=True, slots=True)
class Veil:
    """Tells of a run by other names."""

    words: Words = field(default_factory=Plain)
    masked: Masked = str

    def moment(self, moment: Moment) -> tuple[Moment, dict[str, str]]:
        """The same without what is not told, and of each series by its new id what the store calls it."""
        files = _renamed(_files(moment.run), self.words.text)
        run, real = self._run(moment.run, files)
        ends: dict[str, End] = {sid: moment.ends[one] for sid, one in real.items()}
        beats = [self._beat(one, run, files) for one in moment.beats]
        return replace(moment, run=run, ends=ends, beats=beats, notes=list(map(self.masked, moment.notes))), real

    def event(self, one: RunEvent, files: Mapping[str, str]) -> RunEvent:
        """A line's text is that of the training job."""
        frames = tuple(map(self.words.text, one.frames))
        return replace(one, text=self._said(one.text), file=files.get(one.file, ""), frames=frames)

    def files(self, run: StoredRun) -> Mapping[str, str]:
        """What each file of a run is called."""
        return _renamed(_files(run), self.words.text)

    def _said(self, text: str) -> str:
        return self.words.text(self.masked(text))

    def _run(self, run: StoredRun, files: Mapping[str, str]) -> tuple[StoredRun, dict[str, str]]:
        metas = {sid: replace(one, file=files[one.file]) for sid, one in run.series.items()}
        cursors = [replace(one, file=files[one.file], host=self._host(one.host)) for one in run.cursors.values()]
        told = replace(
            run,
            record=replace(run.record, path=self.words.path(run.record.path)),
            series={one.sid: one for one in metas.values()},
            cursors={one.file: one for one in cursors},
            generations=[replace(one, file=files[one.file]) for one in run.generations],
            facts={name: self._said(text) for name, text in run.facts.items()},
        )
        return told, {one.sid: sid for sid, one in metas.items()}

    def _host(self, host: str) -> str:
        return self.words.host(host) if host else ""

    def _beat(self, beat: Heartbeat, run: StoredRun, files: Mapping[str, str]) -> Heartbeat:
        host = self._host(beat.host)
        problems = tuple(self._problem(one, files) for one in beat.problems)
        return replace(beat, collector=host, host=host, pid=0, roots=(run.record.path,), problems=problems)

    def _problem(self, one: FileState, files: Mapping[str, str]) -> FileState:
        return replace(one, file=files.get(one.file, ""), reason=self._said(one.reason))


def hosts_of(moment: Moment) -> list[str]:
    """Every host that a run is known to have been on: of its collectors, and in the names of its files."""
    told = [*(one.host for one in moment.beats), *(one.host for one in moment.run.cursors.values())]
    return sorted({*told, *map(of_name, _files(moment.run))} - {""})


def _files(run: StoredRun) -> list[str]:
    series, others = {one.file for one in run.series.values()}, {one.file for one in run.generations}
    return sorted({*series, *others, *run.cursors})


def _renamed(files: Iterable[str], words: Callable[[str], str]) -> dict[str, str]:
    """What each is called; one that would be called like another has a number behind it."""
    found: dict[str, str] = {}
    taken = set[str]()
    for file in files:
        name = told = words(file)
        number = 2
        while told in taken:
            told, number = f"{name}~{number}", number + 1
        taken.add(told)
        found[file] = told
    return found
