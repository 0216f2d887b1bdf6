"""``GET /api/compare`` and its configuration, and ``GET /api/runs/<run>/baseline``: runs against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from app.api.answers import Json, Refused, number
from app.api.arguments import not_one_of, only, yes
from app.api.series import known_run
from app.configuration import compared, configuration, layout
from app.language import gettext as _
from app.look import look
from app.reader import Reader, Wanted, default_rank, members
from app.series.baseline import Behind, Places, behind, corridor, places
from app.series.compare import AXES, Axis, Better, Mark, Side, Stand, compare
from app.series.curve import EMPTY, Curve, Floats
from app.series.overview import whole_number
from app.series.splice import latest
from app.stored import RunStore, StoredRun
from collector.wire.metrics import METRICS
from collector.wire.records import RunId

FEWEST, MOST = 2, 20  # runs side by side: more colours than that nobody tells apart
MOST_BASELINES = 20
CELLS = 2_000  # of a corridor, when no other count is asked for
MOST_CELLS = 10_000
TAGS_TOLD = 500


@dataclass(frozen=True, slots=True)
class Named:
    """A metric, or a tag as the files spell it."""

    name: str
    is_tag: bool

    @property
    def better(self) -> Better:
        """Which values are the good ones."""
        metric = None if self.is_tag else METRICS.get(self.name)
        return metric.better if metric else "none"


def runs_asked(arguments: Mapping[str, str], fewest: int, most: int) -> list[RunId]:
    """``runs=a,b`` in that order, each once."""
    ids = list(dict.fromkeys(filter(None, arguments.get("runs", "").split(","))))
    if not fewest <= len(ids) <= most:
        text = _(
            "runs= names %(count)d runs; %(fewest)d to %(most)d are expected, such as runs=a,b.",
            count=len(ids),
            fewest=fewest,
            most=most,
        )
        raise Refused(400, text)
    return [RunId(one) for one in ids]


def named(arguments: Mapping[str, str]) -> Named:
    """``metric=`` or ``tag=``; the loss when neither is given."""
    if "metric" in arguments and "tag" in arguments:
        raise Refused(400, _("Either metric= or tag= is expected, not both."))
    return Named(arguments.get("tag", arguments.get("metric", "loss")), "tag" in arguments)


def axis(arguments: Mapping[str, str], allowed: Sequence[Axis] = AXES) -> Axis:
    """``x=``, step when it is not given."""
    for one in allowed:
        if arguments.get("x", "step") == one:
            return one
    raise not_one_of("x", arguments["x"], allowed)


def tokens_per_step(run: StoredRun) -> int | None:
    """Tokens of one step, when the run's files say both how many samples that is and how long they are."""
    samples, length = (whole_number(run.facts.get(name)) for name in ("global_batch_size", "seq_length"))
    return samples * length if samples and length else None


def drawn(reader: Reader, run: StoredRun, what: Named) -> Curve:
    """The run's curve, one value a step; EMPTY when it has none. Raises StoreAway."""
    wanted = Wanted(what.name, what.is_tag, default_rank(run, what.name, is_tag=what.is_tag))
    if not members(run, wanted):
        return EMPTY
    timeline = reader.timeline(run)
    return latest(reader.curve(run, wanted, timeline), timeline.first_steps)


def comparison(store: RunStore, reader: Reader, arguments: Mapping[str, str], now: float) -> Json:
    """Where each run stands. Raises Refused, StoreAway."""
    only(arguments, ("runs", "metric", "tag", "x"))
    ids, what, by = runs_asked(arguments, FEWEST, MOST), named(arguments), axis(arguments)
    runs, missing = _read(store, ids)
    sides = [Side(drawn(reader, one, what), tokens_per_step(one)) for one in runs]
    seen = compare(sides, by, what.better)
    beats = store.heartbeats()
    metric = None if what.is_tag else METRICS.get(what.name)
    return {
        "metric": None if what.is_tag else what.name,
        "tag": what.name if what.is_tag else None,
        "unit": metric.unit if metric else "",
        "better": what.better,
        "x": by,
        "common": seen.common,
        "runs": [
            {**_line(run, side, stand), "status": look(store, run, beats, now).status}
            for run, side, stand in zip(runs, sides, seen.stands, strict=True)
        ],
        "missing": [str(one) for one in missing],
        "metrics": _shared(runs),
    }


def _read(store: RunStore, ids: Sequence[RunId]) -> tuple[list[StoredRun], list[RunId]]:
    found = {run_id: store.run(run_id) for run_id in ids}
    return [run for run in found.values() if run is not None], [one for one, run in found.items() if run is None]


def _line(run: StoredRun, side: Side, stand: Stand) -> dict[str, Json]:
    steps = side.curve.steps
    return {
        "run": run.id,
        "name": run.record.name,
        "demo": run.record.demo,
        "first_step": int(steps[0]) if len(steps) else None,
        "total_steps": whole_number(run.facts.get("total_steps")),
        "tokens_per_step": side.tokens_per_step,
        "last": _mark(stand.last),
        "best": _mark(stand.best),
        "common": _mark(stand.common),
        "difference": number(stand.difference),
    }


