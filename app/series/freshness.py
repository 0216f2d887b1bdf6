"""Whether a run is alive, and the sentence that says why one thinks so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from app.series.cadence import Cadence
from collector.wire.records import Cursor, RunEvent

State = Literal["live", "quiet", "finished", "failed", "collector_away", "waiting", "catching_up"]
Status = Literal["waiting", "running", "quiet", "finished", "failed"]

STATUS: dict[State, Status] = {
    "live": "running",
    "quiet": "quiet",
    "collector_away": "quiet",
    "finished": "finished",
    "failed": "failed",
    "waiting": "waiting",
    "catching_up": "waiting",
}
# after these a job does not go on; after an error line it may
STOPPED = ("traceback", "nan_stop", "norm_stop")
UNKNOWN_PATIENCE = 60.0  # seconds; for a run of one point and no step time, of which no cadence can be learnt
COPIED_SECONDS = 86_400.0  # a file changed so long after its last point was copied; no time zone explains a day


@dataclass(frozen=True, slots=True)
class Freshness:
    """``updated`` is Unix seconds by the newest point's clock (else its file's); ``age`` and ``expected`` seconds,
    measured by the files' own times, so that a log's clock without a time zone does not matter. ``read`` is the share
    of the run's files that the collector has read (0 to 1), while it reads history; else None."""

    updated: float | None
    age: float | None
    expected: float | None
    state: State
    sentence: str
    read: float | None = None
    touched: float | None = None  # Unix seconds: when a file last grew, which ``age`` is measured from


@dataclass(frozen=True, slots=True)
class Evidence:
    """What freshness is judged by. ``step`` and ``wall`` are the newest point's; None = no point yet."""

    step: int | None
    wall: float | None
    files: Mapping[str, Cursor]
    total_steps: int | None
    cadence: Cadence | None
    collected: bool  # a collector that follows this run gave a sign of life
    events: Sequence[RunEvent]
    read: float | None = None  # the share of the files that is read, while the collector reads history

    @property
    def touched(self) -> float | None:
        """When a followed file last grew (Unix seconds): its own time, unless it is a copy of older data."""
        changed = max((one.mtime for one in self.files.values()), default=None)
        if changed is not None and self.wall is not None and changed - self.wall > COPIED_SECONDS:
            return self.wall
        return changed


def freshness(seen: Evidence, now: float) -> Freshness:
    """The verdict at ``now`` (Unix seconds)."""
    touched = seen.touched
    age = None if touched is None else max(0.0, now - touched)
    expected = seen.cadence.expected if seen.cadence else None
    state = _state(seen, age)
    updated = seen.wall if seen.wall is not None else touched
    return Freshness(updated, age, expected, state, _sentence(seen, state, age, expected), seen.read, touched)


def _state(seen: Evidence, age: float | None) -> State:
    patience = seen.cadence.patience if seen.cadence else UNKNOWN_PATIENCE
    silent = age is None or age > patience
    if seen.read is not None and seen.collected:  # how it went on, or ended, is not read yet
        return "catching_up"
    ended = _ended(seen, silent=silent)
    if ended is not None:
        return ended
    if not seen.collected:
        return "collector_away"
    if seen.step is None:
        return "waiting"
    return "quiet" if silent else "live"


def _ended(seen: Evidence, *, silent: bool) -> State | None:
    """How the newest attempt ended, as far as its lines say."""
    later = [one for one in _newest_start(seen) if not _overtaken(one, seen)]
    if any(one.kind in STOPPED or (one.kind == "error" and silent) for one in later):
        return "failed"
    reached = seen.total_steps is not None and seen.step is not None and seen.step >= seen.total_steps
    if any(one.kind == "end" for one in later) or reached:
        return "finished"
    return None


def _newest_start(seen: Evidence) -> list[RunEvent]:
    """Of each file what came after its last start: files are read one after the other, so that the order of arrival
    holds within a file alone."""
    files: dict[str, list[RunEvent]] = {}
    for one in seen.events:
        cursor = seen.files.get(one.file)
        if cursor is not None and one.generation < cursor.generation:
            continue
        if one.kind == "start":
            files[one.file] = []
        files.setdefault(one.file, []).append(one)
    return [one for found in files.values() for one in found]


def _overtaken(event: RunEvent, seen: Evidence) -> bool:
    """Whether training went on after it: by its clock, by its file having been left long ago, or by its step."""
    cursor, patience = seen.files.get(event.file), seen.cadence.patience if seen.cadence else UNKNOWN_PATIENCE
    if cursor is not None and cursor.mtime + patience < max(one.mtime for one in seen.files.values()):
        return True
    if event.wall is not None and seen.wall is not None:
        return event.wall < seen.wall
    return event.step is not None and seen.step is not None and event.step < seen.step


def _sentence(seen: Evidence, state: State, age: float | None, expected: float | None) -> str:
    ago = "" if age is None else f"{duration(age)} ago"
    usual = "" if expected is None else f", one is expected every {duration(expected)}"
    sentences: dict[State, str] = {
        "live": f"Last point {ago}{usual}.",
        "quiet": f"No file has grown since {ago}{usual}.",
        "finished": f"Training ended; last point {ago}.",
        "failed": f"Training stopped with an error; last point {ago}.",
        "collector_away": f"No collector follows this run now; last change seen {ago}.",
        "waiting": "No point yet; the files are followed.",
        "catching_up": f"The collector is behind: {int((seen.read or 0) * 100)} % of this run's files is read.",
    }
    return sentences[state].replace("since  ", "").replace("; last point .", ".").replace("; last change seen .", ".")


def duration(seconds: float) -> str:
    """A time span as a person says it: ``40 ms``, ``0.4 s``, ``12 s``, ``3 min``, ``5 h``, ``2 d``."""
    if seconds < 0.1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
