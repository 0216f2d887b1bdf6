"""Which rank speaks for the run.

Under pipeline parallelism only the last stage computes the loss (rank ≥ world − world/stages; world − 1 always);
the other ranks print a number without meaning, and nothing in their line says so. With zero_bubble_v it is rank 0.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from collector.wire.records import SeriesMeta

Holders = Mapping[str, Collection[int]]
"""Metric or tag → ranks that have it."""

ZERO_BUBBLE = "zero_bubble_v"  # the fact that the collector stores when a log says so


def holders(series: Iterable[SeriesMeta], *, tag: bool = False) -> dict[str, set[int]]:
    """Who has what, by canonical metric or by raw tag; series without a rank belong to nobody in particular."""
    found: dict[str, set[int]] = {}
    for one in series:
        name = one.tag if tag else one.metric
        if name is not None and one.rank is not None:
            found.setdefault(name, set()).add(one.rank)
    return found


def run_owner(ranks_of: Holders, facts: Mapping[str, str]) -> int | None:
    """The rank whose loss is the run's; without a loss the highest rank there is; None when no file names a rank."""
    everyone = ranks_of.get("loss") or {rank for ranks in ranks_of.values() for rank in ranks}
    return _speaker(everyone, facts)


def owner_of(metric: str, ranks_of: Holders, facts: Mapping[str, str]) -> int | None:
    """The rank whose ``metric`` stands for the run: the loss's owner if it has it, else the highest that has it."""
    return speaker(metric, ranks_of, facts, first=run_owner(ranks_of, facts))


def speaker(metric: str, ranks_of: Holders, facts: Mapping[str, str], *, first: int | None) -> int | None:
    """The same where the run's owner, ``first``, is known already."""
    mine = ranks_of.get(metric, ())
    return first if first in mine else _speaker(mine, facts)


def _speaker(ranks: Collection[int], facts: Mapping[str, str]) -> int | None:
    if 0 in ranks and facts.get(ZERO_BUBBLE, "").lower() in ("1", "true"):
        return 0
    return max(ranks, default=None)
