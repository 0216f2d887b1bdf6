"""MindSpore summaries: against MindInsight's loader."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.bench import files
from tests.bench.costs import Cost, child, in_turn
from tests.bench.environments import Unavailable, python_of
from tests.bench.events import PEERS, ours
from tests.bench.rows import Line, faster, not_measured

STEPS = 5_000


def against_mindinsight(folder: Path) -> Iterator[Line]:
    """Ten tags a record; MindInsight reads every record and keeps 1,000 points of each tag."""
    title = f"MindSpore summary, 10 tags x {STEPS // 1000}k steps: MindInsight"
    path = files.summary_file(folder, files.TAGS, STEPS)
    try:
        command = [python_of("mindinsight"), str(PEERS / "mindinsight_values.py"), str(folder)]
    except Unavailable as why:
        yield not_measured(title, str(why))
        return
    found = in_turn({"ours": partial(ours, path, source="mindspore"), "theirs": partial(child, command)}, rounds=3)
    read = Cost(found["theirs"].cpu, found["ours"].count, 0)  # it has read all of them, whatever it keeps
    yield faster(title, found["ours"].rate, read.rate, 100, f"it keeps {found['theirs'].count} of {read.count} points")
