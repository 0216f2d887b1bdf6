"""From the lowest step of a table to its highest: what lies at a step is read when the step is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.export.blocks import AT_ONCE, Blocks
from app.export.chunks import CROWDED, Chunk, in_order, narrowed, windows
from app.export.plan import Lane
from app.export.question import View
from app.export.rows import Rows, beside
from app.export.survey import Surveyed
from app.export.weaving import Piece, by_step, woven
from app.series.curve import EMPTY, SOURCES, Curve, concat
from app.series.splice import latest
from collector.wire.records import Source

HELD = CROWDED * AT_ONCE  # points of chunks that reach into the next window


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """What shares rows: the curves of one lane in one source and one attempt, or in all attempts that stand."""

    lane: Lane
    source: Source
    attempts: tuple[int, ...]
    columns: Mapping[int, Sequence[Surveyed]]

    @property
    def chunks(self) -> list[Chunk]:
        """Every chunk of it, series by series in order of place."""
        found = {one.meta.sid: one for several in self.columns.values() for one in several}
        return [chunk for one in found.values() for chunk in one.chunks if chunk.attempt in self.attempts]


def stretches(lane: Lane, surveyed: Mapping[str, Surveyed], view: View) -> list[Stretch]:
    """A lane as stretches: attempt by attempt, and of each of them source by source."""
    mine = {column.number: [surveyed[sid] for sid, _ in column.series if sid in surveyed] for column in lane.columns}
    wanted = sorted({chunk.attempt for several in mine.values() for one in several for chunk in one.chunks})
    together = [tuple(wanted)] if view.latest and wanted else [(one,) for one in wanted]
    found = [_stretch(lane, source, some, mine) for some in together for source in SOURCES]
    return [one for one in found if one.chunks]


def _stretch(
    lane: Lane, source: Source, attempts: tuple[int, ...], series: Mapping[int, Sequence[Surveyed]]
) -> Stretch:
    """All series that have points of the attempts, since what is wanted of one may hang on another."""
    columns = {
        number: [one for one in several if one.meta.source == source and any(map(one.has, attempts))]
        for number, several in series.items()
    }
    return Stretch(lane, source, attempts, {number: several for number, several in columns.items() if several})


class _Held:
    """Chunks that reach into the next window, as long as they are few; the others are read again."""

    def __init__(self) -> None:
        self._curves: dict[tuple[str, int, int], tuple[Chunk, Curve]] = {}
        self._points = 0

    def through(
        self, chunks: Sequence[Chunk], read: Callable[[Sequence[Chunk]], Iterator[tuple[Chunk, Curve]]]
    ) -> Iterator[tuple[Chunk, Curve]]:
        """Each chunk with its points, in this order."""
        found = read([one for one in chunks if _place(one) not in self._curves])
        for one in chunks:
            if _place(one) in self._curves:
                yield self._curves[_place(one)]
                continue
            chunk, curve = next(found)
            if self._points + len(curve) <= HELD:
                self._curves[_place(one)] = chunk, curve
                self._points += len(curve)
            yield chunk, curve

    def forget(self, high: int) -> None:
        """What ends there."""
        self._curves = {key: one for key, one in self._curves.items() if one[0].high > high}
        self._points = sum(len(curve) for _, curve in self._curves.values())


def _place(chunk: Chunk) -> tuple[str, int, int]:
    return chunk.sid, chunk.place, chunk.attempt


class Sweep:
    """Goes through stretches; not safe to share between threads."""

    def __init__(self, blocks: Blocks, view: View, count: int) -> None:
        """``count``: how many columns of values the table has."""
        self._blocks, self._view, self._count = blocks, view, count
        self._ahead: dict[tuple[str, int], Curve] = {}

    def together(self, stretches: Sequence[tuple[Stretch, str]]) -> Iterator[Sequence[tuple[Stretch, str]]]:
        """The same stretches in groups: of short ones so many that one question reads them all, as of a run with ten
        thousand tags; their points are read when the group is given. Raises StoreAway, Moved."""
        group, held = list[tuple[Stretch, str]](), 0
        for one in stretches:
            points = sum(chunk.count for chunk in one[0].chunks)
            if group and held + points > AT_ONCE:
                yield from self._group(group)
                group, held = [], 0
            group.append(one)
            held += points
        yield from self._group(group)

    def _group(self, group: Sequence[tuple[Stretch, str]]) -> Iterator[Sequence[tuple[Stretch, str]]]:
        if len(group) > 1:
            chunks = {(one.sid, one.place): one for stretch, _ in group for one in stretch.chunks}
            found = self._blocks.chunk(list(chunks.values()))
            self._ahead = {(one.sid, one.place): curve for one, curve in found}
        if group:
            yield group
        self._ahead = {}

    def rows(self, stretch: Stretch, name: str = "") -> Iterator[Rows]:
        """Every row of a stretch, by step. Raises StoreAway, Moved."""
        chunks = stretch.chunks
        series = [one for several in stretch.columns.values() for one in several]
        if len(series) == 1 and not self._view.latest and in_order(chunks):
            yield from self._straight(stretch, series[0], chunks, name)
            return
        held = _Held()
        for window in windows(chunks, AT_ONCE):
            over = [one for one in chunks if one.low <= window[1] and one.high >= window[0]]
            for part in narrowed(over, window, AT_ONCE):
                yield from self._window(stretch, held, over, part, name)
            held.forget(window[1])

    def _straight(self, stretch: Stretch, one: Surveyed, chunks: Sequence[Chunk], name: str) -> Iterator[Rows]:
        """One series whose steps follow one another: each chunk is as good as a window, however often a step comes."""
        (number,) = stretch.columns
        for chunk in chunks:
            for _, curve in self._read([chunk], {one.meta.sid: one}):
                yield self._told(stretch, {number: by_step(curve)}, name)

    def _read(self, chunks: Sequence[Chunk], series: Mapping[str, Surveyed]) -> Iterator[tuple[Chunk, Curve]]:
        """The wanted points of each chunk."""
        read = self._blocks.chunk([one for one in chunks if (one.sid, one.place) not in self._ahead])
        for one in chunks:
            ahead = self._ahead.get((one.sid, one.place))
            chunk, curve = next(read) if ahead is None else (one, ahead)
            numbered = series[chunk.sid].rule.applied(chunk.place, curve)
            wanted = self._view.of(numbered)
            yield chunk, wanted.take(wanted.attempts == chunk.attempt)

    def _window(
        self, stretch: Stretch, held: _Held, chunks: Sequence[Chunk], window: tuple[int, int], name: str
    ) -> Iterator[Rows]:
        """What of the ``chunks`` lies in a window, which all of them may reach out of."""
        over = sorted((one for one in chunks if one.low <= window[1] and one.high >= window[0]), key=_place)
        series = {one.meta.sid: one for several in stretch.columns.values() for one in several}
        inside: dict[tuple[str, int], list[Curve]] = {}
        for chunk, curve in held.through(over, lambda some: self._read(some, series)):
            part = curve.between(*window)
            if len(part):
                inside.setdefault((chunk.sid, chunk.attempt), []).append(part.alone())
        curves = {number: self._curve(series, stretch.attempts, inside) for number, series in stretch.columns.items()}
        if any(len(one) for one in curves.values()):
            yield self._told(stretch, curves, name)

    def _curve(
        self, series: Sequence[Surveyed], attempts: Sequence[int], inside: Mapping[tuple[str, int], Sequence[Curve]]
    ) -> Curve:
        """One column in a window."""
        found = []
        for attempt in attempts:
            pieces = [Piece(one, concat(inside.get((one.meta.sid, attempt), ()))) for one in series if one.has(attempt)]
            found.append(woven(pieces, attempt) if pieces else EMPTY)
        whole = concat(found)
        return latest(whole, ()) if self._view.latest else whole

    def _told(self, stretch: Stretch, curves: Mapping[int, Curve], name: str) -> Rows:
        table = beside([curves.get(number) for number in range(self._count)])
        return Rows(table.steps, table.attempts, stretch.source, stretch.lane.rank, table.walls, table.columns, name)
