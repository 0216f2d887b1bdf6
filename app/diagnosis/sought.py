"""Looks in a store for why a run has no summaries."""

from __future__ import annotations

from app.diagnosis.rules.summaries import Summaries
from app.diagnosis.unwritten import Found, unwritten
from app.series.clocks import covers
from app.stored import LeanRun, RunStore


def seek(store: RunStore, run: LeanRun, told: Summaries) -> None:
    """Tell the rule what is known now. Raises StoreAway."""
    ranks = {one.rank for one in run.series.values() if one.rank is not None}
    problems = [one for beat in store.heartbeats() if covers(beat, run.path) for one in beat.problems]
    why = unwritten(Found(run.path, run.facts, store.cursors(run.id), problems, ranks))
    told.because(why.part, why.files, why.sealed, expects=why.expects)
