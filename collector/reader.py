"""One file's turn: which bytes are its next ones, where a log is renamed away while it is read. No state of its own."""

from __future__ import annotations

from dataclasses import replace

from collector.follow.files import Files, FileStat, Missing
from collector.follow.resume import drained, rotated
from collector.follow.rotation import Certain, Unsure, copied_to, is_copy, renamed_to
from collector.places import second
from collector.ready import Ready
from collector.roster import Roster
from collector.tracked import GONE, Tracked
from collector.turn import Turn, take
from collector.whose import whose

PATIENCE = 5.0  # seconds for which a file that is shorter than another host's cursor says may be behind
Turns = list[tuple[Tracked, Turn]]


class Reader:
    """Reads for the files of a roster; who must be looked at again first is put back among the ready."""

    def __init__(self, roster: Roster, ready: Ready) -> None:
        self._roster, self._ready = roster, ready

    def turns(self, now: float, files: Files, tracked: Tracked) -> Turns:
        """What a file's turn brings: one piece; with the end of a renamed log also the switch to its successor. Nothing
        when it cannot be found out which bytes are its next: the next look asks again, for a minute."""
        if tracked.missing is not None and not tracked.missing.gone:
            return []  # the look at it failed: the next one puts it back
        try:
            if tracked.is_doubted and not self._is_settled(now, files, tracked):
                tracked.again = True
                return []
            turns = self._turns(now, files if now - tracked.unsure >= GONE else Certain(files), tracked)
        except Unsure:
            tracked.unsure, tracked.again = min(tracked.unsure, now), True
            return []
        tracked.unsure = float("inf")
        return turns

    def _is_settled(self, now: float, files: Files, tracked: Tracked) -> bool:
        """Find out whether another host's cursor is of this very file; if not, it goes on under a name of its own."""
        tracked.doubted = min(tracked.doubted, now)
        alive = tracked.cursor.host in self._roster.alive
        verdict = whose(files, tracked.path, tracked.cursor, alive=alive, patient=now - tracked.doubted < PATIENCE)
        if verdict == "another":
            self._roster.rename(tracked, self._other_name(files, tracked))
        tracked.is_proven = verdict != "unsure"
        return tracked.is_proven

    def _other_name(self, files: Files, tracked: Tracked) -> str:
        """Its name where this storage is seen by a third host too, else one of its own."""
        for file, cursor in self._roster.seconds(tracked):
            if whose(files, tracked.path, cursor, alive=True, patient=True) == "same":
                return file
        return second(tracked.known_as, tracked.host)

    def _turns(self, now: float, files: Files, tracked: Tracked) -> Turns:
        moved = self._moved(files, tracked)
        if moved is None and (self._is_claimed(files, tracked) or self._is_copy(files, tracked)):
            tracked.again = True  # it is read to its end under its former name; the next look asks again
            return []
        turn = self._take(now, files, tracked, moved)
        if moved is None and isinstance(turn, Turn) and self._was_cut_off(files, tracked, turn):
            moved = copied_to(files, tracked.path, tracked.cursor)  # copied and cut off: first the rest of the copy
            turn = self._take(now, files, tracked, moved) if moved else turn
        if isinstance(turn, Missing):
            self._miss(now, tracked, turn)
            return []
        if not self._is_expected(files, tracked, turn, moved):  # look again before anything is concluded
            tracked.see(now, _plain(files).stat(tracked.path))
            self._ready.put(now, [tracked])
            return []
        if moved is None or turn.more or turn.wider or tracked.stat is None or tracked.missing is not None:
            return [(tracked, turn)]
        return self._switch(now, files, tracked, turn, moved)

    def _miss(self, now: float, tracked: Tracked, why: Missing) -> None:
        if not why.gone:
            tracked.refuse(why.reason)
        elif tracked.see(now, why):  # it went since we looked: perhaps it was renamed
            self._ready.put(now, [tracked])

    def _was_cut_off(self, files: Files, tracked: Tracked, turn: Turn) -> bool:
        is_log = tracked.found.role.source == "log"
        return is_log and turn.begins_anew and self._is_expected(files, tracked, turn, None)

    def _is_expected(self, files: Files, tracked: Tracked, turn: Turn, moved: str | None) -> bool:
        """Whether the file was neither renamed nor replaced since we looked."""
        if moved is None:
            return tracked.stat is None or turn.stat.inode == tracked.stat.inode
        stat = files.stat(moved)
        return isinstance(stat, FileStat) and stat.inode == turn.stat.inode and not turn.begins_anew

    def _take(self, now: float, files: Files, tracked: Tracked, moved: str | None) -> Turn | Missing:
        final = tracked.line_is_over(now) and moved is None
        path, opening = moved or tracked.path, tracked.opening
        try:
            return take(
                _plain(files), tracked.found, path, tracked.cursor, bound=tracked.bound, final=final, opening=opening
            )
        except Exception as error:  # a fault of ours in a parser costs one file, never the collector
            return Missing(
                f"not understood ({type(error).__name__}: {error}), which is a fault of Tidewatch", gone=False
            )

    def _moved(self, files: Files, tracked: Tracked) -> str | None:
        if tracked.found.role.source != "log" or not tracked.cursor.inode:
            return None
        here = tracked.stat is not None and tracked.missing is None
        if here and tracked.stat is not None and tracked.stat.inode == tracked.cursor.inode:
            return None
        moved = renamed_to(files, tracked.path, tracked.cursor)
        return moved if moved or here else copied_to(files, tracked.path, tracked.cursor)

    def _is_claimed(self, files: Files, tracked: Tracked) -> bool:
        former = self._roster.claimant(tracked)
        return former is not None and renamed_to(files, former.path, former.cursor) == tracked.path

    def _is_copy(self, files: Files, tracked: Tracked) -> bool:
        """Whether a part that was not read yet is a copy of the log that is being read."""
        whole = self._roster.whole(tracked) if tracked.cursor.offset == 0 else None
        return whole is not None and is_copy(files, tracked.path, whole.path, whole.cursor)

    def _switch(self, now: float, files: Files, tracked: Tracked, turn: Turn, moved: str) -> Turns:
        """The renamed log is read to its end: mark it so, and go on with the file that has its name now. The file whose
        place it took was renamed too, and goes first."""
        other = self._roster.beside(tracked, moved)
        if other is not None:
            other.see(now, _plain(files).stat(other.path))
        if other is not None and other.cursor.inode != turn.cursor.inode and self._moved(files, other) is not None:
            self._ready.put(now, [other, tracked])
            return []
        inode = tracked.stat.inode if tracked.stat and not self._is_claimed(files, tracked) else 0
        turns = [(tracked, replace(turn, cursor=rotated(turn.cursor, inode), more=True))]
        if other is not None:
            known = other.cursor if other.stored else None
            turns.append((other, Turn(drained(turn.cursor, other.cursor.file, known), turn.stat, more=True)))
        return turns


def _plain(files: Files) -> Files:
    """What cannot be read is told of the file itself."""
    return files.files if isinstance(files, Certain) else files
