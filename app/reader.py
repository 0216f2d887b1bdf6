"""Curves of a run out of the store: which series to read, and nothing assembled twice while nothing was appended."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar, cast

from app.series import attempts
from app.series.assemble import Stored, assemble
from app.series.attempts import Timeline
from app.series.curve import Curve, from_block
from app.series.owner import holders, owner_of, run_owner
from app.series.parts import Line, line
from app.series.segments import Segment, reasons, segments
from app.series.stitch import alone, stitched
from app.stored import RunStore, StoredRun
from collector.wire.records import SeriesMeta, Source

KEPT_POINTS = 4_000_000  # of assembled curves, 41 bytes each; a page asks for some ten curves a run

T = TypeVar("T", Curve, Timeline, Line)


@dataclass(frozen=True, slots=True)
class Wanted:
    """One curve: a canonical metric or a raw tag, of one rank (None = no rank known), of all sources or of one."""

    name: str
    is_tag: bool
    rank: int | None
    source: Source | None = None


def owner(run: StoredRun) -> int | None:
    """The rank that speaks for the run; None when no file names a rank."""
    ranks_of = holders(run.series.values()) or holders(run.series.values(), tag=True)
    return run_owner(ranks_of, run.facts)


def default_rank(run: StoredRun, name: str, *, is_tag: bool) -> int | None:
    """The rank that is shown of a metric or tag when none is asked for."""
    return owner_of(name, holders(run.series.values(), tag=is_tag), run.facts)


def members(run: StoredRun, wanted: Wanted) -> list[tuple[str, SeriesMeta]]:
    """The series a curve is made of. Files without a rank belong to the metric's owner."""
    ranks = {wanted.rank}
    if wanted.rank == default_rank(run, wanted.name, is_tag=wanted.is_tag):
        ranks.add(None)
    return [
        (sid, meta)
        for sid, meta in run.series.items()
        if (meta.tag if wanted.is_tag else meta.metric) == wanted.name
        and meta.rank in ranks
        and wanted.source in (None, meta.source)
    ]


class Reader:
    """Assembled curves of runs; safe to share between threads."""

    def __init__(self, store: RunStore, *, kept_points: int = KEPT_POINTS) -> None:
        """Reads from ``store`` when asked; keeps curves of ``kept_points`` in all."""
        self._store = store
        self._room = kept_points
        self._kept: OrderedDict[object, tuple[object, Curve | Timeline | Line]] = OrderedDict()
        self.held = 0  # points in the curves that are kept
        self._lock = threading.Lock()

    def curve(self, run: StoredRun, wanted: Wanted, known: Timeline | None = None) -> Curve:
        """Every point of the curve, by attempt and then by arrival; ``known`` is the run's timeline, for a caller that
        has read it already. Raises StoreAway."""
        known = self.timeline(run) if known is None else known
        sids = [sid for sid, _ in members(run, wanted)]
        blocks = self._store.points(run.id, sids)
        state = _state(known, blocks)
        return self._once((run.id, wanted), state, lambda: assemble(_stored(run, sids, blocks), known))

    def line(
        self, run: StoredRun, wanted: Wanted, known: Timeline, *, attempt: int | Literal["all", "latest"] = "all"
    ) -> Line:
        """The curve as a line: of all attempts, stitched (``splice.latest``) or of one. Raises StoreAway."""
        whole = self.curve(run, wanted, known)
        every = self._once((run.id, wanted, "all"), whole, lambda: line(whole))
        if attempt == "all":
            return every
        if attempt == "latest":
            return self._once((run.id, wanted, "latest"), every, lambda: stitched(every, known.first_steps))
        return alone(every, attempt)

    def timeline(self, run: StoredRun) -> Timeline:
        """The run's attempts. Raises StoreAway."""
        sids = self._anchors(run)
        blocks = self._store.points(run.id, sids)
        why = reasons(run.generations)
        state = (_state(None, blocks), tuple(sorted(why.items())))
        return self._once((run.id, "timeline"), state, lambda: attempts.timeline(_evidence(run, sids, blocks)))

    def _anchors(self, run: StoredRun) -> Sequence[str]:
        """For each file of the owner, generation by generation, the series that shows best how steps went."""
        speaker = owner(run)
        mine = [sid for sid, meta in run.series.items() if meta.rank in (speaker, None)]
        counts = dict(zip(mine, self._store.lengths(run.id, mine), strict=True))
        return anchors({sid: run.series[sid] for sid in mine}, counts)

    def _once(self, key: object, state: object, make: Callable[[], T]) -> T:
        with self._lock:
            known = self._kept.get(key)
            if known is not None and known[0] == state:
                self._kept.move_to_end(key)
                return cast(T, known[1])
        made = make()
        with self._lock:
            self._forget(key)
            self._kept[key] = state, made
            self.held += _weight(made)
            while self.held > self._room:
                self._forget(next(iter(self._kept)))
        return made

    def _forget(self, key: object) -> None:
        if key in self._kept:
            self.held -= _weight(self._kept.pop(key)[1])


def _weight(kept: Curve | Timeline | Line) -> int:
    """Points held; a timeline and an empty curve count as one, so that their number is bounded too."""
    return max(1, len(kept)) if isinstance(kept, Curve) else 1


def anchors(series: Mapping[str, SeriesMeta], counts: Mapping[str, int]) -> Sequence[str]:
    """One series a generation of a file: the loss unless another metric has twice its points; else the longest tag."""
    best: dict[tuple[str, int], tuple[float, str]] = {}
    for sid, meta in series.items():
        weight = counts[sid] * (2.5 if meta.metric == "loss" else 1.0) + (0.5 if meta.metric else 0.0)
        key = meta.file, meta.generation
        if counts[sid] and (key not in best or weight > best[key][0]):
            best[key] = weight, sid
    return [best[key][1] for key in sorted(best)]


def _stored(run: StoredRun, sids: Sequence[str], blocks: Sequence[bytes]) -> list[Stored]:
    metas = [run.series[sid] for sid in sids]
    return [Stored(meta, from_block(block, meta.source)) for meta, block in zip(metas, blocks, strict=True)]


def _evidence(run: StoredRun, sids: Sequence[str], blocks: Sequence[bytes]) -> list[Segment]:
    why = reasons(run.generations)
    return [part for one in _stored(run, sids, blocks) for part in segments(one.meta, one.curve, why)]


def _state(known: Timeline | None, blocks: Sequence[bytes]) -> object:
    """Equal while nothing was appended: points only ever come at the end, and the last ones tell a refilled store."""
    return known, tuple((len(block), block[-24:]) for block in blocks)
