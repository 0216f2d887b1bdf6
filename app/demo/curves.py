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
CHECKPOINT_EVERY = 400
CHECKPOINT_SECONDS = 1.8
BATCH = 64  # samples a step, all ranks together
SEQ_LENGTH = 4_096  # tokens a sample
MODEL_FLOPS = 800_000_000_000_000  # a step, all ranks together

SPIKE = 1_120  # a bad batch: the loss jumps and comes back within thirty steps
BURST = range(1_450, 1_454)  # four steps in a row overflow, each halves the loss scale
SCALE = 65_536.0
SCALE_WINDOW = 100  # clean steps until the loss scale doubles again
BAD_RANK = 5  # from BAD_FROM on its card drifts away from its peers
BAD_FROM = 900

UNHEALTHY = 1_200  # the first checkpoint behind the spike is not to be gone back to

STOP = 1_642  # where the gradient norm of the first attempt passes NORM_THRESHOLD and ends it …
RESUMED = 1_600  # … so that the second goes on from the checkpoint of this step
DOWN_SECONDS = 45.0
NORM_THRESHOLD = 20.0

PREFIX = "demonstration_rank_0"  # of checkpoints
QUEUE = 220  # event records that are held back: twenty steps of eleven tags

PEAK_LR = 3e-4
WARM_UP = 300


@dataclass(frozen=True, slots=True)
class Step:
    """What all ranks report alike; ``since`` is the step that the attempt began behind."""

    step: int
    attempt: int
    since: int
    loss: float
    lr: float
    grad_norm: float
    loss_scale: float
    overflow: bool
    eval_loss: float | None  # after every EVAL_EVERY steps

    @property
    def current(self) -> int:
        """The steps of this attempt, which is what some callbacks of MindFormers count."""
        return self.step - self.since


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


def step(number: int, attempt: int = 1) -> Step:
    """The shared numbers of one step, counted from 1."""
    chance = random.Random(number if attempt == 1 else f"{attempt}/{number}")  # nosec B311 # noise that repeats
    jump, away = spike(number), runaway(number) if attempt == 1 else 0.0
    overflow = number in BURST
    return Step(
        step=number,
        attempt=attempt,
        since=RESUMED if attempt > 1 else 0,
        loss=trend(number) * (1 + chance.gauss(0, 0.008)) + 2.4 * jump + 0.8 * away,
        lr=learning_rate(number),
        grad_norm=grad_norm(number)
        * math.exp(chance.gauss(0, 0.09) + 3.8 * away)
        * (1 + 9 * jump)
        * (1.8 if overflow else 1),
        loss_scale=loss_scale(number),
        overflow=overflow,
        eval_loss=trend(number) * 1.03 + chance.gauss(0, 0.01) if number % EVAL_EVERY == 0 else None,
    )


def local(shared: Step, rank: int) -> Local:
    """What ``rank`` adds to it."""
    chance = random.Random((shared.attempt * STEPS + shared.step) * RANKS + rank)  # nosec B311 # noise that repeats
    drift = min((shared.step - BAD_FROM) / 600, 1.0) if rank == BAD_RANK and shared.step > BAD_FROM else 0.0
    loss = shared.loss * (1 + chance.gauss(0, 0.012) + 0.16 * drift)
    return Local(
        step_ms=step_ms(shared.step, compiles=shared.current == 1) * (1 + 0.03 * drift) + chance.gauss(0, 1.2),
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


def runaway(number: int) -> float:
    """How far the first attempt has run away at this step, up to 1 where it is stopped."""
    return math.exp((number - STOP) / 4) if number <= STOP else 0.0


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


def step_ms(number: int, *, compiles: bool = False) -> float:
    """Milliseconds of a step: half a second, unless it is the first of an attempt, which compiles the graph."""
    return 30_000.0 if compiles else 500 + 6 * random.Random(-number).gauss(0, 1)  # nosec B311 # noise that repeats
