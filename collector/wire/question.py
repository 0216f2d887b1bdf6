"""What a page may ask of the collector that follows a run's files: a few raw lines of one rank's log.

Both ways go over Redis' publish and subscribe (channels: ``wire.schema``), so nothing is stored and nothing has to
expire: who does not listen any more gets nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from collector.wire.records import RunId

Direction = Literal["next", "previous"]
Json = Mapping[str, "Json"] | list["Json"] | str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class LogAsked:
    """One log that may hold the answer: the name of its newest part below the run's directory (rotated parts belong to
    it), and the clock (Unix seconds, as that log's lines are read) of what is looked for, if it is known."""

    file: str
    wall: float | None = None


@dataclass(frozen=True, slots=True)
class LogQuestion:
    """Which lines are wanted of ``logs`` (the first that fits is taken).

    ``start`` is a position of an earlier answer: ``direction`` says on which side of it to go on. Else the lines lie
    around ``step``, around a log's ``wall``, or at its end. ``find`` looks for a text from there on.
    """

    id: str  # names the channel of the answer
    run: RunId
    logs: tuple[LogAsked, ...]
    step: int | None = None
    before: int = 20
    after: int = 40
    find: str = ""
    direction: Direction = "next"
    start: str = ""

    def encode(self) -> str:
        """JSON text of all fields."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def decode(cls, text: str | bytes) -> LogQuestion:
        """The question that ``encode`` wrote. Raises ValueError, TypeError or KeyError for anything else."""
        raw = json.loads(text)
        return cls(**{**raw, "logs": tuple(LogAsked(**one) for one in raw["logs"])})


def encode_answer(body: Mapping[str, Json]) -> str:
    """An answer as text; a collector that does not follow the log answers with ``NOT_MINE``."""
    return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


NOT_MINE = "{}"
"""The answer of a collector that does not follow any of the logs."""
