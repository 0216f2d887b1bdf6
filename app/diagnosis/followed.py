"""One run as the worker follows it: reads what is new, has it judged, writes what was found. Goes on where it was."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Protocol

from app.diagnosis.alert import Alert
from app.diagnosis.crews import Crews
from app.diagnosis.diagnosis import Diagnosis
from app.diagnosis.handling import Mute
from app.diagnosis.memory import Saved
from app.diagnosis.notices import Changes, changes
from app.diagnosis.rows import Anew
from app.diagnosis.rules.custom import UserRule
from app.diagnosis.sought import seek
from app.diagnosis.store import Kept
from app.diagnosis.taking import adopt, refill
from app.diagnosis.told import Told
from app.diagnosis.tuning import Tuning, tuned
from app.stored import START, LeanRun, RunStore
from collector.wire.records import RunId

SLICE_SECONDS = 0.15  # of one run's history; then every run with news has its turn
SAVE_SECONDS = 20.0  # between two savings when nothing was found: as much is judged again after a kill
EAGER = 5  # beginnings in a row that are made at once
LATEST_SECONDS = 60.0  # until the next one
RANKED_SECONDS = 60.0  # the same for ranks, of whom there is much to save
ASKED_SECONDS = 10.0  # between two looks for why there are no summaries
SHORT_SECONDS = 60.0  # for which another file is waited for to come as far as the one before it
SETTLED_SECONDS = 5.0  # after which nothing is added to a row that looks incomplete


class Keeper(Protocol):
    """What keeps alerts and the rules' memory: app.diagnosis.store, as far as following a run takes it."""

    def kept(self, run_id: RunId) -> Kept: ...

    def alerts(self, run_id: RunId) -> dict[str, Alert]: ...

    def mutes(self) -> Sequence[Mute]: ...

    def commit(
        self, run_id: RunId, version: str, state: Saved, news: Changes, ranks: bytes | None = None
    ) -> str | None: ...


class Conflict(Exception):
    """Another worker wrote, or the run is gone or new: what is stored has to be read again."""


