"""Ranks of one metric, a row of all of them at a time: who is off those like it, frozen, without numbers, or slow.

Pure, constant in work and memory, and a function of its rows: rows in pieces of any size, or going on from a saved
state, make the same signals. What the page says of a whole grid (app/series/ranks) goes by the same numbers; there the
future is known, and here a rank is accused once in a thousand million rows by chance, at most.

Rows are complete: the caller gives a row when every rank that still writes has written it, or when some have gone on
by so many rows that the others are taken to have missed it. That a rank has no value is not wrong here; that one has
fallen silent is said by clocks, elsewhere. A value that comes after its row was given is left out.
"""

from __future__ import annotations

import numpy as np

from app.diagnosis.memory import Saved
from app.diagnosis.ranks import arrays, episodes, strange, stuck, unlike
from app.diagnosis.ranks.episodes import OFF, PARTS, SLOW, STRANGE, STUCK, UNLIKE, Episodes, Part, Said
from app.diagnosis.ranks.evidence import of_offset, of_run
from app.diagnosis.ranks.offset import Offset
from app.diagnosis.ranks.standing import Standing
from app.diagnosis.ranks.strange import Strange
from app.diagnosis.ranks.stuck import Stuck
from app.diagnosis.ranks.unlike import Unlike
from app.diagnosis.signal import Class, Evidence, Signal
from app.series.curve import Flags, Floats, Ints
from app.series.ranks import meaning
from app.series.ranks.cohorts import LARGEST, Cohorts
from app.series.ranks.deviation import arranged
from app.series.ranks.findings import TIME, VALUE
from app.series.ranks.middle import Singles

NEVER = -1  # a step
NOBODY = -1  # group of a rank that has no such value by design: a stage without a loss


