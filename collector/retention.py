"""How much of a run stays as it was appended: older points are packed, and beyond a budget the oldest of these folded,
little by little; no clock of its own.

The budget is one of a run, so that a run never takes another's exact history, several collectors of one run measure the
same, and what else lies in Redis does not matter. Folding is inert until it is exceeded; then the exact window shrinks
evenly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from collector.errors import StoreAway
from collector.fold import Front, fold, is_worth
from collector.keep import Size, packs, plan, tiers
from collector.pack import Loose, Packed, pack
from collector.wire.packed import count_of, front_of, kinds_of
from collector.wire.records import POINT_BYTES, RunId, SeriesMeta

LOOK_SECONDS = (
    20.0  # between two measurements of the runs that changed: of a row a second a tail is then packed in time
)
REST = 3  # times as long as measuring took the last time; of fifty thousand series that is 20 s
PIECE_SECONDS = 0.05  # between two pieces of the work, each of them some milliseconds
PIECE_BYTES = 2**18  # of exact points, packed or folded at once

Wanted = dict[str, int]
"""Of some series, how many points."""


class Followed(Protocol):
    """A run that is followed; ``version`` is what its last commit was called (``store.versions``)."""

    version: str | None


class Shelf(Protocol):
    """What is needed of a store; every method may raise ``errors.StoreAway``."""

    def described(self, run: RunId, at: int) -> tuple[int, list[SeriesMeta]]: ...

    def sizes(self, run: RunId, sids: Sequence[str]) -> list[Size]: ...

    def loose(self, run: RunId, wanted: Mapping[str, int]) -> list[Loose]: ...

    def pack(self, run: RunId, packs: Sequence[tuple[Loose, Packed]]) -> list[bool]: ...

    def fronts(self, run: RunId, wanted: Mapping[str, int]) -> list[Front]: ...

    def fold(self, run: RunId, folds: Sequence[tuple[Front, bytes]]) -> int: ...

    def pinned(self, run: RunId) -> bool: ...


class Retention:
    """Packs each run's older points, and keeps all of them within ``keep_bytes``; 0 keeps everything exact. While a
    snapshot of a run is open it may grow beyond that. ``runs`` are looked at as they come."""

    def __init__(self, keep_bytes: int, shelf: Shelf, runs: Mapping[RunId, Followed]) -> None:
        self._keep = keep_bytes
        self._shelf = shelf
        self._runs = runs
        self._work: Iterator[bool] = iter(())
        self._due = self._next_look = float("-inf")
        self._last = 0.0  # when a piece of it was done, …
        self._measures = False  # … whether that was measuring, …
        self._measured = 0.0  # … and for how long it has been
        self._seen: dict[RunId, str | None] = {}
        self._pinned: set[RunId] = set()  # runs of which something was to be folded and a snapshot is open
        self._stubborn: set[tuple[RunId, str]] = set()  # series that folding gives no room back of

    def turn(self, now: float) -> float:
        """Do one piece of what is due at ``now``; seconds until the next one is."""
        if now < self._due:
            return self._due - now
        try:
            self._piece(now)
        except StoreAway:  # the service finds out by itself, and says so
            self._work, self._next_look = iter(()), now + LOOK_SECONDS
            self._measures, self._measured = False, 0.0
            self._seen.clear()
            self._due = self._next_look
        return self._due - now

    def _piece(self, now: float) -> None:
        self._due = now + PIECE_SECONDS
        self._measured += (now - self._last) * self._measures
        self._last, found = now, next(self._work, None)
        if found is not None:
            self._measures = found
            return
        self._next_look, self._measured = max(self._next_look, now + REST * self._measured), 0.0
        self._measures = False
        if now < self._next_look:
            self._due = self._next_look
            return
        self._measures, self._next_look = True, now + LOOK_SECONDS
        due = [(run, one.version) for run, one in self._runs.items() if self._is_due(run, one.version)]
        self._work = (measures for run, version in due for measures in self._fit(run, version))

    def _is_due(self, run: RunId, version: str | None) -> bool:
        if run in self._pinned and not self._shelf.pinned(run):
            self._pinned.discard(run)
            self._seen.pop(run, None)
        return version is not None and (not version or self._seen.get(run) != version)  # "": others commit too

    def _fit(self, run: RunId, version: str | None) -> Iterator[bool]:
        """Measure a run, pack what is older, and fold what is too much; each step of the iterator is one piece, and
        tells whether it measured."""
        metas: dict[str, SeriesMeta] = {}
        sizes: dict[str, Size] = {}
        at = -1
        while at:
            at, some = self._shelf.described(run, max(at, 0))
            metas |= {one.sid: one for one in some}
            sizes |= dict(
                zip((one.sid for one in some), self._shelf.sizes(run, [one.sid for one in some]), strict=True)
            )
            yield True
        self._seen[run] = version
        others, raw = tiers(metas)
        yield False
        yield from self._pack_all(run, sizes, [*others, *raw])
        if self._keep:
            yield from self._fold_all(run, metas, sizes)

    def _pack_all(self, run: RunId, sizes: dict[str, Size], sids: Sequence[str]) -> Iterator[bool]:
        while wanted := packs((sid for sid in sids if sid in sizes), sizes):  # of a long series again and again
            yield from self._packing(run, sizes, wanted)

    def _fold_all(self, run: RunId, metas: Mapping[str, SeriesMeta], sizes: dict[str, Size]) -> Iterator[bool]:
        lasting = {sid: metas[sid] for sid in sizes if (run, sid) not in self._stubborn}
        cuts = plan(lasting, sizes, self._keep)
        if cuts and self._shelf.pinned(run):
            self._pinned.add(run)
            return
        more = {sid: count - sizes[sid].packed_points for sid, count in cuts.items()}
        yield from self._packing(run, sizes, {sid: count for sid, count in more.items() if count > 0})
        for piece in _pieces({sid: count for sid, count in cuts.items() if sid in sizes}):
            self._fold(run, piece, sizes)
            yield False

    def _packing(self, run: RunId, sizes: dict[str, Size], wanted: Wanted) -> Iterator[bool]:
        """Pack, piece by piece, and note what each series takes then; of one that is another by now, nothing."""
        for piece in _pieces(wanted):
            found = [one for one in self._shelf.loose(run, piece) if _is_as_measured(one, piece, sizes)]
            packed = list(zip(found, pack([one.block for one in found]), strict=True))
            done = self._shelf.pack(run, packed)
            for (loose, chunks), is_done in zip(packed, done, strict=True):
                if is_done:
                    sizes[loose.sid] = _packed(sizes[loose.sid], loose, chunks)
                    del piece[loose.sid]
            for sid in piece:  # it was flushed, or another collector was quicker
                del sizes[sid]
            yield False

    def _fold(self, run: RunId, cuts: Wanted, sizes: Mapping[str, Size]) -> None:
        folds = []
        for front in self._shelf.fronts(run, cuts):
            # Else it was flushed, or another collector was quicker.
            if front.count == cuts[front.sid] and count_of(front.packed) == sizes[front.sid].packed_points:
                chunk = fold(front.block)
                if is_worth(front.chunks, chunk):
                    folds.append((front, chunk))
                else:
                    self._stubborn.add((run, front.sid))
        if folds:
            self._shelf.fold(run, folds)


def _is_as_measured(loose: Loose, wanted: Wanted, sizes: Mapping[str, Size]) -> bool:
    is_whole = len(loose.block) == wanted[loose.sid] * POINT_BYTES
    return is_whole and count_of(loose.before) == sizes[loose.sid].packed_points


def _packed(size: Size, loose: Loose, chunks: Packed) -> Size:
    """What a series takes when that was packed."""
    more = len(chunks.body) + len(front_of(kinds_of(loose.before) + chunks.kinds)) - len(loose.before)
    count = len(loose.block) // POINT_BYTES
    exact, points = size.exact - len(loose.block), size.packed_points + count
    return replace(size, exact=exact, packed_points=points, packed=size.packed + more)


def _pieces(wanted: Wanted) -> Iterator[Wanted]:
    """The same, so many at once that they are about PIECE_BYTES."""
    piece: Wanted = {}
    for sid, count in wanted.items():
        piece[sid] = count
        if sum(piece.values()) * POINT_BYTES >= PIECE_BYTES:
            yield piece
            piece = {}
    if piece:
        yield piece