def _mark(mark: Mark | None) -> Json:
    return None if mark is None else {"at": mark.at, "step": mark.step, "value": number(mark.value)}


def _shared(runs: Sequence[StoredRun]) -> list[Json]:
    """Metrics of any of the runs, then tags without a canonical name that two have; each with how many have it."""
    counts: dict[tuple[bool, str], int] = {}
    for run in runs:
        for key in {(one.metric is None, one.metric or one.tag) for one in run.series.values()}:
            counts[key] = counts.get(key, 0) + 1
    order = list(METRICS)
    metrics = sorted((name for is_tag, name in counts if not is_tag), key=lambda name: _place(order, name))
    tags = sorted(name for (is_tag, name), count in counts.items() if is_tag and count >= FEWEST)[:TAGS_TOLD]
    told = [(False, name) for name in metrics] + [(True, name) for name in tags]
    return [
        {"name": name, "kind": "tag" if is_tag else "metric", "runs": counts[is_tag, name]} for is_tag, name in told
    ]


def _place(order: Sequence[str], name: str) -> tuple[int, str]:
    return (order.index(name) if name in order else len(order), name)


def settings(store: RunStore, arguments: Mapping[str, str]) -> Json:
    """What differs between the runs' configurations, or all of them. Raises Refused, StoreAway."""
    only(arguments, ("runs", "all"))
    everything = yes(arguments, "all")
    runs, missing = _read(store, runs_asked(arguments, 1, MOST))
    known_settings = [configuration(one.facts) for one in runs]
    return {
        "runs": [
            {"run": run.id, "name": run.record.name, "keys": len(keys), "layout": layout(run.facts)}
            for run, keys in zip(runs, known_settings, strict=True)
        ],
        "missing": [str(one) for one in missing],
        "total": len({key for one in known_settings for key in one}),
        "settings": [
            {"key": one.key, "values": list(one.values), "differs": one.differs}
            for one in compared(known_settings, everything=everything)
        ],
    }


def baseline(store: RunStore, reader: Reader, run_id: str, arguments: Mapping[str, str]) -> Json:
    """The corridor of earlier runs behind one, and how far it is behind them. Raises Refused, StoreAway."""
    only(arguments, ("runs", "metric", "tag", "x", "points"))
    ids, what = runs_asked(arguments, 1, MOST_BASELINES), named(arguments)
    by, points = axis(arguments, get_args(Axis)[::2]), _cells(arguments)
    run = known_run(store, run_id)
    scale = _scale(run, by)
    found, missing = _read(store, ids)
    earlier = [(one, _places(reader, one, what, by)) for one in found]
    used = [(one, at) for one, at in earlier if at is not None and len(at)]
    band = corridor([at for _, at in used], points)
    seen = behind(_placed(drawn(reader, run, what), scale), band, what.better)
    return {
        "run": run.id,
        "metric": None if what.is_tag else what.name,
        "tag": what.name if what.is_tag else None,
        "x": by,
        "runs": [one.id for one, _ in used],
        "missing": [str(one) for one in missing],
        "without": [one.id for one, at in earlier if at is None or not len(at)],
        "n": len(band.at),
        "steps": _told(band.at / scale),
        "low": _told(band.low),
        "mid": _told(band.mid),
        "high": _told(band.high),
        "behind": _behind(seen, scale),
    }


def _cells(arguments: Mapping[str, str]) -> int:
    text = arguments.get("points", str(CELLS))
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:9]) <= MOST_CELLS):
        said = _("points=%(text)s is not a whole number from 1 to %(most)d.", text=repr(text), most=MOST_CELLS)
        raise Refused(400, said)
    return int(text)


def _scale(run: StoredRun, by: Axis) -> float:
    """Units of the axis a step of ``run``."""
    tokens = tokens_per_step(run)
    if by == "step":
        return 1.0
    if tokens is None:
        said = _("Run %(run)s does not say how many tokens a step is; x=step needs no such fact.", run=repr(run.id))
        raise Refused(404, said)
    return float(tokens)


def _places(reader: Reader, run: StoredRun, what: Named, by: Axis) -> Places | None:
    tokens = tokens_per_step(run) if by == "tokens" else 1
    return None if tokens is None else _placed(drawn(reader, run, what), float(tokens))


def _placed(curve: Curve, scale: float) -> Places:
    at: Floats = curve.steps.astype(np.float64) * scale
    return places(at, curve.values)


def _told(values: Floats) -> list[float | None]:
    """Numbers for JSON, null where no run reaches."""
    told: list[float | None] = values.tolist()
    for at in np.flatnonzero(~np.isfinite(values)):
        told[at] = None
    return told


def _behind(seen: Behind, scale: float) -> Json:
    """In steps of the run itself."""
    return {
        "steps": None if seen.distance is None else round(seen.distance / scale),
        "step": None if seen.at is None else seen.at / scale,
        "value": seen.value,
        "enough": seen.enough,
        "reason": seen.reason,
    }
