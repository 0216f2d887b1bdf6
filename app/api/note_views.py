"""The views of notes, as Flask calls them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flask import Response, request

from app.access.identity import present
from app.api.answers import answer
from app.api.notes import edit, notes, remove, write
from app.api.ranks import known
from app.notes.store import NoteStore
from app.stored import RunStore
from collector.wire.records import RunId


class NoteViews:
    """``clock`` gives Unix seconds."""

    def __init__(self, store: RunStore, kept: NoteStore, clock: Callable[[], float]) -> None:
        """Nothing is read before the first request."""
        self._store = store
        self._notes = kept
        self._clock = clock

    def views(self) -> Mapping[str, Callable[..., Response]]:
        """Endpoint → view."""
        return {
            "notes": self._listed,
            "note_write": lambda run: answer(
                write(self._notes, self._known(run), request, self._clock(), present().name)
            ),
            "note_edit": lambda run, note: answer(
                edit(self._notes, self._known(run), note, request, self._clock(), present().name)
            ),
            "note_remove": lambda run, note: answer(remove(self._notes, self._known(run), note, request.args)),
        }

    def _listed(self, run: str) -> Response:
        who = present()
        told = notes(self._notes, self._known(run), request.args)
        return answer({**told, "name": who.name, "may_write": who.may_write})

    def _known(self, run: str) -> RunId:
        return known(self._store, run).id
