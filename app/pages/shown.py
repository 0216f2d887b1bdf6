"""What the pages show of a run. Pure; times are Unix seconds, and ``None`` means that the files do not say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.diagnosis.handling import Standing
from app.ledgers import Books
from app.series.attempts import Attempt
from app.series.happening import Happening
from app.series.overview import Overview
from app.stored import StoredRun

TRAINING = ("loss", "lr", "grad_norm")  # metrics whose files are named in the head


@dataclass(frozen=True, slots=True)
class Counts:
    """What was counted in a run's curves; None = the run has no such curve."""

    not_finite: int = 0  # points of losses and gradient norm that are NaN or infinite, of the stitched run
    overflows: int | None = None  # steps whose overflow flag is set
    redone: int = 0  # such points of steps that a later attempt has done again


@dataclass(frozen=True, slots=True)
class RunShown:
    """One run, as the run page shows it."""

    run: StoredRun
    seen: Overview
    events: Sequence[Happening] = ()  # newest first
    attempts: Sequence[Attempt] = ()
    counts: Counts = Counts()
    books: Books | None = None  # where its time went and what watching it costs; not of the table
    alerts: Sequence[Standing] = ()  # every one that is kept
    is_judged: bool = False  # whether rules watch it now, so that no alert is good news
    ranks_at: str = ""  # address of the map of its ranks, where that is not behind its own

    @property
    def id(self) -> str:
        """Its id, as in its address."""
        return self.run.id

    @property
    def name(self) -> str:
        """What a person calls it."""
        return self.run.record.name

    @property
    def state(self) -> str:
        """A word for words.states.STATUSES: the collector's doing is told apart from the training's."""
        state = self.seen.freshness.state
        return state if state in ("collector_away", "catching_up") else self.seen.status

    @property
    def is_going(self) -> bool:
        """Whether more may come."""
        return self.seen.status not in ("finished", "failed")

    @property
    def touched(self) -> float | None:
        """When its files last grew, by their own times; of a copy of older files, when its last point was written."""
        return self.seen.freshness.touched

    @property
    def ranks(self) -> tuple[int, ...]:
        """Every rank that wrote something."""
        return tuple(sorted({one.rank for one in self.run.series.values() if one.rank is not None}))

    @property
    def sources(self) -> tuple[str, ...]:
        """What kinds of file the curves come from."""
        return tuple(sorted({one.source for one in self.run.series.values() if one.metric in TRAINING}))

    @property
    def unreadable(self) -> int:
        """Records that could not be read."""
        return sum(sum(one.counts.values()) for one in self.run.cursors.values())

    def events_of(self, kind: str) -> int:
        """How often something happened, as far as the events reach."""
        return sum(one.times for one in self.events if one.kind == kind)
