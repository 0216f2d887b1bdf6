"""Odd ones out: what ranks died of, equal traces together, the fewest first."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

DIGITS = dict.fromkeys(map(ord, "0123456789"))
MOST = 20_000  # characters of a trace that are compared

# /home/user/work/output/log/rank_3/info.log
PATH = re.compile(r"[^\s\"'(),:;=\[\]{}<>]+")
# 0x7f3a12bc, 9f8e7d6c5b4a
HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+|\b(?=[a-f]*[0-9])[0-9a-f]{8,}\b")
# 2025-06-01, 10:00:00,000, 3.25e-04, 127.0.0.1, rank 7
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*(?:[eE][-+]?\d+)?")
# #, #, #
LIST = re.compile(r"#(?:[\s,;/-]+#)+")
SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Fault:
    """A rank's first error line, the exception of its first traceback and its frames (wire.records.RunEvent); step and
    wall clock as far as they are known."""

    rank: int
    line: str
    trace: str = ""
    step: int | None = None
    wall: float | None = None
    frames: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Crowd:
    """Ranks with one and the same trouble; ``first`` is the one of them with the lowest step, whose text is shown."""

    ranks: tuple[int, ...]
    first: Fault

    @property
    def count(self) -> int:
        """How many."""
        return len(self.ranks)

    @property
    def line(self) -> str:
        """The error line."""
        return self.first.line

    @property
    def trace(self) -> str:
        """What belongs to it."""
        return self.first.trace

    @property
    def frames(self) -> tuple[str, ...]:
        """Where it was, outermost first."""
        return self.first.frames


def crowds(faults: Iterable[Fault]) -> tuple[Crowd, ...]:
    """Equal lines at equal frames together, the fewest first, then who was first by step; of a rank's faults only the
    first that is given counts."""
    of_rank: dict[int, Fault] = {}
    for one in faults:
        of_rank.setdefault(one.rank, one)
    alike: dict[tuple[str, tuple[str, ...]], list[Fault]] = {}
    known: dict[str, str] = {}  # the expressions are slow, and most differ in digits alone
    for one in sorted(of_rank.values(), key=_when):
        text = (one.trace or one.line)[:MOST]
        mine = known.setdefault(text.translate(DIGITS), "") or likeness(text)
        known[text.translate(DIGITS)] = mine
        alike.setdefault((mine, one.frames), []).append(one)
    found = [Crowd(tuple(sorted(one.rank for one in those)), those[0]) for those in alike.values()]
    return tuple(sorted(found, key=lambda one: (one.count, *_when(one.first))))


def _when(fault: Fault) -> tuple[bool, int, int]:
    return fault.step is None, fault.step or 0, fault.rank


def likeness(text: str) -> str:
    """What is left of a line or a trace without numbers, addresses and directories, and so without ranks."""
    bare = NUMBER.sub("#", HEXADECIMAL.sub("#", PATH.sub(_last_name, text)))
    return SPACE.sub(" ", LIST.sub("#", bare)).strip()


def _last_name(path: re.Match[str]) -> str:
    return path[0].rstrip("/").rpartition("/")[2]
