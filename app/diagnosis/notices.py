"""What is to be told of alerts: what changed between the alerts as they are stored and as they are now. Pure.

So nothing is told twice, whoever worked it out again: a change that is stored is no change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from app.diagnosis.alert import Alert, signal_of
from app.diagnosis.notify.notice import Change, Notice
from app.diagnosis.opening import GRAVITY
from app.diagnosis.signal import Act
from collector.wire.records import RunId

NEWS_SECONDS = 600.0  # what began longer ago is history, of which nobody has to be told
ACTS: Mapping[Change, Act] = {"opened": "raise", "graver": "update", "ended": "clear"}


@dataclass(frozen=True, slots=True)
class Changes:
    """``changed`` are to be stored, ``gone`` ids to be forgotten, ``notices`` to be told."""

    changed: tuple[Alert, ...]
    gone: tuple[str, ...]
    notices: tuple[Notice, ...]

    def __bool__(self) -> bool:
        return bool(self.changed or self.gone)


def changes(run: RunId, stored: Mapping[str, Alert], found: Mapping[str, Alert], now: float, ahead: float) -> Changes:
    """``now`` in Unix seconds; ``ahead`` how far the run's own clock is ahead of it."""
    changed = [one for name, one in found.items() if not _is_same(stored.get(name), one)]
    told = (notice for one in changed for notice in _told(run, stored.get(one.id), one, now, ahead))
    return Changes(tuple(changed), tuple(name for name in stored if name not in found), tuple(told))


def _is_same(one: Alert | None, other: Alert) -> bool:
    """NaN is equal to NaN."""
    return one == other or (one is not None and one.encode() == other.encode())


def _told(run: RunId, before: Alert | None, one: Alert, now: float, ahead: float) -> Iterator[Notice]:
    """What has to be told of one alert that changed; nothing of a consequence."""
    for change in () if one.cause is not None else _happened(before, one):
        if change != "opened" or is_news(one.raised_wall, now, ahead):
            yield Notice(one.id, run, change, now, signal_of(one, ACTS[change]), ranks=one.ranks)


def _happened(before: Alert | None, one: Alert) -> Iterator[Change]:
    """What happened to it since it was stored. One that began and ended unseen did both."""
    fresh = before is None or before.count < one.count
    if fresh:
        yield "opened"
    elif before is not None and GRAVITY[one.severity] > GRAVITY[before.severity]:
        yield "graver"
    if not one.is_open and (fresh or (before is not None and before.is_open)):
        yield "ended"


def is_news(wall: float | None, now: float, ahead: float) -> bool:
    """Whether what happened at ``wall`` by the run's clock is recent; without a clock it is taken to be."""
    return wall is None or abs(now + ahead - wall) <= NEWS_SECONDS
