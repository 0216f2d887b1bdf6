"""What curves and attempts tell of a run beside its lines: restarts, changes of the loss scale, overflows, phases of
the learning rate. Pure: values in, happenings out, in time linear in the points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from app.series.attempts import Attempt
from app.series.curve import Curve, Flags, Floats, Ints
from app.series.happening import Happening
from app.series.lr_phases import phases
from app.series.segments import interval

MOST = 2000  # newest bursts of one kind
APART = 3.0  # log intervals between two changes of one burst
ENDS = ("nan_stop", "norm_stop", "traceback", "error", "end")  # why an attempt ended; what explains most comes first
CLOCK_JITTER = 1.0  # seconds by which two writers of one line may differ


def restarts(attempts: Sequence[Attempt], told: Sequence[Happening]) -> list[Happening]:
    """One at the beginning of each attempt but the first, with why the one before it ended, as far as a line of
    ``told`` says."""
    found = []
    for before, one in pairwise(attempts):
        mine = [line for line in told if line.attempt == before.attempt]
        pause = one.started - before.ended if one.started is not None and before.ended is not None else None
        detail: dict[str, str | int | float | None] = {
            "attempt": one.attempt,
            "reason": one.reason,
            "ended": _ended(before, mine),
            "last_step": before.last_step,
            "steps_redone": one.steps_redone,
        }
        if pause is not None and pause >= 0:
            detail["down_seconds"] = pause
        where = one.first_step, one.first_step, one.started
        found.append(Happening("restart", "", *where, detail=detail, attempt=one.attempt))
    return found


def _ended(attempt: Attempt, told: Sequence[Happening]) -> str:
    """``unknown`` when no line says it: then it was killed, or its machine was lost."""
    last = {one.kind for one in told if one.kind in ENDS and _is_last(one, attempt)}
    return next((kind for kind in ENDS if kind in last), "unknown")


def _is_last(one: Happening, attempt: Attempt) -> bool:
    """Whether nothing was trained after it."""
    if one.wall is not None and attempt.ended is not None:
        return one.wall >= attempt.ended - CLOCK_JITTER
    return one.step is None or one.step >= attempt.last_step


def scale_changes(curve: Curve) -> list[Happening]:
    """Where the loss scale was lowered or raised, changes in one direction that follow each other closely in one."""
    chosen = np.flatnonzero(np.isfinite(curve.values) & (curve.values > 0))
    curve = curve.take(chosen)
    if len(curve) < 2:
        return []
    same = curve.attempts[1:] == curve.attempts[:-1]
    moved = np.flatnonzero((curve.values[1:] != curve.values[:-1]) & same) + 1
    up = curve.values[moved] > curve.values[moved - 1]
    return [_scale_change(curve, group) for group in _bursts(curve, moved, up)]


def _scale_change(curve: Curve, group: Ints) -> Happening:
    before, after = float(curve.values[group[0] - 1]), float(curve.values[group[-1]])
    factor = after / before
    powers = np.log2(curve.values[group] / curve.values[group - 1])
    exact = bool((np.abs(np.abs(powers) - 1) < 1e-6).all())
    word = ("doubled" if factor > 1 else "halved") if exact else ("raised" if factor > 1 else "lowered")
    return _burst("loss_scale", curve, group, {"change": word, "from": before, "to": after})


def overflows(curve: Curve) -> list[Happening]:
    """Where the overflow flag is set, close ones in one; ``times`` is exact."""
    flags = np.flatnonzero(curve.values > 0)
    groups = _bursts(curve, flags, np.zeros(len(flags), dtype=bool))
    return [_burst("overflow", curve, group, {"flags": len(group)}) for group in groups]


def with_lines(bursts: Sequence[Happening], told: Sequence[Happening], gap: float) -> list[Happening]:
    """``told`` (lines) and ``bursts`` (curve) of one kind, each thing once: a line that lies in a burst, ``gap`` steps
    around it, gives that its words."""
    starts = [one.step for one in bursts]
    if not bursts or any(one is None for one in starts):
        return [*told, *bursts]
    edges = np.array(starts, dtype=np.float64)
    order = np.argsort(edges, kind="stable")
    merged, alone = list(bursts), []
    for line in told:
        at = _burst_of(line, merged, edges[order], order, gap)
        if at is None:
            alone.append(line)
        elif not merged[at].text:
            detail = {**merged[at].detail, **line.detail}
            merged[at] = replace(merged[at], text=line.text, file=line.file, ranks=line.ranks, detail=detail)
    return [*alone, *merged]


def _burst_of(line: Happening, bursts: Sequence[Happening], starts: Floats, order: Ints, gap: float) -> int | None:
    if line.step is None:
        return None
    at = int(np.searchsorted(starts, line.step + gap, side="right")) - 1
    if at < 0:
        return None
    burst = bursts[int(order[at])]
    return int(order[at]) if burst.last_step is not None and line.step <= burst.last_step + gap else None


def rate_changes(curve: Curve) -> list[Happening]:
    """Phases of the learning rate; ``curve`` has one value a step, sorted by step."""
    found = []
    for one in phases(curve.steps, curve.values):
        wall = float(curve.walls[one.at])
        detail = {"phase": one.phase, "before": one.before, "after": one.after, "lr": one.lr}
        found.append(
            Happening("lr_phase", "", one.step, one.step, wall if np.isfinite(wall) else None, detail=dict(detail))
        )
    return found


def _bursts(curve: Curve, at: Ints, kinds: Flags) -> list[Ints]:
    """Indices of points as bursts of one kind and attempt, oldest first, the newest MOST of them."""
    if not len(at):
        return []
    steps = curve.steps[at].astype(np.float64)
    apart = np.diff(steps) > APART * interval(curve.steps)
    apart |= (np.diff(steps) < 0) | (kinds[1:] != kinds[:-1]) | (np.diff(curve.attempts[at]) != 0)
    return np.split(at, np.flatnonzero(apart) + 1)[-MOST:]


def _burst(kind: str, curve: Curve, group: Ints, detail: dict[str, str | int | float | None]) -> Happening:
    first, last, wall = int(curve.steps[group[0]]), int(curve.steps[group[-1]]), float(curve.walls[group[0]])
    return Happening(kind, "", first, last, wall if np.isfinite(wall) else None, times=len(group), detail=detail)
