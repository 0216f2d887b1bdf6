"""Curves of a run out of the store: which series to read, and nothing read or assembled twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Literal

from app.kept import Kept
from app.names import SeriesKey, default_rank, of_ranks, owner, series_of
from app.series import attempts
from app.series.attempts import Timeline
from app.series.curve import EMPTY, Curve
from app.series.folded import Buckets
from app.series.grown import Growing, Grown, Points, Tangled, Whole
from app.series.parts import Line
from app.series.recount import counts_anew
from app.series.segments import Segment, reasons
from app.series.stitch import alone, stitched
from app.series.trail import Anew, Trail
from app.series.weave import POINT_BYTES
from app.stored import START, RunSeries, RunStore
from app.tail import Tail
from collector.wire.records import SeriesMeta, Source

__all__ = ["Reader", "Wanted", "default_rank", "members", "owner"]

KEPT_BYTES = 256 * 2**20  # of curves, 26 a point; a page asks for some ten curves of a run
SMALL = 4_096  # bytes of whatever is kept beside points, so that the number of short curves is bounded too
AT_ONCE = 2  # curves that one question reads at the same time
RUNS = 1_000  # whose attempts are kept
# A run may have ten thousand tags; which of a file's is the longest is asked again after so many looks at the run.
LOOKS = 50


@dataclass(frozen=True, slots=True)
class Wanted:
    """One curve: a canonical metric or a raw tag, of one rank (None = no rank known), of all sources or of one."""

    name: str
    is_tag: bool
    rank: int | None
    source: Source | None = None


def members(run: RunSeries, wanted: Wanted) -> list[tuple[str, SeriesMeta]]:
    """The series a curve is made of. Files without a rank belong to the metric's owner."""
    ranks = {wanted.rank}
    if wanted.rank == default_rank(run, wanted.name, is_tag=wanted.is_tag):
        ranks.add(None)
    return [
        (sid, meta)
        for sid, meta in series_of(SeriesKey(run.series), wanted.name, is_tag=wanted.is_tag)
        if meta.rank in ranks and wanted.source in (None, meta.source)
    ]


@dataclass(slots=True)
class _Held:
    """One curve of one run, as far as it has been read."""

    tail: Tail
    growing: Growing = field(default_factory=Grown)
    line: Line = field(default_factory=lambda: Line(()))
    position: str = START  # where the run was then
    known: Timeline | None = None
    drawn: tuple[Line, tuple[int, ...], Line] | None = None  # line, where attempts began → the stitched one

    def stitched(self, first_steps: tuple[int, ...]) -> Line:
        if self.drawn is None or self.drawn[0] is not self.line or self.drawn[1] != first_steps:
            self.drawn = self.line, first_steps, stitched(self.line, first_steps)
        return self.drawn[2]

    def weight(self) -> int:
        mine = {id(one.part) for one in self.line.pieces}
        pieces = self.drawn[2].pieces if self.drawn else ()
        copied = sum(len(one.part) for one in pieces if id(one.part) not in mine)
        return SMALL + self.growing.weight + POINT_BYTES * copied


@dataclass(slots=True)
class _Attempts:
    """The attempts of one run, as far as it has been read."""

    tail: Tail
    trails: dict[SeriesMeta, Trail] = field(default_factory=dict)  # of each series that shows how steps went
    tags: dict[str, int] = field(default_factory=dict)  # points of tags, when they were last asked for
    looks: int = 0  # since then
    anew: frozenset[tuple[str, int]] = frozenset()  # generations of files that count their steps from each start
    known: Timeline = field(default_factory=lambda: Timeline((), {}, {}))
    position: str = START


@dataclass(slots=True)
class _Copy:
    """A line as one curve."""

    line: Line = field(default_factory=lambda: Line(()))
    curve: Curve = EMPTY

    def of(self, line: Line) -> Curve:
        if line is not self.line:
            self.line, self.curve = line, line.curve().lean()
        return self.curve

    def weight(self) -> int:
        return SMALL + (POINT_BYTES * len(self.curve) if len(self.line.pieces) > 1 else 0)


