"""The collector's sign of life: who it is, how far it is, and which files need a look. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from collector.wire.records import FileState, Heartbeat

SHOWN_PROBLEMS = 100  # the health page is for people; the rest follows when these are mended


@dataclass(frozen=True, slots=True)
class Identity:
    """Which collector this is."""

    collector: str  # host:pid
    host: str
    pid: int

    def heartbeat(
        self,
        wall: float,
        states: Sequence[FileState],
        problems: Sequence[FileState],
        *,
        roots: tuple[str, ...],
        points: int,
        trouble: str,
        behind: Mapping[str, tuple[int, int]],
    ) -> Heartbeat:
        """The sign of life at ``wall`` (Unix seconds): ``states`` of all followed files, ``problems`` of what is not
        followed at all, ``points`` committed so far, ``trouble`` with notifications, ``behind`` as in ``Heartbeat``."""
        shown = (*problems, *(state for state in states if is_problem(state)))
        return Heartbeat(
            collector=self.collector,
            host=self.host,
            pid=self.pid,
            roots=roots,
            wall=wall,
            files=len(states),
            points=points,
            lag_bytes=sum(max(0, state.size - state.offset) for state in states),
            problems=shown[:SHOWN_PROBLEMS],
            messages=(trouble,) if trouble else (),
            behind=behind,
        )


def is_problem(state: FileState) -> bool:
    """Whether a person may have to act: broken, gone, or waiting for bytes that should be right already."""
    return state.state in ("broken", "gone") or (state.state == "waiting" and state.size > 0)
