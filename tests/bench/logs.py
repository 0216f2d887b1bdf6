"""Text logs: against one compiled regular expression a line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.bench import files
from tests.bench.costs import Cost, child, in_turn
from tests.bench.events import PEERS, ours
from tests.bench.rows import Line, at_least, faster

METRIC_LINES, OTHER_LINES = 500_000, 1_000_000


def against_one_expression(folder: Path) -> Iterator[Line]:
    """Lines that hold metrics, and lines that do not, which are nearly all lines of a real log."""
    metrics = both(files.metric_log(folder / "metrics", METRIC_LINES))
    yield faster("log, metric lines: compiled re a line", metrics["ours"].rate, metrics["theirs"].rate, 3)
    others = both(files.other_log(folder / "others", OTHER_LINES))
    yield at_least("log, other lines: compiled re a line", others["ours"].rate, others["theirs"].rate, 2.5e6)


def both(path: Path) -> dict[str, Cost]:
    theirs = [sys.executable, str(PEERS / "one_expression.py"), str(path)]
    return in_turn(
        {"ours": partial(ours, path, source="log", what="lines"), "theirs": partial(child, theirs)}, rounds=5
    )
