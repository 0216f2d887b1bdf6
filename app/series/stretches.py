"""The points of a run as time goes over them: which can be used, attempt by attempt, looked at only once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from app.series.attempts import Attempt
from app.series.curve import Curve, Floats, Ints
from app.series.marks import LATEST
from app.series.pauses import BLOCK

CHUNK = 64 * BLOCK  # pauses that are looked at together, and never again once they are all there
RECENT = 1024  # newest pauses, which stand in where a stretch is too short to have a usual pause of its own

T = TypeVar("T")


class Remember(Protocol):
    """May keep what was made for a key: points only ever come at the end, so that the ends of a stretch tell it."""

    def __call__(self, key: Hashable, make: Callable[[], T]) -> T:
        """What ``make`` gives, now or when it was asked for the same key before."""
        ...


class Forgetful:
    """Keeps nothing."""

    def __call__(self, key: Hashable, make: Callable[[], T]) -> T:
        """See Remember."""
        return make()


FORGETFUL = Forgetful()


class Soundness(NamedTuple):
    """Whether every point has a clock, and whether steps and clocks rise within each attempt."""

    clocked: bool
    ordered: bool
    rising: bool


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """The points of one attempt that have a clock, by step."""

    attempt: Attempt
    lost_from: float  # the first step that a later attempt did again; infinity = none
    steps: Ints
    walls: Floats  # Unix seconds

    @property
    def first_ms(self) -> int:
        """When it did its first point."""
        return round(float(self.walls[0]) * 1000)

    @property
    def last_ms(self) -> int:
        """When it did its last point."""
        return round(float(self.walls[-1]) * 1000)

    @property
    def interval(self) -> float:
        """Steps between two points."""
        forward = np.diff(self.steps[-RECENT:].astype(np.float64))
        forward = forward[forward > 0]
        return float(np.median(forward)) if len(forward) else 1.0


def soundness(curve: Curve, remember: Remember) -> Soundness:
    """What holds for all of its points."""
    found = [remember(("sound", *key), partial(_sound, part)) for key, part in _chunks(curve)]
    return Soundness(*(all(one) for one in zip(*found, strict=True))) if found else Soundness(True, True, True)


def _chunks(curve: Curve) -> Iterable[tuple[tuple[Hashable, ...], Curve]]:
    for start in range(0, len(curve), CHUNK):
        part = curve.take(slice(start, start + CHUNK + 1))
        ends = [float(it[place]) for it in (part.steps, part.walls, part.attempts) for place in (0, -1)]
        yield (start, len(part), *ends), part


def _sound(part: Curve) -> Soundness:
    again = np.diff(part.attempts) > 0
    clocked = (part.walls > 0) & (part.walls < LATEST)  # NaN is neither
    ordered, rising = ((np.diff(it) >= 0) | again for it in (part.steps, part.walls))
    return Soundness(bool(clocked.all()), bool(ordered.all()), bool(rising.all()))


def stretches_of(curve: Curve, attempts: Sequence[Attempt], sound: Soundness) -> list[Stretch]:
    known = curve if sound.clocked else curve.take((curve.walls > 0) & (curve.walls < LATEST))
    found = []
    for place, attempt in enumerate(attempts):
        mine = slice(*np.searchsorted(known.attempts, [attempt.attempt, attempt.attempt + 1]).tolist())
        steps, walls = known.steps[mine], known.walls[mine]
        if not len(steps):
            continue
        if not sound.ordered:
            order = np.argsort(steps, kind="stable")
            steps, walls = steps[order], walls[order]
        lost_from = min((one.first_step for one in attempts[place + 1 :]), default=np.inf)
        found.append(Stretch(attempt, float(lost_from), steps, walls))
    return found
