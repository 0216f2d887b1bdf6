"""From what a file calls its values to canonical names; no value is changed here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from collector.parse.parsed import Parsed
from collector.parse.select import FileRole
from collector.wire.metrics import ALIASES
from collector.wire.records import ParserState, RunEvent, SeriesMeta, Source

# device_accum_local_lm_loss (TrainingStateMonitor, 1.6 to 2.1; the word in the middle names the loss)
_ACCUMULATED = re.compile(r"device_accum_local_\w*loss\Z")
_LOG_THROUGHPUT = {"T": "tflops", "tokens/s": "tokens_per_second", "samples/s/p": "throughput"}


@dataclass(frozen=True, slots=True)
class Block:
    """Points of one series that follow those already stored: ``points`` as 24-byte points (wire.records)."""

    meta: SeriesMeta
    points: bytes


def normalise(role: FileRole, generation: int, parsed: Parsed) -> tuple[Block, ...]:
    """The points of one parsed chunk as blocks of described series, in the parser's order."""
    return tuple(
        Block(series_meta(role, generation, tag, parsed.state), points) for tag, points in parsed.scalars.items()
    )


def series_meta(role: FileRole, generation: int, tag: str, state: ParserState) -> SeriesMeta:
    """The description of one tag of one file; ``state`` is the parser's, which knows units that the tag hides."""
    units = str(state.get("throughput_unit")), str(state.get("time_unit") or "ms")
    metric = None if role.suffix else _canonical(role.source, tag, role.rank is None, *units)
    return SeriesMeta(role.file, generation, tag + role.suffix, metric, role.rank, role.source)


def located(role: FileRole, generation: int, events: Sequence[RunEvent]) -> tuple[RunEvent, ...]:
    """The events with the rank, file and generation that only the path tells."""
    return tuple(replace(event, rank=role.rank, file=role.file, generation=generation) for event in events)


def canonical(source: Source, tag: str, *, rank: int | None = None, state: ParserState | None = None) -> str | None:
    """The canonical name of a tag (wire.metrics), or None.

    ``throughput`` alone does not tell its unit: a log prints it behind the value, and in event files it is TFLOPS
    from PyNative, which writes without a rank directory, but samples from graph mode, which always has one.
    """
    told = state or {}
    return _canonical(source, tag, rank is None, str(told.get("throughput_unit")), str(told.get("time_unit") or "ms"))


@lru_cache(maxsize=1 << 14)  # asked of each block that a live run brings
def _canonical(source: Source, tag: str, rankless: bool, throughput_unit: str, time_unit: str) -> str | None:
    if tag == "throughput":
        if source == "log":
            return _LOG_THROUGHPUT.get(throughput_unit)
        return "tflops" if rankless else "throughput"
    if source == "log":
        return _of_log(tag, time_unit)
    if source != "mindspore" and _ACCUMULATED.match(tag):
        return "device_local_loss"
    return ALIASES[source].get(tag)


def _of_log(tag: str, time_unit: str) -> str | None:
    """A step time is one only in the metric's own unit; other programs also print seconds, or none."""
    if _ACCUMULATED.match(tag):
        return "device_local_loss"
    metric = ALIASES["log"].get(tag) or ALIASES["log"].get(tag.lower())
    return None if metric == "step_time" and time_unit not in ("ms", "ms/step") else metric
