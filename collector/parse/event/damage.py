"""Where a file of frames goes on behind bytes that are none.

A length that does not match its checksum may be a damaged one, somebody's text in the file, or a page that network
storage has not delivered yet and that reads as zeros. The first two stay as they are: reading goes on at the next
frame that is proven by both its checksums. The third becomes data later: while bytes are missing, reading waits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from collector.parse.event.framing import FOOTER_BYTES, HEADER_BYTES, Frames, frame_end, has_header, intact_data
from collector.parse.event.linear_crc import masked_length_crc

HOLE = bytes(64)  # zeros in a row that look like a page which is not there yet
SETTLED = 64 * 1024  # bytes behind a hole: a writer that is so far ahead has had the hole's page written long ago
LONGEST_FOREIGN = 1 << 20  # bytes without a frame that are kept in hand in case that they are the beginning of one
FIRST_WINDOW = 4096  # bytes looked through first: the next frame mostly is near
LFS_POINTER = b"version https://git-lfs.github.com/spec/"
LFS_REMEDY = "this is a Git LFS pointer, not the file itself: run `git lfs pull` where it lies"


@dataclass(frozen=True, slots=True)
class Resumption:
    """Where to go on: ``at`` a frame that is ``proven``, or else behind bytes that belong to none."""

    at: int
    proven: bool
    code: str = ""  # what it is counted as


def resume(chunk: bytes, cut: Frames, *, final: bool) -> Resumption | None:
    """Where to go on behind ``cut.end``, where ``cut`` met no whole frame; None: not before more bytes are here.

    ``final``: no more bytes are expected, so what looks unfinished is damaged.
    """
    at, code = cut.end, "bad_length_crc" if cut.stop == "bad_length" else "bad_data_crc"
    after = frame_end(chunk, at) if cut.stop == "bad_data" else len(chunk)
    if has_header(chunk, after):
        return Resumption(_within(chunk, at, after), True, code)
    is_last = cut.stop == "bad_data" and after + HEADER_BYTES > len(chunk)
    if not final and (is_last or cut.stop == "incomplete"):
        return None
    following = next_frame(chunk, at + 1, final=final)
    if following is not None:
        is_settled = final or len(chunk) - following >= SETTLED or HOLE not in chunk[at:following]
        return Resumption(following, True, code) if is_settled else None
    if is_last:
        return _behind(chunk, at)
    return None if cut.stop == "incomplete" else _foreign(chunk, at, code)


def _within(chunk: bytes, at: int, after: int) -> int:
    """``after``, behind a record whose data are damaged; or where a frame is proven within it from which frames lead to
    ``after``: then the record was torn, and what seemed to be its end are records of another writer."""
    leads = {after: True}  # where a frame may begin → whether frames lead from there to ``after``
    for start in headers(chunk, at + 1):
        if start >= after:
            break
        chain, following = [start], start
        while following < after and following not in leads and has_header(chunk, following):
            chain.append(following)
            following = frame_end(chunk, following)
        leads.update(dict.fromkeys(chain, leads.get(following, False)))
        if leads[start] and intact_data(chunk, start) is not None:
            return start
    return after


def _behind(chunk: bytes, at: int) -> Resumption | None:
    """Behind the last record, whose data are damaged; if it ends in zeros its end may not be there yet."""
    after = frame_end(chunk, at)
    return Resumption(after, True, "bad_data_crc") if any(chunk[after - FOOTER_BYTES : after]) else None


def _foreign(chunk: bytes, at: int, code: str) -> Resumption | None:
    """Far behind ``at`` when a lot follows that is no frame, so that foreign bytes of any length need no memory."""
    if len(chunk) - at <= LONGEST_FOREIGN or HOLE in chunk[at:]:
        return None
    begun = next((start for start in headers(chunk, at + 1)), len(chunk) - HEADER_BYTES)
    return Resumption(begun, False, code)


def next_frame(chunk: bytes, at: int, *, final: bool) -> int | None:
    """The first place from ``at`` on where a frame is proven. A frame that has begun and is not all there hides those
    that follow it, since they may be its own data; if ``final``, it is taken as never finished."""
    for start in headers(chunk, at):
        if frame_end(chunk, start) > len(chunk):
            if not final:
                return None
        elif intact_data(chunk, start) is not None:
            return start
    return None


def headers(chunk: bytes, at: int) -> Iterator[int]:
    """Every place from ``at`` on where a length stands that matches its checksum."""
    window = FIRST_WINDOW
    while at + HEADER_BYTES <= len(chunk):
        count = min(window, len(chunk) - HEADER_BYTES + 1 - at)
        low, high, checksum = (np.ndarray((count,), "<u4", chunk, at + skip, (1,)) for skip in (0, 4, 8))
        places = np.flatnonzero((high == 0) & (checksum != 0))  # no record has four gigabytes
        right = masked_length_crc(low[places]) == checksum[places]
        yield from (places[right] + at).tolist()
        at += count
        window *= 2


def why(rest: bytes) -> str:
    """A word for what stands where the next record should begin, and cannot be one (yet)."""
    if rest.startswith(LFS_POINTER):
        return "git_lfs_pointer"
    if not rest[:HEADER_BYTES].strip(b"\0"):
        return "zero_filled_tail"
    if not has_header(rest, 0):
        return "bad_length_crc"
    end = frame_end(rest, 0)
    return "bad_data_crc" if any(rest[end - FOOTER_BYTES : end]) else "zero_filled_tail"


def told(rest: bytes) -> str:
    """The same for a person, with the remedy if there is one."""
    word = why(rest)
    return f"{word}: {LFS_REMEDY}" if word == "git_lfs_pointer" else word
