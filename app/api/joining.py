"""Commits → what a page appends: one metric, one step, one point.

Several files of several ranks announce the same step; a page wants it once, from the owner. Exact values of event files
that arrive after the log's are left to the next time the page reads the series.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.series.owner import holders, owner_of
from app.series.segments import INTERVALS_BACK
from app.stored import LiveEntry, LivePoint, StoredRun
from collector.wire.metrics import METRICS

REMEMBERED = 4096  # points a metric, by which a twin that lags behind is told from a restart


@dataclass(frozen=True, slots=True)
class Batch:
    """What one or more commits add. ``reload``: the page's history is no longer right and must be read again."""

    points: Mapping[str, Sequence[LivePoint]]
    events: int
    reload: bool
    alerts: int = 0
    """How many changed; ``notes`` the same of those."""
    notes: int = 0

    def __bool__(self) -> bool:
        return bool(self.points or self.events or self.reload or self.alerts or self.notes)


@dataclass(slots=True)
class _Sent:
    """What has been sent of one metric."""

    high: int | None = None
    recent: OrderedDict[int, tuple[float, float]] = field(default_factory=OrderedDict)

    def remember(self, point: LivePoint) -> None:
        self.high = point.step if self.high is None else max(self.high, point.step)
        self.recent[point.step] = point.wall, point.value
        if len(self.recent) > REMEMBERED:
            self.recent.popitem(last=False)

    def has(self, point: LivePoint) -> bool:
        """Whether this very record was sent, from a twin file."""
        return repr(self.recent.get(point.step)) == repr((point.wall, point.value))  # repr: NaN is equal to NaN


@dataclass(slots=True)
class _Pace:
    """How the steps of one metric advance in one source."""

    step: int
    interval: int = 1

    def goes_back(self, step: int) -> bool:
        return step < self.step - INTERVALS_BACK * self.interval

    def advance(self, step: int) -> None:
        if step > self.step:
            self.interval, self.step = step - self.step, step


class Join:
    """What was sent of one run so far; ``batch`` is for one thread."""

    def __init__(self, run: StoredRun) -> None:
        """Owners and generations as they are stored now."""
        self._facts = run.facts
        self._ranks = holders(run.series.values())
        self._generations: dict[tuple[str, str], int] = {}
        for meta in run.series.values():
            if meta.metric is not None:
                self._know_generation(meta.metric, meta.source, meta.generation)
        self._sent: dict[str, _Sent] = {}
        self._paces: dict[tuple[str, str], _Pace] = {}

    def outdated(self, run: StoredRun) -> bool:
        """Whether the run as it is stored gives a metric that was known here to another rank."""
        ranks = holders(run.series.values())
        before = {metric: self._owner(metric) for metric in ranks if metric in self._ranks}
        return any(owner_of(metric, ranks, run.facts) != owner for metric, owner in before.items())

    def batch(self, entries: Iterable[LiveEntry]) -> Batch:
        """What is new in the entries, which are offered in order and only once."""
        points: dict[str, list[LivePoint]] = {}
        events, alerts, notes, reload = 0, 0, 0, False
        for entry in entries:
            events += entry.events
            alerts += entry.alerts
            notes += entry.notes
            reload |= entry.reload
            for point in entry.points:
                news = self._news(point)
                reload |= news is None
                if news:
                    points.setdefault(point.metric, []).append(point)
        return Batch({} if reload else points, events, reload, alerts, notes)

    def _news(self, point: LivePoint) -> bool | None:
        """Whether to send it; None when it shows that history has to be read again."""
        metric = METRICS.get(point.metric)
        if metric is None or metric.scope != "run":
            return False
        if self._takes_over(point) or self._opens_generation(point):
            return None
        if point.rank is not None and point.rank != self._owner(point.metric):
            return False
        return self._advances(point)

    def _advances(self, point: LivePoint) -> bool | None:
        sent = self._sent.setdefault(point.metric, _Sent())
        if sent.has(point):
            return False
        pace = self._paces.setdefault((point.metric, point.source), _Pace(point.step))
        if pace.goes_back(point.step):
            return None
        pace.advance(point.step)
        if sent.high is not None and point.step <= sent.high:
            return False
        sent.remember(point)
        return True

    def _owner(self, metric: str) -> int | None:
        return owner_of(metric, self._ranks, self._facts)

    def _takes_over(self, point: LivePoint) -> bool:
        """Whether a rank that was not known to have this metric now speaks for the run."""
        if point.rank is None or point.rank in self._ranks.get(point.metric, ()):
            return False
        before = self._owner(point.metric)
        self._ranks.setdefault(point.metric, set()).add(point.rank)
        return before is not None and self._owner(point.metric) != before

    def _opens_generation(self, point: LivePoint) -> bool:
        known = self._generations.get((point.metric, point.source))
        self._know_generation(point.metric, point.source, point.generation)
        return known is not None and point.generation > known

    def _know_generation(self, metric: str, source: str, generation: int) -> None:
        key = metric, source
        self._generations[key] = max(generation, self._generations.get(key, 0))
