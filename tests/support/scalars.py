"""What a parser found, in a form that tests can compare: NaN equals NaN."""

from __future__ import annotations

import math
from collections.abc import Iterable

from collector.parse.parsed import Parsed, Parser
from collector.wire.records import ParserState, RunEvent, unpack_points

Point = tuple[int, float | str, float | str]


def comparable(number: float) -> float | str:
    return "NaN" if math.isnan(number) else number


def points(block: bytes) -> list[Point]:
    return [(step, comparable(wall), comparable(value)) for step, wall, value in unpack_points(block)]


def curve(parsed: Parsed, tag: str) -> list[tuple[int, float | str]]:
    """(step, value) of one tag; empty when there is none."""
    return [(step, value) for step, _, value in points(parsed.scalars.get(tag, b""))]


class Followed:
    """Everything that a parser gives for a file which arrives in pieces; a restart opens the next generation."""

    def __init__(self, parser: Parser, data: bytes, cuts: Iterable[int] = ()) -> None:
        self.scalars: dict[tuple[int, str], list[Point]] = {}
        self.events: list[tuple[int, RunEvent]] = []
        self.facts: dict[str, str] = {}
        self.counts: dict[str, int] = {}
        self.generation = self.consumed = 0
        self.state: ParserState = {}
        ends = [*cuts, len(data)]
        for number, end in enumerate(ends, start=1):
            self._feed(parser, data, end, final=number == len(ends))

    def _feed(self, parser: Parser, data: bytes, end: int, *, final: bool) -> None:
        while True:
            parsed = parser.parse(data[self.consumed : end], self.state, final=final)
            for tag, block in parsed.scalars.items():
                self.scalars.setdefault((self.generation, tag), []).extend(points(block))
            self.events.extend((self.generation, event) for event in parsed.events)
            self.facts.update(parsed.facts)
            for code, count in parsed.counts.items():
                self.counts[code] = self.counts.get(code, 0) + count
            self.consumed += parsed.consumed
            self.state = parsed.state
            if parsed.restarted is None:
                return
            self.generation += 1
            self.state = {}

    def all(self) -> tuple[object, ...]:
        """What must be the same for every cut."""
        return self.scalars, self.events, self.facts, self.counts, self.consumed, self.generation
