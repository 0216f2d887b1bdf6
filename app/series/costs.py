"""What watching a run costs: what its files grow by, how late its event files are, and settings that cost more than
they show at this run's cadence. Facts and codes; the words are the page's. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.series.curve import SOURCES, Curve
from app.series.ledger import Ledger
from app.series.overview import PULSE, Tail, newest, whole_number
from app.series.segments import interval
from app.stored import StoredRun
from collector.wire.records import SeriesMeta, Source

Format = Literal["graph", "pynative"]
Code = Literal["print_often", "write_often", "monitor_long", "many_series", "queue_large", "writer_late"]

QUICK_MS = 200.0  # a step so short is printed more often than anybody reads
READ_SECONDS = 5.0  # one line in so many seconds is read as live
PRODUCTION = (10, 50)  # steps between two lines that MindFormers' users are advised to
LONG_HOURS = 2.0  # a run so long is no debugging any more
MANY_SERIES = 1000  # of the state monitor: parameters times ranks
QUEUE_USUAL = 10  # MindFormers' default
QUEUE_LARGE = 100
LATE_SECONDS = 60.0
FLUSH_SECONDS = 120.0  # tensorboardX writes its queue at the latest after this
# tags that TrainingStateMonitor and PyNative's monitor write, up to the parameter's name
MONITORED = (
    "local_norm",
    "device_local_norm",
    "device_norm",
    "adam_",
    "weight_norm",
    "max_attention_logit",
    "weight_st",
)
MONITORED_METRICS = ("local_loss", "device_local_loss", "device_local_norm")


@dataclass(frozen=True, slots=True)
class Growth:
    """Files of one kind: bytes that are read of them so far, and bytes an hour of the run's life."""

    source: Source
    files: int
    bytes: int
    per_hour: float | None


@dataclass(frozen=True, slots=True)
class Lag:
    """How far the event files' newest point lies behind the log's; ``queue``: the writer's queue size, if told."""

    steps: int
    seconds: float | None
    queue: int | None


@dataclass(frozen=True, slots=True)
class Hint:
    """A setting that is costly here: its key as the yaml spells it, a value that costs less, and the number that says
    why (its meaning follows from the code)."""

    code: Code
    key: str
    value: str
    number: float


@dataclass(frozen=True, slots=True)
class Costs:
    """``hours`` is the run's life, without the time when no job ran; ``every`` the steps between two log lines."""

    growth: tuple[Growth, ...]
    hours: float | None
    series: int
    points: int
    points_per_second: float | None
    every: float | None
    step_ms: float | None
    lag: Lag | None
    hints: tuple[Hint, ...]


def costs(
    run: StoredRun, tails: Sequence[Tail], book: Ledger | None, *, points: int, settings: Mapping[str, str]
) -> Costs:
    """``tails``: the newest points of the series that tell how far the run is; ``points``: how many are stored in all;
    ``settings``: dotted key → text, as far as the files tell the configuration."""
    alive = book.total - book.parts["down"] if book else 0
    hours = alive / 3.6e6 if alive else None
    lines = newest([one for one in tails if one.meta.source == "log" and one.meta.metric == PULSE])
    pulse = lines or newest(tails)
    step_ms = _step_ms(book, pulse.recent if pulse else None)
    found = Costs(
        growth=_growth(run, hours),
        hours=hours,
        series=len(run.series),
        points=points,
        points_per_second=points / (hours * 3600) if hours else None,
        every=interval(lines.recent.steps) if lines and len(lines.recent) > 1 else None,
        step_ms=step_ms,
        lag=_lag(tails, lines, step_ms, _queue(settings)),
        hints=(),
    )
    return _with_hints(found, run, settings)


def _growth(run: StoredRun, hours: float | None) -> tuple[Growth, ...]:
    found: dict[Source, list[int]] = {}
    for one in run.cursors.values():
        if one.source not in SOURCES:
            continue  # what holds no points is no cost of watching
        found.setdefault(one.source, []).append(one.offset)
    sums = {source: sum(sizes) for source, sizes in found.items()}
    return tuple(
        Growth(source, len(found[source]), size, size / hours if hours else None)
        for source, size in sorted(sums.items(), key=lambda it: -it[1])
    )


def _step_ms(book: Ledger | None, recent: Curve | None) -> float | None:
    """The usual milliseconds a step now."""
    if book and book.paces:
        return book.paces[-1].step_ms
    if recent is None or len(recent) < 2:
        return None
    done, pause = float(recent.steps[-1] - recent.steps[0]), float(recent.walls[-1] - recent.walls[0])
    return pause / done * 1000 if done > 0 and np.isfinite(pause) and pause > 0 else None


