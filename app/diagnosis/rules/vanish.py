"""``grad_vanish``: the gradient norm is a small part of what it was, and the loss has not fallen for it.

A norm gets smaller in a healthy run too: while the loss falls, it falls with it, and more steeply. So what counts is
the part of the norm's fall that the loss's own fall does not explain.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.diagnosis.course import Course
from app.diagnosis.opening import NOTHING, Opening
from app.diagnosis.row import Row
from app.diagnosis.rules.norm import FLOOR, Block, Norm
from app.diagnosis.signal import Evidence, Signal

GONE = math.log(1000)  # below the highest block: nothing is learnt with that
FALLEN = math.log(15)  # not explained by the loss
STEEP = 6.0  # how much more steeply a healthy norm may fall than the loss (the start of a run from scratch)
GENTLE = 2.0  # the same in a run that learns its data by heart: loss and norm go to 0 together
LATE = 48  # rows of a fall before its loss can be said to have stalled
LATELY = 6  # blocks in which a fall is a sudden one
EVERY = 4  # rows between two looks at the whole
SURE = 20  # of the newest 24 rows


@dataclass(slots=True)
class Vanish:
    """``low`` are the newest rows as 1 (far below) or 0; ``fallen`` counts rows of a fall that the loss does not
    explain; ``top`` is the highest block so far."""

    opening: Opening = field(default_factory=lambda: Opening("grad_vanish"))
    low: list[int] = field(default_factory=list)
    fallen: int = 0
    top: Block = field(default_factory=lambda: Block(-math.inf, math.nan))

    def take(self, row: Row, course: Course, value: float, norm: Norm) -> Sequence[Signal]:
        """What the row, whose norm has the logarithm ``value``, makes of it."""
        if norm.blocks and norm.blocks[-1].norm > self.top.norm:
            self.top = norm.blocks[-1]
        self._note(value, norm)
        if not self.low[-1] and not self.opening.is_open:
            return NOTHING
        if self.opening.is_open:
            return NOTHING if sum(self.low) else self.opening.end(row, course, self._evidence(row, norm, norm.level))
        return self._judge(row, course, norm)

    def _note(self, value: float, norm: Norm) -> None:
        far = norm.level - value > max(math.log(5), 4 * norm.sigma)
        below = max(norm.level, self.top.norm) - value > FALLEN
        self.low.append(int(far or below))
        if len(self.low) > 24:
            self.low.pop(0)

    def _judge(self, row: Row, course: Course, norm: Norm) -> Sequence[Signal]:
        if len(self.low) < 24 or sum(self.low) < SURE or course.hold:
            self.fallen = 0
            return NOTHING
        self.fallen += 1
        now = norm.newest.quantile(0.7)
        if self.fallen % EVERY or now > norm.earlier - FALLEN:
            return NOTHING
        loss = norm.losses.median if len(norm.losses) else math.nan
        if now <= FLOOR or self._unexplained(self.top, now, loss, GENTLE) > GONE:
            return self.opening.begin(row, course, "V1", "warning", self._evidence(row, norm, self.top.norm))
        known = [one for one in norm.settled() if not math.isnan(one.loss)]
        if self.fallen < LATE or math.isnan(loss) or not known:
            return NOTHING
        # the highest of a run from scratch is the first, whose loss explains any fall
        asked = [max(known, key=lambda one: one.norm), *known[-LATELY:]]
        recent = max(asked, key=lambda one: self._unexplained(one, now, loss, STEEP))
        if self._unexplained(recent, now, loss, STEEP) < max(FALLEN, 5 * norm.sigma):
            return NOTHING
        return self.opening.begin(row, course, "V2", "warning", self._evidence(row, norm, recent.norm))

    def _unexplained(self, before: Block, now: float, loss: float, steep: float) -> float:
        fall = before.norm - now
        explained = max(0.0, before.loss - loss)
        return fall - steep * (0.0 if math.isnan(explained) else explained)

    def _evidence(self, row: Row, norm: Norm, before: float) -> Evidence:
        usual, now = math.exp(before), norm.newest.median
        return Evidence(
            row.grad_norm, usual, usual * norm.sigma, (now - before) / norm.sigma, math.exp(now - before), sum(self.low)
        )
