"""``GET /api/runs/<run>/ranks/states``: how many ranks are in which state, for a page that shows no map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.api.answers import Json
from app.api.arguments import only
from app.api.rank_rows import QUIET
from app.api.ranks import Parts, asked_of, known, wanted
from app.series.ranks.states import Verdict
from app.series.splice import NOWHERE
from app.words.ranks import RANK_STATES


def states(parts: Parts, run_id: str, arguments: Mapping[str, str]) -> dict[str, Json]:
    """The states that there are, gravest first, without a cell. Raises Refused, StoreAway."""
    only(arguments, ("metric", "tag", "attempt"))
    run = known(parts.store, run_id)
    shown = wanted(parts, run, asked_of(arguments))
    verdicts = parts.surveys.of(run, shown, start=NOWHERE).said.verdicts
    return {
        "run": run.id,
        "metric": None if shown.is_tag else shown.name,
        "tag": shown.name if shown.is_tag else None,
        "count": len(verdicts),
        "odd": sum(one.state not in QUIET for one in verdicts),
        "states": counted(verdicts),
    }


def counted(verdicts: Sequence[Verdict]) -> list[Json]:
    """Each state with how many ranks are in it and its lowest rank, with the step since which that one is."""
    found: dict[str, list[Verdict]] = {state: [] for state in RANK_STATES}
    for one in verdicts:
        found[one.state].append(one)
    return [
        {"state": state, "count": len(mine), "rank": mine[0].rank, "since": None if state in QUIET else mine[0].step}
        for state, mine in found.items()
        if mine
    ]
