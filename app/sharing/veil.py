"""What a snapshot does not tell of the machines it came from, unless its author wants it to: hosts and paths; and what
nobody is told, secrets. Pure.

Names of files are parts of what identifies a series, so a file has one name in all that is handed out, and no two files
have the same one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from app.configuration import SECTION
from app.diagnosis.handling import Handling, Mute
from app.discreet.discretion import discretion
from app.hosts import of_name
from app.incident.cleaning import Cleaning
from app.notes.note import Note
from app.sharing.snapshot import Moment, Snapshot
from app.stored import StoredRun
from collector.wire.records import FileState, Heartbeat, RunEvent


@dataclass(frozen=True)
class Veil:
    """Tells of the run of a snapshot as its author wants it told."""

    snapshot: Snapshot

    @cached_property
    def files(self) -> Mapping[str, str]:
        """What each file of the run is called."""
        return _renamed(_files(self.snapshot.moment.run), self._clean.text)

    @cached_property
    def _clean(self) -> Cleaning:
        moment = self.snapshot.moment
        if self.snapshot.label.names:
            return Cleaning(mask=True, discretion=None)
        return Cleaning(mask=True, discretion=discretion(_hosts(moment), [moment.run.record.path]))

    def moment(self) -> tuple[Moment, dict[str, str]]:
        """All that is small, and of each series by the id that it is told by what the store calls it."""
        moment = self.snapshot.moment
        run, real = self._run(moment.run)
        told = replace(
            moment,
            run=run,
            ends={sid: moment.ends[one] for sid, one in real.items()},
            beats=[self._beat(one, run) for one in moment.beats],
            handled={name: self._handling(one) for name, one in moment.handled.items()},
            mutes=[self._mute(one) for one in moment.mutes],
            notes=[self._note(one) for one in moment.notes],
        )
        return told, real

    def event(self, one: RunEvent) -> RunEvent:
        """A line of the training job."""
        frames = tuple(map(self._clean.text, one.frames))
        return replace(one, text=self._clean.text(one.text), file=self.files.get(one.file, ""), frames=frames)

    def _run(self, run: StoredRun) -> tuple[StoredRun, dict[str, str]]:
        metas = {sid: replace(one, file=self.files[one.file]) for sid, one in run.series.items()}
        cursors = [replace(one, file=self.files[one.file], host=self._host(one.host)) for one in run.cursors.values()]
        told = replace(
            run,
            record=replace(run.record, path=self._path(run.record.path)),
            series={one.sid: one for one in metas.values()},
            cursors={one.file: one for one in cursors},
            generations=[replace(one, file=self.files[one.file]) for one in run.generations],
            facts={name: self._fact(name, text) for name, text in run.facts.items()},
        )
        return told, {one.sid: sid for sid, one in metas.items()}

    def _fact(self, name: str, text: str) -> str:
        """A section of settings stays one: its values lose what is not told."""
        if name.startswith(SECTION):
            try:
                told = json.loads(text)
            except ValueError:
                return ""
            return json.dumps(self._clean.json(told), ensure_ascii=False, separators=(",", ":"))
        return self._clean.setting(name, text)

    def _handling(self, one: Handling) -> Handling:
        return replace(one, ack=one.ack and replace(one.ack, note=self._clean.text(one.ack.note)))

    def _mute(self, one: Mute) -> Mute:
        return replace(one, note=self._clean.text(one.note))

    def _note(self, text: str) -> str:
        note = Note.decode(text)
        return replace(note, text=self._clean.text(note.text)).encode()

    def _host(self, host: str) -> str:
        hidden = self._clean.discretion
        return hidden.host(host) if hidden and host else host

    def _path(self, path: str) -> str:
        hidden = self._clean.discretion
        return hidden.path(path) if hidden else path

    def _beat(self, beat: Heartbeat, run: StoredRun) -> Heartbeat:
        host = self._host(beat.host)
        problems = tuple(map(self._problem, beat.problems))
        return replace(beat, collector=host, host=host, pid=0, roots=(run.record.path,), problems=problems)

    def _problem(self, one: FileState) -> FileState:
        return replace(one, file=self.files.get(one.file, ""), reason=self._clean.text(one.reason))


def _hosts(moment: Moment) -> list[str]:
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
