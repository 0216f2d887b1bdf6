"""The event files of a host's ranks, as tensorboardX writes them for MFLossMonitor and TrainingStateMonitor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np

from app.demo import event_bytes
from tests.generate import pynative
from tests.generate.numbers import OWN, Floats, Values
from tests.generate.place import Places
from tests.generate.plan import BATCH, Attempt, Ints, Plan
from tests.generate.stamped import Cycle, width_of

FIVE = ("loss", "grad-norm", *OWN[:3])
USUAL = ("loss", "learning-rate", "grad-norm", "iteration-time", "throughput", "compute-time", *OWN[:3])
PAIRED = ("loss", "learning-rate", "batch-size", "loss-scale", "grad-norm", "model-flops-throughput-per-npu")
FULL = (
    *(name for one in PAIRED for name in (one, f"{one}_vs_samples")),
    *("lm-loss", "iteration-time", "iteration-time_vs_samples", "throughput", "throughput_vs_samples"),
    *("compute-time", *OWN),
)
SETS: Mapping[str, tuple[str, ...]] = {"five": FIVE, "usual": USUAL, "full": FULL}
"""``compute-time`` is what a callback of the job's own tells: MindFormers knows the synchronised time alone."""

OF_LOSS = frozenset(OWN[:2])  # written by the last stage alone
SAMPLES = "_vs_samples"


class Events:
    """Makes the bytes of event files; what ranks share is made once."""

    def __init__(self, plan: Plan, places: Places) -> None:
        self._plan, self._places = plan, places
        self.cycle = lru_cache(maxsize=64)(self._cycle)
        self.opening = lru_cache(maxsize=64)(self._opening)
        self.segments = lru_cache(maxsize=4)(self._segments)

    def tags(self, rank: int) -> tuple[str, ...]:
        """What a rank writes; nothing if it has no event file."""
        if self._plan.pynative:
            return pynative.tags_of(self._plan, rank)
        return tuple(one for one in self._plan.tags if self._plan.has_loss(rank) or one not in OF_LOSS)

    def of_rank(self, rank: int, row: int, attempt: Attempt, values: Values, clock: int) -> bytes:
        """A rank's file of one attempt; ``row`` is its place among ``values``, which begin with the attempt."""
        last = min(self._plan.last_of(rank), attempt.last)
        tags, pieces = self.tags(rank), [self.opening(attempt, clock)]
        for first, end in () if self._plan.empty else self.segments(attempt):
            chosen = slice(first - attempt.first, end - attempt.first + 1)
            own = [column(values, tag)[row : row + 1, chosen] for tag in tags]
            pieces.append(
                self.cycle(tags, attempt, clock, first, end).filled(own)[0, : max(0, last + 1 - first)].tobytes()
            )
        return b"".join(pieces)

    def rows(
        self, tags: tuple[str, ...], attempt: Attempt, step: int, wall: float, values: Sequence[Floats]
    ) -> list[bytes]:
        """One step of many ranks; values of ranks × 1 a tag."""
        steps = self._numbered(tags, attempt, np.array([step]))
        filled = Cycle(tags, steps, np.array([wall])).filled(values)
        return [one.tobytes() for one in filled]

    def _cycle(self, tags: tuple[str, ...], attempt: Attempt, clock: int, first: int, end: int) -> Cycle:
        steps = np.arange(first, end + 1)
        return Cycle(tags, self._numbered(tags, attempt, steps), self._places.walls(attempt, clock, steps))

    def _numbered(self, tags: Sequence[str], attempt: Attempt, steps: Ints) -> Ints:
        """tags × n: TrainingStateMonitor counts from the attempt's start, copies over samples count these."""
        samples = BATCH * self._plan.shape.dp
        return np.array([
            steps - attempt.first + 1 if tag in OWN else steps * samples if tag.endswith(SAMPLES) else steps
            for tag in tags
        ])  # fmt: skip

    def _segments(self, attempt: Attempt) -> list[tuple[int, int]]:
        """First and last step of stretches in which no step needs another byte."""
        if attempt.last < attempt.first:
            return []
        steps = self._numbered(self._plan.tags, attempt, np.arange(attempt.first, attempt.last + 1))
        widths = np.array([[width_of(int(one)) for one in row] for row in steps])
        cuts = np.flatnonzero(np.any(widths[:, 1:] != widths[:, :-1], axis=0)) + 1
        bounds = [0, *cuts.tolist(), steps.shape[1]]
        return [(attempt.first + start, attempt.first + stop - 1) for start, stop in pairwise(bounds)]

    def _opening(self, attempt: Attempt, clock: int) -> bytes:
        """The version, and a text for each section of the configuration."""
        wall = self._places.started(attempt, clock)
        texts = (event_bytes.text(1, wall, key, str(said)) for key, said in sections(self._plan).items())
        return event_bytes.first_record(wall) + b"".join(texts)


def column(values: Values, tag: str) -> Floats:
    """A copy over samples has the values of what it copies."""
    bare = tag.removesuffix(SAMPLES)
    return values[pynative.ALIKE.get(bare, bare)]


def sections(plan: Plan) -> dict[str, dict[str, object]]:
    """The parts of the YAML that tell of ranks."""
    shape = plan.shape
    return {
        "runner_config": {"epochs": 1, "batch_size": BATCH, "sink_mode": True, "sink_size": 1},
        "parallel_config": {
            "data_parallel": shape.dp,
            "model_parallel": shape.tp,
            "pipeline_stage": shape.pp,
            "expert_parallel": 1,
            "context_parallel": 1,
            "micro_batch_num": max(1, 2 * (shape.pp - 1)),
        },
        "monitor_config": {
            "monitor_on": True,
            "step_interval": 1,
            "local_loss_format": ["tensorboard"],
            "device_local_loss_format": ["tensorboard"],
            "device_local_norm_format": ["tensorboard"],
        },
    }
