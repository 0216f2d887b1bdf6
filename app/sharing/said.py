"""What the diagnosis and people had said of a run when it was frozen. Nothing is written: there is no connection."""

from __future__ import annotations

from collections.abc import Sequence

from app.diagnosis.alert import Alert
from app.diagnosis.handling import Handling, Mute
from app.diagnosis.store import AlertStore
from app.diagnosis.vital import Vital
from app.notes.note import Note
from app.notes.store import NoteStore
from app.sharing.snapshot import Moment
from collector.wire.records import RunId


class FrozenAlerts(AlertStore):
    """Alerts of one run, and what people had said of them."""

    def __init__(self, run: RunId, moment: Moment) -> None:
        self._run, self._moment = run, moment
        self._alerts = {one.id: one for one in moment.alerts}

    def several(self, run_ids: Sequence[RunId]) -> list[tuple[dict[str, Alert], dict[str, Handling]]]:
        """See AlertStore."""
        mine = (dict(self._alerts), dict(self._moment.handled))
        return [mine if one == self._run else ({}, {}) for one in run_ids]

    def mutes(self) -> list[Mute]:
        """See AlertStore."""
        return list(self._moment.mutes)

    def vitals(self) -> list[Vital]:
        """Whether somebody watched the run then."""
        return [Vital("", "", 0, 0.0, 1, 0)] if self._moment.judged else []


class FrozenNotes(NoteStore):
    """Notes of one run."""

    def __init__(self, run: RunId, moment: Moment) -> None:
        self._run = run
        self._notes = sorted(map(Note.decode, moment.notes), key=lambda one: one.place)

    def notes(self, run_id: RunId) -> list[Note]:
        """See NoteStore."""
        return list(self._notes) if run_id == self._run else []

    def note(self, run_id: RunId, note_id: str) -> Note | None:
        """See NoteStore."""
        return next((one for one in self.notes(run_id) if one.id == note_id), None)
