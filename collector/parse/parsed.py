"""What a parser returns, and the protocol that every parser keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from collector.wire.records import ParserState, RunEvent


@dataclass(frozen=True, slots=True)
class Restart:
    """The next unconsumed line announces a new start of the job; ``wall`` is its clock (Unix seconds), if any."""

    wall: float | None
    text: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """What one chunk held. ``scalars`` are blocks of 24-byte points (wire.records) by tag, in order of arrival."""

    consumed: int  # bytes of whole units; the rest is offered again, longer, next time
    state: ParserState  # memory at ``consumed``
    scalars: Mapping[str, bytes] = field(default_factory=dict)
    events: Sequence[RunEvent] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)  # warning code → how many in this chunk
    restarted: Restart | None = None  # open a new generation, call again with the state of a fresh file
    retry: bool = False  # a frame that cannot be right yet (zero-filled tail on NFS): keep, wait


class Parser(Protocol):
    """A parser holds no memory of its own: any cut of a file into chunks gives the same points."""

    def parse(self, chunk: bytes, state: ParserState, *, final: bool = False) -> Parsed:
        """Read whole units from ``chunk``, which begins where the last call stopped consuming.

        ``state`` is what that call returned, ``{}`` for a fresh file. ``final`` says that no more bytes will come,
        so a last text line without its newline counts.
        """
        ...
