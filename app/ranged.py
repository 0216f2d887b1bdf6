"""Questions of RunStore about points, for a store that is asked one way: for so many of a series from a place on."""

from __future__ import annotations

from collections.abc import Sequence

from app.stored import BLOCK
from collector.wire.records import RunId

ALL = 2**40  # points: as many as there are


class Ranged:
    """All of them by ``lengths`` and ``ranges``, which the store itself has."""

    def lengths(self, run_id: RunId, sids: Sequence[str]) -> Sequence[int]:
        """See RunStore."""
        raise NotImplementedError

    def ranges(self, run_id: RunId, places: Sequence[tuple[str, int, int]]) -> Sequence[bytes]:
        """See RunStore."""
        raise NotImplementedError

    def after(self, run_id: RunId, places: Sequence[tuple[str, int]]) -> Sequence[bytes]:
        """See RunStore."""
        return self.ranges(run_id, [(sid, at, BLOCK) for sid, at in places])

    def ends(self, run_id: RunId, places: Sequence[tuple[str, int]]) -> Sequence[bytes]:
        """See RunStore."""
        return self.ranges(run_id, [(sid, at, ALL) for sid, at in places])

    def points(self, run_id: RunId, sids: Sequence[str]) -> Sequence[bytes]:
        """See RunStore."""
        return self.ranges(run_id, [(sid, 0, ALL) for sid in sids])

    def tails(self, run_id: RunId, sids: Sequence[str], count: int) -> Sequence[bytes]:
        """See RunStore."""
        lengths = zip(sids, self.lengths(run_id, sids), strict=True)
        return self.ranges(run_id, [(sid, max(0, length - count), count) for sid, length in lengths])

    def heads(self, run_id: RunId, sids: Sequence[str]) -> Sequence[bytes]:
        """See RunStore."""
        return self.ranges(run_id, [(sid, 0, 1) for sid in sids])

    def points_at(self, run_id: RunId, sid: str, places: Sequence[int]) -> bytes:
        """See RunStore."""
        return b"".join(self.ranges(run_id, [(sid, place, 1) for place in places]))
