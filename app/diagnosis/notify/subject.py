"""Which curve shows what a finding is about, and which series of the run it is made of. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.diagnosis.block import PULSES
from app.diagnosis.crew import metrics
from app.diagnosis.rules.custom import UserRule
from app.diagnosis.signal import Class, Signal
from app.diagnosis.speaking import EVALUATION, Speakers, speakers
from app.diagnosis.wishes import watched
from app.names import SeriesKey, series_of
from app.stored import RunSeries
from collector.wire.metrics import METRICS
from collector.wire.records import SeriesMeta

METRIC: Mapping[Class, str] = {
    "grad_explode": "grad_norm",
    "grad_vanish": "grad_norm",
    "loss_scale": "loss_scale",
    "lr_anomaly": "lr",
    "throughput": "step_time",
    "stall": "step_time",
}  # of all others the loss
BASELINES: frozenset[Class] = frozenset({"loss_spike", "divergence", "grad_explode", "grad_vanish"})
"""Classes whose evidence has the median of the metric that is drawn, in its unit."""


@dataclass(frozen=True, slots=True)
class Subject:
    """``name`` of the metric or tag, ``unit`` of its values; ``sids`` the series that the rule was told of. ``rank`` is
    set where a rank is held against those like it; ``evaluations`` are series of those, drawn before the curve."""

    name: str
    sids: Sequence[str]
    unit: str = ""
    level: tuple[str, float] | None = None
    rank: int | None = None
    is_tag: bool = False
    evaluations: Sequence[str] = ()

    @property
    def title(self) -> str:
        """Name and unit."""
        name = EVALUATION if self.evaluations else self.name
        return f"{name} ({self.unit})" if self.unit else name


def subject(said: Signal, run: RunSeries, rules: Sequence[UserRule]) -> Subject | None:
    """None where the run has nothing to be drawn. ``rules`` are people's own."""
    if said.about == "custom":
        return _wished(said, run, rules)
    if said.rank is not None and (found := _of_rank(said, said.rank, run)) is not None:
        return found
    told = speakers(run)
    name, sids = _spoken(told, METRIC.get(said.about, "loss"))
    evaluations = told.evaluations if said.about == "overfit" else ()
    return Subject(name, sids, _unit(name), _level(said), evaluations=evaluations) if sids or evaluations else None


def _spoken(told: Speakers, name: str) -> tuple[str, Sequence[str]]:
    """The metric's series, or those of the first metric that says which rows there are."""
    for one in (name, *PULSES):
        if sids := [part.columns[one] for part in told.parts if one in part.columns]:
            return one, sids
    return name, ()


def _level(said: Signal) -> tuple[str, float] | None:
    median = said.evidence.median
    return ("median", median) if said.about in BASELINES and median is not None else None


def _unit(name: str) -> str:
    return METRICS[name].unit if name in METRICS else ""


def _wished(said: Signal, run: RunSeries, rules: Sequence[UserRule]) -> Subject | None:
    rule = next((one for one in rules if one.name == said.rule), None)
    sids = watched([rule], run)[rule.name] if rule is not None else ()
    if rule is None or not sids:
        return None
    level = ("threshold", rule.number) if rule.condition in ("above", "below") else None
    return Subject(rule.tag or rule.metric, sids, "" if rule.tag else _unit(rule.metric), level)


def _of_rank(said: Signal, rank: int, run: RunSeries) -> Subject | None:
    """A rank's own loss, or its own time where it is slow."""
    is_tag = said.about == "throughput"
    for name in [name for name, by_tag in metrics(run) if by_tag == is_tag]:
        sids = of_rank(run, name, rank, is_tag=is_tag)
        return Subject(name, sids, "" if is_tag else _unit(name), rank=rank, is_tag=is_tag) if sids else None
    return None


def of_rank(run: RunSeries, name: str, rank: int, *, is_tag: bool) -> Sequence[str]:
    """A rank's series of a metric or tag, of one source, in the order of its files and their generations."""
    mine = [(meta, sid) for sid, meta in series_of(SeriesKey(run.series), name, is_tag=is_tag) if meta.rank == rank]
    source = min((meta.source for meta, _ in mine), default="log")
    return [sid for _, sid in sorted((_place(meta), sid) for meta, sid in mine if meta.source == source)]


def _place(meta: SeriesMeta) -> tuple[str, int]:
    return meta.file, meta.generation
