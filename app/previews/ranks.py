"""The map of ranks of a picture, out of a survey of one metric. Raises Refused, StoreAway."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from app.api.ranks import Parts, asked_of, wanted
from app.figures.numbers import count
from app.figures.preview import Head
from app.figures.rank_map import RankMap, Row, place
from app.language import gettext as _
from app.previews.asked import Asked
from app.series.curve import Ints
from app.series.ranks.fold import farthest, heaviest
from app.series.ranks.middle import Singles, medians
from app.series.ranks.states import Verdict
from app.stored import LeanRun
from app.surveys import Surveyed
from app.words.browser.panels import WORDS
from app.words.ranks import RANK_STATES
from collector.wire.metrics import METRICS

ROWS, CELLS = 600, 150_000  # noise of more cells than that is more bytes than a picture may have
GRAVITY = [*RANK_STATES]  # gravest first
ODD = {state for state, word in RANK_STATES.items() if word.tone in ("warn", "bad")}


def rank_map(parts: Parts, run: LeanRun, asked: Asked, head: Head) -> RankMap:
    """The map of the metric that is asked for, else of the first there is for each rank. Where there are more ranks or
    columns than can be told apart, one stands for several: the one that is farthest from usual."""
    shown = wanted(parts, run, asked_of({"tag" if one.is_tag else "metric": one.text for one in asked.names}))
    box = place(asked.width, asked.height)
    every = parts.surveys.of(run, shown, asked.start, asked.end)
    rows = max(1, min(len(every.said.ranks), int(box.height), ROWS))
    found = every.reduced(max(1, min(int(box.width), CELLS // rows)))
    metric = METRICS.get(shown.name) if not shown.is_tag else None
    word = None if shown.is_tag else WORDS.get(f"metric_{shown.name}")
    drawn = _map(found, shown.name if word is None else str(word), rows)
    return replace(drawn, head=_told(head, found), unit=metric.unit if metric else "")


def _map(found: Surveyed, title: str, most: int) -> RankMap:
    ranks, steps = len(found.said.ranks), found.grid.steps
    compares = bool(np.isfinite(found.z).any())
    numbers = found.z if compares else found.grid.values.astype(np.float32)
    starts = np.arange(min(most, ranks), dtype=np.int64) * ranks // max(1, min(most, ranks))
    rows = [_row(found.said.verdicts[first:last]) for first, last in zip(starts, [*starts[1:], ranks], strict=True)]
    kinds, each = found.kinds, -(-ranks // max(1, len(starts)))
    if each > 1 and numbers.size:
        numbers, kinds = _joined(numbers, starts, compares=compares), heaviest(kinds, starts)
    return RankMap(Head(""), title, rows, steps, numbers, kinds, compares, each=each)


def _joined(numbers: Singles, starts: Ints, *, compares: bool) -> Singles:
    """Of several ranks the number that is farthest: from their groups, or from the column's median."""
    if compares:
        return farthest(numbers, starts)
    finite = np.where(np.isfinite(numbers), numbers, np.float32(np.nan))
    middle = medians(np.ascontiguousarray(finite.T))
    found: Singles = farthest(finite - middle, starts) + middle
    return found


def _row(verdicts: Sequence[Verdict]) -> Row:
    """What is said of some ranks: the gravest of it, and of whom."""
    gravest = min(verdicts, key=lambda one: GRAVITY.index(one.state))
    if gravest.state not in ODD:
        return Row(_("Rank %(rank)s", rank=count(verdicts[0].rank)))
    word = RANK_STATES[gravest.state]
    return Row(_("Rank %(rank)s", rank=count(gravest.rank)), str(word.text), word.tone)


def _told(head: Head, found: Surveyed) -> Head:
    """With how many ranks are odd, and the steps that are shown."""
    odd = sum(one.state in ODD for one in found.said.verdicts)
    told = _("%(odd)s of %(count)s ranks are odd", odd=count(odd), count=count(len(found.said.ranks)))
    edges = found.grid.steps[[0, -1]].tolist() if len(found.grid.steps) else []
    window = [_("steps %(first)s to %(last)s", first=count(edges[0]), last=count(edges[1]))] if edges else []
    return replace(head, facts=(*head.facts, told), foot=(*window, *head.foot, "Tidewatch"))
