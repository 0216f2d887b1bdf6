"""What the log parser carries from line to line, and what it has found in the chunk so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from collector.parse.log.columns import LogColumns
from collector.parse.log.epochs import Epochs
from collector.wire.records import ParserState, RunEvent


@dataclass(slots=True)
class LogMemory:
    """``step`` is the global step of the last record: progress, evaluation and sentences belong to it."""

    step: int | None = None
    points: bool = False  # whether this generation has given a point
    norm_step: int | None = None  # step named by PyNative's line before its norms
    throughput_unit: str = ""
    time_unit: str = ""
    told: str = ""  # what the last record said of the run's shape, so that facts are told once
    names: str = ""  # of the last record's fields, parted by commas: what a torn record is compared with
    timed: bool = False  # records have a time of their own, so TimeMonitor's is not needed
    traceback: int = 0  # lines since "Traceback", 0 outside of one
    traceback_step: int | None = None  # the last record's when it began
    frames: list[str] = field(default_factory=list)  # of the open traceback, outermost first
    long_line: bool = False  # the rest of an over-long line is still to come
    at: int = -1  # offset in the chunk of the line that is being read
    heard: int = 0  # offset in the chunk; before it, sentences are quoted in a traceback
    configured: int = 0  # offset in the chunk; before it, configurations have been read
    epochs: Epochs = field(default_factory=Epochs)
    columns: LogColumns = field(default_factory=LogColumns)
    events: list[tuple[int, RunEvent]] = field(default_factory=list)  # with the offsets of their lines
    facts: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    @classmethod
    def from_state(cls, state: ParserState) -> LogMemory:
        """The memory that ``state`` wrote down; unknown names are ignored, so that versions can be mixed."""
        step, norm_step, traceback_step = (state.get(name) for name in ("step", "norm_step", "traceback_step"))
        return cls(
            step=None if step is None else int(step),
            points=bool(state.get("points")),
            norm_step=None if norm_step is None else int(norm_step),
            throughput_unit=str(state.get("throughput_unit") or ""),
            time_unit=str(state.get("time_unit") or ""),
            told=str(state.get("told") or ""),
            names=str(state.get("names") or ""),
            timed=bool(state.get("timed")),
            traceback=int(state.get("traceback") or 0),
            traceback_step=None if traceback_step is None else int(traceback_step),
            frames=str(state.get("frames") or "").split("\n") if state.get("frames") else [],
            long_line=bool(state.get("long_line")),
            epochs=Epochs.from_state(state),
        )

    def state(self) -> ParserState:
        """All that the next chunk needs, without what is still empty."""
        full: dict[str, int | float | str | bool | None] = {
            "step": self.step,
            "points": self.points,
            "norm_step": self.norm_step,
            "throughput_unit": self.throughput_unit,
            "time_unit": self.time_unit,
            "told": self.told,
            "names": self.names,
            "timed": self.timed,
            "traceback": self.traceback,
            "traceback_step": self.traceback_step if self.traceback else None,
            "frames": "\n".join(self.frames),
            "long_line": self.long_line,
            **self.epochs.state(),
        }
        return {name: value for name, value in full.items() if value or (value == 0 and name in _ZERO_COUNTS)}

    def point(self, tag: str, step: int, wall: float, value: float) -> None:
        """Keep one point; \\x1f parts the names of series (wire.records), so no tag may hold it."""
        self.columns.add(tag.replace("\x1f", "\ufffd"), self.at, step, wall, value)
        self.points = True

    def event(self, kind: str, wall: float, text: str, step: int | None = None) -> None:
        """Keep one event, at the last record's step unless the line names its own."""
        at = self.step if step is None else step
        self.events.append((self.at, RunEvent(kind, at, None if wall != wall else wall, text)))

    def told_events(self) -> list[RunEvent]:
        """The events in the order of their lines; that of a traceback is found ahead of those within it."""
        return [event for _, event in sorted(self.events, key=lambda told: told[0])]

    def torn(self) -> None:
        """Count a record that another write tore."""
        self.counts["torn_line"] = self.counts.get("torn_line", 0) + 1


_ZERO_COUNTS = ("step", "norm_step", "traceback_step", "epoch")  # where 0 is not absence; False == 0
