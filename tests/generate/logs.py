"""The logs of a rank: records of MFLossMonitor, what stands before the first of them, and what ends them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache

import numpy as np

from app.demo.log_lines import CALLBACK, TRAINER, TRAINING, Record
from tests.generate import pynative
from tests.generate.events import sections
from tests.generate.fault import of_kind
from tests.generate.numbers import Numbers, Values
from tests.generate.place import Places, host_name, skew_of
from tests.generate.plan import A_HOST, Attempt, Plan

PRINT = "print_output_info"


@dataclass(frozen=True, slots=True)
class Text:
    """The records of one attempt, as both logs spell them: what is before the steps, then one piece a step."""

    info: Sequence[bytes]
    worker: Sequence[bytes]


class Logs:
    """Makes the bytes of logs; ranks that print the same share them."""

    def __init__(self, plan: Plan, places: Places) -> None:
        self._plan, self._places, self._numbers = plan, places, Numbers(plan)
        self._shared: dict[tuple[int, int, int], Text] = {}
        self.opening = lru_cache(maxsize=4)(self._opening)

    def of_rank(self, rank: int, row: int, attempt: Attempt, values: Values) -> tuple[bytes, bytes]:
        """``info.log`` and the worker's log, up to the rank's last step; ``row`` as in Events."""
        text = self.steps(rank, row, attempt, values)
        done = max(0, min(self._plan.last_of(rank), attempt.last) + 1 - attempt.first)
        before = self.opening(rank // A_HOST, attempt)
        info, worker = (
            b"".join([*one, *other[:done]]) for one, other in zip(before, (text.info, text.worker), strict=True)
        )
        return info, worker + (self.end(rank) if attempt.last == self._plan.last else b"")

    def steps(self, rank: int, row: int, attempt: Attempt, values: Values) -> Text:
        """What a rank prints from the attempt's first step on."""
        stage, skew = rank // (self._plan.shape.dp * self._plan.shape.tp), skew_of(rank // A_HOST)
        if self.prints_alone(rank):
            return self._printed(rank, row, attempt, values)
        key = stage, skew, attempt.number
        if key not in self._shared:
            self._shared[key] = self._printed(rank, row, attempt, values)
        return self._shared[key]

    def prints_alone(self, rank: int) -> bool:
        """Whether its lines hold numbers that others do not have."""
        broken = any(rank in one.ranks for one in of_kind(self._plan.faults, "broken"))
        return broken or (self._plan.pynative and self._plan.shape.pp == 1)

    def _printed(self, rank: int, row: int, attempt: Attempt, values: Values) -> Text:
        steps = np.arange(attempt.first, attempt.last + 1)
        walls = self._places.walls(attempt, skew_of(rank // A_HOST), steps)
        own = {tag: one[row].tolist() for tag, one in values.items()}
        pieces = [
            self.step(rank, step, {tag: one[number] for tag, one in own.items()}, wall, first=number == 0)
            for number, (step, wall) in enumerate(zip(steps.tolist(), walls.tolist(), strict=True))
        ]
        return Text([info for info, _ in pieces], [worker for _, worker in pieces])

    def step(
        self, rank: int, step: int, own: dict[str, float], wall: float, *, first: bool = False
    ) -> tuple[bytes, bytes]:
        """One step in either log."""
        if self._plan.pynative:
            records = list(pynative.records(self._plan, step, own, has_loss=self._plan.has_loss(rank)))
        else:
            records = [*(self._warning() if first else ()), *self._records(step, own), *self._evaluated(step)]
        info = "".join(one.in_file(wall) for one in records)
        return info.encode(), "".join(one.on_console(wall) for one in records).encode()

    def _evaluated(self, step: int) -> Iterator[Record]:
        if self._plan.evaluated and step % self._plan.evaluated == 0:
            loss = self._numbers.evaluation(step)
            text = f"Eval result: {{'PerplexityMetric': {{'loss': {loss:.6f}, 'PPL': {np.exp(loss):.4f}}}}}"
            yield Record(f"{CALLBACK}:1098", "_execute_eval", f"{text}, eval time is 12.500000 s.")

    def _warning(self) -> Iterator[Record]:
        if self._plan.shape.pp > 1:
            text = f"pipeline stages: {self._plan.shape.pp} > 1, the loss on the last card is valid."
            yield Record(f"{CALLBACK}:336", "_fix_loss_for_parallel", text)

    def _records(self, step: int, own: dict[str, float]) -> Iterator[Record]:
        total = self._plan.steps
        yield Record(
            f"{CALLBACK}:747",
            PRINT,
            f"{{ Epoch:[  1/  1], step:[{step:5d}/{total:5d}], loss: {own['loss']:5.6f}, "
            f"per_step_time: {own['iteration-time']:.0f}ms, lr: {np.float32(own['learning-rate'])!s}, "
            f"overflow cond: False, loss_scale: {own['loss-scale']}, global_norm: [{own['grad-norm']:.8g}], "
            f"train_throughput_per_npu: {own['model-flops-throughput-per-npu']:.3f}T",
        )
        left = timedelta(seconds=int((total - step) * own["iteration-time"] / 1000))
        done = step / total
        bar = f"{done * 100:4.1f}% |{'█' * int(done * 50):<50}|"
        yield Record(f"{CALLBACK}:764", PRINT, f"  {bar} {own['throughput']:.5f} samples/s/p  {left} }}")

    def _opening(self, host: int, attempt: Attempt) -> tuple[list[bytes], list[bytes]]:
        """What a host's ranks print before the first step."""
        wall = self._places.started(attempt, skew_of(host))
        address = f"10.{host >> 16 & 255}.{host >> 8 & 255}.{host & 255}"
        said = [
            (f"{TRAINER}:100", f"host_name: {host_name(host)}, host_ip: {address}"),
            (f"{TRAINER}:214", f"initial parallel_config from dict: {sections(self._plan)['parallel_config']}"),
            (f"{TRAINER}:1132", f"Create train dataset finish, dataset size:{self._plan.steps}"),
            *([(f"{CALLBACK}:244", f"Set tensorboard path to '{self._plan.told}'")] if self._plan.told else []),
            (f"{TRAINER}:1340", ".........Build Callbacks For Train.........."),
            (f"{TRAINER}:1515", ".........Starting Init Train Model.........."),
            *self._resuming(attempt),
            (f"{TRAINER}:1680", ".........Starting Training Model.........."),
        ]
        records = [Record(place, TRAINING, text) for place, text in said]
        return [one.in_file(wall).encode() for one in records], [one.on_console(wall).encode() for one in records]

    def _resuming(self, attempt: Attempt) -> Iterator[tuple[str, str]]:
        if attempt.number > 1:
            yield f"{TRAINER}:1178", ".............Start load resume context from checkpoint.................."
            yield f"{TRAINER}:1217", f"dataset skip {attempt.first - 1} steps."

    def end(self, rank: int) -> bytes:
        """What the worker's log ends with where a rank of the run fails: its own traceback, and another one on all that
        waited for it. MindFormers has it on the console alone."""
        failed = of_kind(self._plan.faults, "traceback")
        if not failed or self._plan.last_of(rank) < self._plan.last:
            return b""
        own = any(rank in one.ranks for one in failed)
        return (OUT_OF_MEMORY if own else TIMED_OUT).format(rank=rank, address=0x7F0000000000 + rank * 4096).encode()


TRACE = """Traceback (most recent call last):
  File "/home/user/work/run_mindformer.py", line 289, in <module>
    main(config_)
  File "/home/user/site-packages/mindformers/trainer/base_trainer.py", line 1681, in training_process
    model.train(config.runner_config.epochs, dataset, callbacks=callbacks)
  File "/home/user/site-packages/mindspore/train/model.py", line 1274, in train
    self._train(epoch, train_dataset, callbacks=callbacks)
"""
OUT_OF_MEMORY = (
    TRACE
    + """RuntimeError: Device(id:{rank}) memory is not enough for the new block at 0x{address:x}: Out of Memory.
"""
)
TIMED_OUT = (
    TRACE
    + """RuntimeError: Distribute Task Failed, error msg: HCCL timeout of rank {rank}, stream at 0x{address:x}.
"""
)
