"""How much of a run stays exact: beyond a budget the oldest points are folded, little by little; no clock of its own.

The budget is one of a run, so that a run never takes another's exact history, several collectors of one run measure the
same, and what else lies in Redis does not matter. Inert until it is exceeded; then the exact window shrinks evenly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from collector.errors import StoreAway
from collector.fold import Front, fold, is_worth
from collector.keep import Sizes, plan
from collector.wire.records import RunId, SeriesMeta

LOOK_SECONDS = 20.0  # between two measurements of the runs that changed …
CALM_SECONDS = 60.0  # … of one that had less than half of the budget
REST = 10  # times as long as the last one took; of fifty thousand series one takes 20 s
PIECE_SECONDS = 0.05  # between two pieces of the work, each of them some milliseconds
NEVER = float("inf")
PIECE_BYTES = 2**18  # folded at once


class Followed(Protocol):
    """A run that is followed; ``version`` is what its last commit was called (``store.versions``)."""

    version: str | None


class Shelf(Protocol):
    """What is needed of a store; every method may raise ``errors.StoreAway``."""

    def described(self, run: RunId, at: int) -> tuple[int, list[SeriesMeta]]: ...

    def sizes(self, run: RunId, sids: Sequence[str]) -> list[tuple[int, int]]: ...

    def fronts(self, run: RunId, wanted: Mapping[str, int]) -> list[Front]: ...

    def fold(self, run: RunId, folds: Sequence[tuple[Front, bytes]]) -> int: ...


class Retention:
    """Keeps each run's points within ``keep_bytes``; 0 keeps everything exact. ``runs`` are looked at as they come."""

    def __init__(self, keep_bytes: int, shelf: Shelf, runs: Mapping[RunId, Followed]) -> None:
        self._keep = keep_bytes
        self._shelf = shelf
        self._runs = runs
        self._work: Iterator[None] = iter(())
        self._due = float("-inf")
        self._began = NEVER  # the measurement that is under way
        self._next_look = float("-inf")
        self._seen: dict[RunId, str | None] = {}
        self._calm: dict[RunId, float] = {}  # until when a run need not be measured
        self._stubborn: set[tuple[RunId, str]] = set()  # series that folding gives no room back of

    def turn(self, now: float) -> float:
        """Do one piece of what is due at ``now``; seconds until the next one is."""
        if not self._keep:
            return LOOK_SECONDS
        if now < self._due:
            return self._due - now
        try:
            self._piece(now)
        except StoreAway:  # the service finds out by itself, and says so
            self._work, self._began, self._next_look = iter(()), NEVER, now + LOOK_SECONDS
            self._seen.clear()
            self._due = self._next_look
        return self._due - now

    def _piece(self, now: float) -> None:
        self._due = now + PIECE_SECONDS
        if next(self._work, self) is None:
            return
        self._next_look, self._began = max(self._next_look, now + REST * (now - self._began)), NEVER
        if now < self._next_look:
            self._due = self._next_look
            return
        self._began, self._next_look = now, now + LOOK_SECONDS
        due = [(run, one.version) for run, one in self._runs.items() if self._is_due(run, one.version, now)]
        self._work = (None for run, version in due for _ in self._fit(run, version))

    def _is_due(self, run: RunId, version: str | None, now: float) -> bool:
        changed = version is not None and (not version or self._seen.get(run) != version)  # "": others commit too
        return changed and now >= self._calm.get(run, now)

    def _fit(self, run: RunId, version: str | None) -> Iterator[None]:
        """Measure a run, and fold what is too much; each step of the iterator is one piece."""
        metas: dict[str, SeriesMeta] = {}
        sizes: dict[str, tuple[int, int]] = {}
        at = -1
        while at:
            at, some = self._shelf.described(run, max(at, 0))
            metas |= {one.sid: one for one in some}
            sizes |= dict(
                zip((one.sid for one in some), self._shelf.sizes(run, [one.sid for one in some]), strict=True)
            )
            yield
        self._seen[run] = version
        if sum(map(sum, sizes.values())) < self._keep / 2:
            self._calm[run] = self._next_look + CALM_SECONDS
        lasting = {sid: meta for sid, meta in metas.items() if (run, sid) not in self._stubborn}
        for cuts in _pieces(plan(lasting, sizes, self._keep)):
            self._fold(run, cuts, sizes)
            yield

    def _fold(self, run: RunId, cuts: Mapping[str, int], sizes: Sizes) -> None:
        folds = []
        for front in self._shelf.fronts(run, cuts):
            # Else it was flushed, or another collector was quicker.
            if len(front.block) == cuts[front.sid] and front.folded == sizes[front.sid][1]:
                chunk = fold(front.block)
                if is_worth(front.block, chunk):
                    folds.append((front, chunk))
                else:
                    self._stubborn.add((run, front.sid))
        if folds:
            self._shelf.fold(run, folds)


def _pieces(cuts: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """The same cuts, so many at once that they are about PIECE_BYTES."""
    piece: dict[str, int] = {}
    for sid, size in cuts.items():
        piece[sid] = size
        if sum(piece.values()) >= PIECE_BYTES:
            yield piece
            piece = {}
    if piece:
        yield piece
