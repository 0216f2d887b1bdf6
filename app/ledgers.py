"""Ledgers and costs of runs out of the store: worked out once while nothing is appended, and else from what is new."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar, cast

import numpy as np

from app.configuration import configuration
from app.look import tails, telling
from app.reader import Reader, Wanted, default_rank, owner
from app.series.attempts import Timeline
from app.series.costs import Costs, costs
from app.series.curve import EMPTY, SOURCES, Curve
from app.series.eta import of_paces
from app.series.ledger import Ledger, ledger
from app.series.marks import Mark, marks
from app.series.overview import Habits, Tail, whole_number
from app.stored import RunStore, StoredEvents, StoredRun
from collector.wire.records import Source

RUNS = 128  # runs whose stretches are kept; one of a million points holds some four thousand paces
STRETCHES = 4096  # of one run: sixty million points, or as many as were superseded by later lines
PRINTED = 64  # newest step times
PARALLEL = ("data_parallel", "model_parallel", "pipeline_stages")
COUNT_SECONDS = 30.0  # between two counts of all points of a run …
COUNTED = 1000  # … which may have ten thousand series: then of about so many of them

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Books:
    """What is known of one run's time and of what watching it costs; ``ledger`` is None without any clock."""

    ledger: Ledger | None
    costs: Costs
    npus: int | None = None  # of the whole job

    @property
    def npu_hours_lost(self) -> float | None:
        """Hours of all NPUs that were no training that counts."""
        return None if self.ledger is None or self.npus is None else self.ledger.lost / 3.6e6 * self.npus

    @property
    def habits(self) -> Habits:
        """What the run is used to."""
        if self.ledger is None:
            return Habits()
        paces = of_paces(self.ledger.paces)
        usual = {name: ms / 1000 for name, ms in self.ledger.usual_ms.items()}
        every = [one.step_ms for one in self.ledger.paces]
        return Habits(usual, float(np.median(every)) if every else None, paces, self.ledger.overhead)


@dataclass(slots=True)
class _Kept:
    """One run's memory: stretches that are complete, the last answer, and what it was the answer to."""

    stretches: dict[Hashable, object] = field(default_factory=dict)
    answer: tuple[object, Books] | None = None  # what it was the answer to, and it
    told: tuple[object, Sequence[Mark]] = (None, ())  # what the lines tell, and how many there were
    points: int = 0
    counted: tuple[float, int] = (float("-inf"), 0)  # when, and how many series there were

    def __call__(self, key: Hashable, make: Callable[[], T]) -> T:
        """See stretches.Remember."""
        known = self.stretches.get(key)
        if known is None:
            if len(self.stretches) >= STRETCHES:
                self.stretches.clear()
            known = self.stretches[key] = make()
        return cast(T, known)


