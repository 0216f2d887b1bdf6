"""Checkpoints and evaluations: what the lines about one of them say together, and whether it can be gone back to. Pure.

``health_ckpts.json`` names a saved file by epoch and step in the epoch (``llama_rank_0-2_500.ckpt``), as does the line
that says it is saved; a later saving under the same name replaces the file, so its flag is that of the newest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.series.happening import Detail, Happening
from collector.wire.records import RunEvent
from collector.wire.schema import HEALTH_FACT

HEALTH_FILE = "health_ckpts.json"
WORDS: Mapping[str, str] = {"0": "healthy", "1": "unhealthy"}  # as the file itself counts: 1 is not healthy

# Finish saving ckpt of epoch 2 step 500 using 2.123 seconds
_SAVED = re.compile(r"Finish saving \w+ of epoch (\d{1,15}) step (\d{1,15}) using (\d[\d.]{0,20}) seconds")
# Saving ckpt
_BEGUN = re.compile(r"\bSaving ckpt\b")
# llama_rank_0-2_500.ckpt   llama_rank_0_1-2_500.safetensors
_NAMED = re.compile(r"-(\d{1,15})_(\d{1,15})(?:\.\w{1,20})?\Z")
# 'loss': 4.2   'PPL': array(66.7)
_METRIC = re.compile(r"'([^']{1,99})': *(?:array\()?([-+]?(?:nan|inf|\d[\d.eE+-]{0,30}))")
_EVAL_TOOK = re.compile(r"eval time is (\d[\d.]{0,20}) s")


@dataclass(frozen=True, slots=True)
class Saved:
    """Where in training a checkpoint was saved, as its name and its line count: step within the epoch."""

    epoch: int
    step: int

    def overall(self, steps_per_epoch: int | None) -> int | None:
        """The step over all epochs, as far as it can be told."""
        if self.epoch <= 1:
            return self.step
        return (self.epoch - 1) * steps_per_epoch + self.step if steps_per_epoch else None


@dataclass(frozen=True, slots=True)
class Verdict:
    """One entry of ``health_ckpts.json``."""

    name: str
    saved: Saved | None
    health: str


def verdicts(facts: Mapping[str, str]) -> list[Verdict]:
    """What the run's facts say of its checkpoints."""
    named = [(name.removeprefix(HEALTH_FACT), text) for name, text in facts.items() if name.startswith(HEALTH_FACT)]
    return [Verdict(name, _saved_in_name(name), WORDS[text]) for name, text in sorted(named) if text in WORDS]


def settled(events: Sequence[RunEvent], steps_per_epoch: int | None) -> list[RunEvent]:
    """The same events, those about checkpoints at their step over all epochs. A line names its step within its epoch,
    which, where several steps are sunk into one, counts otherwise than records do: then the step is that of the record
    before, at which the saving began."""
    begun: dict[str, int | None] = {}
    found = []
    for event in events:
        if event.kind == "checkpoint":
            if _BEGUN.search(event.text):
                begun[event.file] = event.step
            elif (saved := _saved_in_line(event.text)) is not None:
                event = replace(event, step=_step(saved, begun.get(event.file), steps_per_epoch))
        found.append(event)
    return found


def _step(saved: Saved, begun: int | None, steps_per_epoch: int | None) -> int | None:
    step = saved.overall(steps_per_epoch)
    if begun is None:
        return step
    # With more epochs than one behind it, a step below that of the record before it was counted otherwise.
    return begun if step is None or (step < begun and saved.epoch > 1) else step


def told_checkpoint(first: Happening, same: Sequence[RunEvent]) -> Happening:
    """One checkpoint of all lines about it."""
    lines = [(one, match) for one in same if (match := _SAVED.search(one.text))]
    if not lines:
        return first
    one, match = lines[0]
    return replace(first, text=one.text, file=one.file, detail={"seconds": float(match[3])})


def told_evaluation(first: Happening, same: Sequence[RunEvent]) -> Happening:
    """One evaluation of all lines about it: its loss and its other metrics, if they are told."""
    line = next((one for one in same if "Eval result" in one.text), None)
    if line is None:
        return first
    metrics = {name: float(text) for name, text in _METRIC.findall(line.text) if _is_number(text)}
    took = _EVAL_TOOK.search(line.text)
    detail: dict[str, str | int | float | None] = dict(metrics)
    if took:
        detail["seconds"] = float(took[1])
    return replace(first, text=line.text, file=line.file, detail=detail)


def judged(told: Sequence[Happening], found: Sequence[Verdict], steps_per_epoch: int | None) -> list[Happening]:
    """The checkpoints among ``told`` (oldest first) with their health; one that no line tells of is put behind them."""
    judged = list(told)
    mine = {saved: at for at, one in enumerate(judged) if one.kind == "checkpoint" and (saved := _place(one))}
    at_step = {one.step: at for at, one in enumerate(judged) if one.kind == "checkpoint"}
    for verdict in found:
        step = verdict.saved.overall(steps_per_epoch) if verdict.saved else None
        at = mine.get(verdict.saved, at_step.get(step)) if verdict.saved else None
        detail: Detail = {"health": verdict.health, "name": verdict.name}
        if at is not None:
            judged[at] = replace(judged[at], detail={**judged[at].detail, **detail})
        else:
            judged.append(Happening("checkpoint", verdict.name, step, step, file=HEALTH_FILE, detail=detail))
    return judged


def _place(checkpoint: Happening) -> Saved | None:
    return _saved_in_line(checkpoint.text)


def _saved_in_line(text: str) -> Saved | None:
    match = _SAVED.search(text)
    return Saved(int(match[1]), int(match[2])) if match else None


def _saved_in_name(name: str) -> Saved | None:
    match = _NAMED.search(name)
    return Saved(int(match[1]), int(match[2])) if match else None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
