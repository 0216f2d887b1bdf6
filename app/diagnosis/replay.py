"""``replay``: recorded cases through the rules, as they would have spoken at the time. Strictly streaming."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from app.diagnosis.cases import Case, cases_below
from app.diagnosis.signal import Signal
from app.diagnosis.watch import Watch

Alert = dict[str, object]


def replay(folder: Path) -> list[Alert]:
    """The alerts of every case: ``case, class, step`` and where there is one ``rank``."""
    return [alert(case.name, one) for case in cases_below(folder) for one in signals(case) if one.act == "raise"]


def signals(case: Case) -> Iterator[Signal]:
    """Everything that the rules say of a case, in the order of time."""
    watch = Watch.of(case.plan)
    for row in case.rows:
        yield from watch.take(row)


def alert(name: str, said: Signal) -> Alert:
    """The scorer's form."""
    known: Alert = {"case": name, "class": said.about, "step": said.step, "severity": said.severity, "why": said.rule}
    if said.rank is not None:
        known["rank"] = said.rank
    return known


def write(alerts: list[Alert], path: Path) -> None:
    """As JSON; whole or not at all."""
    part = path.with_name(f"{path.name}.part")
    part.write_text(json.dumps(alerts, indent=0, allow_nan=False))
    part.replace(path)
