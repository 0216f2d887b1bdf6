"""Which attempt a line of a log belongs to. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from app.series.attempts import Attempt, Timeline
from app.series.marks import ENDS
from collector.wire.records import RunEvent


class Homes:
    """The attempts of the lines of one run: by their clocks, and, of lines without one, by the file that holds them."""

    def __init__(self, known: Timeline) -> None:
        """``known`` is the run's timeline."""
        self._known = known
        edges = known.boundaries.get(("log", ""))
        self._starts = [] if edges is None else edges.starts.tolist()
        self._numbers = [] if edges is None else edges.numbers.tolist()

    def of(self, event: RunEvent, before: float = float("-inf")) -> int:
        """The attempt of a line; ``before`` is the clock of the line before it in its file."""
        if event.wall is not None and self._starts:
            return self._at(event.wall)
        least = self._at(before) if self._starts and before != float("-inf") else 1
        several = [self._known.attempts[number - 1] for number in self._of_file(event) if number >= least]
        return _of(event, several) if several else least

    def _at(self, wall: float) -> int:
        return int(self._numbers[max(0, bisect_right(self._starts, wall) - 1)])

    def _of_file(self, event: RunEvent) -> Sequence[int]:
        """Those that the event's file can tell of; one that shows no steps is taken to begin anew with each of them."""
        last = len(self._known.attempts)
        anew = range(min(event.generation + 1, last), last + 1) if last else ()
        return self._known.numbers.get((event.file, event.generation)) or anew


def _of(event: RunEvent, several: Sequence[Attempt]) -> int:
    """The one that it ended, else the first that did its step."""
    step = event.step
    if step is None:
        return several[0].attempt
    ended = [one.attempt for one in several if event.kind in ENDS and one.last_step == step]
    done = [one.attempt for one in several if one.first_step <= step <= one.last_step]
    return next(iter([*ended, *done]), several[0].attempt)