@dataclass(slots=True)
class Followed:
    """``position`` is the newest live entry that was read with the points; ``behind``: more is stored than was judged;
    ``rebuilding``: it was begun anew, and alerts are written when it has caught up."""

    store: RunStore
    alerts: Keeper
    id: RunId
    clock: Callable[[], float]
    rules: Sequence[UserRule] = ()
    tuning: Tuning = field(default_factory=dict)
    crews: Crews | None = None
    known: Diagnosis | None = None
    version: str = ""
    stored: dict[str, Alert] = field(default_factory=dict)
    position: str = START
    behind: bool = True
    rebuilding: bool = False
    ahead: float = 0.0  # of the run's clock before ours, as long as rows come live
    judged: int = 0  # rows since this process began
    saved: float = 0.0  # when, by the clock
    unsaved: int = 0  # rows since then
    moved: float = 0.0  # when rows came last, 0 once what they left is settled
    heard: float = 0.0  # when the newest row came that we had waited for, 0 before there was one
    told: Told | None = None
    anew: int = 0  # how often it was begun anew since it had caught up
    not_before: float = 0.0  # by the clock
    reached: tuple[float, float] = (0.0, 0.0)  # the newest row's time before it was begun anew, and when that was
    ranked: float = 0.0  # when what is remembered of ranks was saved
    asked: float = 0.0  # when it was looked for why there are no summaries

    def advance(self, seconds: float = SLICE_SECONDS, *, is_over: Callable[[], bool] | None = None) -> bool:
        """Judge what is new, for so many seconds at most, or until it ``is_over`` (asked after each row); False when
        there is no such run. Raises StoreAway."""
        run = self.store.lean(self.id)
        if run is None:
            return False
        try:
            self._judge(run, self._ready(run), is_over or _slice(seconds))
            self.write()
        except Anew:
            self._begin_anew()
        except Conflict:
            self.known, self.behind = None, True
        return True

    def tick(self, now: float) -> None:
        """Say that it is ``now`` (Unix seconds by the run's own clock) and no row has come. Raises StoreAway."""
        if self.known is not None and not self.behind:
            self.known.at(now)
            self._try_to_write()

    def look_across(self, seconds: float = SLICE_SECONDS) -> bool:
        """Have the ranks judged, for so long at most; whether all that may be judged of them was. Raises StoreAway."""
        run = self.store.lean(self.id)
        if run is None or self.crews is None or self.known is None or self.behind:
            return True
        done = self.crews.advance(run, self.stored, seconds, self.clock())
        if done and self.crews.crews:
            self._try_to_write()
        return done

    def settle(self) -> None:
        """Take rows that look incomplete for what they are, when nothing has come for a while. Raises StoreAway."""
        if self.rebuilding and not self.behind:
            self._try_to_write()
        if self.known is None or self.behind or not self.moved or self.clock() - self.moved < SETTLED_SECONDS:
            return
        self.moved = 0.0
        try:
            self._count(sum(1 for _ in self.known.advance(final=True)))
        except Anew:
            self.known, self.behind = None, True
            return
        self._try_to_write()

    def finish(self) -> None:
        """Save what is remembered: nobody goes on here. Raises StoreAway."""
        with suppress(Conflict):
            self.write(all_of_it=True)

    def write(self, *, all_of_it: bool = False) -> None:
        """Write what was found, and from time to time what is remembered. Raises StoreAway, Conflict."""
        known = self.known
        if known is None:
            return
        found = self.found
        hidden = self.rebuilding and self._is_short(known)
        news = Changes((), (), ()) if hidden else changes(self.id, self.stored, found, self.clock(), self.ahead)
        late = self.unsaved > 0 and (all_of_it or self.clock() - self.saved > SAVE_SECONDS)
        ranked = self._is_ranks_turn(news, all_of_it=all_of_it)
        if news or late or ranked:
            self._commit(known, self._audible(news), ranked=ranked)
        self.rebuilding = hidden

    @property
    def found(self) -> dict[str, Alert]:
        """Every alert, by id: those of rows, then those of ranks, as the deployment wants them."""
        return tuned({**(self.known.episodes.alerts if self.known else {}), **self._of_ranks()}, self.tuning)

    def _is_short(self, known: Diagnosis) -> bool:
        """Whether it has not come again to where it was: what was found behind that is not gone."""
        wall, since = self.reached
        has_come = known.rows.wall >= wall or not wall  # of no row NaN, which is not
        return self.behind or (not has_come and 0 <= self.clock() - since < SHORT_SECONDS)

    def _of_ranks(self) -> Mapping[str, Alert]:
        """What was found of ranks; before they were looked at, what is stored of it."""
        if self.crews is not None and self.crews.ready:
            return self.crews.alerts
        return {name: one for name, one in self.stored.items() if one.rank is not None}

    def _is_ranks_turn(self, news: Changes, *, all_of_it: bool) -> bool:
        """Whether what is remembered of ranks has to be saved: with every alert of theirs, else now and then."""
        if self.crews is None or not self.crews.ready or not self.crews.fresh:
            return False
        told = any(one.rank is not None for one in news.changed)
        return told or all_of_it or self.clock() - self.ranked > RANKED_SECONDS

    def _audible(self, news: Changes) -> Changes:
        """The same without what is told of alerts that are muted; that one is over is told all the same."""
        if not any(one.change != "ended" for one in news.notices):
            return news
        mutes, now = self.alerts.mutes(), self.clock()
        changed = {one.id: one for one in news.changed}
        silent = {name for name, one in changed.items() if any(mute.covers(self.id, one, now) for mute in mutes)}
        told = tuple(one for one in news.notices if one.change == "ended" or one.alert not in silent)
        return replace(news, notices=told)

    def _try_to_write(self) -> None:
        try:
            self.write()
        except Conflict:
            self.known, self.behind = None, True

    def _commit(self, known: Diagnosis, news: Changes, *, ranked: bool) -> None:
        rebuilding = {"rebuilding": self.rebuilding and self._is_short(known), "reached": self.reached[0]}
        state = {**known.save(), **rebuilding, "ahead": self.ahead}
        ranks = self.crews.save() if ranked and self.crews is not None else None
        version = self.alerts.commit(self.id, self.version, state, news, ranks)
        if version is None:
            raise Conflict
        self.ranked = self.clock() if ranked else self.ranked
        self.version, self.saved, self.unsaved = version, self.clock(), 0
        for name in news.gone:
            del self.stored[name]
        self.stored |= {one.id: one for one in news.changed}

    def _ready(self, run: LeanRun) -> Diagnosis:
        """Something to go on from, with the series that speak now."""
        is_news = self.told is None or not self.told.holds(run)
        told = self.told = Told.of(run, self.rules) if self.told is None or is_news else self.told
        is_new = self.known is None
        known = self.known = self.known or self._load(told)
        if known.taken and known.plan != told.plan:
            raise Anew
        if not known.taken:
            known = self.known = told.beginning()
        if is_news or is_new or not known.taken:
            adopt(known, told.speakers, told.watched)
        if told.speakers.summarised:
            known.watch.show()
        elif is_news or self.clock() - self.asked > ASKED_SECONDS:
            self.asked = self.clock()
            seek(self.store, run, known.watch.summaries)
        return known

    def _load(self, told: Told) -> Diagnosis:
        """What was saved; where there is nothing that can be read, a beginning."""
        kept = self.alerts.kept(self.id)
        state = kept.state or {}
        self.version, self.stored = kept.version, self.alerts.alerts(self.id)
        self.saved, self.unsaved = self.clock(), 0
        if self.crews is not None:
            self.crews.load(kept.ranks)
        try:
            known = Diagnosis.restore(state, told.rules)
            self.rebuilding, self.ahead = bool(state["rebuilding"]), float(state["ahead"])
            self.reached = float(state["reached"]), self.clock()
        except (KeyError, TypeError, ValueError):  # nothing, or written by another version of this program
            known, self.rebuilding = told.beginning(), bool(self.stored)
        return known

    def _begin_anew(self) -> None:
        told = self.told
        if self.known is not None and self.known.rows.wall == self.known.rows.wall:
            self.reached = max(self.known.rows.wall, self.reached[0]), self.clock()
        self.known = None if told is None else told.beginning()
        self.rebuilding, self.behind, self.told = bool(self.stored), True, None
        self.anew += 1
        if self.anew > EAGER:  # files of a run that has just appeared come one after the other
            self.not_before = self.clock() + min(LATEST_SECONDS, 2.0 ** (self.anew - EAGER))

    def _judge(self, run: LeanRun, known: Diagnosis, is_over: Callable[[], bool]) -> None:
        was_behind, before = self.behind, known.taken
        self.behind = not self._catch_up(run, known, is_over)
        self.position = run.position
        self.anew = self.anew if self.behind else 0
        self._count(known.taken - before)
        if not was_behind and not self.behind and known.taken > before:
            self._hear(known)

    def _catch_up(self, run: LeanRun, known: Diagnosis, is_over: Callable[[], bool]) -> bool:
        """Whether all that is stored was judged before it was over."""
        while True:
            moved = refill(self.store, run, known)
            for _ in known.advance():
                moved = True
                if is_over():
                    return False
            if not moved:
                return True

    def _count(self, rows: int) -> None:
        if rows:
            self.moved = self.clock()
        self.judged += rows
        self.unsaved += rows

    def _hear(self, known: Diagnosis) -> None:
        """A row came while we waited for it: what its clock says is now."""
        wall, self.heard = known.rows.wall, self.clock()
        if wall == wall:
            ahead = wall - self.clock()
            self.ahead = ahead if abs(ahead) > 60.0 else 0.0


def _slice(seconds: float) -> Callable[[], bool]:
    """Says whether so much time has passed since now."""
    until = time.monotonic() + seconds
    return lambda: time.monotonic() > until
