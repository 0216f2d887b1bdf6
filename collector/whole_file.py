"""One file read from its first byte to its last, for the command that prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from collector.follow.files import DiskFiles, Missing
from collector.parse.event.damage import LFS_REMEDY, why
from collector.parse.parsed import Parsed
from collector.parse.parsers import parser_for
from collector.wire.records import ParserState, Source

PIECE = 2 << 20  # bytes read at once: what was read is still in the processor's cache when it is parsed
ANYWHERE = DiskFiles()
LONGEST = 256 << 20  # bytes of one unit, for which the piece grows; behind a longer one nothing is read

# code → what it says of the records that it was counted for, and of the bytes behind the last whole record
_COUNTED: Mapping[str, str] = {
    "bad_data_crc": "{count} records do not match their checksum and are left out",
    "bad_length_crc": "{count} times bytes that are no record are passed over",
    "torn_line": "{count} records were torn by another write; what is not whole of them is left out",
    "broken_record": "{count} records are no event and are left out",
}
_BEHIND: Mapping[str, str] = {
    "zero_filled_tail": "zeros from byte {offset} on, where a record should be",
    "bad_length_crc": "the length of the record at byte {offset} does not match its checksum",
    "truncated_tail": "the record at byte {offset} is incomplete",
    "bad_data_crc": "the last record, at byte {offset}, does not match its checksum",
    "git_lfs_pointer": LFS_REMEDY,
}


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something that the file's numbers do not show; codes as in the printed warnings."""

    code: str
    detail: str


def parsed_file(path: str, source: Source, piece: int = PIECE, files: DiskFiles = ANYWHERE) -> Iterator[Parsed | Flaw]:
    """All that the file holds, in order, and behind it what could not be read."""
    parser, offset, size = parser_for(source), 0, piece
    state: ParserState = {}
    counts: Counter[str] = Counter()
    while True:
        found = files.read(path, offset, size)
        if isinstance(found, Missing):
            yield Flaw("unreadable", found.reason)
            return
        ends = offset + len(found.data) >= found.stat.size
        parsed = parser.parse(found.data, state, final=ends)
        yield parsed
        counts.update(parsed.counts)
        offset += parsed.consumed
        size = piece if parsed.consumed else size * 2
        state = {} if parsed.restarted else parsed.state
        if (ends and not parsed.restarted) or size > LONGEST:
            break
    for code in [code for code in _COUNTED if counts[code]]:
        yield Flaw(code, _COUNTED[code].format(count=counts[code]))
    rest = found.data[parsed.consumed :]
    if rest:
        code = why(rest) if parsed.retry or not rest.strip(b"\0") else "truncated_tail"
        yield Flaw(code, _BEHIND[code].format(offset=offset))
