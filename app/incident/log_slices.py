"""Lines of the logs of the ranks that a bundle is about, asked of the collectors as the page's log drawer asks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from app.api.answers import Json, Refused
from app.api.log import log
from app.diagnosis.handling import Standing
from app.incident.asked import Stretch
from app.incident.cleaning import Cleaning
from app.incident.curves import ranks_of
from app.incident.report import LogSlice
from app.incident.stretch import gravest
from app.language import gettext as _
from app.stored import RunStore, StoredRun

RANKS = 8  # whose logs are asked for
BEFORE, AFTER = 150, 350  # lines; an answer is at most 256 kB
SILENT = 2  # ranks whose collectors do not answer, until no other is asked: each takes two seconds


def places(found: Sequence[Standing], speaker: int | None, stretch: Stretch) -> Mapping[int | None, int]:
    """Rank → the step around which its log tells most: where it was found, of the rank that speaks where the gravest
    finding was raised, else the end of the stretch."""
    inside = [one for one in found if stretch.overlaps(one.alert.first_step, one.alert.last_step)]
    worst = gravest(inside) or (inside[0] if inside else None)
    at: dict[int | None, int] = {speaker: worst.alert.raised_step if worst else stretch.last}
    for one in inside:
        for rank in ranks_of(one.alert):
            at.setdefault(rank, one.alert.raised_step)
    return at


def slices(store: RunStore, run: StoredRun, at: Mapping[int | None, int], clean: Cleaning) -> Iterator[LogSlice]:
    """One of each rank, at most RANKS; of those that could not be had, why. Raises StoreAway."""
    silent = 0
    for rank, step in [*at.items()][:RANKS]:
        try:
            if silent >= SILENT:
                raise Refused(503, _("It was not asked for, since no collector answered for others."))
            yield _slice(log(store, run.id, _question(rank, step)), step, clean)
        except Refused as error:
            silent += error.status == 503
            yield LogSlice(rank, "", "", step, None, (), why=clean.text(error.sentence))


def _question(rank: int | None, step: int) -> Mapping[str, str]:
    named = {} if rank is None else {"rank": str(rank)}
    return {**named, "around": str(step), "before": str(BEFORE), "after": str(AFTER)}


def _slice(answer: Mapping[str, Json], around: int, clean: Cleaning) -> LogSlice:
    lines = cast(Sequence[Mapping[str, Json]], answer.get("lines") or ())
    numbers = [one.get("number") for one in lines]
    matches = [at for at, one in enumerate(lines) if one.get("match")]
    first = numbers[0] if numbers and isinstance(numbers[0], int) else None
    return LogSlice(
        cast(int | None, answer.get("rank")),
        clean.discretion.host(str(answer.get("host") or "")) if clean.discretion else str(answer.get("host") or ""),
        clean.text(str(answer.get("file") or "")),
        around,
        first,
        clean.lines([str(one.get("text") or "") for one in lines]),
        matches[0] if matches else None,
        "" if lines else _("The log has no lines there."),
    )
