"""Everything that happened to a run, out of its lines, its curves and its facts; nothing told twice while nothing was
added."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.reader import Reader, Wanted, default_rank, members
from app.series import happenings, telling
from app.series.attempts import Timeline
from app.series.checkpoints import judged, settled, told_checkpoint, told_evaluation, verdicts
from app.series.curve import EMPTY, Curve, Floats, Ints
from app.series.happening import Happening, clocked, grouped, merged, started_once, timed
from app.series.homes import Homes
from app.series.overview import whole_number
from app.series.segments import interval
from app.series.splice import latest
from app.stored import RunStore, StoredEvents, StoredRun
from collector.wire.records import RunEvent
from collector.wire.schema import HEALTH_FACT

CURVES = ("overflow", "loss_scale", "lr", "loss")
RUNS = 16  # whose happenings are kept
COSTLY, REST = 0.2, 10.0  # seconds; what took longer to make (curves of millions of points) holds for ten times as long

Facts = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Told:
    """``events`` oldest first; ``more``: older ones than these were left out."""

    events: Sequence[Happening]
    more: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """What a run's happenings are made of."""

    lines: StoredEvents
    known: Timeline
    curves: Sequence[Curve]
    facts: Facts


@dataclass(frozen=True, slots=True)
class _Kept:
    state: object
    told: Told
    until: float  # ``time.monotonic``; before that it is not made again, whatever was added


class Happened:
    """Happenings of runs; safe to share between threads."""

    def __init__(self, store: RunStore, reader: Reader) -> None:
        """Nothing is read before the first question."""
        self._store, self._reader = store, reader
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, run: StoredRun) -> Told:
        """Everything that happened. Raises StoreAway."""
        lines, facts = self._store.events(run.id), _facts(run)
        state = (lines, facts, self._points(run), tuple(run.generations))
        with self._lock:
            kept = self._kept.get(run.id)
        if kept is not None and (kept.state == state or time.monotonic() < kept.until):
            return kept.told
        began = time.monotonic()
        known = self._reader.timeline(run)
        told = _tell(_Seen(lines, known, [self._curve(run, name, known) for name in CURVES], facts))
        took = time.monotonic() - began
        with self._lock:
            self._kept[run.id] = _Kept(state, told, began + (REST * took if took > COSTLY else 0.0))
            self._kept.move_to_end(run.id)
            while len(self._kept) > RUNS:
                self._kept.popitem(last=False)
        return told

    def _points(self, run: StoredRun) -> object:
        """Equal while no point was added to a curve that is looked at: points only ever come at the end, and the last
        ones tell a refilled store. Of a run without a loss everything may count."""
        sids = [sid for name in CURVES for sid, _ in members(run, _wanted(run, name))]
        counts, ends = self._store.lengths(run.id, sids), self._store.tails(run.id, sids, 1)
        has_loss = any(run.series[sid].metric == "loss" for sid in sids)
        return tuple(counts), tuple(ends), None if has_loss else run.position

    def _curve(self, run: StoredRun, name: str, known: Timeline) -> Curve:
        if all(meta.metric != name for meta in run.series.values()):
            return EMPTY
        return self._reader.curve(run, _wanted(run, name), known)


def _wanted(run: StoredRun, name: str) -> Wanted:
    return Wanted(name, False, default_rank(run, name, is_tag=False))


def _facts(run: StoredRun) -> Facts:
    wanted = (one for one in run.facts.items() if one[0].startswith(HEALTH_FACT) or one[0] == "steps_per_epoch")
    return tuple(sorted(wanted))


def _tell(seen: _Seen) -> Told:
    overflow, scale, rate, loss = seen.curves
    facts = dict(seen.facts)
    steps_per_epoch = whole_number(facts.get("steps_per_epoch"))
    homes = Homes(seen.known)
    clocks = clocked(seen.lines.events, _Clocks(loss, homes).at)
    lines = _lines(clocks, homes, steps_per_epoch)
    bursts = happenings.overflows(overflow)
    said = [one for one in lines if one.kind == "overflow"]
    found = [
        *(one for one in judged(lines, verdicts(facts), steps_per_epoch) if one.kind != "overflow"),
        *happenings.with_lines(bursts, said, interval(overflow.steps)),
        *happenings.restarts(seen.known.attempts, lines),
        *happenings.scale_changes(scale),
        *happenings.rate_changes(latest(rate, seen.known.first_steps)),
    ]
    left_out = seen.lines.total > len(seen.lines.events) or len(bursts) >= happenings.MOST
    return Told(_ordered(found, latest(loss, seen.known.first_steps)), left_out)


def _lines(events: Sequence[RunEvent], homes: Homes, steps_per_epoch: int | None) -> list[Happening]:
    """What lines tell, oldest first, each thing once."""
    groups = grouped(timed(settled(events, steps_per_epoch)), homes.of)
    return telling.joined(started_once([_told(group, homes.of(group[0])) for group in groups]))


def _told(group: Sequence[RunEvent], attempt: int) -> Happening:
    first = replace(merged(group), attempt=attempt)
    if first.kind == "checkpoint":
        return told_checkpoint(first, group)
    return told_evaluation(first, group) if first.kind == "eval" else telling.told(first)


class _Clocks:
    """When the run was at a step of an attempt, by its loss."""

    def __init__(self, loss: Curve, homes: Homes) -> None:
        self._loss = loss.take(np.isfinite(loss.walls))
        self._homes = homes
        self._columns: dict[int, tuple[Ints, Floats]] = {}

    def at(self, event: RunEvent, before: float) -> float | None:
        """The clock of the last point up to the step of a line, which comes after one with the clock ``before``."""
        if event.step is None:
            return None
        attempt = self._homes.of(event, before)
        if attempt not in self._columns:
            mine = self._loss.take(self._loss.attempts == attempt)
            order = np.argsort(mine.steps, kind="stable")
            self._columns[attempt] = mine.steps[order], np.maximum.accumulate(mine.walls[order])
        steps, walls = self._columns[attempt]
        index = int(np.searchsorted(steps, event.step, side="right")) - 1
        return float(walls[index]) if index >= 0 else None


def _ordered(found: Sequence[Happening], run: Curve) -> list[Happening]:
    """Oldest first: by clock; what has none by when the ``run`` was at its step, or, where nothing has one, by step."""
    has_clock = np.isfinite(run.walls)
    steps, walls = run.steps[has_clock].astype(np.float64), run.walls[has_clock]
    timeless = not len(walls) and all(one.wall is None for one in found)
    return sorted(found, key=lambda one: _moment(one, steps, walls, timeless=timeless))


def _moment(one: Happening, steps: Floats, walls: Floats, *, timeless: bool) -> float:
    if one.wall is not None:
        return one.wall
    if one.step is None:
        return float("-inf")
    return float(one.step) if timeless else float(np.interp(one.step, steps, walls)) if len(walls) else float("-inf")
