"""The numbers of the demonstration run: what eight NPUs would report at a step. Pure, the same for every start."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

RANKS = 8
STEPS = 10_000
STEPS_PER_EPOCH = 2_500
EPOCHS = STEPS // STEPS_PER_EPOCH
EVAL_EVERY = 200
EVAL_SECONDS = 2.0
BATCH = 64  # samples a step, all ranks together
MODEL_FLOPS = 800_000_000_000_000  # a step, all ranks together

SPIKE = 1_120  # a bad batch: the loss jumps and comes back within thirty steps
BURST = range(1_450, 1_454)  # four steps in a row overflow, each halves the loss scale
SCALE = 65_536.0
SCALE_WINDOW = 100  # clean steps until the loss scale doubles again
BAD_RANK = 5  # from BAD_FROM on its card drifts away from its peers
BAD_FROM = 900

PEAK_LR = 3e-4
WARM_UP = 300


@dataclass(frozen=True, slots=True)
class Step:
    """What all ranks report alike."""

    step: int
    loss: float
    lr: float
    grad_norm: float
    loss_scale: float
    overflow: bool
    eval_loss: float | None  # after every EVAL_EVERY steps


@dataclass(frozen=True, slots=True)
class Local:
    """What one rank reports of itself; step time in milliseconds."""

    step_ms: float
    local_loss: float
    device_loss: float
    device_norm: float

    @property
    def samples_per_second(self) -> float:
        """Samples a second and NPU."""
        return BATCH / RANKS / (self.step_ms / 1000)

    @property
    def tflops(self) -> float:
        """TFLOPS an NPU."""
        return MODEL_FLOPS / RANKS / (self.step_ms / 1000) / 1e12


def step(number: int) -> Step:
    """The shared numbers of one step, counted from 1."""
    chance = random.Random(number)
    jump = spike(number)
    overflow = number in BURST
    return Step(
        step=number,
        loss=trend(number) * (1 + chance.gauss(0, 0.008)) + 2.4 * jump,
        lr=learning_rate(number),
        grad_norm=grad_norm(number) * math.exp(chance.gauss(0, 0.09)) * (1 + 9 * jump) * (1.8 if overflow else 1),
        loss_scale=loss_scale(number),
        overflow=overflow,
        eval_loss=trend(number) * 1.03 + chance.gauss(0, 0.01) if number % EVAL_EVERY == 0 else None,
    )


def local(shared: Step, rank: int) -> Local:
    """What ``rank`` adds to it."""
    chance = random.Random(shared.step * RANKS + rank)
    drift = min((shared.step - BAD_FROM) / 600, 1.0) if rank == BAD_RANK and shared.step > BAD_FROM else 0.0
    loss = shared.loss * (1 + chance.gauss(0, 0.012) + 0.16 * drift)
    return Local(
        step_ms=step_ms(shared.step) * (1 + 0.03 * drift) + chance.gauss(0, 1.2),
        local_loss=loss,
        device_loss=loss * (1 + chance.gauss(0, 0.001)),
        device_norm=shared.grad_norm * (0.92 + 0.7 * drift) * math.exp(chance.gauss(0, 0.05)),
    )


def trend(number: int) -> float:
    """The loss without noise: a power law from ln(60 000) towards 2.1."""
    return float(2.1 + 8.9 * (1 + number / 90) ** -0.62)


def spike(number: int) -> float:
    """How much of the spike is there at this step, 0 to 1."""
    return math.exp(-(number - SPIKE) / 7) if 0 <= number - SPIKE < 40 else 0.0


def learning_rate(number: int) -> float:
    """Linear warm-up, then a cosine down to a tenth."""
    if number <= WARM_UP:
        return PEAK_LR * number / WARM_UP
    done = (number - WARM_UP) / (STEPS - WARM_UP)
    return PEAK_LR * (0.1 + 0.45 * (1 + math.cos(math.pi * done)))


def grad_norm(number: int) -> float:
    """The gradient norm without noise: high at first, then a slowly falling band."""
    return 0.42 + 4.5 * math.exp(-number / 60) + 0.5 * math.exp(-number / 900)


def loss_scale(number: int) -> float:
    """Halved at each overflow, doubled after SCALE_WINDOW clean steps, at most what it began with."""
    halved = max(0, min(number, BURST.stop - 1) - BURST.start + 1)
    grown = max(0, (number - BURST.stop + 1) // SCALE_WINDOW)
    return min(SCALE, SCALE * 0.5**halved * 2.0**grown)


def step_ms(number: int) -> float:
    """Milliseconds of a step: the first one compiles the graph, every later one takes half a second."""
    return 30_000.0 if number == 1 else 500 + 6 * random.Random(-number).gauss(0, 1)
