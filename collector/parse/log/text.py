"""The bytes of a log before any rule looks at them: colours, carriage returns, foreign punctuation, lines."""

from __future__ import annotations

import re

LONGEST_LINE = 1 << 18  # bytes; a longer line is a dump of some object, never a metric

Line = tuple[int, int, int]
"""Where a needle was found, where its line begins, and where it ends, its line feed left out."""

# \x1b[1;31m2.875\x1b[0m
_COLOUR = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")
_RETURN = bytes.maketrans(b"\r\x00", b"\n ")
_WIDE = (  # full-width punctuation, each as wide in bytes as what replaces it
    ("：".encode(), b":  "),
    ("，".encode(), b",  "),
    ("［".encode(), b"[  "),
    ("］".encode(), b"  ]"),
    ("｛".encode(), b"{  "),
    ("｝".encode(), b"  }"),
)


def plain(chunk: bytes) -> bytes:
    """The chunk with colours and NULs blanked, CR as LF and full-width punctuation in ASCII; every byte keeps its
    offset, so that what is found here is found there."""
    if b"\r" in chunk or b"\x00" in chunk:
        chunk = chunk.translate(_RETURN)
    if b"\x1b" in chunk:
        chunk = _COLOUR.sub(lambda match: b" " * len(match[0]), chunk)
    if b"\xef" in chunk and (b"\xef\xbc" in chunk or b"\xef\xbd" in chunk):  # one byte is found ten times sooner
        for wide, narrow in _WIDE:
            chunk = chunk.replace(wide, narrow)
    return chunk


def whole_lines(text: bytes, *, final: bool) -> int:
    """How many bytes are whole lines; at the end of a file the last line needs no line feed."""
    return len(text) if final else text.rfind(b"\n") + 1


def line_at(text: bytes, at: int, end: int) -> tuple[int, int]:
    """Where the line that holds offset ``at`` begins and ends, its line feed left out."""
    start = text.rfind(b"\n", 0, at) + 1
    stop = text.find(b"\n", at, end)
    return start, end if stop < 0 else stop


def shown(line: bytes) -> str:
    """A line as text for people: undecodable bytes are marked, 300 characters are enough."""
    return line.decode("utf-8", "replace").strip()[:300]
