"""Whether a run is alive, and the sentence that says why one thinks so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from app.series.cadence import Cadence, Slow
from app.series.underway import Doing, Underway, lengths, underway
from collector.wire.records import Cursor, RunEvent

State = Literal["live", "quiet", "finished", "failed", "collector_away", "waiting", "catching_up"]
Cause = Literal["slow", "not_growing", "behind", "stale", "evaluation", "checkpoint", "compiling"]
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
LATE = 2.0  # usual pauses after which one asks what may be under way
COPIED_SECONDS = 86_400.0  # a file changed so long after its last point was copied; no time zone explains a day


@dataclass(frozen=True, slots=True)
class Freshness:
    """``updated`` is Unix seconds by the newest point's clock (else its file's); ``age`` and ``expected`` seconds,
    measured by the files' own times, so that a log's clock without a time zone does not matter. ``read`` is the share
    of the run's files that the collector has read (0 to 1), while it reads history; else None.

    ``cause`` is why points come late, or none come, since ``since`` (Unix seconds by the files' own times). For "slow",
    ``factor`` is how many usual step times a step takes; for a work or a start, ``usual`` is the seconds that it takes
    in this run, as far as it has shown that, and ``overdue`` whether it has taken far longer; for "stale", ``trouble``
    is what the collector meets (empty: the files' times lie behind their content)."""

    updated: float | None
    age: float | None
    expected: float | None
    state: State
    sentence: str
    read: float | None = None
    touched: float | None = None  # Unix seconds: when a file last grew, which ``age`` is measured from
    cause: Cause | None = None
    since: float | None = None
    factor: float | None = None
    usual: float | None = None
    overdue: bool = False
    told: bool = True  # a line says that the work began; else it is due at this step
    unread: int | None = None  # bytes
    trouble: str | None = None


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
    unread: int | None = None  # bytes
    slow: Slow | None = None
    interval: float = 1.0  # steps between two points
    usual: Mapping[Doing, float] = field(default_factory=dict)  # seconds that works and starts take in this run
    trouble: str | None = None  # what the collector meets at the files that should grow; "" = their times are behind

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
    state = _state(seen, age)
    said = Freshness(
        updated=seen.wall if seen.wall is not None else touched,
        age=age,
        expected=seen.cadence.expected if seen.cadence else None,
        state=state,
        sentence="",
        read=seen.read,
        touched=touched,
        unread=seen.unread if state == "catching_up" else None,
    )
    said = _explained(said, seen)
    return replace(said, sentence=_sentence(said))


def _patience(seen: Evidence) -> float:
    return seen.cadence.patience if seen.cadence else UNKNOWN_PATIENCE


def _state(seen: Evidence, age: float | None) -> State:
    silent = age is None or age > _patience(seen)
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


def _explained(said: Freshness, seen: Evidence) -> Freshness:
    """With the cause. What keeps the files from being read comes first, since then nothing newer is known."""
    if said.state == "catching_up":
        return replace(said, cause="behind")
    if said.state not in ("live", "quiet", "waiting"):
        return said
    silent = said.age is None or said.age > _patience(seen)
    if silent and seen.trouble is not None:
        return replace(said, cause="stale", since=said.touched, trouble=seen.trouble)
    doing = _doing(said, seen)
    if doing is not None:
        return _busy(said, doing, seen)
    if said.state == "quiet":
        return replace(said, cause="not_growing", since=said.touched)
    if said.state == "live" and seen.slow is not None:
        since = None if said.touched is None else said.touched - seen.slow.seconds
        return replace(said, cause="slow", since=since, factor=seen.slow.factor)
    return said


def _doing(said: Freshness, seen: Evidence) -> Underway | None:
    """What is under way. That something is merely due counts only when the pause is longer than usual."""
    later = [one for one in _newest_start(seen) if not _overtaken(one, seen)]
    late = said.age is not None and said.expected is not None and said.age > LATE * said.expected
    if not later and not late:
        return None
    doing = underway(
        later,
        seen.events,
        step=seen.step,
        interval=seen.interval,
        wall=seen.wall,
        usual=seen.usual or lengths(seen.events),
    )
    return doing if doing is None or doing.told or late else None


def _busy(said: Freshness, doing: Underway, seen: Evidence) -> Freshness:
    """A work or a start is under way: no alarm while it takes no longer than usual."""
    overdue = doing.is_overdue(said.age or 0.0, _patience(seen))
    state: State = "live" if said.state == "quiet" and overdue is False else said.state
    return replace(
        said,
        state=state,
        cause="compiling" if doing.doing == "startup" else doing.doing,
        since=None if said.touched is None else said.touched - doing.elapsed,
        usual=doing.usual,
        overdue=bool(overdue),
        told=doing.told,
    )


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
    cursor = seen.files.get(event.file)
    if cursor is not None and cursor.mtime + _patience(seen) < max(one.mtime for one in seen.files.values()):
        return True
    if event.wall is not None and seen.wall is not None:
        return event.wall < seen.wall
    return event.step is not None and seen.step is not None and event.step < seen.step


def _sentence(said: Freshness) -> str:
    """What the verdict means, in English, for logs and scripts."""
    ago = "" if said.age is None else f"{duration(said.age)} ago"
    usual = "" if said.expected is None else f", one is expected every {duration(said.expected)}"
    sentences: dict[State, str] = {
        "live": f"Last point {ago}{usual}.",
        "quiet": f"No file has grown since {ago}{usual}.",
        "finished": f"Training ended; last point {ago}.",
        "failed": f"Training stopped with an error; last point {ago}.",
        "collector_away": f"No collector follows this run now; last change seen {ago}.",
        "waiting": "No point yet; the files are followed.",
        "catching_up": f"The collector is behind: {int((said.read or 0) * 100)} % of this run's files is read.",
    }
    whole = sentences[said.state].replace("since  ", "").replace("; last point .", ".")
    return " ".join([whole.replace("; last change seen .", "."), *_why(said)])


def _why(said: Freshness) -> list[str]:
    if said.cause == "slow":
        return [f"Training is slow: a step takes {said.factor or 0:.1f} times its usual time."]
    if said.cause == "stale":
        return [f"The files cannot be read as they should: {said.trouble or 'their times lie behind their content'}."]
    works = {"evaluation": "An evaluation", "checkpoint": "A checkpoint", "compiling": "A start"}
    if said.cause not in works:
        return []
    what = f"{works[said.cause]} is {'under way' if said.told else 'due'}"
    if said.usual is None:
        return [f"{what}."]
    much = ", and it has taken far longer" if said.overdue else ""
    return [f"{what}; in this run it usually takes {duration(said.usual)}{much}."]


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
