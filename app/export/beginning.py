"""A run as it is when an export begins: how long its series are, and its attempts; found without holding a curve.

``Reader.timeline`` says the same, but keeps what it reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.export.blocks import LARGEST, Blocks
from app.export.plan import Plan
from app.reader import anchored, speaking
from app.series import attempts
from app.series.attempts import Timeline
from app.series.recount import counts_anew
from app.series.segments import Segment, reasons
from app.series.trail import Trail
from app.stored import RunSeries, RunStore
from collector.wire.records import SeriesMeta


@dataclass(frozen=True, slots=True, eq=False)
class Beginning:
    """``lengths`` of the series that are read; ``kept``: how many of their first points are what is left of folded
    ones."""

    lengths: Mapping[str, int]
    kept: Mapping[str, int]
    known: Timeline


def begun(store: RunStore, run: RunSeries, plan: Plan) -> Beginning:
    """What is exported from now on, whatever comes. Raises StoreAway, Moved."""
    mine = speaking(run)
    sids = list(dict.fromkeys([*plan.sids, *mine]))
    kept = dict(zip(sids, store.kept(run.id, sids), strict=True))
    lengths = dict(zip(sids, store.lengths(run.id, sids), strict=True))
    return Beginning(lengths, kept, _timeline(Blocks(store, run, lengths), run, anchored(mine, lengths)))


def _timeline(blocks: Blocks, run: RunSeries, sids: Sequence[str]) -> Timeline:
    why = reasons(run.generations)
    metas = [run.series[sid] for sid in sids]
    trails = {sid: trail(blocks, sid) for sid in sids}
    evidence: list[Segment] = [part for sid in sids for part in trails[sid].segments(run.series[sid], why)]
    return attempts.timeline(evidence, _anew(metas))


def _anew(metas: Sequence[SeriesMeta]) -> frozenset[tuple[str, int]]:
    return frozenset((meta.file, meta.generation) for meta in metas if counts_anew(meta))


def trail(blocks: Blocks, sid: str) -> Trail:
    """How the steps of a series went. Twice through it: where it was cut depends on all of its steps."""
    found = Trail()
    for _, _, _, curve in blocks.through([sid], LARGEST):
        found.measure(curve)
    for _, place, _, curve in blocks.through([sid], LARGEST):
        found.summarise(curve, place)
    return found
