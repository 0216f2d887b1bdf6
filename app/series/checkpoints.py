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
HEALTHY, NOT_HEALTHY = "0", "1"  # as the file itself counts
WORDS: Mapping[str, str] = {HEALTHY: "healthy", NOT_HEALTHY: "unhealthy"}

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
    which counts otherwise than records do where several steps are sunk into one, and, after a resume, from there: then
    the step is that of the record before, at which the saving began."""
    begun: dict[str, list[int]] = {}
    found = []
    for event in events:
        if event.kind == "checkpoint":
            mine = begun.setdefault(event.file, [])
            if _BEGUN.search(event.text):
                mine += [] if event.step is None else [event.step]
            elif (saved := _saved_in_line(event.text)) is not None:
                event = replace(event, step=_step(saved, mine, steps_per_epoch))
        found.append(event)
    return found


def _step(saved: Saved, begun: list[int], steps_per_epoch: int | None) -> int | None:
    """``begun``: where savings of the same file began that are not through; this one is taken out."""
    step = saved.overall(steps_per_epoch)
    if step in begun:  # others may be under way beside it
        begun.remove(step)
        return step
    newest = begun[-1] if begun else None
    begun.clear()
    if newest is None:
        return step
    # Records may be printed more seldom than checkpoints are saved, so the line may well name a later step than they.
    return newest if step is None or step < newest else step


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
    mine = _places(told, steps_per_epoch)
    at_step = {one.step: at for at, one in enumerate(told) if one.kind == "checkpoint"}
    open_end = _unfinished(told)
    for verdict in found:
        step = verdict.saved.overall(steps_per_epoch) if verdict.saved else None
        at = mine.get(verdict.saved, at_step.get(step)) if verdict.saved else None
        if at is None and open_end is not None and step is not None and step > (told[open_end].step or step):
            at = open_end
        detail: Detail = {"health": verdict.health, "name": verdict.name}
        if at is not None:
            judged[at] = replace(judged[at], detail={**judged[at].detail, **detail})
        else:
            judged.append(Happening("checkpoint", verdict.name, step, step, file=HEALTH_FILE, detail=detail))
    return judged


def _places(told: Sequence[Happening], steps_per_epoch: int | None) -> dict[Saved, int]:
    """By which names the checkpoints are known, the newest of a name. After a resume a name has the epoch of the run,
    and the step that the line says."""
    said = {saved: at for at, one in enumerate(told) if (saved := _place(one))}
    if not steps_per_epoch:
        return said
    named = {}
    for at, one in enumerate(told):
        saved = _place(one)
        if saved is not None and one.step:
            named[Saved((one.step - 1) // steps_per_epoch + 1, saved.step)] = at
    return {**said, **named}


def _unfinished(told: Sequence[Happening]) -> int | None:
    """The newest checkpoint, if no line says yet that it is through: only the line knows its name."""
    at = next((at for at in reversed(range(len(told))) if told[at].kind == "checkpoint"), None)
    return at if at is not None and _BEGUN.search(told[at].text) else None


def _place(one: Happening) -> Saved | None:
    return _saved_in_line(one.text) if one.kind == "checkpoint" else None


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
