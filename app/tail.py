"""What has been read of some stored series, so that only what follows is read again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.series.curve import Curve, from_block
from app.series.trail import Anew
from app.stored import RunStore, StoredRun
from collector.wire.records import POINT_BYTES, SeriesMeta


class Tail:
    """The ends of series that were read; not safe to share between threads."""

    def __init__(self, store: RunStore) -> None:
        """Nothing has been read yet."""
        self._store = store
        self._ends: dict[str, tuple[int, bytes]] = {}  # sid → points read, and the last of them

    def read(self, run: StoredRun, sids: Sequence[str]) -> Mapping[SeriesMeta, Sequence[Curve]]:
        """The new points of each series that has some, as curves of at most one part. Raises StoreAway, and Anew when
        the store does not continue what was read: it was flushed and filled again, or a series is gone."""
        if not self._ends.keys() <= set(sids):
            raise Anew
        places = [(sid, max(0, self._ends[sid][0] - 1) if sid in self._ends else 0) for sid in sids]
        found = dict(zip(sids, self._store.after(run.id, places), strict=True))
        new = {sid: blocks for sid in sids if (blocks := self._new(sid, found[sid]))}
        for sid, blocks in new.items():
            count = self._ends[sid][0] if sid in self._ends else 0
            self._ends[sid] = count + sum(len(one) for one in blocks) // POINT_BYTES, blocks[-1][-POINT_BYTES:]
        metas = {sid: run.series[sid] for sid in new}
        return {metas[sid]: [from_block(one, metas[sid].source) for one in blocks] for sid, blocks in new.items()}

    def _new(self, sid: str, blocks: Sequence[bytes]) -> Sequence[bytes]:
        """What is new in blocks that begin with the last point that is known."""
        if sid not in self._ends:
            return blocks
        if not blocks or blocks[0][:POINT_BYTES] != self._ends[sid][1]:
            raise Anew
        return [one for one in (blocks[0][POINT_BYTES:], *blocks[1:]) if one]
