"""Which series each run has, read seldom: a run may have ten thousand, and with most commits none is added."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.decode import series_metas
from collector.wire.records import Generation, RunId, SeriesMeta

RUNS = 64  # whose series are remembered
LOOKS = 500  # after so many a collector of another version may have described a series otherwise, so all are read again


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """The series of a run, as they were at an entry of its live stream. The same mapping as before while it holds."""

    position: bytes
    series: Mapping[str, SeriesMeta]
    generations: Sequence[Generation] = ()  # those that may begin an attempt; a new one comes with a series
    looks: int = 0

    def holds(self, entries: object, count: int) -> bool:
        """Whether the store has the same series still: the entry is ``entries``' one, and none was added since."""
        return bool(entries) and count == len(self.series) and self.looks < LOOKS


NOTHING = Known(b"0-1", {})  # no entry of a stream has this id


class Register:
    """Least recently used runs; safe to share between threads."""

    def __init__(self, most: int = RUNS) -> None:
        """Nothing is known yet; ``most`` runs will be."""
        self._most = most
        self._runs: OrderedDict[RunId, Known] = OrderedDict()
        self._lock = threading.Lock()

    def known(self, run: RunId) -> Known:
        """What was seen of the run last."""
        with self._lock:
            return self._runs.get(run, NOTHING)

    def seen(self, run: RunId, now: Known) -> None:
        """What there is now."""
        with self._lock:
            self._runs[run] = now
            self._runs.move_to_end(run)
            while len(self._runs) > self._most:
                self._runs.popitem(last=False)


def decoded(fields: Mapping[bytes, bytes]) -> dict[str, SeriesMeta]:
    """Series by their id."""
    return dict(zip([sid.decode() for sid in fields], series_metas(list(fields.values())), strict=True))


def begun(fields: Mapping[bytes, bytes]) -> Sequence[Generation]:
    """The generations that may begin an attempt: of ten thousand files nearly all are the first, as their text says."""
    return [Generation.decode(text) for _, text in sorted(fields.items()) if b'"reason":"first"' not in text]
