"""Packs and folds what a seed put into a store, as a collector does."""

from __future__ import annotations

from collector.fold import fold
from collector.pack import pack
from collector.store import Store
from collector.wire.packed import CHUNK_POINTS
from collector.wire.records import RunId
from tests.support.seed import RUN


def pack_oldest(url: str, points: int, sid: str, run: RunId = RUN) -> int:
    """So many of the points that are not packed, whole chunks of them; how many series were packed."""
    store = Store(url)
    try:
        found = store.shelf.loose(run, {sid: points})
        packed = pack([one.block for one in found])
        return sum(store.shelf.pack(run, list(zip(found, packed, strict=True))))
    finally:
        store.close()


def fold_oldest(url: str, points: int, sid: str, run: RunId = RUN) -> int:
    """So many points, whole chunks of them, packed before where they were not; how many series were folded."""
    store = Store(url)
    try:
        (size,) = store.shelf.sizes(run, [sid])
        if (missing := points - size.packed_points) > 0:
            pack_oldest(url, -(-missing // CHUNK_POINTS) * CHUNK_POINTS, sid, run)
        fronts = store.shelf.fronts(run, {sid: points})
        return store.shelf.fold(run, [(one, fold(one.block)) for one in fronts])
    finally:
        store.close()
