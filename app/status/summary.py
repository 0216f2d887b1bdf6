"""What the terminal shows of a run: its page's facts, its last values, and its loss. Times are Unix seconds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from app.alarms import Alarms
from app.look import tails
from app.pages.shown import RunShown
from app.pages.source import Source
from app.pages.verdicts import Badge, badges
from app.reader import Reader, Wanted, default_rank, owner
from app.series.curve import Floats
from app.series.overview import newest
from app.series.splice import latest
from app.stored import RunStore, StoredRun

VALUES = ("lr", "grad_norm", "loss_scale")  # last values beside the loss
NEWS_SECONDS = 86_400.0  # a run that fell silent longer ago is history, not news


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """One run at ``at``."""

    run: RunShown
    last: Mapping[str, float]  # metric of VALUES → its newest value, as far as the run has them
    loss: Floats  # every point of the stitched curve
    at: float

    @property
    def age(self) -> float | None:
        """Seconds since its files last grew."""
        return None if self.run.touched is None else max(0.0, self.at - self.run.touched)

    @property
    def troubles(self) -> list[Badge]:
        """Verdicts that are not good news."""
        return [one for one in badges(self.run) if one.tone in ("warn", "bad")]

    @property
    def needs_attention(self) -> bool:
        """It failed, its curves hold what is no number, or it fell silent within the last day."""
        if self.run.seen.status == "failed" or any(one.tone == "bad" for one in self.troubles):
            return True
        return self.run.seen.status == "quiet" and self.age is not None and self.age <= NEWS_SECONDS


class Summaries:
    """Reads the runs of one store again and again; what was not appended to is not assembled again."""

    def __init__(self, store: RunStore, clock: Callable[[], float], alarms: Alarms | None = None) -> None:
        """``clock`` gives Unix seconds; without ``alarms`` nothing is said of alerts."""
        self._store, self._clock = store, clock
        self._reader = Reader(store)
        self._source = Source(store, clock, self._reader, alarms=alarms)

    def newest(self, most: int | None) -> tuple[list[Summary], int]:
        """The ``most`` runs touched last (None = all), newest first, and how many there are. Raises StoreAway."""
        known = sorted(self._source.runs(), key=lambda one: (-(one.touched or 0), one.id))
        chosen = [self._source.run(one.id) for one in known[:most]]
        return [self._summary(one) for one in chosen if one is not None], len(known)

    def _summary(self, run: RunShown) -> Summary:
        return Summary(run, self._last(run.run), self._loss(run.run), self._clock())

    def _last(self, run: StoredRun) -> dict[str, float]:
        mine = {owner(run), None}
        sids = {
            name: [sid for sid, meta in run.series.items() if meta.metric == name and meta.rank in mine]
            for name in VALUES
        }
        ends = {name: newest(tails(self._store, run, found, 1)) for name, found in sids.items() if found}
        return {name: float(tail.recent.values[-1]) for name, tail in ends.items() if tail is not None}

    def _loss(self, run: StoredRun) -> Floats:
        if all(meta.metric != "loss" for meta in run.series.values()):
            return np.empty(0)
        known = self._reader.timeline(run)
        whole = self._reader.curve(run, Wanted("loss", False, default_rank(run, "loss", is_tag=False)), known)
        return latest(whole, known.first_steps).values
