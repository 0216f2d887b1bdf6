"""Lines that hold values of the record before them: progress, evaluation, grouped rates, norms, epoch times."""

from __future__ import annotations

import json
import re

from collector.parse.log.memory import LogMemory
from collector.parse.log.prefix import clock
from collector.parse.log.text import Line
from collector.parse.log.value import reading

LONGEST_MESSAGE = 4096  # bytes of a monitor's message; a bound, since one line may hold a needle ten thousand times

# {'PerplexityMetric': {'loss': 7.155732, 'PPL': 1281.4301}}
_EVAL_PAIR = re.compile(rb"'([^']{1,99})': *(?:array\()?([-+]?[\w.+-]+)")
# group_0_lr: 2.940000e-07, group_0_params: ['embedding', 'norm']
_GROUP_LR = re.compile(rb"(default_lr|group_\d+_lr): *([-+\w.]+),")
# { "local_norm": model.decoder.layers.0.linear_qkv.weight:   0.222260 }
_NORM = re.compile(rb'\{ "(\w+_norm)": *(?:(\S+): +)?([-+\w.]+) *\}')
# { "step": 50, "micro_step": 1 }
_NORM_STEP = re.compile(rb'\{ "step": *(\d{1,18})')
# Train epoch time: 992053.072 ms, per step time: 23620.311 ms   Epoch time: 164034.415, per step time: 358.154
_EPOCH_TIME = re.compile(
    rb"(?:(Train|Eval) )?\b[Ee]poch time: *(\d[\d.]{0,30})(?: ms)?, *per step time: *(\d[\d.]{0,30})(?: ms|[,.]|\s*\Z)"
)
# lr:[0.000088]   2025-06-01 10:00:00,000 - INFO - lr:[0.000088]
_BARE_RATE = re.compile(rb"(?:[^\n]*(?: - |: ))?lr: ?\[([^\[\]]{1,40})\]\s{0,9}\Z")


def read_progress(memory: LogMemory, text: bytes, line: Line) -> None:
    """``  14.0% |███   | 10.92383 samples/s/p  0:01:02 }`` belongs to the record before it."""
    at, start, _ = line
    begin = max(start, at - LONGEST_MESSAGE)
    bar = text.rfind(b"|", begin, at)
    if bar < 0 or memory.step is None or not text.endswith(b" samples", bar, at):
        return
    value = reading(text[bar + 1 : at - len(b" samples")])
    if value is not None:
        memory.point("samples/s/p", memory.step, clock(text, begin, bar), value.number)


def read_evaluation(memory: LogMemory, text: bytes, line: Line) -> None:
    """``Eval result: {…}, eval time is 1.5 s.`` EvalCallBack names no step: it runs behind the last record."""
    at, start, stop = line
    if memory.step is None:
        return
    wall = clock(text, start, at)
    seen: set[str] = set()
    stop = min(stop, at + LONGEST_MESSAGE)
    for name, raw in _EVAL_PAIR.findall(text[at : text.rfind(b"}", at, stop) + 1]):
        value = reading(raw)
        tag = "eval_loss" if name == b"loss" else f"eval/{name.decode('utf-8', 'replace')}"
        if value is not None and tag not in seen:
            seen.add(tag)
            memory.point(tag, memory.step, wall, value.number)


def read_group_lr(memory: LogMemory, text: bytes, line: Line) -> None:
    """``group_0_lr: 2.94e-07, group_0_params: […]`` behind a record (MFLossMonitor 1.8 to 2.1)."""
    at, start, stop = line
    match = _GROUP_LR.search(text, max(start, at - 64), min(stop, at + 64))
    value = reading(match[2]) if match else None
    if match and value is not None and memory.step is not None:
        memory.point(match[1].decode(), memory.step, clock(text, start, match.start()), value.number)


def read_bare_rate(memory: LogMemory, text: bytes, line: Line) -> None:
    """``lr:[0.000088]``, a line of its own behind LossMonitor's."""
    _, start, stop = line
    match = _BARE_RATE.match(text, start, stop) if stop - start < LONGEST_MESSAGE else None
    value = reading(match[1]) if match else None
    if match and value is not None and memory.step is not None:
        memory.point("lr", memory.step, clock(text, start, match.start(1)), value.number)


def read_epoch_time(memory: LogMemory, text: bytes, line: Line) -> bool:
    """TimeMonitor's line at the end of an epoch: how long the epoch is, and the step time of records that have none."""
    at, start, stop = line
    match = _EPOCH_TIME.search(text, max(start, at - 8), min(stop, at + LONGEST_MESSAGE))
    if match is None:
        return False
    epoch_ms, step_ms = reading(match[2]), reading(match[3])
    if match[1] == b"Eval" or epoch_ms is None or step_ms is None:
        return True
    memory.epochs.timed(epoch_ms.number, step_ms.number)
    if memory.step is not None and not memory.timed:
        wall = clock(text, start, match.start())
        memory.point("epoch time", memory.step, wall, epoch_ms.number)
        memory.point("per step time", memory.step, wall, step_ms.number)
    return True


def read_json(memory: LogMemory, text: bytes, at: int, start: int, stop: int) -> None:
    """``{"step": 3, "micro_step": 1, "local_loss": 10.53}`` (PyNative 2.0 and 2.1, tools/monitor.py)."""
    if stop - at > LONGEST_MESSAGE:
        return
    try:
        values = json.loads(text[at:stop].decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return
    step = values.pop("step")
    for tag, value in values.items():
        if type(step) is int and isinstance(value, float) and tag != "micro_step":
            memory.point(tag, step, clock(text, start, at), value)


def read_norm_step(memory: LogMemory, text: bytes, at: int, start: int, stop: int) -> None:
    """``{ "step": 50, "micro_step": 1 }`` names the step of the norms that follow (PyNative)."""
    if match := _NORM_STEP.match(text, at, stop):
        memory.norm_step = int(match[1])


def read_norm(memory: LogMemory, text: bytes, line: Line) -> None:
    """``{ "local_norm": PARAMETER:   0.222260 }`` is no JSON; the tag is ``local_norm/PARAMETER``."""
    at, start, stop = line
    match = _NORM.search(text, max(start, at - 64), min(stop, at + LONGEST_MESSAGE))
    value = reading(match[3]) if match else None
    if match is None or value is None or memory.norm_step is None:
        return
    tag = b"/".join(part for part in match.groups()[:2] if part).decode("utf-8", "replace")
    memory.point(tag, memory.norm_step, clock(text, start, match.start()), value.number)
