"""What a run has by name and by rank, and which rank speaks for it; looked up once as long as no series is added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from app.series.owner import ZERO_BUBBLE, Holders, holders, owner_of, run_owner
from app.stored import RunSeries
from collector.wire.records import SeriesMeta


@dataclass(frozen=True, slots=True, eq=False)
class SeriesKey:
    """The series of a run; the same as long as the store's mapping is."""

    mapping: Mapping[str, SeriesMeta]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SeriesKey) and other.mapping is self.mapping

    def __hash__(self) -> int:
        return id(self.mapping)


@lru_cache(maxsize=128)
def by_name(series: SeriesKey) -> Mapping[tuple[bool, str], Sequence[tuple[str, SeriesMeta]]]:
    """(whether it is a tag, name) → the series of that name."""
    found: dict[tuple[bool, str], list[tuple[str, SeriesMeta]]] = {}
    for sid, meta in series.mapping.items():
        found.setdefault((True, meta.tag), []).append((sid, meta))
        if meta.metric is not None:
            found.setdefault((False, meta.metric), []).append((sid, meta))
    return found


def series_of(series: SeriesKey, name: str, *, is_tag: bool) -> Sequence[tuple[str, SeriesMeta]]:
    """The series of a metric or a tag, of all ranks."""
    return by_name(series).get((is_tag, name), ())


@lru_cache(maxsize=256)
def _holders(series: SeriesKey, is_tag: bool) -> Holders:
    return holders(series.mapping.values(), tag=is_tag)


@lru_cache(maxsize=128)
def of_ranks(series: SeriesKey) -> Mapping[int | None, Mapping[str, SeriesMeta]]:
    """Rank (None: a file without one) → its series."""
    found: dict[int | None, dict[str, SeriesMeta]] = {}
    for sid, meta in series.mapping.items():
        found.setdefault(meta.rank, {})[sid] = meta
    return found


@lru_cache(maxsize=128)
def _owner(series: SeriesKey, zero_bubble: str) -> int | None:
    return run_owner(_holders(series, False) or _holders(series, True), {ZERO_BUBBLE: zero_bubble})


@lru_cache(maxsize=1024)
def _speaker(series: SeriesKey, name: str, is_tag: bool, zero_bubble: str) -> int | None:
    return owner_of(name, _holders(series, is_tag), {ZERO_BUBBLE: zero_bubble})


def names_of(series: SeriesKey, *, is_tag: bool) -> Sequence[str]:
    """Every metric or tag that there is."""
    return [name for kind, name in by_name(series) if kind == is_tag]


def owner(run: RunSeries) -> int | None:
    """The rank that speaks for the run; None when no file names a rank."""
    return _owner(SeriesKey(run.series), run.facts.get(ZERO_BUBBLE, ""))


def default_rank(run: RunSeries, name: str, *, is_tag: bool) -> int | None:
    """The rank that is shown of a metric or tag when none is asked for."""
    return _speaker(SeriesKey(run.series), name, is_tag, run.facts.get(ZERO_BUBBLE, ""))
