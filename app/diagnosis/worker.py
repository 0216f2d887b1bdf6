"""The diagnosis worker: follows every run of a store, has new rows judged at once and history in between."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from app.diagnosis.crews import Crews
from app.diagnosis.followed import Followed
from app.diagnosis.rules.custom import UserRule
from app.diagnosis.stillness import is_asked, silence
from app.diagnosis.store import AlertStore
from app.diagnosis.tuning import Tuning
from app.diagnosis.vital import Vital
from app.diagnosis.wishes import of_run
from app.grids import Grids
from app.launch.supervisor import Ending
from app.look import look
from app.reader import Reader
from app.stored import LiveFollower, RunStore, StoreAway
from collector.wire.records import RunId

LOG = logging.getLogger(__name__)
WAIT_SECONDS = 0.5  # in Redis for a commit; a signal or a new run is noticed as late
DISCOVER_SECONDS, BEAT_SECONDS, TICK_SECONDS = 1.0, 2.0, 1.0
AWAY_SECONDS = (0.2, 2.0)  # pause before asking a Redis that is away again: first, and longest
LEAST_SILENCE = 60.0  # seconds that are never a stall
LISTENED = 500  # runs whose stream is waited for, those that were heard of last; all others are looked at …
GLANCE_SECONDS = 5.0  # … as often
READING_SECONDS = 15.0  # for which a run that is new is left to its collector
CROSS_SECONDS = 1.0
KEPT_BYTES = 64 * 2**20  # of curves, and of grids
GIVEN_UP = 60.0  # seconds until a run is tried again in which a rule went wrong


@dataclass(slots=True)
class _Place:
    """One run and when it is looked at next; ``news``: something was committed, ``across``: which ranks were not told
    of. ``last`` is when it was heard of."""

    run: Followed
    news: bool = True
    last: float = 0.0
    not_before: float = 0.0
    looked: float = 0.0  # whether it is silent
    mark: bytes = b""
    across: bool = True
    crossed: float = 0.0


@dataclass(slots=True)
class Worker:
    """One thread; ``who`` is host, pid."""

    store: RunStore
    alerts: AlertStore
    who: tuple[str, int]
    clock: Callable[[], float] = time.time
    patience: float = WAIT_SECONDS  # longest wait for a commit
    crossing: float = CROSS_SECONDS  # between two looks at the ranks of a run
    rules: Sequence[UserRule] = ()  # people's own
    tuning: Tuning = field(default_factory=dict)  # of built-in classes
    places: dict[RunId, _Place] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    due: dict[str, float] = field(default_factory=dict)
    judged: int = 0
    reader: Reader = field(init=False)
    grids: Grids = field(init=False)

    def __post_init__(self) -> None:
        self.reader = Reader(self.store, kept_bytes=KEPT_BYTES)
        self.grids = Grids(self.store, self.reader, kept_bytes=KEPT_BYTES)

    @property
    def name(self) -> str:
        """As its sign of life has it."""
        return f"{self.who[0]}:{self.who[1]}"

    def run(self, ending: Ending) -> None:
        """Until it is asked to end; Redis away is waited for."""
        pause = 0.0
        while not ending.asked:
            follower = self.store.follow()
            try:
                while not ending.asked:
                    self.step(follower)
                    pause = 0.0
            except StoreAway as error:
                pause = min(2 * pause, AWAY_SECONDS[1]) if pause else AWAY_SECONDS[0]
                LOG.warning("%s", error)
                self._begin_again()
                time.sleep(pause)
            finally:
                follower.close()
        self.end()

    def step(self, follower: LiveFollower) -> None:
        """Judge what is new, then wait for more. Raises StoreAway."""
        now = self.clock()
        if self._is_due("runs", now, DISCOVER_SECONDS):
            self._discover(now)
        if self._is_due("beat", now, BEAT_SECONDS):
            self._beat(now)
        if self._is_due("tick", now, TICK_SECONDS):
            self._tick(now)
        self._work()
        self._listen(follower)

    def end(self) -> None:
        """Save what is remembered, and take the sign of life back."""
        try:
            for place in self.places.values():
                place.run.finish()
            self.alerts.leave(self.name)
        except StoreAway as error:  # nothing is lost: what was not saved is judged again
            LOG.warning("%s", error)

    def _is_due(self, name: str, now: float, seconds: float) -> bool:
        if now - self.due.get(name, float("-inf")) < seconds:
            return False
        self.due[name] = now
        return True

    def _begin_again(self) -> None:
        """After an outage entries may be missing, and what is stored may be older than what we know."""
        self.due.clear()
        for place in self.places.values():
            place.news = True

    def _discover(self, now: float) -> None:
        ids = self.store.runs()
        for run_id in ids:
            if run_id not in self.places:
                self.places[run_id] = _Place(self._follow(run_id), last=now)
        for gone in self.places.keys() - set(ids):
            del self.places[gone]
        self._spare({run_id for beat in self.store.heartbeats() for run_id in beat.behind}, now)
        quiet = self._by_news()[LISTENED:]
        if quiet and self._is_due("glance", now, GLANCE_SECONDS):
            for run_id, mark in zip(quiet, self.store.marks(quiet), strict=True):
                place = self.places[run_id]
                place.news |= mark != place.mark
                place.mark = mark

    def _follow(self, run_id: RunId) -> Followed:
        crews = Crews(self.grids, self.reader)
        return Followed(self.store, self.alerts, run_id, self.clock, of_run(self.rules, run_id), self.tuning, crews)

    def _spare(self, reading: set[str], now: float) -> None:
        """Let a collector read a run's history first: its files come in any order, and each earlier one would have the
        rules begin anew."""
        for run_id in reading & self.places.keys():
            place = self.places[RunId(run_id)]
            if not place.run.judged and place.run.known is None and now - place.last < READING_SECONDS:
                place.not_before = now + DISCOVER_SECONDS

    def _by_news(self) -> Sequence[RunId]:
        return sorted(self.places, key=lambda run_id: -self.places[run_id].last)

    def _work(self) -> None:
        """Every run with news that had caught up, then a slice of one that has not."""
        now = self.clock()
        ready = [place for place in self.places.values() if place.news and place.not_before <= now]
        for place in ready:
            if not place.run.behind:
                self._advance(place)
        behind = [place for place in ready if place.run.behind]
        if behind:
            self._advance(min(behind, key=lambda place: place.looked))
        crowds = [place for place in self.places.values() if self._may_cross(place, now)]
        if crowds:
            self._cross(min(crowds, key=lambda place: place.crossed))

    def _may_cross(self, place: _Place, now: float) -> bool:
        """Whether the ranks of a run have their turn: after its rows, and once a second at most."""
        is_due = now - place.crossed >= self.crossing or now < place.crossed
        return place.across and is_due and not place.run.behind and place.not_before <= now

    def _cross(self, place: _Place) -> None:
        """Have the ranks of a run judged; where that fails its rows are judged all the same."""
        run = place.run
        try:
            done, crews = run.look_across(), run.crews
        except StoreAway:
            raise
        except Exception as error:  # whatever it is, it is told
            LOG.exception("A rule about ranks failed; the ranks are not judged any more. run=%s", run.id)
            self.messages[f"ranks {run.id}"] = f"Ranks of {run.id} cannot be judged ({type(error).__name__}: {error})."
            place.across, run.crews = False, None
            return
        place.across = not done or (crews is not None and crews.waits)
        place.crossed = self.clock() if done else place.crossed

    def _advance(self, place: _Place) -> None:
        run, before = place.run, place.run.judged
        place.looked = self.clock()
        with self._guarded(place):
            place.news = run.advance() and run.behind
            place.across = True
            self.messages.pop(run.id, None)
        self.judged += run.judged - before
        place.not_before = max(place.not_before, run.not_before)

    @contextmanager
    def _guarded(self, place: _Place) -> Iterator[None]:
        """A rule that fails at one run must not silence all others."""
        run = place.run
        try:
            yield
        except StoreAway:
            raise
        except Exception as error:  # whatever it is, it is told and tried again
            LOG.exception("A rule failed; the run is tried again later. run=%s", run.id)
            self.messages[run.id] = f"Run {run.id} cannot be judged now ({type(error).__name__}: {error})."
            place.run = self._follow(run.id)
            place.news, place.not_before = True, self.clock() + GIVEN_UP

    def _listen(self, follower: LiveFollower) -> None:
        positions = {run_id: self.places[run_id].run.position for run_id in self._by_news()[:LISTENED]}
        now = self.clock()
        waits = not any(self._is_ready(place, now) for place in self.places.values())
        if not positions:
            time.sleep(self.patience)
            return
        for run_id, entries in follower.read(positions, self.patience if waits else 0.0).items():
            place = self.places[run_id]
            place.news, place.last = True, self.clock()
            place.run.position = entries[-1].id

    def _is_ready(self, place: _Place, now: float) -> bool:
        return (place.news and place.not_before <= now) or self._may_cross(place, now)

    def _tick(self, now: float) -> None:
        for place in self.places.values():
            place.run.settle()
            if self._may_be_still(place, now):
                place.looked = now
                self._look(place.run, now)

    def _may_be_still(self, place: _Place, now: float) -> bool:
        """Whether a run is silent for so long that a look is worth it; the longer the more seldom."""
        run = place.run
        if run.known is None or run.behind or run.known.rows.wall != run.known.rows.wall:
            return False
        silent = silence(now, run.heard, run.known.rows.wall, run.ahead, None)
        patience = max(LEAST_SILENCE, run.known.watch.silence.patience())
        is_open = run.known.watch.silence.opening.is_open
        return silent > patience and not is_open and now - place.looked > max(5.0, silent / 20)

    def _look(self, run: Followed, now: float) -> None:
        stored = self.store.run(run.id)
        if stored is None or run.known is None:
            return
        seen = look(self.store, stored, self.store.heartbeats(), now)
        wall = run.known.rows.wall
        silent = silence(now, run.heard, wall, run.ahead, seen.freshness.age)
        if is_asked(seen, silent):
            run.tick(wall + silent)

    def _beat(self, now: float) -> None:
        behind = tuple(sorted(run_id for run_id, place in self.places.items() if place.run.behind))
        told = tuple(list(self.messages.values())[:20])
        self.alerts.beat(Vital(self.name, *self.who, now, len(self.places), self.judged, behind, told))