class Ledgers:
    """Safe to share between threads. Every method raises StoreAway while Redis is away."""

    def __init__(self, store: RunStore, reader: Reader) -> None:
        """Reads when asked."""
        self._store = store
        self._reader = reader
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def books(self, run: StoredRun, known: Timeline, now: float) -> Books:
        """Of the run as it was read; ``known`` is its timeline."""
        kept = self._of(run.id)
        curve, source = self._clocked(run, known)
        events = self._store.events(run.id)
        count = self._count(run, kept, now)
        state = (_state(curve), known, events.total, dict(run.cursors), dict(run.facts), count)
        answer = kept.answer
        if answer is None or answer[0] != state:
            answer = state, self._made(run, known, kept, curve, source, events, count)
            kept.answer = answer
        return answer[1]

    def _of(self, run: str) -> _Kept:
        with self._lock:
            kept = self._kept.setdefault(run, _Kept())
            self._kept.move_to_end(run)
            while len(self._kept) > RUNS:
                self._kept.popitem(last=False)
            return kept

    def _clocked(self, run: StoredRun, known: Timeline) -> tuple[Curve, Source]:
        """The points that tell how time went. They are of one source, since clocks of different sources are not
        compared: the log, whose lines tell of the rest, unless event files saw more attempts."""
        wanted = _pulse(run)
        present = [one for one in reversed(SOURCES) if any(meta.source == one for meta in run.series.values())]
        # of a single source the curve that the panels draw is the same
        asked = [Wanted(*wanted, None if len(present) == 1 else one) for one in present]
        found = [(self._reader.curve(run, one, known), source) for one, source in zip(asked, present, strict=True)]
        return max(found, key=lambda it: _covered(it[0]), default=(EMPTY, "log"))

    def _made(
        self,
        run: StoredRun,
        known: Timeline,
        kept: _Kept,
        curve: Curve,
        source: Source,
        events: StoredEvents,
        count: int,
    ) -> Books:
        seen = tails(self._store, run, telling(run), PRINTED)
        told = _told(kept, events, owner(run)) if source == "log" else []
        book = ledger(curve, known.attempts, told, printed_ms=_printed(seen, source), remember=kept)
        return Books(book, costs(run, seen, book, points=count, settings=configuration(run.facts)), npus(run))

    def _count(self, run: StoredRun, kept: _Kept, now: float) -> int:
        """How many points are stored, counted from time to time; of very many series some are asked for all."""
        when, series = kept.counted
        if series != len(run.series) or now - when >= COUNT_SECONDS:
            every = list(run.series)
            asked = every[:: len(every) // COUNTED + 1]
            kept.points = round(sum(self._store.lengths(run.id, asked)) * len(every) / max(1, len(asked)))
            kept.counted = now, len(run.series)
        return kept.points


def _told(kept: _Kept, events: StoredEvents, rank: int | None) -> Sequence[Mark]:
    """What the log's lines tell, read once."""
    state = events.total, rank
    if kept.told[0] != state:
        kept.told = state, marks(events.events, rank)
    return kept.told[1]


def npus(run: StoredRun) -> int | None:
    """How many NPUs the job has: as it says, by its layout, or at least by the ranks that wrote something; None when
    there is one rank at most, which tells nothing of the others."""
    told = whole_number(run.facts.get("world_size"))
    layout = [whole_number(run.facts.get(name)) for name in PARALLEL]
    if not told and all(layout):
        told = math.prod(one or 1 for one in (*layout, whole_number(run.facts.get("context_parallel"))))
    seen = max((meta.rank for meta in run.series.values() if meta.rank is not None), default=0) + 1
    return max(told or 0, seen) if told or seen > 1 else None


def _pulse(run: StoredRun) -> tuple[str, bool, int | None]:
    """The metric or tag whose points tell how steps went: the loss, else any metric, else any tag."""
    metrics = sorted({meta.metric for meta in run.series.values() if meta.metric is not None})
    name = (
        "loss" if "loss" in metrics else (metrics or sorted({meta.tag for meta in run.series.values()}) or ["loss"])[0]
    )
    is_tag = not metrics
    return name, is_tag, default_rank(run, name, is_tag=is_tag)


def _covered(curve: Curve) -> int:
    """How many attempts a source saw with a clock; of equal ones the first that is asked is taken."""
    clocked = len(curve) and np.isfinite(curve.walls[[0, -1]]).any()
    return int(curve.attempts[-1] - curve.attempts[0]) + 1 if clocked else 0


def _state(curve: Curve) -> object:
    """Equal while nothing was appended."""
    if not len(curve):
        return 0
    return (
        len(curve),
        int(curve.steps[-1]),
        repr(float(curve.walls[-1])),
        int(curve.steps[0]),
        repr(float(curve.walls[0])),
    )


def _printed(seen: Sequence[Tail], source: Source) -> float | None:
    """The usual step time that the run prints now, in milliseconds."""
    values = [one.recent.values for one in seen if one.meta.metric == "step_time" and one.meta.source == source]
    every = np.concatenate([*values, np.zeros(0)])
    every = every[np.isfinite(every) & (every > 0)]
    return float(np.median(every)) if len(every) else None
