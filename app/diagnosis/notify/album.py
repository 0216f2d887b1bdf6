"""The picture of a message: the curve of what it tells of first, around where that was."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.diagnosis.crew import groups
from app.diagnosis.notify.excerpt import Piece, Stretch, alike, excerpt, newest
from app.diagnosis.notify.letter import Letter, gravest
from app.diagnosis.notify.subject import Subject, of_rank, subject
from app.diagnosis.rules.custom import UserRule
from app.diagnosis.signal import Signal
from app.diagnosis.speaking import EVALUATION
from app.figures.picture import Picture, Trace, png
from app.names import SeriesKey, series_of
from app.series.curve import Floats, Ints, Points
from app.stored import RunSeries, RunStore
from collector.wire.records import RunId

LOG = logging.getLogger(__name__)
EVALUATIONS = 5_000  # points of each of their series
PEERS = 63  # ranks that a rank is drawn against: their median is that of all to the eye
CELLS = 1_000_000  # points of them
LEAST_PEERS = 3


@dataclass(frozen=True, slots=True)
class Album:
    """``rules`` are people's own."""

    store: RunStore
    rules: Sequence[UserRule] = ()

    def picture(self, letter: Letter) -> bytes:
        """A PNG; empty where there is nothing to be drawn, or anything goes wrong: no message waits for a picture."""
        try:
            return self._drawn(letter.run, gravest(letter.items).notice.signal)
        except Exception as error:  # whatever it is, the words are worth more than the picture
            LOG.warning(
                "No picture could be drawn, the message goes without. run=%s why=%s: %s",
                letter.run, type(error).__name__, error,
            )  # fmt: skip
            return b""

    def _drawn(self, run_id: RunId, said: Signal) -> bytes:
        run = self.store.lean(run_id)
        about = subject(said, run, self.rules) if run is not None else None
        if run is None or about is None:
            return b""
        traces = self._traces(run, about, Stretch(min(said.first_step, said.step), said.step, said.t))
        if not any(len(one.steps) for one in traces):
            return b""
        band = min(said.first_step, said.step), said.step
        return png(Picture(about.title, traces, band, about.level, run_id))

    def _traces(self, run: RunSeries, about: Subject, around: Stretch) -> Sequence[Trace]:
        pieces = excerpt(self.store, run.id, about.sids, around) if about.sids else ()
        steps, values = _columns([one.points for one in pieces])
        if about.rank is not None:
            return [Trace(f"rank {about.rank}", steps, values), *self._peers(run, about, about.rank, pieces)]
        if not about.evaluations:
            return [Trace(about.name, steps, values)]
        found = newest(self.store, run.id, about.evaluations, EVALUATIONS)
        if len(steps):
            found = found[(found["step"] >= steps.min()) & (found["step"] <= steps.max())]
        return [Trace(EVALUATION, *_columns([found])), Trace(about.name, steps, values, quiet=True)]

    def _peers(self, run: RunSeries, about: Subject, rank: int, pieces: Sequence[Piece]) -> Sequence[Trace]:
        """The median of those like the rank, step by step; nothing where they are too few."""
        turns = [about.sids.index(one.sid) for one in pieces]
        count = sum(len(one.points) for one in pieces)
        most = min(PEERS, CELLS // max(1, count))
        others = [
            [sids[turn] for turn in turns]
            for one in _sample(_like(run, about, rank), most)
            if len(sids := of_rank(run, about.name, one, is_tag=about.is_tag)) == len(about.sids)
        ]
        if len(others) < LEAST_PEERS or not count:
            return ()
        steps = np.unique(np.concatenate([one.points["step"] for one in pieces]).astype(np.int64))
        found = list(alike(self.store, run.id, pieces, others))
        each = len(pieces)
        rows = [_row(steps, found[at : at + each]) for at in range(0, len(found), each)]
        known = np.isfinite(np.array(rows)).any(axis=0)
        middle = np.nanmedian(np.array(rows)[:, known], axis=0)
        return [Trace(f"median of {len(others)} ranks", steps[known], middle, quiet=True)]


def _columns(several: Sequence[Points]) -> tuple[Ints, Floats]:
    """Steps and values of points that follow one another."""
    steps = np.concatenate([np.zeros(0, np.int64), *(one["step"] for one in several)])
    return steps, np.concatenate([np.zeros(0), *(one["value"] for one in several)])


def _row(steps: Ints, several: Sequence[Points]) -> Floats:
    """The values of a rank at some steps, NaN where it has no finite one."""
    row = np.full(len(steps), np.nan)
    mine, values = _columns(several)
    at = np.searchsorted(steps, mine)
    fits = (at < len(steps)) & np.isfinite(values)
    fits[fits] = steps[at[fits]] == mine[fits]
    row[at[fits]] = values[fits]
    return row


def _like(run: RunSeries, about: Subject, rank: int) -> Sequence[int]:
    """Ranks that differ from a rank in nothing but the data they see."""
    known = series_of(SeriesKey(run.series), about.name, is_tag=about.is_tag)
    ranks = np.array(sorted({meta.rank for _, meta in known if meta.rank is not None}), np.int64)
    numbers = groups(run.facts, ranks, about.name)
    mine: list[int] = ranks[(numbers == numbers[ranks == rank]) & (ranks != rank)].tolist()
    return mine


def _sample(several: Sequence[int], most: int) -> Sequence[int]:
    """At most so many of them, evenly."""
    if len(several) <= most:
        return several
    return [several[one * len(several) // most] for one in range(most)]
