"""What the shards of one run hold, put together. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import merge
from itertools import chain
from math import inf, isfinite

from app.stored import LeanRun, StoredEvents, StoredRun
from collector.wire.records import Generation, RunEvent, SeriesMeta

Series = Mapping[str, SeriesMeta]


def joined_run(top: StoredRun, parts: Sequence[StoredRun], series: Series, most: int) -> StoredRun:
    """``top`` is what is said of the whole run, ``series`` those of all parts, ``most`` the events that are kept."""
    return replace(
        top,
        committed=max((one.committed for one in (top, *parts) if one.committed is not None), default=None),
        series=series,
        cursors=dict(chain.from_iterable(one.cursors.items() for one in (top, *parts))),
        generations=_generations(one.generations for one in parts),
        facts=_facts([*parts, top]),
        events=in_order([one.events for one in parts])[-most:],
    )


def joined_lean(top: LeanRun, parts: Sequence[LeanRun], series: Series) -> LeanRun:
    """The same of what reading curves takes."""
    return replace(
        top,
        series=series,
        generations=_generations(one.generations for one in parts),
        facts=_facts([*parts, top]),
        folded=any(one.folded for one in parts),
    )


def joined_events(parts: Sequence[StoredEvents], most: int) -> StoredEvents:
    """The newest of all parts."""
    return StoredEvents(in_order([one.events for one in parts])[-most:], sum(one.total for one in parts))


def united(parts: Sequence[Series]) -> Series:
    """The series of all parts: a file lies in one of them."""
    return dict(chain.from_iterable(one.items() for one in parts))


def in_order(parts: Sequence[Sequence[RunEvent]]) -> list[RunEvent]:
    """By their clocks, as far as that leaves each part in the order of arrival; who has none follows the one before."""
    return [event for _, _, event in merge(*map(_clocked, range(len(parts)), parts), key=lambda one: one[:2])]


def _clocked(number: int, events: Iterable[RunEvent]) -> Iterator[tuple[float, int, RunEvent]]:
    latest = -inf
    for event in events:
        if event.wall is not None and isfinite(event.wall):
            latest = max(latest, event.wall)
        yield latest, number, event


def _generations(parts: Iterable[Sequence[Generation]]) -> Sequence[Generation]:
    """By the names of their fields, as in one hash."""
    return sorted(chain.from_iterable(parts), key=lambda one: f"{one.file}\x1f{one.generation}".encode())


def _facts(parts: Iterable[StoredRun | LeanRun]) -> Mapping[str, str]:
    """What a person told of the run wins."""
    return dict(chain.from_iterable(one.facts.items() for one in parts))
