"""Tags whose steps begin anew with each start of a job. Pure.

MindFormers' TrainingStateMonitor writes the count of steps since the job began, while the loss beside it goes on from
the checkpoint: of a job that went on from step 1600 its first point is of step 1, and means step 1601. Whether it is so
is seen in the points: a step that the job cannot have done was counted anew.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.series.curve import Curve, Floats, Ints
from app.series.segments import Segment
from collector.wire.records import SeriesMeta

MONITOR = re.compile(
    # local_lm_loss · device_accum_local_lm_loss · device_local_norm · weight_norm · throughput_linearity
    r"(?:local_\w+_loss|device_accum_local_\w*loss|device_local_norm|weight_norm|throughput_linearity)\Z"
    # local_norm/decoder.0.weight · adam_m_norm/… · max_attention_logit/max · weight_stable_rank/… · weight_eigenvalue/…
    r"|(?:local_norm|adam_[mv]_norm|max_attention_logit|weight_stable_rank|weight_eigenvalue)/"
)


@dataclass(frozen=True, slots=True, eq=False)
class Starts:
    """When each job began to write event files (``walls``, Unix seconds, rising), and after which step."""

    walls: Floats
    origins: Ints

    def before(self, wall: float) -> int:
        """The step after which the job began that wrote something at ``wall``; 0 where nothing tells."""
        at = int(np.searchsorted(self.walls, wall, side="right")) - 1
        return int(self.origins[at]) if at >= 0 else 0


NONE = Starts(np.zeros(0), np.zeros(0, np.int64))


def counts_anew(meta: SeriesMeta) -> bool:
    """Whether the series is of a tag that begins again at 1."""
    return meta.source == "tensorboard" and MONITOR.match(meta.tag) is not None


def starts(found: Sequence[tuple[Segment, int]], anew: frozenset[tuple[str, int]]) -> Starts:
    """The starts that event files show. Each segment comes with the step after which its attempt began by what tells
    the run's attempts; that counts where all files of a start are ``anew`` (file, generation)."""
    jobs: list[list[tuple[Segment, int]]] = []
    for one, origin in sorted(found, key=lambda it: it[0].first_wall):
        if jobs and one.first_wall <= max(it.last_wall for it, _ in jobs[-1]):
            jobs[-1].append((one, origin))
        else:
            jobs.append([(one, origin)])
    first = np.array([job[0][0].first_wall for job in jobs])
    last = np.array([max(it.last_wall for it, _ in job) for job in jobs])
    walls = np.r_[first[:1], first[1:] - (first[1:] - last[:-1]) / 2]
    return Starts(walls, np.array(_origins(jobs, anew), dtype=np.int64))


def _origins(jobs: Sequence[Sequence[tuple[Segment, int]]], anew: frozenset[tuple[str, int]]) -> list[int]:
    found: list[int] = []
    interval = 1.0
    for job in jobs:
        true = [one for one, _ in job if (one.file, one.generation) not in anew]
        interval = min((one.interval for one in true if one.count > 1), default=interval)
        told = [origin_of(one, interval) for one in true] or [origin for _, origin in job]
        found.append(min(told))
    return found


def origin_of(one: Segment, usual: float) -> int:
    """One interval before the first step that was logged; of a single point, the usual interval."""
    return max(0, one.first_step - round(one.interval if one.count > 1 else usual))


def shift(meta: SeriesMeta, step: int, wall: float, known: Starts) -> int:
    """By how much the steps of a series are too low that begins with ``step`` at ``wall``."""
    if not len(known.walls) or not counts_anew(meta):
        return 0
    origin = known.before(wall)
    return origin if step <= origin else 0


def aligned(meta: SeriesMeta, curve: Curve, known: Starts) -> Curve:
    """A series with the steps of the run."""
    by = shift(meta, int(curve.steps[0]), float(curve.walls[0]), known) if len(curve) else 0
    return replace(curve, steps=curve.steps + by) if by else curve
