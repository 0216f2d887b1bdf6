"""From the lowest step of a table to its highest: what lies at a step is read when the step is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from app.export.blocks import AT_ONCE, Blocks
from app.export.chunks import Chunk, in_order, windows
from app.export.plan import Lane
from app.export.question import View
from app.export.rows import Rows, beside
from app.export.survey import Surveyed
from app.export.weaving import Piece, by_step, woven
from app.series.curve import EMPTY, SOURCES, Curve, concat
from app.series.splice import latest
from collector.wire.records import Source


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
        held: list[tuple[Chunk, Curve]] = []
        for low, high in windows(chunks, AT_ONCE):
            new = [one for one in chunks if low <= one.low <= high]
            held += self._read(new, {one.meta.sid: one for one in series})
            yield from self._window(stretch, held, (low, high), name)
            held = [(one, curve) for one, curve in held if one.high > high]

    def _straight(self, stretch: Stretch, one: Surveyed, chunks: Sequence[Chunk], name: str) -> Iterator[Rows]:
        """One series whose steps follow one another: each chunk is as good as a window, however often a step comes."""
        (number,) = stretch.columns
        for chunk in chunks:
            for _, curve in self._read([chunk], {one.meta.sid: one}):
                yield self._told(stretch, {number: by_step(curve)}, name)

    def _read(self, chunks: Sequence[Chunk], series: Mapping[str, Surveyed]) -> Iterator[tuple[Chunk, Curve]]:
        """The wanted points of each chunk."""
        missing = [one for one in chunks if (one.sid, one.place) not in self._ahead]
        read = [(one, self._ahead[one.sid, one.place]) for one in chunks if (one.sid, one.place) in self._ahead]
        for chunk, curve in chain(read, self._blocks.chunk(missing) if missing else ()):
            numbered = series[chunk.sid].rule.applied(chunk.place, curve)
            wanted = self._view.of(numbered)
            yield chunk, wanted.take(wanted.attempts == chunk.attempt)

    def _window(
        self, stretch: Stretch, held: Sequence[tuple[Chunk, Curve]], window: tuple[int, int], name: str
    ) -> Iterator[Rows]:
        inside: dict[tuple[str, int], list[Curve]] = {}
        for chunk, curve in sorted(held, key=lambda it: it[0].place):
            part = curve.between(*window)
            if len(part):
                inside.setdefault((chunk.sid, chunk.attempt), []).append(part)
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
