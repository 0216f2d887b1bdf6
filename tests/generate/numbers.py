"""The numbers of a run: falling losses with noise, norms, times, and what the faults make of them. The same seed gives
the same numbers at the same step, however long the run is.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tests.generate.fault import Fault, of_kind
from tests.generate.plan import A_HOST, BATCH, Ints, Plan

Floats = NDArray[np.float32]
Values = Mapping[str, Floats]  # tag → ranks × steps

BLOCK = 256  # steps whose noise is drawn at once
SPIKE = 3  # steps
OWN = ("local_lm_loss", "device_accum_local_lm_loss", "device_local_norm", "local_norm/decoder.layers.0.mlp.weight")
REDUCED = ("loss", "grad-norm", "lm-loss")
COMPUTING = 0.8  # of a step; the rest is communication


class Numbers:
    """The numbers of one run."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def of(self, ranks: Ints, steps: Ints) -> dict[str, Floats]:
        """All tags of all ranks of one host or several. What a rank does not write has numbers here, too."""
        found = self._sound(ranks, steps)
        for fault in self._plan.faults:
            self._spoil(found, fault, ranks, steps)
        found["iteration-time"] = np.broadcast_to(self.step_ms(steps), (len(ranks), len(steps)))
        return found

    def step_ms(self, steps: Ints) -> Floats:
        """What a step takes: as long as the slowest rank makes it, on all ranks."""
        slow = np.zeros(len(steps))
        for fault in of_kind(self._plan.faults, "straggler"):
            slow = np.maximum(slow, COMPUTING * fault.by * (steps >= fault.since))
        jitter = 1 + 0.01 * np.clip(self._shared(steps)[:, 2], -3, 3)
        return np.asarray(1000 * self._plan.every * jitter * (1 + slow), np.float32)

    def _sound(self, ranks: Ints, steps: Ints) -> dict[str, Floats]:
        """Without any fault. Losses of single tensor-parallel ranks are parts that mean nothing alone."""
        noise = self._noise(ranks, steps)
        tensor, stage = self._plan.shape.tensor(ranks)[:, None], self._plan.shape.stage(ranks)[:, None]
        shared = self._shared(steps)
        local = self._loss(steps) * (1 + 0.01 * noise[..., 0]) * (1 - 0.2 * tensor / self._plan.shape.tp)
        norm = self._norm(steps) * (1 + 0.03 * noise[..., 1]) * (1 + 0.3 * tensor + 0.5 * stage)
        own = dict(zip(OWN, (local, local * (1 + 0.001 * noise[..., 2]), norm, norm * 0.2), strict=True))
        sound = self._step_ms_alone(shared) * COMPUTING * (1 + 0.004 * np.clip(noise[..., 3], -3, 3))
        alike = {name: np.broadcast_to(one, local.shape) for name, one in self._alike(steps).items()}
        loss = np.stack([self.printed_loss(one, steps) for one in range(self._plan.shape.pp)])[stage[:, 0]]
        return {
            name: np.array(one, np.float32)
            for name, one in (own | alike | {"loss": loss, "compute-time": sound}).items()
        }

    def printed_loss(self, stage: int, steps: Ints) -> NDArray[np.float64]:
        """What the ranks of a stage take for the loss: the loss in the last one; zeros in the first, any number in
        between."""
        if stage == self._plan.shape.pp - 1:
            return self._loss(steps)
        return 20 * np.abs(self._shared(steps)[:, 3]) * float(stage > 0)

    def evaluation(self, step: int) -> float:
        """The loss on other data at a step."""
        at = np.array([step])
        noise = 1 + 0.002 * float(self._shared(at)[0, 1])
        for fault in of_kind(self._plan.faults, "overfit"):
            if step > fault.since:
                risen = (1 + fault.by) ** ((step - fault.since) / self._plan.evaluated)
                return float(1.03 * level(np.array([fault.since]))[0] * risen * noise)
        return float(1.03 * level(at)[0] * noise)

    def _alike(self, steps: Ints) -> dict[str, NDArray[np.float64]]:
        """What is the same on all ranks."""
        samples = float(BATCH * self._plan.shape.dp)
        seconds = self.step_ms(steps) / 1000
        return {
            "lm-loss": self._loss(steps),
            "grad-norm": self._norm(steps),
            "learning-rate": 3e-4 * np.minimum(1, steps / 100) * np.exp(-steps / 20_000),
            "loss-scale": np.full(len(steps), 65_536.0),
            "batch-size": np.full(len(steps), samples),
            "throughput": samples / self._plan.shape.world / seconds,
            "model-flops-throughput-per-npu": 160 / seconds * self._plan.every,
        }

    def _loss(self, steps: Ints) -> NDArray[np.float64]:
        return level(steps) * (1 + 0.006 * self._shared(steps)[:, 0])

    def _norm(self, steps: Ints) -> NDArray[np.float64]:
        return np.asarray((0.4 + 2 * np.exp(-steps / 100)) * np.exp(0.06 * self._shared(steps)[:, 1]))

    def _step_ms_alone(self, shared: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(1000 * self._plan.every * (1 + 0.005 * np.clip(shared[:, 2], -3, 3)))

    def _shared(self, steps: Ints) -> NDArray[np.float64]:
        """Steps × 4, alike on all ranks."""
        alone: NDArray[np.float64] = drawn(self._plan.seed, 0, 1, steps)[0]
        return alone

    def _noise(self, ranks: Ints, steps: Ints) -> NDArray[np.float64]:
        """Ranks × steps × 4."""
        hosts = range(int(ranks[0]) // A_HOST, int(ranks[-1]) // A_HOST + 1)
        seed = self._plan.seed
        return np.concatenate([drawn(seed, host + 1, len(self._plan.ranks(host)), steps) for host in hosts])

    def _spoil(self, found: dict[str, Floats], fault: Fault, ranks: Ints, steps: Ints) -> None:
        late = steps >= fault.since
        rows = np.flatnonzero(np.isin(ranks, fault.ranks))
        if fault.kind in ("nan", "inf"):
            number = np.nan if fault.kind == "nan" else np.inf
            write(found, OWN, rows, late, number)
            if fault.spread:
                write(found, OWN + REDUCED, np.arange(len(ranks)), steps >= fault.since + fault.spread, number)
        elif fault.kind == "frozen" and len(rows):
            still = self._sound(ranks, np.array([fault.since]))
            for name in OWN:
                found[name][np.ix_(rows, late)] = still[name][rows]
        elif fault.kind == "jitter":
            wild = np.exp(fault.by * self._shared(steps)[:, 3]) * late + ~late
            for name in (*OWN[:2], "loss", "lm-loss"):
                found[name] *= wild.astype(np.float32)
        else:
            times(found, fault, rows, late & (steps < fault.since + SPIKE) if fault.kind == "spike" else late)


def level(steps: Ints) -> NDArray[np.float64]:
    """The loss without its noise."""
    return np.asarray(2 + 8 * np.exp(-steps / 400))


TOUCHED = {"off": OWN, "spike": OWN, "broken": REDUCED, "straggler": ("compute-time",)}


def times(found: dict[str, Floats], fault: Fault, rows: Ints, columns: NDArray[np.bool_]) -> None:
    """The values that a fault makes larger."""
    for name in TOUCHED.get(fault.kind, ()):
        found[name][np.ix_(rows, columns)] *= np.float32(1 + fault.by)


def write(
    found: dict[str, Floats], names: tuple[str, ...], rows: Ints, columns: NDArray[np.bool_], number: float
) -> None:
    for name in names:
        found[name][np.ix_(rows, columns)] = number


def drawn(seed: int, host: int, ranks: int, steps: Ints) -> NDArray[np.float64]:
    """Normal noise, ranks × steps × 4; ``steps`` ascend."""
    first, last = int(steps[0]) // BLOCK, int(steps[-1]) // BLOCK
    blocks = [_block(seed, host, ranks, number) for number in range(first, last + 1)]
    whole = blocks[0] if len(blocks) == 1 else np.concatenate(blocks, axis=1)
    return whole[:, steps - first * BLOCK].astype(np.float64)


@lru_cache(maxsize=4_096)
def _block(seed: int, host: int, ranks: int, number: int) -> Floats:
    return np.random.default_rng([seed, host, number]).standard_normal((ranks, BLOCK, 4), np.float32)
