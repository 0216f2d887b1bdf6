"""``python -m tests.measure.detection [--seed 1] [--cases 20] [--soak 100000] [--each]``.

How well the rules find faults of simulated runs: precision, recall and median delay (rows) of every class, what every
kind of case came to, and false alarms in healthy runs as long as ``--soak`` under mild and under hard noise, those that
are critical apart. Simulated runs are wider than recorded ones: numbers are to compare two versions of a rule by.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterable
from itertools import chain

from app.diagnosis.replay import signals
from tests.diagnosis.score import Score
from tests.diagnosis.simulate.cases import Labelled
from tests.diagnosis.simulate.loss_cases import faulty, innocent
from tests.diagnosis.simulate.soak import soak


def scored(cases: Iterable[Labelled]) -> Score:
    """Every case through the rules."""
    score = Score()
    for one in cases:
        score.add(one, signals(one.case))
    return score


def show(score: Score, *, each: bool) -> None:
    """A line a class; kinds of what was missed and said falsely."""
    print("class          found missed late false  precision recall delay")
    for about, one in sorted(score.classes.items()):
        numbers = f"{one.found:5d} {len(one.missed):6d} {one.late:4d} {len(one.false):5d}"
        print(f"{about:14s} {numbers}  {part(one.precision)}   {part(one.recall)}  {part(one.delay)}")
        if each:
            said = chain(
                (f"missed {name}" for name in one.missed), (f"false {name.split('@')[0]}" for name in one.false)
            )
            for text, count in sorted(Counter(said).items()):
                print(f"    {count:3d} {text}")


def part(value: float | None) -> str:
    return "   - " if value is None else f"{value:5.2f}"


def show_rates(name: str, score: Score) -> None:
    """False alarms in healthy rows."""
    per = 100_000 / max(1, score.rows)
    rates = f"{score.false * per:.2f} a 100k, critical {score.critical * per:.2f}"
    classes = {about: len(one.false) for about, one in score.classes.items() if one.false}
    print(f"{name}: {score.false} false alarms in {score.rows} healthy rows = {rates} {classes or ''}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.measure.detection")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=20, help="of every kind")
    parser.add_argument("--soak", type=int, default=100_000, help="rows of each kind of noise")
    parser.add_argument("--each", action="store_true", help="say which kinds were missed or said falsely")
    given = parser.parse_args()
    began = time.perf_counter()
    if given.cases:
        score = scored(chain(faulty(given.seed, given.cases), innocent(given.seed, given.cases)))
        show(score, each=given.each)
        show_rates("cases", score)
    for is_hard in (False, True):
        if given.soak:
            name = "soak under hard noise" if is_hard else "soak under mild noise"
            show_rates(name, scored(soak(given.seed, given.soak, is_hard=is_hard)))
    print(f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
