"""One turn of one file: read a bounded piece, parse it, and say what a commit of it would hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from collector.follow.discovery import Found
from collector.follow.files import Files, FileStat, Missing, Piece
from collector.follow.resume import StartAgain, decide, marker_length, marker_of, next_generation, read_again
from collector.normalise import Block, located, normalise
from collector.parse.event.damage import told
from collector.parse.parsed import Parsed
from collector.parse.parsers import parser_for
from collector.wire.records import Cursor, Generation, ParserState, RunEvent


@dataclass(frozen=True, slots=True)
class Turn:
    """What was read. ``cursor`` is where the file stands once it is committed."""

    cursor: Cursor
    stat: FileStat
    blocks: tuple[Block, ...] = ()
    events: tuple[RunEvent, ...] = ()
    generations: tuple[Generation, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    size: int = 0  # bytes that were read
    retry: str = ""  # why the next unit cannot be right yet
    more: bool = False  # further whole units may be there already
    wider: bool = False  # the next unit is longer than the bound
    final: bool = False  # its end counted as the end of what is written

    @property
    def tail(self) -> int:
        """Bytes that are there and not consumed."""
        return self.stat.size - self.cursor.offset

    @property
    def begins_anew(self) -> bool:
        """Whether the file's content was found to be another than the one that was read before."""
        return any(one.reason in ("truncated", "replaced") for one in self.generations)

    @property
    def tells(self) -> bool:
        """Whether it holds anything but progress."""
        return bool(self.blocks or self.events or self.facts)


def take(
    files: Files, found: Found, path: str, cursor: Cursor, *, bound: int, final: bool, opening: str
) -> Turn | Missing:
    """Read ``path`` from ``cursor`` on, at most ``bound`` bytes, for the file ``found`` (another path than its own
    while a renamed log is read to its end). ``final``: the writer is silent, a last line needs no newline.
    ``opening``: why the cursor's generation began, when that is to be stored with the turn."""
    begun = [_generation(cursor, opening)] if opening else []
    piece = _piece(files, path, cursor, bound)
    if isinstance(piece, Piece):
        verdict = decide(cursor, piece.stat, piece.data[: marker_length(cursor.offset)])
        if isinstance(verdict, StartAgain):
            if found.role.source == "health":
                cursor = read_again(cursor)
            else:
                cursor = next_generation(cursor)
                begun.append(_generation(cursor, verdict.reason))
            piece = _piece(files, path, cursor, bound)
    if isinstance(piece, Missing):
        return piece
    reading = _Reading(found, cursor, begun, cursor.generation, cursor.state, cursor.counts)
    reading.read(piece, final=final)
    return reading.turn(piece, bound, final=final)


def _piece(files: Files, path: str, cursor: Cursor, bound: int) -> Piece | Missing:
    length = marker_length(cursor.offset)
    return files.read(path, cursor.offset - length, length + bound)


def _generation(cursor: Cursor, reason: str, wall: float | None = None) -> Generation:
    return Generation(cursor.file, cursor.generation, reason, wall, cursor.rank)


@dataclass(slots=True)
class _Reading:
    found: Found
    cursor: Cursor  # from which the piece was read
    generations: list[Generation]
    generation: int
    state: ParserState
    counts: Mapping[str, int]
    blocks: list[Block] = field(default_factory=list)
    events: list[RunEvent] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    consumed: int = 0
    retry: bool = False

    def read(self, piece: Piece, *, final: bool) -> None:
        """Parse the piece; a start that is announced within it opens the next generation at its line."""
        rest = piece.data[marker_length(self.cursor.offset) :]
        whole = self.cursor.offset + len(rest) >= piece.stat.size
        parser = parser_for(self.found.role.source)
        while True:
            fresh = not self.state
            parsed = parser.parse(rest, self.state, final=final and whole)
            self._collect(parsed)
            rest = rest[parsed.consumed :]
            if parsed.restarted is None or (fresh and not parsed.consumed):
                break
            self.generation, self.state = self.generation + 1, {}
            opened = replace(self.cursor, generation=self.generation)
            self.generations.append(_generation(opened, "start_announced", parsed.restarted.wall))
        self.retry = parsed.retry

    def _collect(self, parsed: Parsed) -> None:
        role, generation = self.found.role, self.generation
        self.blocks.extend(normalise(role, generation, parsed))
        self.events.extend(located(role, generation, parsed.events))
        self.facts.update(parsed.facts)
        self.consumed += parsed.consumed
        if parsed.consumed:  # what was not consumed is offered, and would be counted, again
            self.state = parsed.state
            for code, count in parsed.counts.items():
                self.counts = {**self.counts, code: self.counts.get(code, 0) + count}

    def turn(self, piece: Piece, bound: int, *, final: bool) -> Turn:
        start = marker_length(self.cursor.offset)
        offset = self.cursor.offset + self.consumed
        end = start + self.consumed
        cursor = replace(
            self.cursor,
            offset=offset,
            generation=self.generation,
            state=self.state,
            counts=self.counts,
            marker=marker_of(piece.data[max(0, end - marker_length(offset)) : end]),
            inode=piece.stat.inode,
            mtime=piece.stat.mtime if self.consumed else self.cursor.mtime,
        )
        unread = piece.stat.size > self.cursor.offset + len(piece.data) - start
        return Turn(
            cursor,
            piece.stat,
            tuple(self.blocks),
            tuple(self.events),
            tuple(self.generations),
            self.facts,
            size=len(piece.data),
            retry=told(piece.data[end:]) if self.retry else "",
            more=unread and self.consumed > 0,
            wider=unread and self.consumed == 0,
            final=final,
        )
