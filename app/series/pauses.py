"""A stretch of points, pause by pause: what each of them went to. Whole milliseconds, so that sums are exact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.series.curve import Flags, Floats, Ints
from app.series.marks import Spans, Work

BLOCK = 256  # pauses that share a usual pace: enough for a median, few enough to follow a change of batch size
FEWEST = 8  # pauses that a pace can be learnt from
BEYOND = 1.0  # a pause this many times its usual length longer than usual is no training …
OFTEN = 0.4  # when so many pauses hold an evaluation or a checkpoint, their median is no step's time any more
NOISE = 8.0  # … unless pauses hereabouts spread that much (in standard deviations, from the median deviation)


@dataclass(frozen=True, slots=True)
class Pace:
    """The usual milliseconds a step of some pauses, and how far they spread about it; the last of them ended at
    ``until``. ``steps`` were done in them."""

    step_ms: float
    spread_ms: float
    steps: float
    until: int


@dataclass(frozen=True, slots=True)
class Split:
    """What a stretch went to, in milliseconds; ``redone``: productive once, and thrown away by a later attempt.
    ``stall_step`` is the step that the longest stall began at."""

    productive: int = 0
    redone: int = 0
    evaluation: int = 0
    checkpoint: int = 0
    stalled: int = 0
    stalls: int = 0
    longest_stall: int = 0
    stall_step: int | None = None
    steps: int = 0
    paces: tuple[Pace, ...] = ()


def straightened(walls: Ints) -> Ints:
    """A clock that jumps ahead for a single point tells nothing there: the next point's time is taken."""
    if len(walls) < 3:
        return walls
    wrong = np.zeros(len(walls), dtype=bool)
    wrong[1:-1] = (walls[1:-1] > walls[2:]) & (walls[2:] >= walls[:-2])
    return np.where(wrong, np.r_[walls[1:], walls[-1:]], walls) if wrong.any() else walls


def split(
    at: Ints | Floats,
    clock: Floats,
    works: Mapping[Work, Spans],
    *,
    usual: float,
    lost_from: float,
    printed: float | None,
) -> Split:
    """What the pauses between the points at steps ``at`` went to; ``clock`` in Unix seconds.

    ``usual``: milliseconds a step where there are too few pauses to learn it; ``lost_from``: the first step that a
    later attempt did again (infinity: none); ``printed``: the milliseconds a step that the run prints, which do not
    hold what is done between steps."""
    if len(clock) < 2:
        return Split()
    steps = at.astype(np.float64)
    walls = straightened(np.rint(clock * 1000).astype(np.int64))
    pause = np.maximum(np.diff(walls), 0)
    done = np.maximum(np.diff(steps), 0.0)
    pace, spread, paces = _paces(pause, done, walls, usual)
    expected = np.minimum(pause, np.maximum(done, 1.0) * pace)
    left, parts = _attributed(walls, pause, expected, spread, works, printed and printed * np.maximum(done, 1.0))
    stalled = np.where(left > np.maximum(BEYOND * expected, NOISE * spread), left, 0)
    productive = pause - parts["evaluation"] - parts["checkpoint"] - stalled
    redone = np.rint(productive * _lost(steps, lost_from)).astype(np.int64)
    worst = int(np.argmax(stalled))
    return Split(
        productive=int((productive - redone).sum()),
        redone=int(redone.sum()),
        evaluation=int(parts["evaluation"].sum()),
        checkpoint=int(parts["checkpoint"].sum()),
        stalled=int(stalled.sum()),
        stalls=int(np.count_nonzero(stalled)),
        longest_stall=int(stalled[worst]),
        stall_step=int(steps[worst]) if stalled[worst] else None,
        steps=len(pause),
        paces=paces,
    )


