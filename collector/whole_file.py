"""One file read from its first byte to its last, for the command that prints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from collector.follow.files import DiskFiles, Missing
from collector.parse.parsed import Parsed
from collector.parse.parsers import parser_for
from collector.wire.records import ParserState, Source

PIECE = 8 << 20  # bytes read at once; a unit that is longer makes the piece grow


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something that the file's numbers do not show; codes as in the printed warnings."""

    code: str
    detail: str


def parsed_file(path: str, source: Source, piece: int = PIECE) -> Iterator[Parsed | Flaw]:
    """All that the file holds, in order, and behind it what could not be read."""
    parser, offset, size = parser_for(source), 0, piece
    state: ParserState = {}
    left_out = 0
    while True:
        found = DiskFiles().read(path, offset, size)
        if isinstance(found, Missing):
            yield Flaw("unreadable", found.reason)
            return
        ends = offset + len(found.data) >= found.stat.size
        parsed = parser.parse(found.data, state, final=ends)
        yield parsed
        left_out += parsed.counts.get("bad_data_crc", 0)
        offset += parsed.consumed
        size = piece if parsed.consumed else size * 2
        state = {} if parsed.restarted else parsed.state
        if parsed.retry or (ends and not parsed.restarted):
            break
    if left_out:
        yield Flaw("bad_data_crc", f"{left_out} records do not match their checksum and are left out")
    yield from _tail(found.data[parsed.consumed :], offset, retry=parsed.retry)


def _tail(rest: bytes, offset: int, *, retry: bool) -> Iterator[Flaw]:
    """What is wrong with the bytes behind the last whole unit."""
    if rest and not rest.strip(b"\0"):
        yield Flaw("zero_filled_tail", f"zeros from byte {offset} on, where a record should be")
    elif retry:
        yield Flaw("bad_length_crc", f"the length of the record at byte {offset} does not match its checksum")
    elif rest:
        yield Flaw("truncated_tail", f"the record at byte {offset} is incomplete")
