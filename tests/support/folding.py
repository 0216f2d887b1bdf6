"""Folds what a seed put into a store, as a collector does."""

from __future__ import annotations

from collector.fold import fold
from collector.store import Store
from collector.wire.records import RunId
from tests.support.seed import RUN


def fold_oldest(url: str, points: int, sid: str, run: RunId = RUN) -> int:
    """So many points, whole buckets of them; how many series were folded."""
    store = Store(url)
    try:
        fronts = store.shelf.fronts(run, {sid: points * 24})
        return store.shelf.fold(run, [(one, fold(one.block)) for one in fronts])
    finally:
        store.close()
