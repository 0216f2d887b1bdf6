"""What is known of one run: the rules with their memory, the alerts, and up to where its points were used. Pure.

All of it is a function of the points alone (and, for stalls, of the clock), whatever pieces they came in; it can be
saved at any row and goes on from there as if it had never stopped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from math import isnan

from app.diagnosis.alert import Alert
from app.diagnosis.block import Block
from app.diagnosis.column import Column
from app.diagnosis.episodes import Episodes
from app.diagnosis.memory import Saved, restore, save
from app.diagnosis.row import Evaluation, Plan, Row
from app.diagnosis.rows import Rows, Taken
from app.diagnosis.rules.custom import UserRule
from app.diagnosis.signal import Signal
from app.diagnosis.watch import Watch
from app.diagnosis.wishes import Wish, at, restored, saved, told, wishes

FORM = [2, *(one.name for one in fields(Watch))]
"""Of what is saved. Another form, or other rules, are not read: the points are taken from the beginning."""


@dataclass(slots=True)
class Diagnosis:
    """``evaluations`` are series of evaluations, the newest of which was at ``evaluated`` (Unix seconds or, without a
    clock, a step); ``taken`` counts rows."""

    plan: Plan = field(default_factory=Plan)
    expects: bool = False
    watch: Watch = field(default_factory=Watch)
    rows: Rows = field(default_factory=Rows)
    evaluations: list[Column] = field(default_factory=list)
    evaluated: float = float("-inf")
    wishes: list[Wish] = field(default_factory=list)
    episodes: Episodes = field(default_factory=Episodes)
    attempt: int = 1
    taken: int = 0

    @classmethod
    def of(cls, plan: Plan, *, expects: bool, rules: Sequence[UserRule] = ()) -> Diagnosis:
        """Of a run of which no point was used; ``rules`` are people's own."""
        return cls(plan, expects, Watch.of(plan, expects=expects), wishes=wishes(rules))

    def advance(self, *, final: bool = False) -> Iterator[Row]:
        """Use every complete row that was read, one after the other. Raises rows.Anew."""
        for taken in self.rows.rows(final=final):
            self._take(taken)
            yield taken.row
        if final:
            self._evaluate(None)
            self.episodes.take([*told(self.wishes, None)], self.attempt)

    def at(self, now: float) -> None:
        """Say that it is ``now`` (Unix seconds by the run's own clock), and that no row has come."""
        self.episodes.take([*self.watch.at(now), *at(self.wishes, now)], self.attempt)

    def _take(self, taken: Taken) -> None:
        row = taken.row
        self._evaluate(row)
        said: list[Signal] = [] if row.t is None else [*self.watch.at(row.t)]
        self.episodes.take(said, self.attempt)
        said = [*self.watch.take(row)]
        back = any((one.act, one.about) == ("raise", "step_regress") for one in said)
        self.attempt += 1 if back or taken.starts else 0
        self.taken += 1
        said += told(self.wishes, row)
        said += [] if row.t is None else at(self.wishes, row.t)
        if said:
            self.episodes.take(said, self.attempt)

    def _evaluate(self, row: Row | None) -> None:
        """Tell of the evaluations before a row; of all that wait where no row is to come."""
        for column in self.evaluations:
            while column.waiting and (row is None or _is_before(column.waiting[0], row)):
                step, wall, loss = column.take()
                place = float(step) if isnan(wall) else wall
                if place > self.evaluated:  # a second file holds the same lines
                    self.evaluated = place
                    told = Evaluation(step, None if isnan(wall) else wall, loss)
                    self.episodes.take(self.watch.evaluated(told), self.attempt)

    def save(self) -> Saved:
        """As JSON values; points that were read and not used are read again."""
        rows = self.rows
        return {
            "form": _form([one.custom.rule for one in self.wishes]),
            "plan": save(self.plan),
            "expects": self.expects,
            "watch": self.watch.save(),
            "blocks": [_saved(one) for one in rows.blocks],
            "heads": [[*name, wall] for name, wall in rows.heads.items()],
            "rows": [rows.speaker, rows.wall, rows.step, rows.high, rows.late, [*rows.begun.items()]],
            "evaluations": [_column(one) for one in self.evaluations],
            "evaluated": self.evaluated,
            "wishes": saved(self.wishes),
            "alerts": [save(one) for one in self.episodes.alerts.values()],
            "standing": [[*key, name] for key, name in self.episodes.standing.items()],
            "attempt": self.attempt,
            "taken": self.taken,
        }

    @classmethod
    def restore(cls, saved: Saved, rules: Sequence[UserRule] = ()) -> Diagnosis:
        """What ``save`` was called of. Raises KeyError, TypeError, ValueError when it is of another form, or people's
        own rules were others."""
        if saved["form"] != _form(rules):
            raise ValueError(f"form {saved['form']}")
        speaker, wall, step, high, late, begun = saved["rows"]
        heads = {(file, generation): began for file, generation, began in saved["heads"]}
        blocks = [_restored(one) for one in saved["blocks"]]
        speaking = (speaker[0], speaker[1]) if speaker else None
        return cls(
            restore(Plan, saved["plan"]),
            saved["expects"],
            Watch.restore(saved["watch"]),
            Rows(blocks, heads, speaking, wall, step, high, [(file, number) for file, number in late], dict(begun)),
            [_made(one) for one in saved["evaluations"]],
            saved["evaluated"],
            restored(saved["wishes"]),
            Episodes.of([restore(Alert, one) for one in saved["alerts"]], saved["standing"]),
            saved["attempt"],
            saved["taken"],
        )


def _form(rules: Sequence[UserRule]) -> list[object]:
    """As it comes back from JSON."""
    return [*FORM, json.loads(json.dumps([save(one) for one in rules]))]


def _is_before(point: tuple[int, float, float], row: Row) -> bool:
    """Whether an evaluation was told before a row was written."""
    step, wall, _ = point
    return step < row.step if row.t is None or isnan(wall) else wall < row.t


def _column(one: Column) -> Saved:
    return {"sid": one.sid, "taken": one.taken, "last": one.last}


def _made(saved: Saved) -> Column:
    last = saved["last"]
    return Column(saved["sid"], saved["taken"], tuple(last) if last else None)


def _saved(one: Block) -> Saved:
    columns = {name: _column(column) for name, column in one.columns.items()}
    return {
        "file": one.file,
        "generation": one.generation,
        "source": one.source,
        "columns": columns,
        "pulse": one.pulse,
        "reason": one.reason,
        "shape": one.shape,
    }


def _restored(saved: Saved) -> Block:
    columns = {name: _made(one) for name, one in saved["columns"].items()}
    shape = saved["shape"]
    return Block(
        saved["file"],
        saved["generation"],
        saved["source"],
        columns,
        saved["pulse"],
        saved["reason"],
        tuple(shape) if shape is not None else None,
    )
