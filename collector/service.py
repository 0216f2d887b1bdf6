"""The collector's core: ``step`` looks, reads and commits once; it has no threads, no sleep and no clock of its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from collector.backlog import Backlog, backlog_of
from collector.budget import Budget
from collector.commits import Commits
from collector.effort import Effort
from collector.errors import StoreAway
from collector.finder import Finder
from collector.follow.discovery import Found, Snapshot
from collector.follow.files import Files
from collector.follow.rotation import renamed_to
from collector.follow.touched import NOTHING, Touched
from collector.gather import weight
from collector.health import Identity
from collector.reader import Reader, Turns
from collector.ready import Ready
from collector.roster import Roster
from collector.runs import Naming
from collector.store import RunStore
from collector.tracked import GONE, Tracked
from collector.wire.records import FileState, Heartbeat, RunId

BEAT_SECONDS = 2.0
BATCH_BYTES = 4 * 2**20  # of one commit: a few milliseconds of Redis, which serves nobody meanwhile
BATCH_FILES = 256
STEP_MEETS = 500  # new files taken up in one step
STEP_LOOKS = 1000  # files looked at in one step beside those that notifications name
BEAT_RUNS = 2000  # runs compared with the store at one beat; beyond that they take turns
BEHIND_SECONDS = 3.0  # a backlog that is read sooner is not worth a word
BACK_OFF = (0.1, 2.0)  # seconds between two tries of a store that is away: first, last


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds between two looks at what grows and at everything else, and bytes of one file's turn."""

    busy: float = 0.1
    idle: float = 2.0
    bound: int = 2 * 2**20


