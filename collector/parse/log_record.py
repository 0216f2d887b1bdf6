"""Lines that hold metrics: step records, progress, evaluation, monitors (MindFormers 0.3 to 2.1)."""

from __future__ import annotations

import json
import re

from collector.parse.log_memory import LogMemory
from collector.parse.log_prefix import clock
from collector.parse.log_text import Line
from collector.parse.log_value import numbers, reading, without_tensors

LONGEST_MESSAGE = 4096  # bytes of a monitor's message; a bound, since one line may hold a needle ten thousand times

# step:[    3/ 1000]
_STEP = re.compile(rb"step:\[ *(-?\d{1,18}) */ *(\d{1,18}) *\] *")
# Epoch:[  1/  3], step:[
_EPOCH = re.compile(rb"[Ee]poch: ?\[ *(\d{1,18}) */ *(\d{1,18}) *\] *, *\Z")
# per_step_time
_NAME = re.compile(rb"[A-Za-z][\w /.()-]{0,99}\Z")
# local_norm/decoder.layers.1.mlp.linear_fc2.weight: 0.25438136
_MONITOR = re.compile(rb"([A-Za-z][^\s:]*): *([^\n]+)\Z")
# {'PerplexityMetric': {'loss': 7.155732, 'PPL': 1281.4301}}
_EVAL_PAIR = re.compile(rb"'([^']{1,99})': *(?:array\()?([-+]?[\w.+-]+)")
# group_0_lr: 2.940000e-07, group_0_params: ['embedding', 'norm']
_GROUP_LR = re.compile(rb"(default_lr|group_\d+_lr): *([-+\w.]+),")
# { "local_norm": model.decoder.layers.0.linear_qkv.weight:   0.222260 }
_NORM = re.compile(rb'\{ "(\w+_norm)": *(?:(\S+): +)?([-+\w.]+) *\}')
# { "step": 50, "micro_step": 1 }
_NORM_STEP = re.compile(rb'\{ "step": *(\d{1,18})')


def read_step(memory: LogMemory, text: bytes, line: Line) -> None:
    """A record of ``key: value`` fields behind ``step:[a/b],`` or one monitored value behind ``step:[a/b]``."""
    at, start, stop = line
    match = _STEP.match(text, at, stop)
    if match is None:
        return
    fields = match.end()
    wall = clock(text, start, at)
    step, shape = _global_step(memory, text, start, match)
    if text[fields : fields + 1] == b",":
        memory.step = step
        _tell(memory, shape)
        if not memory.zero_based:
            memory.columns.learn(text[start:stop], text[stop + 1 : text.find(b"\n", stop + 1)])
        _read_fields(memory, text[fields + 1 : stop], step, wall)
    elif monitored := _MONITOR.match(text, fields, stop):
        _read_monitored(memory, monitored, step, wall)


def _global_step(memory: LogMemory, text: bytes, start: int, match: re.Match[bytes]) -> tuple[int, tuple[int, int]]:
    """The step counted over all epochs, and (epochs, steps an epoch); PyNative names no epoch and counts so itself."""
    step, steps = int(match[1]), int(match[2])
    before = text[max(start, match.start() - 64) : match.start()]
    epoch = _EPOCH.search(before)
    if epoch is None:
        return step, (0, steps)
    number = int(epoch[1])
    if number == 0:
        memory.zero_based = True
        memory.columns.forget()
    return (number - (0 if memory.zero_based else 1)) * steps + step, (int(epoch[2]), steps)


def _tell(memory: LogMemory, shape: tuple[int, int]) -> None:
    """The facts of a record, once: how long the run is meant to be."""
    epochs, steps = shape
    told = f"{epochs}/{steps}"
    if told == memory.told:
        return
    memory.told = told
    memory.facts |= {"format": "graph" if epochs else "pynative", "total_steps": str(max(epochs, 1) * steps)}
    if epochs:
        memory.facts |= {"epochs": str(epochs), "steps_per_epoch": str(steps)}


def _read_fields(memory: LogMemory, fields: bytes, step: int, wall: float) -> None:
    for part in without_tensors(fields).split(b", "):
        key, colon, raw = part.partition(b":")
        key = key.strip(b" ,")
        if not colon or not _NAME.match(key):
            continue
        value = reading(raw.rstrip(b" }\t"))
        if value is None or (key == b"grad_norm" and raw.strip(b" }") == b"NaN"):  # PyNative: a rank without a norm
            continue
        tag = key.decode()
        memory.point(tag, step, wall, value.number)
        if tag == "throughput":
            memory.throughput_unit = value.unit
        elif tag == "overflow cond" and value.number:
            memory.event("overflow", wall, "overflow cond: True")
        elif tag == "global_batch_size":
            _fact_once(memory, tag, value.number)


def _fact_once(memory: LogMemory, name: str, number: float) -> None:
    if memory.told.count("/") == 1:
        memory.told += "/"
    told, _, before = memory.told.rpartition("/")
    if before != f"{number:g}":
        memory.told = f"{told}/{number:g}"
        memory.facts[name] = f"{number:g}"


def _read_monitored(memory: LogMemory, monitored: re.Match[bytes], step: int, wall: float) -> None:
    """One value of TrainingStateMonitor; a list is one value for each attention head, as event files name them."""
    tag, raw = monitored[1].decode("utf-8", "replace"), monitored[2]
    value = reading(raw)
    if value is not None:
        memory.point(tag, step, wall, value.number)
        return
    for index, number in enumerate(numbers(raw) or ()):
        memory.point(f"{tag}/head_{index}", step, wall, number)


def read_progress(memory: LogMemory, text: bytes, line: Line) -> None:
    """``  14.0% |███   | 10.92383 samples/s/p  0:01:02 }`` belongs to the record before it."""
    at, start, _ = line
    bar = text.rfind(b"|", start, at)
    if bar < 0 or memory.step is None:
        return
    value = reading(text[bar + 1 : at])
    if value is not None:
        memory.point("samples/s/p", memory.step, clock(text, start, bar), value.number)


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
    match = _GROUP_LR.search(text, max(start, at - 32), min(stop, at + 64))
    value = reading(match[2]) if match else None
    if match and value is not None and memory.step is not None:
        memory.point(match[1].decode(), memory.step, clock(text, start, match.start()), value.number)


def read_json(memory: LogMemory, text: bytes, line: Line) -> None:
    """``{"step": 3, "micro_step": 1, "local_loss": 10.53}`` (PyNative 2.0 and 2.1, tools/monitor.py)."""
    at, start, stop = line
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


def read_norm_step(memory: LogMemory, text: bytes, line: Line) -> None:
    """``{ "step": 50, "micro_step": 1 }`` names the step of the norms that follow (PyNative)."""
    if match := _NORM_STEP.match(text, line[0], line[2]):
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
