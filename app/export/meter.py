"""How far an export is, on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn

from app.export.export import Export
from app.export.rows import Rows


class Meter:
    """Counts; shows it where there is a bar."""

    def __init__(self, bar: Progress | None = None, task: TaskID | None = None) -> None:
        """Without a bar it only counts."""
        self.rows = 0
        self._bar, self._task = bar, task

    def add(self, rows: Rows, size: int) -> None:
        """Some more rows, and how many bytes there are now."""
        self.rows += len(rows)
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, advance=_points(rows), size=f"{size / 1e6:,.1f} MB")


def _points(rows: Rows) -> int:
    there = [one for one in rows.columns if one is not None]
    return sum(len(rows) if one.present is None else int(np.count_nonzero(one.present)) for one in there)


@contextmanager
def metered(export: Export, to: TextIO, *, quiet: bool) -> Iterator[Meter]:
    """A meter; a bar where ``to`` is a terminal that can draw one."""
    console = Console(file=to)
    if quiet or not console.is_terminal or console.is_dumb_terminal:
        yield Meter()
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[size]}"),
    )
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task(str(export.run.id), total=max(1, export.points), size="")
        yield Meter(bar, task)
