"""Which series of a run its rules are told of: those of the rank that speaks for it, of one source. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.diagnosis.block import METRICS, PULSES
from app.series.owner import holders, run_owner
from app.series.segments import reasons
from app.stored import RunSeries
from collector.wire.records import SeriesMeta, Source

ORDER: tuple[Source, ...] = ("log", "tensorboard", "mindspore")  # a log is there at once, and tells of all in its lines
LOSSES = ("loss", "lm_loss")
EVALUATION = "eval_loss"


@dataclass(frozen=True, slots=True)
class Part:
    """One generation of one file: metric → series; ``pulse`` says which rows there are; ``reason`` as in Block."""

    file: str
    generation: int
    source: Source
    columns: Mapping[str, str]
    pulse: str
    reason: str


@dataclass(frozen=True, slots=True)
class Speakers:
    """``parts`` in no order; ``evaluations`` are series of evaluations; ``summarised``: a file of summaries has some
    scalar."""

    parts: Sequence[Part]
    evaluations: Sequence[str]
    summarised: bool


def speakers(run: RunSeries) -> Speakers:
    """Of a run as it is stored now."""
    rank = run_owner(holders(run.series.values()), run.facts)
    mine = {sid: meta for sid, meta in run.series.items() if meta.metric is not None and meta.rank in (rank, None)}
    return Speakers(
        _parts(mine, reasons(run.generations)),
        [sid for _, sid in sorted((_rank_of(mine[sid]), sid) for sid in _of_one_source(mine, (EVALUATION,)))],
        any(meta.source != "log" for meta in run.series.values()),
    )


def _parts(mine: Mapping[str, SeriesMeta], why: Mapping[tuple[str, int], str]) -> Sequence[Part]:
    pulses = next((names for names in (LOSSES, PULSES) if _of_one_source(mine, names)), ())
    sources = {mine[sid].source for sid in _of_one_source(mine, pulses)}
    files: dict[tuple[str, int], dict[str, str]] = {}
    for sid, meta in sorted(mine.items(), key=lambda it: _rank_of(it[1])):
        if meta.source in sources and meta.metric in {*METRICS, *PULSES}:
            files.setdefault((meta.file, meta.generation), {}).setdefault(str(meta.metric), sid)
    found = ((*name, columns, next((one for one in pulses if one in columns), "")) for name, columns in files.items())
    return [
        Part(file, generation, next(iter(sources)), columns, pulse, why.get((file, generation), ""))
        for file, generation, columns, pulse in found
        if pulse
    ]


def _of_one_source(mine: Mapping[str, SeriesMeta], names: Iterable[str]) -> Sequence[str]:
    """The series of some metrics, of the first source that has one."""
    wanted = set(names)
    for source in ORDER:
        if found := [sid for sid, meta in mine.items() if meta.source == source and meta.metric in wanted]:
            return found
    return []


def _rank_of(meta: SeriesMeta) -> tuple[bool, str]:
    """Of two tags of one meaning in one file the one that is spelled like the metric counts."""
    return meta.tag != meta.metric, meta.tag
