"""The collector's core: ``step`` looks, reads and commits once; it has no threads, no sleep and no clock of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from collector.batch import Committed
from collector.errors import StoreAway
from collector.follow.discovery import Found, Snapshot, difference, discover
from collector.follow.files import Files, Missing
from collector.follow.resume import drained, rotated
from collector.follow.rotation import renamed_to
from collector.follow.touched import NOTHING, Touched
from collector.gather import batch_of, is_worth_storing, weight
from collector.health import Identity
from collector.roster import Roster, RunFiles
from collector.runs import Naming, select
from collector.store import RunStore
from collector.tracked import GONE, Tracked
from collector.turn import Turn, take
from collector.wire.records import FileState, Heartbeat, RunId

BEAT_SECONDS = 2.0
BATCH_BYTES = 4 * 2**20  # of one commit: a few milliseconds of Redis, which serves nobody meanwhile
BATCH_FILES = 256
STEP_BYTES = 16 * 2**20  # read in one step, so that signals and signs of life keep their time
BACK_OFF = (0.1, 2.0)  # seconds between two tries of a store that is away: first, last
UNSURE = ""  # version of a run that changed without us: at the next beat every cursor is compared
Turns = list[tuple[Tracked, Turn]]


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
        self.snapshot = Snapshot()
        self.roster = Roster(naming, pace.bound)
        self._roots, self._identity, self._pace = tuple(roots), identity, pace
        self._ready: dict[str, None] = {}  # paths with something to read, the longest waiting first
        self._points = 0
        self._discover_at = self._discovered = self._scan_at = self._beat_at = float("-inf")
        self._away_until, self._away_for = float("-inf"), 0.0
        self._told: set[FileState] = set()
        self._checked = False  # whether the store is known to be of our layout
        self.skew = 0.0  # seconds that a wall clock is ahead of the steady ``now``; set from outside

    def step(self, now: float, files: Files, store: RunStore, touched: Touched = NOTHING) -> float:
        """Do what is due at ``now`` (Unix seconds of a clock that never goes back).

        Returns the seconds until something is due again without a notification, 0 when there is more to read at once.
        Raises ``errors.StoreTooNew``.
        """
        if now < self._away_until:
            return self._away_until - now
        try:
            if not self._checked:
                store.check()
                self._compare(store)
                self._checked = True
            self._find(now, files, store, touched)
            self._look(now, files, touched)
            self._read(now, files, store)
            self._beat(now, store)
        except StoreAway as error:
            return self._wait(now, error)
        self._answered()
        due = min(self._discover_at, self._scan_at, self._beat_at)
        return 0.0 if self._ready else max(0.0, due - now)

    # -- where are files -------------------------------------------------------------------------------------------

    def _find(self, now: float, files: Files, store: RunStore, touched: Touched) -> None:
        if touched.tree or any(path not in self.roster.paths for path in touched.paths):
            soonest = self._discovered + max(0.05, self.snapshot.entries * 20e-6)  # a walk costs microseconds an entry
            self._discover_at = min(self._discover_at, max(now, soonest))
        if now < self._discover_at:
            return
        snapshot = discover(files, self._roots, select)
        for found in difference(self.snapshot, snapshot).appeared:
            self._add(found, store)
        self.snapshot = snapshot
        self._discovered = now
        self._discover_at = now + max(self._pace.idle, snapshot.entries * 40e-6)
        self._scan_at = now
        self._tell_problems((*snapshot.problems, *self.roster.problems))

    def _add(self, found: Found, store: RunStore) -> None:
        record = self.roster.record_of(found)
        if record.id not in self.roster.runs:
            (version,) = store.versions([record.id])
            self.roster.know(record, version, store.cursors(record.id))
        self.roster.add(found)

    def _tell_problems(self, problems: Sequence[FileState]) -> None:
        for problem in problems:
            if problem not in self._told:
                self.news.append(f"{problem.file}: {problem.reason}.")
        self._told = set(problems)

    # -- which of them changed -------------------------------------------------------------------------------------

    def _look(self, now: float, files: Files, touched: Touched) -> None:
        due = [self.roster.paths[path] for path in touched.paths if path in self.roster.paths]
        if now >= self._scan_at:
            due = [tracked for tracked in self.roster if tracked.look_at <= now]
            due += [self.roster.paths[path] for path in touched.paths if path in self.roster.paths]
        for tracked in due:
            self._look_at(now, files, tracked)
        if now >= self._scan_at:
            next_look = min((tracked.look_at for tracked in self.roster), default=self._discover_at)
            self._scan_at = max(now + self._pace.busy, next_look)
        elif due:
            self._scan_at = min(self._scan_at, now + self._pace.busy)

    def _look_at(self, now: float, files: Files, tracked: Tracked) -> None:
        if tracked.see(now, files.stat(tracked.path)):
            self._ready[tracked.path] = None
        tracked.schedule(now, busy=self._pace.busy, idle=self._pace.idle)
        gone = tracked.missing is not None and now - tracked.missed >= GONE
        if gone and renamed_to(files, tracked.path, tracked.cursor) is None:
            self.roster.remove(tracked)

    # -- what is in them -------------------------------------------------------------------------------------------

    def _read(self, now: float, files: Files, store: RunStore) -> None:
        if any(self.roster.paths[path].moves for path in self._ready if path in self.roster.paths):
            self._compare(store)  # whose bytes these are is told by the cursors, and another collector may be ahead
        budget = STEP_BYTES
        again: dict[str, None] = {}
        taken: set[str] = set()
        groups: dict[RunId, Turns] = {}
        for path in list(self._ready):
            if budget <= 0:
                break
            del self._ready[path]
            tracked = self.roster.paths.get(path)
            turns = self._turns(now, files, tracked) if tracked else []
            if any(one.path in taken for one, _ in turns):  # a commit moves each file once
                again[path] = None
                continue
            taken.update(one.path for one, _ in turns)
            for one, turn in turns:
                budget -= turn.size
                again.update({one.path: None} if turn.more or turn.wider else {})
            if turns:
                group = groups.setdefault(turns[0][0].run.id, [])
                group.extend(turns)
                if weight(group) >= BATCH_BYTES or len(group) >= BATCH_FILES:
                    self._commit(now, store, groups.pop(turns[0][0].run.id))
        for group in groups.values():
            self._commit(now, store, group)
        self._ready.update(again)

    def _turns(self, now: float, files: Files, tracked: Tracked) -> Turns:
        """What a file's turn brings: one piece; with the end of a renamed log also the switch to its successor."""
        moved = self._moved(files, tracked)
        if moved is None and self._is_claimed(files, tracked):
            tracked.again = True  # it is read to its end under its former name; the next look asks again
            return []
        final = tracked.line_is_over(now) and moved is None
        if final and tracked.stat is not None:
            tracked.ended = tracked.stat.size
        known = tracked.stored is not None
        try:
            turn = take(
                files,
                tracked.found,
                moved or tracked.path,
                tracked.cursor,
                bound=tracked.bound,
                final=final,
                known=known,
            )
        except Exception as error:  # a fault of ours in a parser costs one file, never the collector
            tracked.refuse(f"not understood ({type(error).__name__}: {error}), which is a fault of Tidewatch")
            return []
        if isinstance(turn, Missing):
            if not turn.gone:
                tracked.refuse(turn.reason)
            elif tracked.see(now, turn):  # it went since we looked: perhaps it was renamed
                self._ready[tracked.path] = None
            return []
        expected = tracked.cursor.inode if moved or tracked.stat is None else tracked.stat.inode
        if turn.stat.inode != expected:  # renamed or replaced since we looked: look again before anything is concluded
            tracked.see(now, files.stat(tracked.path))
            self._ready[tracked.path] = None
            return []
        if moved is None or turn.more or turn.wider or tracked.stat is None or tracked.missing is not None:
            return [(tracked, turn)]
        return self._switch(now, files, tracked, turn, moved)

    def _moved(self, files: Files, tracked: Tracked) -> str | None:
        if tracked.found.role.source != "log" or not tracked.cursor.inode:
            return None
        here = tracked.stat is not None and tracked.missing is None and tracked.stat.inode == tracked.cursor.inode
        return None if here else renamed_to(files, tracked.path, tracked.cursor)

    def _is_claimed(self, files: Files, tracked: Tracked) -> bool:
        former = self.roster.claimant(tracked)
        return former is not None and renamed_to(files, former.path, former.cursor) == tracked.path

    def _switch(self, now: float, files: Files, tracked: Tracked, turn: Turn, moved: str) -> Turns:
        """The renamed log is read to its end: mark it so, and go on with the file that has its name now. The file whose
        place it took was renamed too, and goes first."""
        other = self.roster.beside(tracked, moved)
        if other is not None:
            other.see(now, files.stat(other.path))
        if other is not None and other.cursor.inode != turn.cursor.inode and self._moved(files, other) is not None:
            self._ready.update({other.path: None, tracked.path: None})
            return []
        inode = tracked.stat.inode if tracked.stat and not self._is_claimed(files, tracked) else 0
        turns = [(tracked, replace(turn, cursor=rotated(turn.cursor, inode), more=True))]
        if other is not None:
            known = other.cursor if other.stored else None
            turns.append((other, Turn(drained(turn.cursor, other.cursor.file, known), turn.stat, more=True)))
        return turns

    # -- make it safe ----------------------------------------------------------------------------------------------

    def _commit(self, now: float, store: RunStore, group: Turns) -> None:
        run = self.roster.runs[group[0][0].run.id]
        worth = [(tracked, turn) for tracked, turn in group if is_worth_storing(tracked, turn)]
        if worth:
            batch = batch_of(run.record, worth)
            answer = store.commit(batch, now + self.skew)
            if not isinstance(answer, Committed):
                self._take_over(run, answer.stored)
                self._ready.update(dict.fromkeys(tracked.path for tracked, _ in group))
                return
            run.version = answer.version if answer.before == run.version else UNSURE
            self._points += batch.points
            for tracked, turn in worth:
                tracked.stored = turn.cursor.encode()
        for tracked, turn in group:
            tracked.took(turn, self._pace.bound)

    def _take_over(self, run: RunFiles, stored: Mapping[str, str | None]) -> None:
        """The store is elsewhere than we thought: go on from where it is."""
        for file, text in stored.items():
            tracked = run.files.get(file)
            if tracked is not None and tracked.stored != text:
                tracked.adopt(text)
                self._ready[tracked.path] = None

    def _beat(self, now: float, store: RunStore) -> None:
        """Every two seconds: a sign of life, and a look whether the store still holds what was committed; so a flush or
        a roll-back is healed although no file grows."""
        if now < self._beat_at:
            return
        self._compare(store)
        store.beat(self.heartbeat(now), [run.record.id for run in self.roster.runs.values() if run.version is not None])
        self._beat_at = now + BEAT_SECONDS

    def _compare(self, store: RunStore) -> None:
        """Take over the stored cursors of each run that is not as our last commit left it."""
        runs = list(self.roster.runs.values())
        for run, version in zip(runs, store.versions([run.record.id for run in runs]), strict=True):
            if version != run.version:
                cursors = store.cursors(run.record.id)
                self._take_over(run, {file: cursors.get(file) for file in run.files})
                run.unmet = {file: text for file, text in cursors.items() if file not in run.files}
                run.version = version

    def heartbeat(self, now: float) -> Heartbeat:
        """The sign of life as of ``now``."""
        problems = (*self.snapshot.problems, *self.roster.problems)
        states = [tracked.state(now) for tracked in self.roster]
        return self._identity.heartbeat(
            now + self.skew, states, problems, roots=self._roots, points=self._points, trouble=self.trouble
        )

    def _wait(self, now: float, error: StoreAway) -> float:
        """Stop reading: the files keep what we have not stored. Whatever was read for this step is read again."""
        first, last = BACK_OFF
        if not self._away_for:
            self.news.append(f"{error}: waiting for it; nothing is lost, the files keep everything.")
        self._away_for = min(last, self._away_for * 2 or first)
        self._away_until = now + self._away_for
        self._checked = False
        self._ready.update(dict.fromkeys(self.roster.paths))
        return self._away_for

    def _answered(self) -> None:
        if self._away_for:
            self._away_for = 0.0
            self.news.append("Redis answers again; catching up.")
