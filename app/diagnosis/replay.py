"""``replay``: recorded cases through the rules, as they would have spoken at the time. Strictly streaming."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from app.diagnosis.cases import Case, cases_below
from app.diagnosis.rank_tables import rank_signals
from app.diagnosis.row import Evaluation, Row
from app.diagnosis.signal import Signal
from app.diagnosis.watch import Watch

Alert = dict[str, object]


@dataclass(frozen=True, slots=True)
class Clock:
    """It is so late (Unix seconds)."""

    now: float


@dataclass(frozen=True, slots=True)
class Shown:
    """A scalar of the summaries was read."""


Told = Row | Evaluation | Clock | Shown

LEAST_SILENCE = 5.0  # seconds: recorded runs may be quicker than those whose silence somebody waits for
SHOWN = ("grad_explode", "divergence", "loss_spike", "loss_scale")
"""Causes under which a consequence is told nevertheless: who compares alerts with labels asks for either."""


def replay(path: Path) -> Iterator[tuple[Case, list[Alert]]]:
    """Every case that cases_below finds, with its alerts: ``case, class, step`` and where there is one ``rank``. Raises
    BadCase."""
    return ((case, [alert(case.name, one) for one in signals(case) if is_alert(one)]) for case in cases_below(path))


def is_alert(said: Signal) -> bool:
    """Whether it is to be told: it begins something, which nothing graver explains."""
    return said.act == "raise" and (said.cause is None or said.cause in SHOWN)


def signals(case: Case) -> Iterator[Signal]:
    """Everything that the rules say of a case, in the order of time, and then what they say of its ranks."""
    watch = watching(case)
    of_run = (said for one in told(case) for said in spoken(watch, one))
    return chain(of_run, rank_signals(case))


def watching(case: Case) -> Watch:
    """The rules, before the case's first row."""
    return Watch.of(case.plan, expects=case.expects, least_silence=LEAST_SILENCE)


def told(case: Case) -> Iterator[Told]:
    """All that became known of a case, as it did: before each row the evaluations that are older, the first summary,
    and how late it was."""
    later = iter(case.evaluations)
    evaluation = next(later, None)
    shown = case.shown
    for row in case.rows:
        while evaluation is not None and is_before(evaluation, row):
            yield evaluation
            evaluation = next(later, None)
        if row.t is not None and shown is not None and shown <= row.t:
            yield Shown()
            shown = None
        if row.t is not None:
            yield Clock(row.t)
        yield row
    if evaluation is not None:
        yield from (evaluation, *later)
    yield Clock(case.end)


def spoken(watch: Watch, one: Told) -> Sequence[Signal]:
    """What the rules say of one thing that became known."""
    if isinstance(one, Row):
        return watch.take(one)
    if isinstance(one, Evaluation):
        return watch.evaluated(one)
    if isinstance(one, Clock):
        return watch.at(one.now)
    watch.show()
    return ()


def is_before(one: Evaluation, row: Row) -> bool:
    """Whether an evaluation was known before a row: by their clock, or without one by their steps."""
    return one.step < row.step if one.t is None or row.t is None else one.t < row.t


def alert(name: str, said: Signal) -> Alert:
    """The scorer's form."""
    known: Alert = {"case": name, "class": said.about, "step": said.step, "severity": said.severity, "why": said.rule}
    if said.rank is not None:
        known["rank"] = said.rank
    if said.t is not None:
        known["t"] = said.t
    if said.cause is not None:
        known["cause"] = said.cause
    return known
