"""The picture of a run for ``python -m app export``: what the address of pictures answers, drawn in this process."""

from __future__ import annotations

import time
from contextlib import ExitStack

from app.api.ranks import Parts
from app.export.choosing import Chosen
from app.faults import Faults
from app.grids import Grids
from app.hosts import Hosts
from app.pasts import Pasts
from app.previews.asked import Asked
from app.previews.previews import Previews
from app.reader import Reader
from app.status.command import alarms_of
from app.surveys import Surveys


def picture(found: Chosen, asked: Asked) -> bytes:
    """A PNG. Raises Refused, StoreAway."""
    store = found.store
    reader = Reader(store)
    grids = Grids(store, reader)
    surveys = Surveys(grids)
    parts = Parts(store, reader, grids, surveys, Pasts(surveys, reader), Hosts(store), Faults(store, reader))
    with ExitStack() as held:
        return Previews(parts, alarms_of(store.url, held), time.time).of(found.run.id, asked).png
