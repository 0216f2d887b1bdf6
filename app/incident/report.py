"""Everything that a bundle tells, as plain values that have been cleaned already. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from app.api.answers import Json
from app.incident.asked import Stretch
from app.series.curve import Floats, Ints
from app.series.spans import Span

Kind = Literal["stands", "older", "rank", "median", "marks"]


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One line of a panel as it is drawn, of ``total`` points; ``spans`` are its stretches of NaN and infinities, of
    which ``hidden`` more are not listed. ``colour`` is a variable of assets/00-tokens.css. ``label`` stands in the
    legend, once for all lines that share it."""

    name: str
    kind: Kind
    colour: str
    steps: Ints
    values: Floats
    total: int
    spans: Sequence[Span] = ()
    hidden: int = 0
    stairs: bool = False
    dots: bool = False
    label: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """``metrics`` are the names under which findings know what it shows."""

    key: str
    title: str
    unit: str
    log: bool
    metrics: frozenset[str]
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class LogSlice:
    """Lines of one rank's log, the first of them line ``number`` of ``file``; ``match`` is the index of the one that
    was looked for. ``why`` says why there are none."""

    rank: int | None
    host: str
    file: str
    around: int
    number: int | None
    lines: Sequence[str]
    match: int | None = None
    why: str = ""

    @property
    def name(self) -> str:
        """Of its file in the bundle."""
        return "logs/run.log" if self.rank is None else f"logs/rank_{self.rank}.log"


@dataclass(frozen=True, slots=True)
class Head:
    """``state`` is a word for readers, ``tone`` its colour; ``made`` is Unix seconds; ``total`` the step at which the
    run is to end."""

    run: str
    name: str
    state: str
    tone: str
    stretch: Stretch
    step: int | None
    total: int | None
    ranks: int
    made: float
    language: str
    masked: bool
    named: bool


@dataclass(frozen=True, slots=True)
class Event:
    """``what`` is its kind in words, ``said`` what its numbers say or the line that tells it."""

    step: int | None
    last_step: int | None
    wall: float | None
    what: str
    tone: str
    said: str
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """``findings`` and ``notes`` are as the API gives them; ``facts`` are sections of (name, value) for readers;
    ``left_out`` says in sentences what is not there and why."""

    head: Head
    panels: Sequence[Panel]
    findings: Sequence[Mapping[str, Json]]
    notes: Sequence[Mapping[str, Json]]
    events: Sequence[Event]
    configuration: Mapping[str, str]
    logs: Sequence[LogSlice]
    attempts: Sequence[Mapping[str, Json]]
    facts: Sequence[tuple[str, Sequence[tuple[str, str]]]]
    ledger: Json
    left_out: Sequence[str]
