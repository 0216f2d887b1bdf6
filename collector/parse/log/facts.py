"""What single lines tell of a run as a whole (texts: mindformers 0.3 to 2.1)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from collector.parse.log.memory import LogMemory
from collector.parse.log.text import Line


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact: what to look for, and the pattern that begins with it and whose group is the fact's text."""

    name: str
    needle: bytes
    pattern: re.Pattern[bytes]


FACTS = (
    # pipeline stages: 2 > 1, the loss on the last card is valid.
    Fact("pipeline_stages", b"pipeline stages: ", re.compile(rb"pipeline stages: *(\d+) *>")),
    # When zero_bubble_v is enabled, loss is valid only on rank 0
    Fact("zero_bubble_v", b"zero_bubble_v is", re.compile(rb"zero_bubble_v is (enabled)")),
    # Set tensorboard path to './tensorboard'
    Fact("tensorboard_dir", b"tensorboard path to '", re.compile(rb"tensorboard path to '([^']*)'")),
    # Tensorboard config is unset. 'local_norm' will use 'log' only.
    Fact("tensorboard_unset", b"Tensorboard config is", re.compile(rb"Tensorboard config is (unset)")),
    # Network Parameters: 7505.2 M.   Network Parameters: 3407872.
    Fact("parameters", b"Network Parameters: ", re.compile(rb"Network Parameters: *(\d+(?:\.\d+)?(?: M)?)")),
    # Calculate global_batch_size=64, num_accumulation_steps=8.
    Fact("global_batch_size", b"global_batch_size=", re.compile(rb"global_batch_size=(\d+)")),
    # global_batch_size = batch_size * data_parallel * gradient_accumulation_steps = 32 = 32 * 1 * 1
    # global_batch_size = per_batch_size * data_parallel = 8 * 4 = 32
    Fact(
        "global_batch_size",
        b"global_batch_size = ",
        re.compile(rb"global_batch_size = [^=]*= *(?:\d+ \* \d+ = *)?(\d+)"),
    ),
    # global_batch_size = batch_size_per_card * device_num * gradient_accumulation_steps = 1 = 1 * 8 * 1
    Fact(
        "world_size",
        b"batch_size_per_card * device_num",
        re.compile(rb"batch_size_per_card \* device_num[^=]*= *\d+ = \d+ \* (\d+)"),
    ),
    # 'device_num': 4,
    Fact("world_size", b"'device_num': ", re.compile(rb"'device_num': (\d+)[,}]")),
    # _expert_parallel:8   _context_parallel:2   expert_parallel:8
    Fact("expert_parallel", b"expert_parallel:", re.compile(rb"expert_parallel: ?(\d+)\s*\Z")),
    Fact("context_parallel", b"context_parallel:", re.compile(rb"context_parallel: ?(\d+)\s*\Z")),
    # Create train dataset finish, dataset size:535
    Fact("steps_per_epoch", b"train dataset finish,", re.compile(rb"train dataset finish, dataset size: *(\d+)")),
)


def read_fact(memory: LogMemory, fact: Fact, text: bytes, line: Line) -> None:
    """The fact that a line tells; the newest wins."""
    at, _, stop = line
    if match := fact.pattern.match(text, at, stop):
        memory.facts[fact.name] = match[1].decode("utf-8", "replace")
