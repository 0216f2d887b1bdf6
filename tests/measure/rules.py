"""``python -m tests.measure.rules [--rows 100000] [--seed 1]``: microseconds a row that each rule costs, on one core.

Rows are of simulated runs with every column, in which now and then something is wrong: an open episode costs more.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import partial
from typing import TypeVar

import numpy as np

from app.diagnosis.row import Row
from app.diagnosis.watch import Watch
from tests.diagnosis.simulate import norms
from tests.diagnosis.simulate.cases import case, evaluated
from tests.diagnosis.simulate.healthy import drawn, healthy

Answer = TypeVar("Answer")


def runs(seed: int, rows: int) -> Iterator[list[Row]]:
    """Runs of 10,000 rows with a loss scale; every third with a burst of the norm."""
    for number in range(max(1, rows // 10_000)):
        rng = np.random.default_rng((seed, number))
        run = healthy(rng, drawn(rng, min(rows, 10_000)))
        norms.scaled(rng, run)
        evaluated(rng, run, 100)
        if number % 3 == 0:
            norms.burst(rng, run)
        yield list(case(run, "measured").rows)


def measured(found: list[list[Row]]) -> dict[str, float]:
    """Seconds of each rule over all runs."""
    spent = dict.fromkeys((one.name for one in fields(Watch) if one.name != "course"), 0.0)
    for rows in found:
        watch = Watch()
        names = {id(getattr(watch, name)): name for name in spent}
        rules = [(rule, names[id(rule)]) for rule in watch.rules]
        for row in rows:
            counts, _said = timed(spent, "order", partial(watch.order.take, row, watch.course))
            timed(spent, "silence", partial(watch.silence.take, row, watch.course, counts=counts))
            for rule, name in rules if counts else ():
                timed(spent, name, partial(rule.take, row, watch.course))
    return spent


def timed(spent: dict[str, float], name: str, work: Callable[[], Answer]) -> Answer:
    """What the work answers, its seconds added to ``spent``."""
    began = time.perf_counter()
    answer = work()
    spent[name] += time.perf_counter() - began
    return answer


def whole(found: list[list[Row]]) -> float:
    """Seconds of processor that everything takes, clocks of its rules left out: others may be at work beside it."""
    began = time.process_time()
    for rows in found:
        watch = Watch()
        for row in rows:
            watch.take(row)
            if row.t is not None:
                watch.at(row.t)
    return time.process_time() - began


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.measure.rules")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    found = list(runs(given.seed, given.rows))
    rows = sum(len(one) for one in found)
    for name, seconds in sorted(measured(found).items(), key=lambda one: -one[1]):
        print(f"{name:15s} {1e6 * seconds / rows:6.2f} µs a row")
    print(f"{'all together':15s} {1e6 * whole(found) / rows:6.2f} µs a row, {rows} rows")


if __name__ == "__main__":
    main()
