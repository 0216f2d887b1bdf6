"""One export: what it has, told before its first row, and its rows, made while they are taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from app.export.beginning import Beginning, begun
from app.export.blocks import Blocks, size_for
from app.export.plan import Column, Plan, planned
from app.export.question import Question, View
from app.export.rows import Rows
from app.export.survey import Surveyed, Surveyor
from app.export.sweep import Sweep, stretches
from app.series.family import whole_log
from app.stored import RunSeries, RunStore

CELLS = 32_768  # numbers in rows that are handed on together, so that their text takes a few MB


@dataclass(frozen=True, slots=True, eq=False)
class Export:
    """``points``: how many values the rows will have, nearly where two logs hold the same lines; ``folded``: so many of
    the stored points are what is left of folded history."""

    run: RunSeries
    question: Question
    plan: Plan
    points: int
    folded: int
    attempts: int
    _blocks: Blocks
    _view: View
    _surveyed: Mapping[str, Surveyed]

    def rows(self) -> Iterator[Rows]:
        """Every row; as often as they are asked for, the same. Raises StoreAway, Moved."""
        plan, long = self.plan, self.question.layout == "long"
        sweep = Sweep(self._blocks, self._view, 1 if long else len(plan.labels))
        found = [
            (it.attempts, number, it)
            for number, lane in enumerate(plan.lanes)
            for it in stretches(lane, self._surveyed, self._view)
        ]
        if not long:
            found.sort(key=lambda it: it[0])  # stable: within an attempt rank by rank, source by source
        most = max(1, CELLS // max(1, 1 if long else len(plan.labels)))
        for several in sweep.together([(it, plan.labels[number] if long else "") for _, number, it in found]):
            for stretch, name in several:
                for rows in sweep.rows(stretch, name):
                    yield from rows.parts(most)


def opened(store: RunStore, run: RunSeries, question: Question) -> Export:
    """The export of a run as it is now. Raises StoreAway, Moved, and NoAttempt where the run has no such attempt."""
    plan = planned(run, question)
    beginning = begun(store, run, plan)
    count = len(beginning.known.attempts)
    if isinstance(question.attempt, int) and question.attempt > max(1, count):
        raise NoAttempt(count)
    view = View(question, beginning.known.first_steps)
    blocks = Blocks(store, run, beginning.lengths)
    surveyor = Surveyor(blocks, run, beginning, view)
    size = size_for(1 if question.layout == "long" else len(plan.sids))
    surveyed = surveyor.surveyed(plan.sids, size)
    points = sum(_points(column, surveyed) for lane in plan.lanes for column in lane.columns)
    return Export(run, question, plan, points, _folded(beginning, plan), count, blocks, view, surveyed)


def _points(column: Column, surveyed: Mapping[str, Surveyed]) -> int:
    """Those of a column. Logs of a rank repeat each other, so the longest counts."""
    logs, others = dict[str, int](), 0
    for sid, meta in column.series:
        if sid in surveyed and meta.source == "log":
            log = whole_log(meta.file)
            logs[log] = logs.get(log, 0) + surveyed[sid].points
        elif sid in surveyed:
            others += surveyed[sid].points
    return others + max(logs.values(), default=0)


def _folded(beginning: Beginning, plan: Plan) -> int:
    return sum(beginning.kept[sid] for sid in plan.sids)


class NoAttempt(Exception):
    """The run has only ``count`` attempts."""

    def __init__(self, count: int) -> None:
        """See the class."""
        super().__init__(count)
        self.count = count
