"""What the log parser carries from line to line, and what it has found in the chunk so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from collector.parse.log_columns import LogColumns
from collector.wire.records import ParserState, RunEvent


@dataclass(slots=True)
class LogMemory:
    """``step`` is the global step of the last record: progress, evaluation and sentences belong to it."""

    step: int | None = None
    points: bool = False  # whether this generation has given a point
    zero_based: bool = False  # epochs count from 0, as some scripts that are not MindFormers do
    norm_step: int | None = None  # step named by PyNative's line before its norms
    throughput_unit: str = ""
    told: str = ""  # what the last record said of the run's shape, so that facts are told once
    traceback: int = 0  # lines since "Traceback", 0 outside of one
    long_line: bool = False  # the rest of an over-long line is still to come
    columns: LogColumns = field(default_factory=LogColumns)
    events: list[RunEvent] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)

    @classmethod
    def from_state(cls, state: ParserState) -> LogMemory:
        """The memory that ``state`` wrote down; unknown names are ignored, so that versions can be mixed."""
        step, norm_step = state.get("step"), state.get("norm_step")
        return cls(
            step=None if step is None else int(step),
            points=bool(state.get("points")),
            zero_based=bool(state.get("zero_based")),
            norm_step=None if norm_step is None else int(norm_step),
            throughput_unit=str(state.get("throughput_unit") or ""),
            told=str(state.get("told") or ""),
            traceback=int(state.get("traceback") or 0),
            long_line=bool(state.get("long_line")),
        )

    def state(self) -> ParserState:
        """All that the next chunk needs, without what is still empty."""
        full: dict[str, int | float | str | bool | None] = {
            "step": self.step,
            "points": self.points,
            "zero_based": self.zero_based,
            "norm_step": self.norm_step,
            "throughput_unit": self.throughput_unit,
            "told": self.told,
            "traceback": self.traceback,
            "long_line": self.long_line,
        }
        return {name: value for name, value in full.items() if value or (value == 0 and name.endswith("step"))}

    def point(self, tag: str, step: int, wall: float, value: float) -> None:
        """Keep one point; \\x1f parts the names of series (wire.records), so no tag may hold it."""
        self.columns.add(tag.replace("\x1f", "\ufffd"), step, wall, value)
        self.points = True

    def event(self, kind: str, wall: float, text: str, step: int | None = None) -> None:
        """Keep one event, at the last record's step unless the line names its own."""
        at = self.step if step is None else step
        self.events.append(RunEvent(kind, at, None if wall != wall else wall, text))