def _paces(pause: Ints, done: Floats, walls: Ints, usual: float) -> tuple[Floats, Floats, tuple[Pace, ...]]:
    """Milliseconds a step and spread a pause, for each pause, learnt block by block. A block that tells too little has
    those of the one before it."""
    rate = np.full(-(-len(pause) // BLOCK) * BLOCK, np.nan)
    usable = (done > 0) & (pause > 0)
    np.divide(pause, done, out=rate[: len(pause)], where=usable)
    known = rate[: len(pause)][usable]
    stand_in = float(np.median(known)) if len(known) >= FEWEST else usual
    blocks = rate.reshape(-1, BLOCK)
    enough = np.isfinite(blocks).sum(axis=1) >= FEWEST
    middle, wide = np.full(len(blocks), stand_in), np.zeros(len(blocks))
    middle[enough] = _medians(blocks[enough])
    wide[enough] = 1.4826 * _medians(np.abs(blocks[enough] - middle[enough, None]))
    from_block = np.maximum.accumulate(np.where(enough, np.arange(len(blocks)), -1))
    middle, wide = (np.where(from_block >= 0, one[from_block], one) for one in (middle, wide))
    steps = np.add.reduceat(done, np.arange(0, len(done), BLOCK))
    ends = walls[np.minimum(np.arange(1, len(blocks) + 1) * BLOCK, len(pause))]
    paces = tuple(Pace(*one) for one in zip(*(it[enough].tolist() for it in (middle, wide, steps, ends)), strict=True))
    pace, spread = (np.repeat(one, BLOCK)[: len(pause)] for one in (middle, wide))
    return pace, spread * np.maximum(done, 1.0), paces


def _medians(blocks: Floats) -> Floats:
    """Of each row, without its NaN. (numpy's own for that is slow, so it is asked only for rows that hold some.)"""
    found: Floats = np.median(blocks, axis=1)
    broken = np.isnan(found)
    if broken.any():
        found[broken] = np.nanmedian(blocks[broken], axis=1)
    return found


def _attributed(
    walls: Ints, pause: Ints, expected: Floats, spread: Floats, works: Mapping[Work, Spans], bare: Floats | float | None
) -> tuple[Ints, Mapping[Work, Ints]]:
    """What is left of each pause beyond its steps, and what works took of it: never more than the pause is longer than
    its steps, since a checkpoint that is saved beside training costs none. ``bare``: what the steps of each pause take
    by the times that the run prints."""
    within = {work: _overlap(one, walls) for work, one in works.items()}
    inside = {work: _inside(one, walls) for work, one in works.items()}
    busy = np.logical_or.reduce([inside[work] | (within[work] > 0) for work in works])
    if bare is not None and busy.mean() > OFTEN:
        expected = np.where(busy, np.minimum(expected, bare), expected)
    left = np.floor(pause - expected).astype(np.int64)
    parts: dict[Work, Ints] = {}
    for work in works:
        parts[work] = np.minimum(within[work], left)
        left = left - parts[work]
    open_ended = np.sum([inside[work] for work in works], axis=0)  # works of unknown length share what is left
    worth = left > 2 * spread
    for work in works:
        taken = np.where(inside[work] & worth, left // np.maximum(open_ended, 1), 0)
        open_ended = open_ended - inside[work]
        parts[work] = parts[work] + taken
        left = left - taken
    return left, parts


def _lost(steps: Floats, lost_from: float) -> Floats:
    """The share of each pause's steps that a later attempt did again."""
    done = np.diff(steps)
    lost = np.clip(steps[1:] - np.maximum(steps[:-1], lost_from - 1), 0, None)
    return np.where(done > 0, np.minimum(lost / np.maximum(done, 1.0), 1.0), steps[1:] >= lost_from)


def _inside(one: Spans, walls: Ints) -> Flags:
    """The pauses in which a line of unknown length stands."""
    found = np.zeros(len(walls) - 1, dtype=bool)
    rising = np.maximum.accumulate(walls)
    at = np.searchsorted(rising, one.at, side="right") - 1
    found[at[(at >= 0) & (at < len(found))]] = True
    return found


def _overlap(one: Spans, walls: Ints) -> Ints:
    """How much of each pause lies in known spans: both are in order, so one pass over the edges tells."""
    if not len(one.starts):
        return np.zeros(len(walls) - 1, dtype=np.int64)
    # milliseconds of spans before a moment: whole spans, and the part of the one that is open then
    lengths = np.r_[0, np.cumsum(one.ends - one.starts)]
    rising = np.maximum.accumulate(walls)
    begun = np.searchsorted(one.starts, rising, side="right")
    last = np.maximum(begun - 1, 0)
    open_part = np.clip(rising - one.ends[last], None, 0) * (begun > 0)
    passed: Ints = np.diff(lengths[begun] + open_part)
    return passed
