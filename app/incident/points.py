"""Every point of the curves of a bundle, as the export writes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from app.export.blocks import Moved
from app.export.export import Export, opened
from app.export.form import writer
from app.export.question import Question
from app.export.told import shape
from app.incident.asked import Stretch
from app.incident.cleaning import Cleaning
from app.reader import Wanted
from app.stored import RunStore, StoredRun

NAME = "points.csv"
MOST = 20_000_000  # points: some 1.5 GB of text
TRIES = 3  # a fold that moves points between two looks is no reason to give up


def points(store: RunStore, run: StoredRun, wanted: Sequence[Wanted], where: Stretch) -> Export | None:
    """The export; None where points are moved again and again. Raises StoreAway."""
    asked = Question(
        metrics=tuple(one.name for one in wanted if not one.is_tag),
        tags=tuple(one.name for one in wanted if one.is_tag),
        start=where.first,
        end=where.last,
    )
    for _ in range(TRIES):
        try:
            return opened(store, run, asked)
        except Moved:
            continue
    return None


def table(export: Export, clean: Cleaning) -> Iterator[bytes]:
    """The file, piece by piece; a column is called what its tag may be called. Raises StoreAway, Moved."""
    columns = shape(export)
    made = writer("csv", replace(columns, labels=tuple(map(clean.text, columns.labels))))
    return chain([made.head()], (made.rows(one) for one in export.rows()), [made.end()])
