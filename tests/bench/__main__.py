"""``python -m tests.bench [--record] [--only WORD]``: every comparison, in one run, one line each; exit code 0."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.bench import arriving, catching_up, events, logs, machine, summaries
from tests.bench.page import clients, first_draw, pixels, tab_cost, weight
from tests.bench.ranks import beside, drawn, followed
from tests.bench.rows import HEADING, Line, not_measured

Comparison = Callable[[Path], Iterator[Line]]

# To add one: a function that gets an empty folder, measures, and yields lines.
COMPARISONS: Sequence[Comparison] = (
    events.against_rustboard,
    events.against_python,
    summaries.against_mindinsight,
    logs.against_one_expression,
    arriving.to_subscriber,
    arriving.to_screen,
    catching_up.amid_history,
    first_draw.against_tensorboard,
    first_draw.by_hand,
    pixels.publish_to_pixel,
    weight.first_load,
    tab_cost.in_view,
    tab_cost.out_of_view,
    tab_cost.nine,
    clients.fifty,
    drawn.address_to_map,
    drawn.live_column,
    beside.against_tensorboard,
    followed.a_thousand,
)


def main() -> int:
    asked = arguments()
    printed: list[str] = []
    chosen = [one for one in COMPARISONS if asked.only in f"{one.__module__}.{one.__name__}"]
    for text in table(chosen):
        print(text, flush=True)
        printed.append(text)
    if asked.record:
        machine.record(printed)
    return 0


def table(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """The lines, and below them what there is to say of some."""
    yield str(HEADING)
    notes = []
    for compare in comparisons:
        for line in measured(compare):
            yield str(line)
            notes += [f"{line.name}: {line.note}"] if line.note else []
    yield from ("", *notes)


def measured(compare: Comparison) -> Iterator[Line]:
    """The lines of one comparison; one that fails is a line too, and the others go on."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            yield from compare(Path(folder))
        except Exception as error:
            said = getattr(error, "stderr", None) or str(error)
            last = said.strip().splitlines()[-1] if said.strip() else ""
            yield not_measured(compare.__name__.replace("_", " "), f"{type(error).__name__} {last}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--record", action="store_true", help="write BENCHMARKS.md")
    parser.add_argument("--only", default="", help="comparisons whose module or function holds this word")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
