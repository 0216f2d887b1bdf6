"""Where a record of a program other than MindFormers stands: the epoch and step that it names.

``epoch: 1 step: 42``, ``Epoch 12/200, step:100/1487``, ``epoch[0], iter[600]``, ``iters: 950, epoch: 1``,
``Epoch: [1/120], batch: [2502/2502]``, ``step 1/25``, ``completed step: 29``, ``[Train] 2 epoch.`` The names may stand
anywhere behind what a logger prints, but never inside a sentence: ``resumed at step 5`` and ``eval_step: 10`` are none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# a number of up to fifteen digits, perhaps with a total, perhaps in brackets: 100/1487  [  0/200]  [600]
_OF = (
    rb" {0,8}(?P<%s_mark>[:=]?) {0,8}(?P<%s_box>\[?) {0,8}(?P<%s>\d{1,15})(?: {0,4}/ {0,8}(?P<%ss>\d{1,15}))? {0,4}\]?"
)
_EPOCH = rb"(?:(?:local|global|train|training) )?epoch" + _OF.replace(b"%s", b"epoch")
_STEP = (
    rb"(?:(?:global|completed|current|train|training)[ _])?(?:step|iters?|iteration|(?P<batch>batch))"
    + _OF.replace(b"%s", b"step")
)
_BETWEEN = rb"[ \t]{0,12}[,;|]?[ \t]{0,12}"
_WORD_ENDS = rb"(?![\w])"
# epoch: 1 step: 42      iters: 950, epoch: 1      step 1/25      epoch: 3      2 epoch.   each with the words it needs
_FORMS = tuple(
    (needs, re.compile(form + _WORD_ENDS))
    for needs, form in (
        ((b"epoch", b"step"), _EPOCH + _BETWEEN + _STEP),
        ((b"step", b"epoch"), _STEP + _BETWEEN + _EPOCH),
        ((b"step",), _STEP),
        ((b"epoch",), _EPOCH),
        ((b"epoch",), rb"(?P<epoch>\d{1,9}) epoch\b"),
    )
)
_STEPS = (b"step", b"iter", b"batch")
_REACH = 24  # bytes of words such as "completed" or "2 " before a name
_WINDOW = 256  # bytes behind a name in which the place ends
_TRIES = 4  # occurrences of a form that are looked at; a sentence may hold one before the record

# characters behind which a record may begin at once, and with a blank between
_OPENING = frozenset(b"[({|,;:>\t")
_BEHIND_BLANK = _OPENING | frozenset(b"])}-*#")
# 2022-11-10 11:00:57,009.009 INFO      10:00:30
_LOGGER = re.compile(rb"(?:\b(?:DEBUG|INFO|WARN|WARNING)|\d\d:\d\d:\d\d(?:[.,]\d{1,9}){0,2})\Z")
# [Eval]   validation:   test -
_EVALUATES = re.compile(rb"\b(?:eval(?:uation|uate)?|val(?:id(?:ation|ate)?)?|test)\b[\]):\- ]{0,8}\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """``step`` is None for a record of a whole epoch; ``steps`` and ``epochs`` are totals, 0 where none is printed;
    ``end`` is the offset in the line behind them."""

    epoch: int | None
    epochs: int
    step: int | None
    steps: int
    evaluates: bool
    end: int


def place_of(line: bytes, near: int = 0) -> Place | None:
    """The place that a line names, or None; its first ``step``, ``iter`` or ``poch`` stands at ``near``."""
    begin = max(0, near - _REACH)
    text = line[begin : near + _WINDOW].lower()
    words = {b"epoch": b"epoch" in text, b"step": any(word in text for word in _STEPS)}
    for needs, form in _FORMS:
        if not all(words[need] for need in needs):
            continue
        for _, match in zip(range(_TRIES), form.finditer(text), strict=False):
            start = begin + match.start()
            before = line[max(0, start - 48) : start]
            if _names_a_place(match) and _may_begin(before, first=start == len(before)):
                return _place(match, before, begin)
    return None


def _place(match: re.Match[bytes], before: bytes, begin: int) -> Place:
    told = match.groupdict()
    epoch, step = told.get("epoch"), told.get("step")
    return Place(
        None if epoch is None else int(epoch),
        int(told.get("epochs") or 0),
        None if step is None else int(step),
        int(told.get("steps") or 0),
        _EVALUATES.search(before) is not None,
        begin + match.end(),
    )


def _names_a_place(match: re.Match[bytes]) -> bool:
    """Whether a punctuation mark, a bracket or a total says that the number is a place and no part of a sentence."""
    told = match.groupdict()
    if told.get("batch") and not (told.get("steps") and told.get("epoch")):
        return False
    marks = ("step_mark", "step_box", "steps") if told.get("step") else ("epoch_mark", "epoch_box", "epochs")
    return (not told.get("step") and "epoch_mark" not in told) or any(told.get(mark) for mark in marks)


def _may_begin(before: bytes, *, first: bool) -> bool:
    told = before.rstrip()
    gap = before[len(told) :]
    if not told:
        return first or len(gap) > 1
    if not gap:
        return told[-1] in _OPENING
    return len(gap) > 1 or b"\t" in gap or told[-1] in _BEHIND_BLANK or _LOGGER.search(told[-24:]) is not None
