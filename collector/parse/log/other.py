"""Records of other programs than MindFormers: LossMonitor, MindSpore's model zoo, Megatron, whatever names its step."""

from __future__ import annotations

from collector.parse.log.fields import LONGEST_RECORD, fields_of
from collector.parse.log.memory import LogMemory
from collector.parse.log.place import Place, place_of
from collector.parse.log.prefix import clock
from collector.parse.log.text import Line

_TIMES = ("time", "step cost", "step time", "per step time", "avg step time")


def read_other(memory: LogMemory, text: bytes, line: Line) -> None:
    """The record of a line that names an epoch or a step outside of a sentence, if it is one."""
    at, start, stop = line
    if stop - start > LONGEST_RECORD:
        return
    whole = text[start:stop]
    place = place_of(whole, at - start)
    fields = fields_of(whole[place.end :]) if place else None
    if place is None or not fields:
        return
    step = _step(memory, place)
    wall = clock(whole, 0, place.end)
    seen: set[str] = set()
    for name, value in fields:
        tag = _evaluated(name) if place.evaluates else name
        if tag in seen:
            continue
        seen.add(tag)
        memory.point(tag, step, wall, value.number)
        if name.lower() in _TIMES:
            memory.timed, memory.time_unit = True, value.unit or "?"
        elif name.lower() == "steps" and place.step is None:
            memory.epochs.tell(int(min(value.number, 1e15)))


def _step(memory: LogMemory, place: Place) -> int:
    """The global step. A record of a whole epoch stands at the last step, or at its epoch's number where no steps are
    printed; an evaluation counts steps of its own, so it stands at the last step as well."""
    if place.step is None or (place.evaluates and memory.step is not None):
        return memory.step if memory.step is not None else place.step or place.epoch or 0
    memory.step = memory.epochs.step(place.epoch, place.step, place.steps)
    if place.steps and not memory.told:
        memory.told = f"{place.epochs}/{place.steps}"
        _tell(memory, place)
    return memory.step


def _tell(memory: LogMemory, place: Place) -> None:
    if place.epochs:
        memory.facts |= {"epochs": str(place.epochs), "steps_per_epoch": str(place.steps)}
    if place.epoch is None or place.epochs:
        memory.facts["total_steps"] = str(max(place.epochs, 1) * place.steps)


def _evaluated(name: str) -> str:
    return "eval_loss" if name.lower() == "loss" else f"eval/{name}"
