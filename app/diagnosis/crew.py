"""All ranks of a run in one metric, as their rules are told of them: column by column, out of a grid. Pure.

A column is taken when every rank has it or has gone on without it. A rank that is behind is waited for, since files are
read one after the other, but for seconds only: then it is taken to be lost, until it writes again. Of a long history
only the newest columns are held, so what was found in older ones is kept as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from app.diagnosis.alert import Alert
from app.diagnosis.episodes import Episodes
from app.diagnosis.memory import Saved, restore, save
from app.diagnosis.peers import NOBODY, Peers
from app.diagnosis.signal import Class
from app.names import SeriesKey, names_of, series_of
from app.series.curve import Ints
from app.series.ranks import meaning
from app.series.ranks.grid import Grid
from app.series.ranks.layout import Layout
from app.stored import RunSeries

LOSSES = ("device_local_loss", "local_loss", "loss")  # a rank's own values before those that speak for the run
LEAST = 4  # ranks, of which one can be unlike the others
PATIENCE = 10.0  # seconds for which a rank that is behind is waited for
JOINT = 20.0  # columns within which what comes to several ranks is one thing
FORM = 1


def metrics(run: RunSeries) -> Iterator[tuple[str, bool]]:
    """What the ranks of a run are compared by, and whether it is a tag: a loss, and a time of their own."""
    key = SeriesKey(run.series)
    yield from ((name, False) for name in [one for one in LOSSES if _is_of_many(key, one, is_tag=False)][:1])
    times = sorted(one for one in names_of(key, is_tag=True) if meaning.is_own_time(one))
    yield from ((name, True) for name in [one for one in times if _is_of_many(key, one, is_tag=True)][:1])


def _is_of_many(key: SeriesKey, name: str, *, is_tag: bool) -> bool:
    ranks = {meta.rank for _, meta in series_of(key, name, is_tag=is_tag) if meta.rank is not None}
    return len(ranks) >= LEAST


def groups(facts: Mapping[str, str], ranks: Ints, metric: str) -> Ints:
    """The number of each rank's group, NOBODY for ranks that have no such value by design."""
    layout = Layout.of(facts, ranks.tolist())
    found = layout.groups(ranks)
    return np.where(layout.has_loss(ranks), found, NOBODY) if meaning.is_loss(metric) else found


@dataclass(slots=True)
class Crew:
    """``since`` is the first step that was not taken, None before the first column; ``attempts`` how many there were;
    ``taken`` counts columns; ``lost`` are rows of ranks that nobody waits for; ``held`` is the step that is waited for,
    and since when."""

    metric: str
    ranks: Ints
    groups: Ints
    peers: Peers
    episodes: Episodes = field(default_factory=Episodes)
    since: int | None = None
    attempts: int = 0
    taken: int = 0
    lost: list[int] = field(default_factory=list)
    held: tuple[int, float] | None = None

    @classmethod
    def of(cls, metric: str, ranks: Ints, groups: Ints) -> Crew:
        """Before the first column."""
        return cls(metric, ranks, groups, Peers(metric, groups))

    @property
    def about(self) -> Class:
        """The class of what it finds."""
        return self.peers.about

    def is_of(self, ranks: Ints, groups: Ints) -> bool:
        """Whether it is about these ranks, compared so."""
        return np.array_equal(self.ranks, ranks) and np.array_equal(self.groups, groups)

    def begin(self, first_steps: Sequence[int]) -> None:
        """Tell where the attempts began: what a new one does again is taken again."""
        if len(first_steps) > self.attempts > 0 and self.since is not None:
            self.since = min(self.since, *first_steps[self.attempts :])
        self.attempts = len(first_steps)

    def advance(self, grid: Grid, first_steps: Sequence[int], now: float) -> Iterator[int]:
        """Take every column of a grid that is complete at ``now`` (seconds), from ``since`` on; the steps taken."""
        interval = float(np.median(np.diff(grid.steps))) if len(grid.steps) > 1 else 1.0
        self.episodes.window = JOINT * interval
        last = grid.seen
        for column, step in enumerate(grid.steps.tolist()):
            if self.since is not None and step < self.since:
                continue
            there = grid.there[:, column]
            if self._waits(step, np.flatnonzero(~there & (last < step)).tolist(), now):
                return
            if self.lost:
                self.lost = [row for row in self.lost if not there[row]]
            self._take(grid, column, step, first_steps)
            yield step

    def _waits(self, step: int, behind: Sequence[int], now: float) -> bool:
        """Whether a column is left for ranks that are behind."""
        late = [row for row in behind if row not in self.lost]
        if not late:
            self.held = None
            return False
        if self.held is None or self.held[0] != step:
            self.held = step, now
        if now - self.held[1] < PATIENCE:
            return True
        self.lost, self.held = sorted({*self.lost, *late}), None
        return False

    def _take(self, grid: Grid, column: int, step: int, first_steps: Sequence[int]) -> None:
        wall = float(grid.walls[column])
        said = self.peers.take(step, wall if wall == wall else None, grid.values[:, column], grid.there[:, column])
        self.since, self.taken = step + 1, self.taken + 1
        if said:
            attempt = max((number for number, first in enumerate(first_steps, 1) if first <= step), default=1)
            self.episodes.take(said, attempt)

    def keep(self, stored: Mapping[str, Alert], first: int) -> None:
        """Take over what was found in columns before the ``first`` that are held: nobody can find it again."""
        mine = {one.id: one for one in stored.values() if one.rank is not None and one.about == self.about}
        older = {name: replace(one, is_open=False) for name, one in mine.items() if one.raised_step < first}
        self.episodes.alerts = {**older, **self.episodes.alerts}

    def save(self) -> Saved:
        """As JSON values."""
        return {
            "form": FORM,
            "ranks": self.ranks.tolist(),
            "groups": self.groups.tolist(),
            "peers": self.peers.save(),
            "alerts": [save(one) for one in self.episodes.alerts.values()],
            "standing": [[*key, name] for key, name in self.episodes.standing.items()],
            "numbers": [self.since, self.attempts, self.taken, self.lost],
        }

    @classmethod
    def restore(cls, metric: str, saved: Saved) -> Crew:
        """What ``save`` was called of. Raises KeyError, TypeError, ValueError when it is of another form."""
        if saved["form"] != FORM:
            raise ValueError(f"form {saved['form']}")
        ranks, numbers = np.asarray(saved["ranks"], np.int64), np.asarray(saved["groups"], np.int64)
        episodes = Episodes.of([restore(Alert, one) for one in saved["alerts"]], saved["standing"])
        return cls(metric, ranks, numbers, Peers.restore(metric, numbers, saved["peers"]), episodes, *saved["numbers"])
