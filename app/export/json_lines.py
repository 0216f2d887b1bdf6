"""A table as lines of strict JSON: one object a row, all with the same names. Pure.

``null`` is "no value"; "NaN", "Infinity" and "-Infinity" are texts, as everywhere in this API.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from app.export import texts
from app.export.rows import Rows, Values
from app.export.shape import Shape


class JsonLines:
    """See form.Writer."""

    def __init__(self, shape: Shape) -> None:
        """See form.writer."""
        self._shape = shape
        self._names = [_escaped(one) for one in (("value",) if shape.long else shape.labels)]

    def head(self) -> bytes:
        """See form.Writer."""
        return b""

    def rows(self, rows: Rows) -> bytes:
        """See form.Writer."""
        times, walls = texts.moments(rows.walls, "null")
        columns = [_cells(one, len(rows)) for one in rows.columns]
        quoted = [f'"{one}"' if one not in ("null", "") else "null" for one in times]
        named = ",".join(f"{name}:%s" for name in self._names)
        values = f",{named}" if named else ""
        line = f'{{"step":%s,"attempt":%s,{self._said(rows)}"time":%s,"wall":%s{values}}}\n'
        lines = zip(texts.whole(rows.steps), texts.whole(rows.attempts), quoted, walls, *columns, strict=True)
        return "".join(map(line.__mod__, lines)).encode()

    def end(self) -> bytes:
        """See form.Writer."""
        return b""

    def _said(self, rows: Rows) -> str:
        """What all of these rows have in common."""
        rank = f'"rank":{"null" if rows.rank is None else rows.rank},' if self._shape.ranked else ""
        name = f'"name":{_escaped(rows.name)},' if self._shape.long else ""
        return f'"source":"{rows.source}",{rank}{name}'


def _escaped(name: str) -> str:
    """A name as JSON, in what ``%`` fills in."""
    return json.dumps(name, ensure_ascii=False).replace("%", "%%")


def _cells(column: Values | None, count: int) -> Sequence[str]:
    found = texts.cells(column, count, "null")
    if column is None or np.isfinite(column.values).all():
        return found
    words = {"NaN": '"NaN"', "Infinity": '"Infinity"', "-Infinity": '"-Infinity"'}
    return [words.get(one, one) for one in found]
