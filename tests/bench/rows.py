"""One line a comparison: ``name ours theirs ratio goal PASS|FALLS SHORT``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """What one comparison found; ``passed`` is None where no goal is set or nothing could be measured, ``why`` says the
    latter. ``note`` stands below the table."""

    name: str
    ours: str = "-"
    theirs: str = "-"
    ratio: str = "-"
    goal: str = "-"
    passed: bool | None = None
    note: str = ""
    why: str = ""

    def __str__(self) -> str:
        verdict = self.why or ("-" if self.passed is None else "PASS" if self.passed else "FALLS SHORT")
        return f"{self.name:<56}{self.ours:<12}{self.theirs:<12}{self.ratio:<9}{self.goal:<13}{verdict}"


HEADING = Line("name", "ours", "theirs", "ratio", "goal", why="verdict")


def faster(name: str, ours: float, theirs: float, goal: float | None, note: str = "") -> Line:
    """Two rates of the same work, points or lines a processor second, and how many times theirs ours should be."""
    ratio = ours / theirs
    passed = None if goal is None else ratio >= goal
    aim = "-" if goal is None else f">= {goal:g} x"
    return Line(name, rate(ours), rate(theirs), f"{ratio:.1f} x", aim, passed, note)


def at_least(name: str, ours: float, theirs: float, goal: float, note: str = "") -> Line:
    """Two rates of the same work, and the rate that ours should reach."""
    return Line(name, rate(ours), rate(theirs), f"{ours / theirs:.1f} x", f">= {rate(goal)}", ours >= goal, note)


def at_most(name: str, ours: float, theirs: float | None, goal: float, unit: str, note: str = "") -> Line:
    """A size or a duration that should be small."""
    other, ratio = ("-", "-") if theirs is None else (f"{theirs:.0f} {unit}", f"{theirs / ours:.1f} x")
    return Line(name, f"{ours:.1f} {unit}", other, ratio, f"<= {goal:g} {unit}", ours <= goal, note)


def not_measured(name: str, why: str) -> Line:
    """A comparison that could not be made here, with the reason."""
    return Line(name, why=f"not measured: {why}")


def latency(name: str, seconds: Sequence[float], share: float | None = None, goal: float = 0) -> Line:
    """Delays; where ``share`` is given, that quantile should be at most ``goal`` milliseconds."""
    p50, p95, p99 = (quantile(seconds, one) * 1000 for one in (0.50, 0.95, 0.99))
    note = f"p50 {p50:.1f} p95 {p95:.1f} p99 {p99:.1f} ms of {len(seconds)}"
    if share is None:
        return Line(name, f"{p50:.1f} ms", note=note)
    return at_most(f"{name}, p{share * 100:.0f}", quantile(seconds, share) * 1000, None, goal, "ms", note)


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` of all lie (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def rate(per_second: float) -> str:
    """So many a processor second."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if per_second >= size:
            return f"{per_second / size:.3g} {letter}/s"
    return f"{per_second:.3g} /s"
