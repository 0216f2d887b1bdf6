"""Generated logs of each generation: every value at its step, however the log is cut and whatever stands between."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collector.parse.log import rows as log_rows
from collector.parse.log.memory import LogMemory
from collector.parse.log.rank_log import PHRASES
from collector.parse.parsers import parser_for
from tests.support.log_generations import WRITERS, Job, Step, jobs, steps_of
from tests.support.scalars import Followed, curve

PARSER = parser_for("log")
IRREGULAR = (
    "",
    "some line of no meaning",
    "{ Epoch:[  1/  9], step:[    3/   77], loss: 2.5, lr: 1e-05",
    "{ Epoch:[  2/  4], step:[    3/    5], loss:   nan, lr: None",
    "step:[    3/   10] local_norm/a.b.c: 0.25438136",
    "default_lr: 2.94e-07, equal to `lr:` above.",
    "group_0_lr: 2.940000e-07, group_0_params: ['embedding', 'norm']",
    "Eval result: {'PerplexityMetric': {'loss': 4.2, 'PPL': 66.7}}, eval time is 1.5 s.",
    "......Saving ckpt......",
    "2025-06-01 10:00:00,000 - mindformers[x.py:1] - ERROR - no space left",
    "  14.0% |███       | 10.92383 samples/s/p  0:01:02 }",
    "is_skip: [ True]",
    "ValueError: There is nan in loss with value nan, terminate training.",
    "{ step:[   12/  100], loss: N/A (non-last PP stage, refer to last stage for real loss), grad_norm: NaN }",
    "{ Epoch:[  1/  2], step:[    3/   77], loss: 2.{ Epoch:[  1/  2], step:[    4/   77], loss: 2.5, lr: 1e-05",
    "global_batch_size=64",
    "pipeline stages: 2 > 1, the loss on the last card is valid.",
    "Traceback (most recent call last):",
    '{"step": 3, "micro_step": 1, "local_loss": 10.53}',
    "epoch: 0 step: 3, loss is 2.5",
)


def text_of(name: str, job: Job, steps: list[Step]) -> list[str]:
    return [job.before(step.number) + line for step in steps for line in WRITERS[name](job, step)[0]]


@pytest.mark.parametrize("name", WRITERS)
@settings(max_examples=25, deadline=None)
@given(job=jobs, seed=st.integers(0, 2**32))
def test_every_value_of_a_generation_stands_at_its_step(name: str, job: Job, seed: int) -> None:
    steps = steps_of(job, seed)
    parsed = PARSER.parse("".join(f"{line}\n" for line in text_of(name, job, steps)).encode(), {})
    wanted: dict[str, list[tuple[int, Any]]] = {}
    for step in steps:
        for tag, value in WRITERS[name](job, step)[1].items():
            wanted.setdefault(tag, []).append((step.number, value))
    assert {tag: curve(parsed, tag) for tag in wanted} == wanted
    assert not parsed.counts


@pytest.mark.parametrize("name", [name for name in WRITERS if name not in ("LossMonitor", "zoo", "megatron")])
@settings(max_examples=30, deadline=None)
@given(
    job=jobs,
    seed=st.integers(0, 2**32),
    irregular=st.lists(st.tuples(st.floats(0, 1), st.sampled_from(IRREGULAR)), max_size=8),
    places=st.lists(st.floats(0, 1), max_size=3),
)
def test_what_is_read_at_once_is_what_is_read_line_by_line_for_every_cut(
    name: str, job: Job, seed: int, irregular: list[tuple[float, str]], places: list[float]
) -> None:
    lines = text_of(name, job, steps_of(job, seed))
    for at, line in irregular:
        lines.insert(int(at * len(lines)), line)
    content = "".join(f"{line}\n" for line in lines).encode()
    ends = [sum(len(f"{line}\n".encode()) for line in lines[: number + 1]) for number in range(len(lines))]
    assert log_rows.FEWEST_LINES > 1  # so that line by line nothing is read at once
    alone = Followed(PARSER, content, ends).all()
    assert Followed(PARSER, content).all() == alone
    cuts = sorted(int(place * len(content)) for place in places)
    assert Followed(PARSER, content, cuts).all() == alone


def test_long_logs_are_read_at_once() -> None:
    job = Job(2, 200, "{clock} - mindformers[callback.py:312] - INFO - ", "2025-06-01 10:00:{second:02d},{ms:03d}")
    steps = [Step(number, 8 / number, 1e-5 / number, 1.5, 700 + number, overflow=False) for number in range(1, 401)]
    content = "".join(f"{line}\n" for line in text_of("1.3", job, steps)).encode()
    rows = log_rows.Reader(PHRASES).read(LogMemory(), content, 0, len(content))
    assert rows is not None
    assert int((rows.kind > 0).sum()) >= 2 * len(steps) - 8
