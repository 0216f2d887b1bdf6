"""A table as CSV (RFC 4180, UTF-8). Pure.

Lines end with a line feed alone: every spreadsheet reads that, and ``cut``, ``awk`` and ``wc`` see no carriage return.
There is no byte order mark: programs would read it as a part of the first column's name. Empty is "no value"; NaN,
Infinity and -Infinity are values.
"""

from __future__ import annotations

from app.export import texts
from app.export.cell import cell
from app.export.rows import Rows
from app.export.shape import Shape


class CsvTable:
    """See form.Writer."""

    def __init__(self, shape: Shape) -> None:
        """See form.writer."""
        self._shape = shape

    def head(self) -> bytes:
        """See form.Writer."""
        shape = self._shape
        if shape.long:
            return b"step,attempt,source,rank,name,time,wall,value\n"
        rank = ("rank",) if shape.ranked else ()
        names = ["step", "attempt", "source", *rank, "time", "wall", *map(cell, shape.labels)]
        return (",".join(names) + "\n").encode()

    def rows(self, rows: Rows) -> bytes:
        """See form.Writer."""
        times, walls = texts.moments(rows.walls)
        columns = [texts.cells(one, len(rows)) for one in rows.columns]
        said = self._said(rows)
        if rows.of_one_attempt:
            place = [[f"{rows.attempts[0]},{said}"] * len(rows)]
        else:
            place = [texts.whole(rows.attempts), [said] * len(rows)]
        lines = zip(texts.whole(rows.steps), *place, times, walls, *columns, strict=True)
        return ("\n".join(map(",".join, lines)) + "\n").encode()

    def end(self) -> bytes:
        """See form.Writer."""
        return b""

    def _said(self, rows: Rows) -> str:
        """What all of these rows have in common."""
        rank = "" if rows.rank is None else str(rows.rank)
        if self._shape.long:
            return f"{rows.source},{rank},{cell(rows.name)}"
        return f"{rows.source},{rank}" if self._shape.ranked else rows.source
