"""What bundles are made of: everything that reads one store, put together for a command line or lent by the pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.alarms import Alarms
from app.api.ranks import Parts
from app.config import AppConfig
from app.faults import Faults
from app.grids import Grids
from app.happened import Happened
from app.hosts import Hosts
from app.ledgers import Ledgers
from app.notes.store import NoteStore
from app.pasts import Pasts
from app.previews.previews import Previews
from app.reader import Reader
from app.stored import RunStore
from app.surveys import Surveys


@dataclass(frozen=True, slots=True)
class Material:
    """``clock`` gives Unix seconds."""

    parts: Parts
    ledgers: Ledgers
    happened: Happened
    alarms: Alarms
    notes: NoteStore
    previews: Previews
    clock: Callable[[], float]

    @property
    def store(self) -> RunStore:
        """What all of it reads."""
        return self.parts.store

    @property
    def reader(self) -> Reader:
        """Of curves."""
        return self.parts.reader


def material(store: RunStore, alarms: Alarms, notes: NoteStore, clock: Callable[[], float]) -> Material:
    """Of a store that nobody else reads in this process; nothing is read before the first question."""
    kept = AppConfig().cache_bytes
    reader = Reader(store, kept_bytes=kept)
    grids = Grids(store, reader, kept_bytes=kept // 2)
    surveys = Surveys(grids, kept_bytes=kept // 4)
    pasts = Pasts(surveys, reader, kept_bytes=kept // 4)
    parts = Parts(store, reader, grids, surveys, pasts, Hosts(store), Faults(store, reader))
    happened, previews = Happened(store, reader), Previews(parts, alarms, clock)
    return Material(parts, Ledgers(store, reader), happened, alarms, notes, previews, clock)