def _lag(tails: Sequence[Tail], lines: Tail | None, step_ms: float | None, queue: int | None) -> Lag | None:
    """None when there are not both, or when the event files are of another attempt, far ahead of the log."""
    written = newest([one for one in tails if one.meta.source != "log" and one.meta.metric == PULSE])
    if lines is None or written is None:
        return None
    steps = int(lines.recent.steps[-1]) - int(written.recent.steps[-1])
    if steps < -interval(lines.recent.steps):
        return None
    return Lag(max(0, steps), max(0, steps) * step_ms / 1000 if step_ms is not None else None, queue)


def format_of(run: StoredRun, settings: Mapping[str, str]) -> Format:
    """Which trainer's keys the configuration has: the lines say so, else the sections of the configuration."""
    told = run.facts.get("format")
    pynative = told == "pynative" or (told is None and any(key.startswith("monitor.") for key in settings))
    return "pynative" if pynative else "graph"


def _queue(settings: Mapping[str, str]) -> int | None:
    names = ("tensorboard.tensorboard_queue_size", "monitor.tensorboard.queue_size")
    told = [settings.get(name) for name in (*names, "monitor.tensorboard.tensorboard_queue_size")]
    return next((size for one in told if (size := whole_number(one)) is not None), None)


def is_monitored(meta: SeriesMeta) -> bool:
    """Whether a series comes of the monitor that looks at every rank and parameter."""
    return meta.metric in MONITORED_METRICS or (meta.metric is None and meta.tag.startswith(MONITORED))


def _with_hints(known: Costs, run: StoredRun, settings: Mapping[str, str]) -> Costs:
    form = format_of(run, settings)
    hints = [_often(known, run, form), *_monitor(known, run, settings, form), _writer(known, form)]
    return Costs(
        known.growth,
        known.hours,
        known.series,
        known.points,
        known.points_per_second,
        known.every,
        known.step_ms,
        known.lag,
        tuple(one for one in hints if one is not None),
    )


def _often(known: Costs, run: StoredRun, form: Format) -> Hint | None:
    """Every step is printed, or written, and steps are short."""
    if known.every != 1.0 or known.step_ms is None or not 0 < known.step_ms <= QUICK_MS:
        return None
    steps = round(min(max(READ_SECONDS * 1000 / known.step_ms, PRODUCTION[0]), PRODUCTION[1]))
    if form == "graph":
        return Hint("print_often", "callbacks: MFLossMonitor.per_print_times", str(steps), known.step_ms)
    if any(one.source == "tensorboard" for one in run.series.values()):
        return Hint("write_often", "monitor.tensorboard.log_interval", str(steps), known.step_ms)
    return None


def _monitor(known: Costs, run: StoredRun, settings: Mapping[str, str], form: Format) -> list[Hint]:
    watched = [one for one in run.series.values() if is_monitored(one)]
    is_on = bool(watched) or settings.get("monitor_config.monitor_on") == "True"
    if not is_on:
        return []
    found = []
    if known.hours is not None and known.hours >= LONG_HOURS:
        key, value = ("monitor_config.monitor_on", "False") if form == "graph" else _pynative_monitor(watched)
        found.append(Hint("monitor_long", key, value, known.hours))
    if len(watched) >= MANY_SERIES:
        key, value = ("monitor_config.target", "['layers.0.']")
        if form == "pynative":
            key, value = _pynative_monitor(watched)
        found.append(Hint("many_series", key, value, len(watched)))
    return found


def _pynative_monitor(watched: Sequence[SeriesMeta]) -> tuple[str, str]:
    """The key of the train state that most of the series come of, and what switches it off."""
    counts = {
        "local_norm": sum(one.tag.startswith("local_norm") for one in watched),
        "device_norm": sum(one.tag.startswith("device_norm") for one in watched),
        "local_loss": sum(one.metric == "local_loss" for one in watched),
        "device_loss": sum(one.metric == "device_local_loss" for one in watched),
    }
    name = max(counts, key=lambda one: counts[one])
    return f"monitor.train_state.{name}", '""' if name == "local_norm" else "False"


def _writer(known: Costs, form: Format) -> Hint | None:
    """Event files that come late. PyNative's writer empties its queue after every step, so its size costs nothing."""
    if known.lag is None or form == "pynative":
        return None
    key, queue = "tensorboard.tensorboard_queue_size", known.lag.queue
    if queue is not None and queue >= QUEUE_LARGE:
        return Hint("queue_large", key, str(QUEUE_USUAL), queue)
    if known.lag.seconds is not None and known.lag.seconds >= LATE_SECONDS:
        return Hint("writer_late", key, str(QUEUE_USUAL), known.lag.seconds)
    return None