class Service:
    """Keeps the store equal to the files below ``roots`` (absolute paths)."""

    def __init__(self, roots: Sequence[str], identity: Identity, naming: Naming, pace: Pace = Pace()) -> None:
        self.news: list[str] = []  # sentences for the person who runs the command; whoever prints them empties it
        self.trouble = ""  # of the notifications, set from outside
        self.skew = 0.0  # seconds that a wall clock is ahead of the steady ``now``; set from outside
        self.roster = Roster(naming, pace.bound, identity.host)
        self._roots, self._identity, self._pace = tuple(roots), identity, pace
        self._effort = Effort(pace.busy, pace.idle)
        self._finder = Finder(roots)
        self._met: deque[Found] = deque()  # found and not yet followed
        self._ready = Ready()
        self._budget = Budget()
        self._reader = Reader(self.roster, self._ready)
        self._commits = Commits(self.roster, self._ready)
        self._compared = 0
        self._scan_at = self._beat_at = float("-inf")
        self._behind_since = float("inf")
        self._away_until, self._away_for = float("-inf"), 0.0
        self._told: set[FileState] = set()
        self._facts = naming.facts
        self._checked = False  # whether the store is known to be of our layout

    @property
    def snapshot(self) -> Snapshot:
        """What the last walk below the roots saw."""
        return self._finder.snapshot

    @property
    def looks(self) -> bool:
        """Whether growth is looked for here, so that notifications need not tell of it."""
        return self._effort.looks

    @property
    def has_met_all(self) -> bool:
        """Whether everything that the last walk saw is followed."""
        return self._finder.walks > 0 and not self._met

    def step(self, now: float, files: Files, store: RunStore, touched: Touched = NOTHING) -> float:
        """Do what is due at ``now`` (Unix seconds of a clock that never goes back).

        Returns the seconds until something is due again without a notification, 0 when there is more to do at once.
        Raises ``errors.StoreTooNew``.
        """
        if now < self._away_until:
            return self._away_until - now
        self._budget.begin(now)
        try:
            if not self._checked:
                store.check()
                self._commits.compare(now, store, self.roster.runs)
                self._checked = True
            self._find(now, files, touched)
            self._meet(now, store)
            self._look(now, files, touched)
            self._read(now, files, store)
            self._beat(now, store)
        except StoreAway as error:
            return self._wait(now, error)
        self._answered()
        if self._ready:
            self._budget.more(now)
        if self._ready or self._met:
            return 0.0
        return max(0.0, min(self._finder.wait(now), self._scan_at - now, self._beat_at - now))

    def backlog(self, now: float) -> Backlog | None:
        """How far the reading of history is, None while there is none worth a word."""
        return backlog_of(self.roster) if now - self._behind_since >= BEHIND_SECONDS else None

    # -- where are files -------------------------------------------------------------------------------------------

    def _find(self, now: float, files: Files, touched: Touched) -> None:
        if touched.tree or any(path not in self.roster.paths for path in touched.paths):
            self._finder.hear(now)
        found = self._finder.look(now, files, idle=self._effort.walks)
        if found is not None:
            self._met.extend(found.appeared)
            self._tell_problems((*self.snapshot.problems, *self.roster.problems))

    def _meet(self, now: float, store: RunStore) -> None:
        """Follow what was found, a few hundred files a step."""
        some = list(islice(self._met, STEP_MEETS))
        records = {record.id: record for record in map(self.roster.record_of, some)}
        new = [run for run in records if run not in self.roster.runs]
        if new:
            versions = store.versions(new)
            for run, version, cursors in zip(new, versions, store.cursors_of(new), strict=True):
                self.roster.know(records[run], version, cursors)
        for found in some:
            tracked = self.roster.add(found)
            if tracked is not None and self._finder.walks > 1:
                tracked.grew = now
            self._met.popleft()
        for run in records:
            self.roster.place(run)
        if some:
            self._scan_at = now

    def _tell_problems(self, problems: Sequence[FileState]) -> None:
        for problem in problems:
            if problem not in self._told:
                self.news.append(f"{problem.file}: {problem.reason}.")
        self._told = set(problems)

    # -- which of them changed -------------------------------------------------------------------------------------

    def _look(self, now: float, files: Files, touched: Touched) -> None:
        heard = [self.roster.paths[path] for path in touched.paths if path in self.roster.paths]
        for tracked in heard:
            self._look_at(now, files, tracked, heard=True)
        scans = now >= self._scan_at
        due = self.roster.agenda.due(now, self.roster.paths, STEP_LOOKS) if scans else []
        for tracked in due:
            self._look_at(now, files, tracked, heard=False)
        if scans:
            late = self.roster.agenda.next <= now
            self._scan_at = now if late else max(now + self._effort.busy, self.roster.agenda.next)
        elif heard:
            self._scan_at = min(self._scan_at, max(now + self._effort.busy, self.roster.agenda.next))

    def _look_at(self, now: float, files: Files, tracked: Tracked, *, heard: bool) -> None:
        grew = tracked.grew
        if tracked.see(now, files.stat(tracked.path)):
            self._ready.put(now, [tracked])
        if tracked.grew != grew:
            tracked.heard = heard
        tracked.schedule(now, busy=self._effort.busy, idle=self._effort.idle)
        self.roster.agenda.note(tracked)
        gone = tracked.missing is not None and now - tracked.missed >= GONE
        if gone and renamed_to(files, tracked.path, tracked.cursor) is None:
            self.roster.remove(tracked)

    # -- what is in them -------------------------------------------------------------------------------------------

    def _read(self, now: float, files: Files, store: RunStore) -> None:
        lanes = self._ready.take(self.roster.paths, self._budget.bytes)
        if any(tracked.is_doubted for lane in lanes for tracked in lane):
            self.roster.alive = store.hosts()
        moving = {tracked.run.id for lane in lanes for tracked in lane if tracked.moves}
        if moving:
            self._commits.compare(
                now, store, moving
            )  # whose bytes these are the cursors tell; another collector may be ahead
        for lane in lanes:  # what is new is safe before history is read
            self._read_lane(now, files, store, lane)
        if not self._ready.backlog:
            self._behind_since = float("inf")
        self._behind_since = min(self._behind_since, now)

    def _read_lane(self, now: float, files: Files, store: RunStore, lane: Iterable[Tracked]) -> None:
        again: list[Tracked] = []
        taken: set[str] = set()
        groups: dict[RunId, Turns] = {}
        weights: dict[RunId, int] = {}
        for tracked in lane:
            turns = self._reader.turns(now, files, tracked)
            if any(one.path in taken for one, _ in turns):  # a commit moves each file once
                again.append(tracked)
                continue
            taken.update(one.path for one, _ in turns)
            again += [one for one, turn in turns if turn.more or turn.wider]
            if turns:
                run = store.home(turns[0][0].run.id, turns[0][0].cursor.file)  # a commit lies in one place
                group = groups.setdefault(run, [])
                group.extend(turns)
                weights[run] = weights.get(run, 0) + weight(turns)
                if weights[run] >= BATCH_BYTES or len(group) >= BATCH_FILES:
                    self._commit(now, store, groups.pop(run))
                    weights[run] = 0
        for group in groups.values():
            self._commit(now, store, group)
        self._ready.put(now, again)

    def _commit(self, now: float, store: RunStore, group: Turns) -> None:
        bound = min(self._pace.bound, self._budget.bytes)
        self._commits.commit(now, store, group, wall=now + self.skew, bound=bound)

    # -- signs of life ----------------------------------------------------------------------------------------------

    def _beat(self, now: float, store: RunStore) -> None:
        """Every two seconds: a sign of life, and a look whether the store still holds what was committed; so a flush or
        a roll-back is healed although no file grows."""
        if now < self._beat_at:
            return
        due = self._due_for_compare()
        self._commits.compare(now, store, due)
        life = replace(self.heartbeat(now), skew=store.skew())
        store.beat(life, [run for run in due if self.roster.runs[run].version is not None], self._facts)
        self._effort.weigh(now, self.roster)
        self._beat_at = now + BEAT_SECONDS

    def _due_for_compare(self) -> list[RunId]:
        runs = list(self.roster.runs)
        first = self._compared if self._compared < len(runs) else 0
        self._compared = first + BEAT_RUNS
        return runs[first : self._compared]

    def heartbeat(self, now: float) -> Heartbeat:
        """The sign of life as of ``now``."""
        problems = (*self.snapshot.problems, *self.roster.problems)
        states = [tracked.state(now) for tracked in self.roster]
        backlog = self.backlog(now)
        return self._identity.heartbeat(
            now + self.skew,
            states,
            problems,
            roots=self._roots,
            points=self._commits.points,
            trouble=self.trouble,
            behind=backlog.runs if backlog else {},
        )

    def _wait(self, now: float, error: StoreAway) -> float:
        """Stop reading: the files keep what we have not stored. Whatever was read for this step is read again."""
        first, last = BACK_OFF
        if not self._away_for:
            self.news.append(
                f"{error}: start it, or name another with --redis. Until then nothing is read and nothing is lost, the "
                "files keep everything."
            )
        self._away_for = min(last, self._away_for * 2 or first)
        self._away_until = now + self._away_for
        self._checked = False
        self._ready.put(now, self.roster)
        return self._away_for

    def _answered(self) -> None:
        if self._away_for:
            self._away_for = 0.0
            self.news.append("Redis answers again; catching up.")
