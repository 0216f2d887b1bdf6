"""``replay``: recorded cases through the rules, as they would have spoken at the time. Strictly streaming."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from app.diagnosis.cases import Case, cases_below
from app.diagnosis.row import Row
from app.diagnosis.signal import Signal
from app.diagnosis.watch import Watch

Alert = dict[str, object]

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
    """Everything that the rules say of a case, in the order of time."""
    watch = Watch.of(case.plan, expects=case.expects, least_silence=LEAST_SILENCE)
    told = iter(case.evaluations)
    evaluation = next(told, None)
    for row in case.rows:
        while evaluation is not None and is_before(evaluation.t, evaluation.step, row):
            yield from watch.evaluated(evaluation)
            evaluation = next(told, None)
        if row.t is not None:
            if case.shown is not None and case.shown <= row.t:
                watch.show()
            yield from watch.at(row.t)
        yield from watch.take(row)
    for one in () if evaluation is None else (evaluation, *told):
        yield from watch.evaluated(one)
    yield from watch.at(case.end)


def is_before(t: float | None, step: int, row: Row) -> bool:
    """Whether what was told at ``t``, or without a clock of ``step``, came before ``row``."""
    return step < row.step if t is None or row.t is None else t < row.t


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