class Peers:
    """``groups`` (R) number ranks that differ in nothing but the data they see (Layout.groups), NOBODY: left out."""

    def __init__(self, metric: str, groups: Ints) -> None:
        """Of a metric (or tag), which says what is compared: own times, reduced values, or values of each rank."""
        self.metric = metric
        self.ranks = np.flatnonzero(groups != NOBODY)
        self.groups = groups[self.ranks]
        count = len(self.ranks)
        self.rows, self.seen = 0, np.zeros(count, np.bool_)
        self.together = Cohorts.together(self.groups) if count else Cohorts.by(self.groups)
        self.everyone = Cohorts.by(np.zeros(count, np.int64))
        self.limits = TIME if meaning.is_own_time(metric) else VALUE
        self.offset = Offset(arranged(self.seen[:, None], self.groups), self.limits)
        self.strange, self.stuck = Strange.blank(count), Stuck.blank(count)
        self.unlike, self.unlike_group = Unlike.blank(count), Unlike.blank(count)
        self.episodes = Episodes.blank(count)

    @property
    def about(self) -> Class:
        """The class that is said."""
        return "throughput" if self.limits.upwards else "rank_outlier"

    def take(self, step: int, t: float | None, values: Floats, there: Flags | None = None) -> list[Signal]:
        """Take a row: ``values`` (R), NaN where a rank wrote NaN; ``there`` (R) tells which ranks wrote, None: all.
        Zeros of ranks that never had anything else count as nothing."""
        if not len(self.ranks):
            return []
        values = values[self.ranks].astype(np.float64)
        wrote = np.ones(len(values), np.bool_) if there is None else there[self.ranks]
        size = np.abs(values)
        live = wrote & (size > 0) & (size < LARGEST)
        if (live & ~self.seen).any():
            self._see(live)
        told, standing = self._ask(step, values, wrote & self.seen, live)
        said = list(episodes.take(self.episodes, self.rows, told))
        self.rows += 1
        return [self._signal(one, step, t, float(values[one.row]), standing) for one in said]

    def _see(self, live: Flags) -> None:
        """Ranks of which nothing was known have a value: they may make a cohort of what were too few."""
        self.seen = self.seen | live
        cohorts, old = arranged(self.seen[:, None], self.groups), self.offset
        fresh = Offset(cohorts, self.limits)
        fresh.follow(old)
        self.offset = fresh

    def _ask(
        self, step: int, values: Floats, wrote: Flags, live: Flags
    ) -> tuple[list[tuple[int, Flags, Flags]], Standing | None]:
        """What begins and ends, by part, the heaviest first."""
        told: list[tuple[Part, Flags, Flags]] = [
            (STRANGE, *strange.take(self.strange, self.together, step, values, wrote))
        ]
        if meaning.is_reduced(self.metric):
            told.append((UNLIKE, *self._unlike(step, np.where(live, values, np.nan).astype(np.float32))))
        told.append((STUCK, *stuck.take(self.stuck, self.together, step, values, wrote)))
        standing = None
        if not meaning.is_synchronised(self.metric):
            order = self.offset.cohorts.order
            row = np.where(live, values, np.nan)[order].astype(np.float32)
            begins, ends, standing = self.offset.take(step, row)
            part = SLOW if self.limits.upwards else OFF
            told.append((part, _back(begins, order), _back(ends, order)))
        return [(PARTS.index(part), begins, ends) for part, begins, ends in told], standing

    def _unlike(self, step: int, values: Singles) -> tuple[Flags, Flags]:
        found = unlike.take(self.unlike, self.everyone, step, values)
        in_group = unlike.take(self.unlike_group, self.together, step, values)
        return found if unlike.reduced(self.unlike) else in_group

    def _signal(self, said: Said, step: int, t: float | None, value: float, standing: Standing | None) -> Signal:
        name, severity = PARTS[said.part]
        first, evidence = self._since(said, value, standing) if said.act != "clear" else (NEVER, Evidence())
        if first == NEVER:
            first = int(self.episodes.first[said.row]) if said.act == "clear" else step
        self.episodes.first[said.row] = first
        return Signal(said.act, self.about, name, severity, step, first, t, evidence, rank=int(self.ranks[said.row]))

    def _since(self, said: Said, value: float, standing: Standing | None) -> tuple[int, Evidence]:
        """The step at which it began, and its numbers."""
        part = PARTS[said.part]
        if part in (OFF, SLOW) and standing is not None:
            place = int(np.flatnonzero(self.offset.cohorts.order == said.row)[0])
            return int(self.offset.courses.began[place]), of_offset(self.offset, standing, place, value)
        run: Strange | Stuck | Unlike = self._unlike_now
        if part in (STRANGE, STUCK):
            run = self.strange if part == STRANGE else self.stuck
        return int(run.began[said.row]), of_run(value, int(run.run[said.row]) + (part == STUCK))

    @property
    def _unlike_now(self) -> Unlike:
        return self.unlike if unlike.reduced(self.unlike) else self.unlike_group

    @property
    def _arrays(self) -> dict[str, object]:
        return {
            "strange": self.strange,
            "stuck": self.stuck,
            "unlike": self.unlike,
            "unlike_group": self.unlike_group,
            "episodes": self.episodes,
        }

    def save(self) -> Saved:
        """Everything that is remembered, as JSON values."""
        parts = {name: arrays.saved(one) for name, one in self._arrays.items()}
        return {"rows": self.rows, "seen": self.seen.tolist(), "offset": self.offset.save(), **parts}

    @classmethod
    def restore(cls, metric: str, groups: Ints, saved: Saved) -> Peers:
        """One that goes on where ``save`` was called; metric and groups must be the same."""
        found = cls(metric, groups)
        found.rows, found.seen = int(saved["rows"]), np.asarray(saved["seen"], np.bool_)
        found.offset = Offset(arranged(found.seen[:, None], found.groups), found.limits)
        found.offset.fill(saved["offset"])
        for name, mine in found._arrays.items():
            arrays.filled(mine, saved[name])
        return found


def _back(flags: Flags, order: Ints) -> Flags:
    """What is told in the order of cohorts, in that of ranks."""
    found = np.empty_like(flags)
    found[order] = flags
    return found
