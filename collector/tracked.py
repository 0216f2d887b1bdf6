"""One file that is being followed: how far, since when it is silent, and when to look at it again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from collector.follow.discovery import Found
from collector.follow.files import FileStat, Missing
from collector.turn import Turn
from collector.wire.records import Cursor, FileState, RunRecord

SILENT_LINE = 60.0  # seconds without a byte after which a last line without its newline counts
SILENT_BROKEN = 600.0  # seconds without a byte after which a record that cannot be right is called broken
OLD_FILE = 600.0  # a file this old when first met has been silent as long; less could be a wrong clock
GONE = 60.0  # seconds after which a file that went is forgotten; its cursor stays in the store
GROWING = 60.0  # seconds for which a file that grew counts as one that grows now
RETRY_FIRST, RETRY_LAST = 0.1, 2.0  # seconds between two looks at a record that cannot be right yet
LEAST_BOUND = 4096  # bytes of a turn
Word = Literal["waiting", "following", "drained", "broken", "gone"]
LONGEST_UNIT = (
    128 * 2**20
)  # bytes of one line or record, held three times over; a larger one stops its file, and says so


@dataclass(slots=True)
class Tracked:
    """State in memory alone; everything that must survive is in ``cursor``, whose stored text is ``stored``."""

    found: Found
    run: RunRecord
    cursor: Cursor
    stored: str | None  # None: the store has no cursor of this file
    bound: int
    host: str = ""  # where we are
    known_as: str = ""  # its path below the run's directory; in the store it may have another name
    stat: FileStat | None = None
    missing: Missing | None = None
    missed: float = 0.0  # since when it is missing
    changed: float = 0.0  # when its stat was last seen to change
    look_at: float = 0.0
    tail: int = 0  # bytes that are there but no whole unit yet
    ended: int = -1  # size for which a silent last line was taken
    retry: str = ""
    retry_size: int = 0
    trouble: str = ""
    unsure: float = float("inf")  # since when it cannot be found out which bytes are its next
    again: bool = False  # the next look leads to a turn, whether or not anything changed
    heard: bool = False  # a notification told of its last growth, so the next will probably tell of the next one
    caught_up: bool = False  # its last turn reached its end
    grew: float = float("-inf")  # when it was last seen to grow, or was met as a new file
    is_proven: bool = False  # what the store's cursor says was seen to be true of this very file
    doubted: float = float("inf")  # since when it is not known whether another host's cursor is of this file
    full: bool = False  # the next turn opens a generation, since a series can hold no more

    @property
    def path(self) -> str:
        return self.found.path

    @property
    def unread(self) -> int:
        """Bytes that are there and behind the cursor."""
        return max(0, self.stat.size - self.cursor.offset) if self.stat and self.missing is None else 0

    @property
    def behind(self) -> bool:
        """Whether there is more to read, and nothing hinders that."""
        return not (self.caught_up or self.trouble or self.missing)

    def lane(self, now: float) -> int:
        """Whose turn is first: 0 for news of a file that is read, 1 for the backlog of one that grows, 2 for others."""
        if self.caught_up:
            return 0
        if now - self.grew > GROWING:
            return 2
        return 0 if self.unread <= self.bound else 1

    @property
    def moves(self) -> bool:
        """Whether this is a log in the middle of a rotation: another file has its name now, or it has another one."""
        if self.found.role.source != "log" or self.missing is not None:
            return self.found.role.source == "log"
        fresh_part = self.cursor.offset == 0 and self.path.rpartition(".")[2].isdecimal()
        return fresh_part or (self.stat is not None and self.cursor.inode not in (0, self.stat.inode))

    def see(self, now: float, stat: FileStat | Missing) -> bool:
        """Take note of a look; True when there may be something to read."""
        if isinstance(stat, Missing):
            news = self.missing is None
            self.missed = now if news else self.missed
            self.missing = stat
            return news
        news = stat != self.stat
        if self.stat is None and now - stat.mtime > OLD_FILE:
            self.changed = stat.mtime
        elif news:
            self.changed = now
        if news and self.stat is not None:
            self.grew = now
        back, again = self.missing is not None, self.again
        self.stat, self.missing, self.again = stat, None, False
        return news or back or again or bool(self.retry) or self.line_is_over(now)

    def refuse(self, reason: str) -> None:
        """It is there and cannot be read: say so, and try again at every look, since a change of mode shows in nothing
        that we look at."""
        self.trouble, self.again = reason, True

    def line_is_over(self, now: float) -> bool:
        """Whether the writer has been silent so long that a last line without newline counts, and a record that is
        unfinished or damaged stays so."""
        quiet = now - self.changed >= SILENT_LINE
        size = self.stat.size if self.stat else 0
        return quiet and self.tail > 0 and self.ended != size

    def schedule(self, now: float, *, busy: float, idle: float) -> None:
        """Look often at what grows, and less and less often, down to every ``idle`` seconds, at what does not, and at
        what notifications tell of."""
        self.look_at = now + max(busy, idle if self.heard else min(idle, (now - self.changed) / 5))
        if self.retry:
            self.look_at = now + max(RETRY_FIRST, min(RETRY_LAST, idle, (now - self.changed) / 5))

    def took(self, turn: Turn, bound: int) -> None:
        """Take note of a turn whose content is safe: stored, or nothing worth storing."""
        self.cursor = turn.cursor
        self.tail = turn.tail
        self.ended = turn.stat.size if turn.final else self.ended
        if turn.retry != self.retry:
            self.retry_size = turn.stat.size
        self.retry = turn.retry
        self.trouble, self.full = "", False
        self.caught_up = not (turn.more or turn.wider)
        if not turn.wider:
            self.bound = bound
        elif self.bound < LONGEST_UNIT:
            self.bound *= 2
        else:
            self.trouble = f"a line or record of more than {LONGEST_UNIT >> 20} MiB: not read any further"

    def adopt(self, stored: str | None) -> None:
        """Go on from the store's cursor: another collector was faster, or the store lost what we wrote."""
        role = self.found.role
        self.stored = stored
        self.cursor = Cursor.decode(stored) if stored else Cursor(role.file, role.source, role.rank)
        if not self.cursor.host:
            self.cursor = replace(self.cursor, host=self.host)
        self.ended = -1
        self.caught_up = self.full = False

    @property
    def is_doubted(self) -> bool:
        """Whether the cursor may be of a file of another host that is called alike."""
        return not self.is_proven and self.cursor.host != self.host

    @property
    def is_second(self) -> bool:
        """Whether another host's file has its name in the store."""
        return self.found.role.file != self.known_as

    def call(self, file: str, stored: str | None) -> None:
        """Give it another name in the store, and what is stored under that."""
        self.found = replace(self.found, role=replace(self.found.role, file=file))
        self.doubted = float("inf")
        self.adopt(stored)

    def place(self, rank: int | None) -> None:
        """Its global rank is known now, or not any more."""
        self.found = replace(self.found, role=replace(self.found.role, rank=rank))
        self.cursor = replace(self.cursor, rank=rank)

    def fill(self) -> None:
        """A series of its generation can hold no more: go on in the next one, or in smaller pieces when even a fresh
        one is too small."""
        if self.full:
            self.bound = max(LEAST_BOUND, self.bound // 2)
        else:
            self.cursor = replace(self.cursor, generation=self.cursor.generation + 1)
        self.full = True

    @property
    def opening(self) -> str:
        """Why the generation that the next turn reads in begins there; empty when the store knows it."""
        if self.full:
            return "series_full"
        return "first" if self.stored is None else ""

    def state(self, now: float) -> FileState:
        """What the health page says of it."""
        size = self.stat.size if self.stat else 0
        word, reason = self._word(now, size)
        return FileState(self.cursor.file, word, reason, size, self.cursor.offset)

    def _word(self, now: float, size: int) -> tuple[Word, str]:
        if self.missing is not None:
            return ("gone" if self.missing.gone else "broken"), self.missing.reason
        if self.trouble:
            return "broken", self.trouble
        if self.retry:
            over = now - self.changed >= SILENT_BROKEN or size > self.retry_size
            return ("broken" if over else "waiting"), self.retry
        if size == 0:
            return "waiting", "no data yet"
        return ("drained" if now - self.changed >= SILENT_BROKEN else "following"), ""
