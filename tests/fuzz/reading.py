"""Everything that a parser gives for some bytes that arrive in some pieces, in a form that can be compared."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from collector.parse.parsed import Parsed, Parser
from collector.wire.records import POINT_BYTES, ParserState, RunEvent

POINT = np.dtype([("step", "<i8"), ("wall", "<f8"), ("value", "<f8")])
LONGEST_STATE = 65_536  # bytes of JSON: a cursor is written with every commit


class Wrong(AssertionError):
    """What a parser did that no parser may do."""


@dataclass(slots=True)
class Reading:
    """One file followed to its end."""

    scalars: dict[tuple[int, str], bytes] = field(default_factory=dict)
    events: list[tuple[int, RunEvent]] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    generation: int = 0
    consumed: int = 0
    retry: bool = False

    def points(self, tag: str) -> list[tuple[int, float]]:
        """(step, value) of a tag, whatever the generation, in order."""
        blocks = [block for (_, name), block in self.scalars.items() if name == tag]
        return [(step, value) for step, _, value in np.frombuffer(b"".join(blocks), POINT).tolist()]


def read(parser: Parser, data: bytes, cuts: Iterable[int] = ()) -> Reading:
    """The reading of ``data`` offered up to each cut in turn; raises ``Wrong``, or whatever the parser raised."""
    reading, state = Reading(), dict[str, int | float | str | bool | None]()
    ends = sorted({cut for cut in cuts if 0 <= cut < len(data)})
    for end in [*ends, len(data)]:
        state = dict(_offer(parser, data, end, reading, state, final=end == len(data)))
    reading.scalars = {key: _canonical(block) for key, block in reading.scalars.items()}
    return reading


def read_late(parser: Parser, early: bytes, data: bytes) -> Reading:
    """The reading of a file that first looked like ``early``, whose last page read as zeros, and then like ``data``."""
    reading = Reading()
    state = _offer(parser, early, len(early), reading, {}, final=False)
    reading.consumed = min(reading.consumed, len(data))
    _offer(parser, data, len(data), reading, state, final=True)
    reading.scalars = {key: _canonical(block) for key, block in reading.scalars.items()}
    return reading


def _offer(parser: Parser, data: bytes, end: int, reading: Reading, state: ParserState, *, final: bool) -> ParserState:
    blocks = {key: [block] for key, block in reading.scalars.items()}
    while True:
        parsed = parser.parse(data[reading.consumed : end], state, final=final)
        _check(parsed, end - reading.consumed, state)
        for tag, block in parsed.scalars.items():
            blocks.setdefault((reading.generation, tag), []).append(block)
        reading.events += [(reading.generation, event) for event in parsed.events]
        reading.facts.update(parsed.facts)
        for code, count in parsed.counts.items():
            reading.counts[code] = reading.counts.get(code, 0) + count
        reading.consumed += parsed.consumed
        reading.retry = parsed.retry
        state = parsed.state
        if parsed.restarted is None:
            break
        reading.generation += 1
        state = {}
    reading.scalars = {key: b"".join(parts) for key, parts in blocks.items()}
    return state


def _check(parsed: Parsed, offered: int, before: ParserState) -> None:
    """What holds for every answer."""
    if not 0 <= parsed.consumed <= offered:
        raise Wrong(f"consumed {parsed.consumed} of {offered} bytes")
    if parsed.restarted is not None and not parsed.consumed and not before:
        raise Wrong("announces a restart of a fresh file for ever")
    if any(len(block) % POINT_BYTES or not block for block in parsed.scalars.values()):
        raise Wrong("a block is not a number of points")
    if any("\x1f" in tag for tag in parsed.scalars):
        raise Wrong("a tag holds the separator of series identities")
    kept = json.dumps([dict(parsed.state), dict(parsed.facts), list(parsed.scalars)], ensure_ascii=False)
    kept += "".join(event.encode() for event in parsed.events)
    kept.encode()  # raises where a lone surrogate would stop the store
    if len(json.dumps(dict(parsed.state))) > LONGEST_STATE:
        raise Wrong("the state grows with the input")


def _canonical(block: bytes) -> bytes:
    """The same points with one spelling of NaN."""
    points = np.frombuffer(block, POINT).copy()
    for column in ("wall", "value"):
        points[column][np.isnan(points[column])] = np.nan
    return points.tobytes()


def difference(one: Reading, other: Reading) -> str | None:
    """What differs between two readings of the same bytes, in words; None when nothing does."""
    for name in ("consumed", "generation", "retry", "counts", "facts", "events"):
        if getattr(one, name) != getattr(other, name):
            return f"{name}: {str(getattr(one, name))[:300]} against {str(getattr(other, name))[:300]}"
    for key in one.scalars.keys() | other.scalars.keys():
        if one.scalars.get(key, b"") != other.scalars.get(key, b""):
            mine, theirs = (np.frombuffer(side.scalars.get(key, b""), POINT).tolist() for side in (one, other))
            first = next((n for n, (a, b) in enumerate(zip(mine, theirs, strict=False)) if str(a) != str(b)), "end")
            return f"points of {key}: {len(mine)} against {len(theirs)}, first difference at {first}"
    return None