class Reader:
    """Curves of runs; safe to share between threads. Of many that ask for one curve the first reads it for all."""

    def __init__(self, store: RunStore, *, kept_bytes: int = KEPT_BYTES) -> None:
        """Reads from ``store`` when asked; keeps so much of curves, and a quarter of it of copies in one piece."""
        self._store = store
        self._curves = Kept(kept_bytes, lambda: _Held(Tail(store)), _Held.weight)
        self._copies = Kept(kept_bytes // 4, _Copy, _Copy.weight)
        self._attempts = Kept(RUNS, lambda: _Attempts(Tail(store)), lambda _: 1)

    @property
    def held(self) -> int:
        """Bytes that are kept."""
        return self._curves.held + self._copies.held

    def curve(self, run: RunSeries, wanted: Wanted, known: Timeline | None = None) -> Curve:
        """Every point of the curve, by attempt and then by arrival; ``known`` is the run's timeline, for a caller that
        has read it already. Raises StoreAway."""
        whole = self.line(run, wanted, self.timeline(run) if known is None else known)
        with self._copies.using((run.id, wanted)) as copy:
            return copy.of(whole)

    def line(
        self, run: RunSeries, wanted: Wanted, known: Timeline, *, attempt: int | Literal["all", "latest"] = "all"
    ) -> Line:
        """The curve as a line, which costs less than one piece: of all attempts, stitched (``splice.latest``) or of
        one. Raises StoreAway."""
        with self._curves.using((run.id, wanted)) as held:
            self._follow(held, run, wanted, known)
            if attempt == "latest":
                return held.stitched(known.first_steps)
            return held.line if attempt == "all" else alone(held.line, attempt)

    def holds(self, run: RunSeries, wanted: Wanted) -> bool:
        """Whether the curve has been read, so that asking for it costs little."""
        return (run.id, wanted) in self._curves

    def prepare(self, run: RunSeries, several: Sequence[Wanted], known: Timeline) -> None:
        """Read those of the curves that are not kept, two at a time: while one waits for Redis the other is put in
        order. Raises StoreAway."""
        missing = [one for one in dict.fromkeys(several) if (run.id, one) not in self._curves]
        if len(missing) > 1:
            with ThreadPoolExecutor(AT_ONCE) as pool:
                for _ in pool.map(lambda one: self.line(run, one, known), missing):
                    pass

    def folded(self, run: RunSeries, wanted: Wanted, known: Timeline) -> Mapping[SeriesMeta, Buckets]:
        """What was folded of the curve's series when they were read; what was read before it was folded is exact here.
        Raises StoreAway."""
        with self._curves.using((run.id, wanted)) as held:
            self._follow(held, run, wanted, known)
            return {run.series[sid]: one for sid, one in held.tail.folded.items()}

    def _follow(self, held: _Held, run: RunSeries, wanted: Wanted, known: Timeline) -> None:
        # Whatever is appended comes with an entry in the run's stream.
        if run.position == START or held.position != run.position or held.known is not known:
            self._extend(held, run, wanted, known)

    def _extend(self, held: _Held, run: RunSeries, wanted: Wanted, known: Timeline) -> None:
        sids = [sid for sid, _ in members(run, wanted)]
        try:
            new = held.tail.read(run, sids)
            tail, growing = held.tail, held.growing
            held.tail, held.growing = Tail(self._store), Grown()  # after an error nothing is known
            held.line = growing.extend(new, known)
            held.tail, held.growing = tail, growing
        except (Anew, Tangled):
            self._begin(held, run, sids, known)
        held.position, held.known = run.position, known

    def _begin(self, held: _Held, run: RunSeries, sids: Sequence[str], known: Timeline) -> None:
        tail = Tail(self._store)
        new = tail.read(run, sids)
        growing: Growing = Grown()
        try:
            held.line = growing.extend(new, known)
        except (Anew, Tangled):
            growing = Whole()
            held.line = growing.extend(new, known)
        held.tail, held.growing = tail, growing

    def timeline(self, run: RunSeries) -> Timeline:
        """The run's attempts; the same value as long as nothing was appended. Raises StoreAway."""
        with self._attempts.using(run.id) as held:
            if run.position == START or held.position != run.position:
                evidence = self._evidence(held, run)
                held.known, held.position = attempts.timeline(evidence, held.anew), run.position
            return held.known

    def _evidence(self, held: _Attempts, run: RunSeries) -> list[Segment]:
        sids = self._anchors(held, run)
        try:
            new = held.tail.read(run, sids)
            tail, trails = held.tail, held.trails
            held.tail, held.trails = Tail(self._store), {}  # after an error nothing is known
            _follow(trails, new)
        except Anew:
            held.tags, tail, trails = {}, Tail(self._store), {}
            sids = self._anchors(held, run)
            _follow(trails, tail.read(run, sids))
        held.tail, held.trails = tail, trails
        why = reasons(run.generations)
        metas = [run.series[sid] for sid in sids]
        held.anew = frozenset((meta.file, meta.generation) for meta in metas if counts_anew(meta))
        return [part for meta in metas if meta in trails for part in trails[meta].segments(meta, why)]

    def _anchors(self, held: _Attempts, run: RunSeries) -> Sequence[str]:
        """For each file of the owner, generation by generation, the series that shows best how steps went."""
        mine = speaking(run)
        metrics = [sid for sid, meta in mine.items() if meta.metric]
        counts = dict(zip(metrics, self._store.lengths(run.id, metrics), strict=True))
        tags = untold(mine, counts)
        held.looks += 1
        if held.tags.keys() != set(tags) or held.looks > LOOKS:
            held.tags, held.looks = dict(zip(tags, self._store.lengths(run.id, tags), strict=True)), 0
        counts |= held.tags
        return anchors({sid: mine[sid] for sid in counts}, counts)


def speaking(run: RunSeries) -> Mapping[str, SeriesMeta]:
    """The series of the rank that speaks for the run, and of files without a rank."""
    ranks = of_ranks(SeriesKey(run.series))
    return {**ranks.get(owner(run), {}), **ranks.get(None, {})}


def untold(mine: Mapping[str, SeriesMeta], counts: Mapping[str, int]) -> Sequence[str]:
    """The tags of files of which no metric tells how steps went, by the ``counts`` of metrics."""
    told = {(mine[sid].file, mine[sid].generation) for sid, count in counts.items() if count and mine[sid].metric}
    return [sid for sid, meta in mine.items() if not meta.metric and (meta.file, meta.generation) not in told]


def anchored(mine: Mapping[str, SeriesMeta], counts: Mapping[str, int]) -> Sequence[str]:
    """``anchors`` of the series that speak for a run, by the counts of all of them."""
    asked = [*(sid for sid, meta in mine.items() if meta.metric), *untold(mine, {sid: counts[sid] for sid in mine})]
    return anchors({sid: mine[sid] for sid in asked}, counts)


def anchors(series: Mapping[str, SeriesMeta], counts: Mapping[str, int]) -> Sequence[str]:
    """One series a generation of a file: the loss unless another metric has twice its points; else the longest tag. One
    whose steps begin anew with each attempt only where there is nothing else."""
    best: dict[tuple[str, int], tuple[float, str]] = {}
    for sid, meta in series.items():
        weight = counts[sid] * (2.5 if meta.metric == "loss" else 1.0) + (0.5 if meta.metric else 0.0)
        weight /= 1e9 if counts_anew(meta) else 1.0
        key = meta.file, meta.generation
        if counts[sid] and (key not in best or weight > best[key][0]):
            best[key] = weight, sid
    return [best[key][1] for key in sorted(best)]


def _follow(trails: dict[SeriesMeta, Trail], new: Points) -> None:
    for meta, curves in new.items():
        trails.setdefault(meta, Trail()).extend(curves)
