"""What the picture of a page shows, so that a chat shows what its link leads to. Pure."""

from __future__ import annotations

import math
import re
from urllib.parse import parse_qs, urlencode

from app.language import LANGUAGES, primary

# 1200..1800, -3..2.5e4, in units of x
STRETCH = re.compile(r"(-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\.\.(-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)")
TAG = "tag:"  # before a tag, in the address of a map of ranks
LONGEST = 500  # characters of a name
FARTHEST = 1e15  # steps


def pictured(query: str, *, of_ranks: bool) -> str:
    """The query of ``preview.png`` for a page with a query of its own (assets/state.js, ranks-state.js): its steps, the
    metric of a map of ranks, and its language."""
    said = {name: values[-1] for name, values in parse_qs(query).items()}
    asked = {"page": "ranks"} if of_ranks else {}
    metric = said.get("metric", "")
    if of_ranks and 0 < len(metric) <= LONGEST:
        asked |= {"tag": metric.removeprefix(TAG)} if metric.startswith(TAG) else {"metric": metric}
    if said.get("x", "step") == "step":
        asked |= _steps(said.get("view", ""))
    language = primary(said.get("lang", ""))
    return urlencode(asked | ({"lang": language} if language in LANGUAGES else {}))


def _steps(view: str) -> dict[str, str]:
    """First and last whole step of a stretch."""
    found = STRETCH.fullmatch(view)
    if not found:
        return {}
    first, last = (float(one) for one in found.groups())
    if not -FARTHEST < first <= last < FARTHEST:
        return {}
    return {"start": str(math.ceil(first)), "end": str(math.floor(last))} if math.ceil(first) <= last else {}
