"""What answers for one store: the API's views and the pages' source, with what they keep, made for each other.

There is one of the whole store, and one of each frozen snapshot that is open (app.sharing).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.alarms import Alarms
from app.api.blueprint import Api
from app.api.live import Hub
from app.api.ranks import Parts
from app.api.snapshot_views import Home
from app.config import AppConfig
from app.faults import Faults
from app.grids import Grids
from app.happened import Happened
from app.hosts import Hosts
from app.incident.material import Material
from app.ledgers import Ledgers
from app.notes.store import NoteStore
from app.pages.source import Source
from app.pasts import Pasts
from app.previews.previews import Previews
from app.reader import Reader
from app.sharing.making import Maker
from app.stored import RunStore
from app.surveys import Surveys


@dataclass(frozen=True, slots=True)
class Assembly:
    """One for API and pages: what one has put together the other need not."""

    api: Api
    source: Source


def assembled(
    store: RunStore,
    hub: Hub,
    alarms: Alarms,
    config: AppConfig,
    clock: Callable[[], float],
    *,
    notes: NoteStore,
    maker: Maker | None = None,
    home: Home = str,
) -> Assembly:
    """``clock`` gives Unix seconds; no connection is made and no thread started before the first request. Keeps about
    twice ``config.cache_bytes``. ``maker`` makes snapshots, whose links begin with ``home``; without it none are."""
    reader = Reader(store, kept_bytes=config.cache_bytes)
    ledgers, happened = Ledgers(store, reader), Happened(store, reader)
    grids = Grids(store, reader, kept_bytes=config.cache_bytes // 2)
    surveys = Surveys(grids, kept_bytes=config.cache_bytes // 4)
    pasts = Pasts(surveys, reader, kept_bytes=config.cache_bytes // 4)
    parts = Parts(store, reader, grids, surveys, pasts, Hosts(store), Faults(store, reader))
    previews = Previews(parts, alarms, clock)
    api = Api(
        store,
        hub,
        config,
        clock=clock,
        reader=reader,
        ledgers=ledgers,
        happened=happened,
        parts=parts,
        alarms=alarms,
        notes=notes,
        maker=maker,
        home=home,
        previews=previews,
        material=Material(parts, ledgers, happened, alarms, notes, previews, clock),
    )
    return Assembly(api, Source(store, clock, reader, ledgers, happened, alarms))
