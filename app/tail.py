"""What has been read of some stored series, so that only what follows is read again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from app.series.curve import Curve, from_blocks
from app.series.folded import Buckets, buckets
from app.series.trail import Anew
from app.stored import BLOCK, RunSeries, RunStore
from collector.wire.records import POINT_BYTES, SeriesMeta


class Tail:
    """The ends of series that were read; not safe to share between threads."""

    def __init__(self, store: RunStore) -> None:
        """Nothing has been read yet."""
        self._store = store
        self.folded: dict[str, Buckets] = {}  # what was folded of a series when it was read
        self._ends: dict[str, tuple[int, bytes]] = {}  # sid → points read, and the last of them

    def read(self, run: RunSeries, sids: Sequence[str]) -> Mapping[SeriesMeta, Sequence[Curve]]:
        """The new points of each series that has some, as curves of at most BLOCK points. Raises StoreAway, and Anew
        when the store does not continue what was read: it was flushed and filled again, or a series is gone."""
        if not self._ends.keys() <= set(sids):
            raise Anew
        found = {**self._more(run, list(self._ends)), **self._all(run, [sid for sid in sids if sid not in self._ends])}
        new = {sid: curves for sid in sids if (curves := found[sid])}
        for sid, curves in new.items():
            count = self._ends[sid][0] if sid in self._ends else 0
            self._ends[sid] = count + sum(len(one) for one in curves), _last(curves)
        return {run.series[sid]: curves for sid, curves in new.items()}

    def _more(self, run: RunSeries, sids: Sequence[str]) -> dict[str, list[Curve]]:
        """What follows the last known point, which is read again to see whether it is still there."""
        places = [(sid, self._ends[sid][0] - 1) for sid in sids]
        found: dict[str, list[Curve]] = {}
        for (sid, at), block in zip(places, self._store.after(run.id, places) if places else (), strict=True):
            if block[:POINT_BYTES] != self._ends[sid][1]:
                raise Anew
            rest = self._blocks(run, sid, at + BLOCK, block[-POINT_BYTES:]) if _is_full(block) else ()
            found[sid] = from_blocks([block[POINT_BYTES:], *rest], run.series[sid].source)
        return found

    def _all(self, run: RunSeries, sids: Sequence[str]) -> dict[str, list[Curve]]:
        """Every point of series that were not read before."""
        for sid, text in zip(sids, self._store.folded(run.id, sids) if sids else (), strict=True):
            if (found := buckets(text, run.series[sid].source)) is not None:
                self.folded[sid] = found
        lengths = zip(sids, self._store.lengths(run.id, sids) if sids else (), strict=True)
        return {sid: self._whole(run, sid, count) for sid, count in lengths}

    def _whole(self, run: RunSeries, sid: str, count: int) -> list[Curve]:
        while True:
            with suppress(Anew):  # it was folded, or flushed, between two blocks
                return from_blocks(self._blocks(run, sid, 0), run.series[sid].source, count)

    def _blocks(self, run: RunSeries, sid: str, at: int, before: bytes = b"") -> Iterator[bytes]:
        """The points from a place on; each block begins with the point ``before`` it, to see whether it follows."""
        while True:
            (block,) = self._store.after(run.id, [(sid, at - 1 if before else at)])
            if block[: len(before)] != before:
                raise Anew
            yield block[len(before) :]
            if not _is_full(block):
                return
            at += BLOCK - 1 if before else BLOCK
            before = block[-POINT_BYTES:]


def _is_full(block: bytes) -> bool:
    """Whether more may follow."""
    return len(block) == BLOCK * POINT_BYTES


def _last(curves: Sequence[Curve]) -> bytes:
    """The last point as it is stored, bit by bit."""
    newest = curves[-1]
    return b"".join(column[-1:].tobytes() for column in (newest.steps, newest.walls, newest.values))
