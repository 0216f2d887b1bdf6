"""Writes the files of a run: its history at once, then a step at a time."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np

from tests.generate.events import Events, column
from tests.generate.logs import Logs
from tests.generate.numbers import Numbers, Values
from tests.generate.place import Places, skew_of
from tests.generate.plan import A_HOST, SKEWS, Attempt, Plan

Row = list[tuple[Path, bytes]]


class Writer:
    """The files of one run below ``root``."""

    def __init__(self, plan: Plan, root: Path) -> None:
        self._plan = plan
        self._numbers, self.places = Numbers(plan), Places(plan, root)
        self._events, self._logs = Events(plan, self.places), Logs(plan, self.places)

    def history(self) -> None:
        """All steps of the plan."""
        for host in self._plan.hosts:
            for attempt in self._plan.attempts:
                steps = np.arange(attempt.first, attempt.last + 1)
                values = self._numbers.of(self._plan.ranks(host), steps) if len(steps) else {}
                for row, rank in enumerate(self._plan.ranks(host).tolist()):
                    self._rank(rank, row, attempt, values)

    def _rank(self, rank: int, row: int, attempt: Attempt, values: Values) -> None:
        if "events" in self._plan.parts and self._events.tags(rank):
            data = self._events.of_rank(rank, row, attempt, values, skew_of(rank // A_HOST))
            put(self.places.events(rank, attempt), data)
        if "info" in self._plan.parts or "worker" in self._plan.parts:
            info, worker = self._logs.of_rank(rank, row, attempt, values)
            if "info" in self._plan.parts:
                put(self.places.info(rank), info, append=attempt.number > 1)
            if "worker" in self._plan.parts:
                put(self.places.worker(rank), worker)

    def row(self, step: int, wall: float) -> Row:
        """What each file grows by with a step that is through at ``wall``: path and bytes, rank by rank."""
        attempt = self._plan.attempts[-1]
        found: dict[int, Row] = {}
        values = self._numbers.of(np.arange(self._plan.shape.world), np.array([step]))
        for ranks, skew in self._alike(step):
            own = {tag: one[ranks] for tag, one in values.items()}
            if "events" in self._plan.parts:
                self._event_row(found, ranks, attempt, step, wall + SKEWS[skew], own)
            self._log_row(found, ranks, step, wall + SKEWS[skew], own)
        return [one for rank in sorted(found) for one in found[rank]]

    def _alike(self, step: int) -> list[tuple[list[int], int]]:
        """Ranks that write at this step, by stage and clock."""
        groups: dict[tuple[int, int], list[int]] = {}
        stage = self._plan.shape.dp * self._plan.shape.tp
        quiet = {rank for one in self._plan.faults if one.kind == "silent" and one.since <= step for rank in one.ranks}
        for rank in range(self._plan.shape.world):
            if rank not in quiet:
                groups.setdefault((rank // stage, skew_of(rank // A_HOST)), []).append(rank)
        return [(ranks, skew) for (_, skew), ranks in groups.items()]

    def _event_row(
        self, found: dict[int, Row], ranks: list[int], attempt: Attempt, step: int, wall: float, own: Values
    ) -> None:
        by_tags: dict[tuple[str, ...], list[int]] = {}
        for row, rank in enumerate(ranks):
            by_tags.setdefault(self._events.tags(rank), []).append(row)
        for tags, places in by_tags.items():
            values = [column(own, tag)[places] for tag in tags]
            rows = self._events.rows(tags, attempt, step, wall, values) if tags else []
            for row, data in zip(places, rows, strict=False):
                found.setdefault(ranks[row], []).append((self.places.events(ranks[row], attempt), data))

    def _log_row(self, found: dict[int, Row], ranks: list[int], step: int, wall: float, own: Values) -> None:
        if self._plan.parts == ("events",):
            return
        said: dict[bool, tuple[bytes, bytes]] = {}
        for row, rank in enumerate(ranks):
            alone = self._logs.prints_alone(rank)
            if alone or False not in said:
                numbers = {tag: float(one[row, 0]) for tag, one in own.items()}
                said[alone] = self._logs.step(rank, step, numbers, wall)
            info, worker = said[alone]
            paths = {"info": (self.places.info(rank), info), "worker": (self.places.worker(rank), worker)}
            found.setdefault(rank, []).extend(paths[part] for part in self._plan.parts if part in paths)


def put(path: Path, data: bytes, *, append: bool = False) -> None:
    """A new file, or more of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab" if append else "wb", buffering=0) as file:
        file.write(data)


def grow(row: Row) -> list[float]:
    """Append to all files; Unix seconds at which each had it."""
    times = []
    for path, data in row:
        handle = os.open(path, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(handle, data)
        finally:
            os.close(handle)
        times.append(time.time())
    return times
