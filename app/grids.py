"""Values of many ranks out of the store: of thousands of series only what is new is read, and nothing twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from app.gathered import Gathered
from app.kept import Kept
from app.names import SeriesKey, default_rank, owner, series_of
from app.older import Older
from app.reader import Reader, Wanted
from app.series.attempts import Timeline
from app.series.curve import POINT, Curve, Ints
from app.series.ranks.filling import CELL_BYTES, ROOM, Written
from app.series.ranks.grid import Grid
from app.series.ranks.layering import Members, Rules
from app.series.ranks.reading import Read
from app.series.splice import latest
from app.series.trail import Anew
from app.stored import START, RunSeries, RunStore
from collector.wire.records import POINT_BYTES

KEPT_BYTES = 128 * 2**20  # of grids
CELLS = 3_500_000  # of one grid: what a first answer can read and look at within a second
LAYER = 0xFFFF  # of a rank that was read as a curve of its own: above every other
SERIES = 2_048  # read with one question
CHUNK = 32 * 2**20  # bytes of one answer, about


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown of each rank: a canonical metric or a raw tag, stitched over attempts (None) or of one."""

    name: str
    is_tag: bool
    attempt: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Some columns of a grid. ``floor`` is the first step that is held when older ones are too many, else None;
    ``columns`` counts all that are held. The steps go from ``first`` to ``last``, whether held or not."""

    grid: Grid
    floor: int | None
    columns: int
    first: int | None
    last: int | None
    since: int | None = None  # from which step on nothing of the window is left out; None where nothing is

    def begins_after(self, step: int) -> bool:
        """Whether older columns than those that are held are needed to show ``step``."""
        return self.floor is not None and step < self.floor


class Grids:
    """Grids of runs; safe to share between threads."""

    def __init__(self, store: RunStore, reader: Reader, *, kept_bytes: int = KEPT_BYTES) -> None:
        """Reads from ``store`` when asked; single curves are read by ``reader``."""
        self._store, self._reader = store, reader
        self._most = min(CELLS, int(kept_bytes / CELL_BYTES / ROOM / 1.2))  # cells of one grid
        self._held = Kept(kept_bytes, Gathered, Gathered.weight)

    @property
    def held(self) -> int:
        """Bytes that are kept."""
        return self._held.held

    def of(self, run: RunSeries, shown: Shown, *, start: int | None = None, end: int | None = None) -> Seen:
        """The columns of a window of steps, both ends inclusive. Raises StoreAway."""
        with self._current(run, shown) as held:
            grid = held.filling.grid(members_of(run, shown).ranks, start, end)
            since = held.floor if start is None else None
            seen = Seen(grid, held.floor, held.filling.count, *held.ends, since)
        return self._older(run, shown, seen, start, end) if start is not None and seen.begins_after(start) else seen

    def _older(self, run: RunSeries, shown: Shown, seen: Seen, start: int, end: int | None) -> Seen:
        """The columns of a window that begins before the first one that is held."""
        known, members = self._reader.timeline(run), members_of(run, shown)
        rules, held = Rules.of(known), Gathered()
        held.begin(members, rules)
        most = max(1, self._most // len(members.ranks))
        read, shifts, first = Older(self._store, run, members, rules).read(start, end, most)
        self._take(held, read, shifts, shown, members, rules)
        self._single(held, run, shown, members, known)
        grid = held.filling.grid(members.ranks, first, end)
        return replace(seen, grid=grid, since=first if first > start else None)

    def changed(self, run: RunSeries, shown: Shown) -> int | None:
        """The lowest step of which something came since the last time that this was asked; for one who asks. Raises
        StoreAway."""
        with self._current(run, shown) as held:
            return held.filling.changed()

    @contextmanager
    def _current(self, run: RunSeries, shown: Shown) -> Iterator[Gathered]:
        """What is held, with everything that there is now."""
        known = self._reader.timeline(run)
        members = members_of(run, shown)
        with self._held.using((run.id, shown)) as held:
            if held.members is not members or run.position == START or held.position != run.position:
                self._refresh(held, run, shown, members, known)
            yield held

    def _refresh(self, held: Gathered, run: RunSeries, shown: Shown, members: Members, known: Timeline) -> None:
        rules = Rules.of(known)
        goes_on = held.goes_on(members, rules)
        held.position, held.whole = START, False
        try:
            if not goes_on:
                raise Anew
            held.follow(members)
            self._extend(held, run, shown, members, rules)
        except Anew:
            held.begin(members, rules)
            self._extend(held, run, shown, members, rules)
        self._single(held, run, shown, members, known)
        self._settle(held, members)
        held.position, held.whole = run.position, True

    def _extend(self, held: Gathered, run: RunSeries, shown: Shown, members: Members, rules: Rules) -> None:
        """Read what is new, of all rows but the slow ones."""
        fast = np.flatnonzero(~held.slow[members.rows])
        starts, longest = self._starts(held, run, fast, members)
        several = max(64, min(SERIES, CHUNK // (POINT_BYTES * longest)))
        for first in range(0, len(fast), several):
            mine = slice(first, first + several)
            read, shifts = self._read(held, run, fast[mine], starts[mine], members, rules)
            self._take(held, read, shifts, shown, members, rules)

    def _starts(self, held: Gathered, run: RunSeries, fast: Ints, members: Members) -> tuple[Ints, int]:
        """From which point on each series is read (the last known one again), and the most points of one."""
        starts = np.maximum(held.counts[fast] - 1, 0)
        fresh = np.flatnonzero(held.counts[fast] == 0)
        if not len(fresh):
            return starts, 1
        sids = [members.sids[one] for one in fast[fresh].tolist()]
        lengths = np.array(self._store.lengths(run.id, sids), dtype=np.int64)
        most = max(1, self._most // max(1, len(members.ranks)))
        # What is kept of folded points is of other steps for each rank: nothing to be compared.
        kept = np.array(self._store.kept(run.id, sids), dtype=np.int64)
        starts[fresh] = np.maximum(lengths - most, kept)
        held.counts[fast[fresh]] = 0
        self._first_ones(held, run, fast[fresh[starts[fresh] > 0]], members)
        return starts, max(1, min(most, int(lengths.max())))

    def _first_ones(self, held: Gathered, run: RunSeries, cut: Ints, members: Members) -> None:
        """The first points of series that are not read whole."""
        if len(cut):
            heads = self._store.heads(run.id, [members.sids[one] for one in cut.tolist()])
            held.begins[cut] = np.frombuffer(b"".join(heads), POINT)

    def _read(
        self, held: Gathered, run: RunSeries, which: Ints, starts: Ints, members: Members, rules: Rules
    ) -> tuple[Read, Ints]:
        """What is new of some series, and what each one's steps are too low by."""
        places = zip([members.sids[one] for one in which.tolist()], starts.tolist(), strict=True)
        read = Read.of(self._store.ends(run.id, list(places)), which)
        known = held.counts[which] > 0
        if not read.continues(known, held.lasts[which[known]]):
            raise Anew
        some = read.counts > 0
        held.lasts[which[some]] = read.packed[read.ends[some] - 1]
        fresh = some & ~known & (starts == 0)
        held.begins[which[fresh]] = read.packed[read.begins[fresh]]
        cut = some & (starts > 0) & ~known
        held.counts[which] = starts + read.counts
        shifts = rules.shifts(members, held.begins["step"], held.begins["wall"])
        if cut.any():
            firsts = read.packed["step"][read.begins[cut]] + shifts[which[cut]]
            held.floor = max(held.floor or 0, int(firsts.max()))
        new = read.without_first(known)
        return new, shifts[new.which]

    def _take(self, held: Gathered, read: Read, shifts: Ints, shown: Shown, members: Members, rules: Rules) -> None:
        if held.laid(read, members, rules, shifts):
            return
        points = read.points(shifts)
        new, which, odd = rules.written(members, points, shown.attempt)
        held.slow[members.rows[odd]] = True
        turns = members.turns[which]
        for turn in range(int(turns.max(initial=-1)) + 1):
            mine = new if not turns.any() else new.take(turns == turn)
            differ = mine.rows[held.filling.write(mine)]
            held.slow[differ[members.twinned[differ]]] = True

    def _single(self, held: Gathered, run: RunSeries, shown: Shown, members: Members, known: Timeline) -> None:
        """Rows whose points cannot be told apart one by one, each as its curve."""
        for row in np.flatnonzero(held.slow).tolist():
            curve = self._curve(run, shown, int(members.ranks[row]), known)
            layers, rows = np.full(len(curve), LAYER, np.uint16), np.full(len(curve), row, np.int64)
            held.filling.renew(row, Written(rows, curve.steps, curve.walls, curve.values, layers))

        if held.slow.any():
            held.filling.tidy()

    def _curve(self, run: RunSeries, shown: Shown, rank: int, known: Timeline) -> Curve:
        mine = None if default_rank(run, shown.name, is_tag=shown.is_tag) is None else rank
        curve = self._reader.curve(run, Wanted(shown.name, shown.is_tag, mine), known)
        if shown.attempt is None:
            return latest(curve, known.first_steps)
        return latest(curve.take(curve.attempts == shown.attempt), ())

    def _settle(self, held: Gathered, members: Members) -> None:
        """Hold no more cells than are kept, and none of steps of which some ranks' points were passed over."""
        if held.floor is not None:
            held.filling.drop(held.floor)
        if held.filling.count * len(members.ranks) > self._most:
            held.floor = int(held.filling.steps[held.filling.count // 4])
            held.filling.drop(held.floor)


@lru_cache(maxsize=256)
def _members(series: SeriesKey, name: str, is_tag: bool, speaker: int) -> Members:
    return Members.of(series_of(series, name, is_tag=is_tag), speaker)


def members_of(run: RunSeries, shown: Shown) -> Members:
    """The series of all ranks; those of files without a rank belong to the rank that speaks for the run."""
    speaker = default_rank(run, shown.name, is_tag=shown.is_tag)
    if speaker is None:
        speaker = owner(run)
    return _members(SeriesKey(run.series), shown.name, shown.is_tag, 0 if speaker is None else speaker)
