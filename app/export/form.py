"""What each form of an exported table promises, and which forms there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from app.export.rows import Rows

Form = Literal["csv", "jsonl", "parquet"]


@dataclass(frozen=True, slots=True)
class Shape:
    """The columns of a table. ``long``: each row is a point and says of which curve; ``told`` is what is known of the
    whole (run, window, version), for forms that have a place for it."""

    labels: tuple[str, ...]
    long: bool
    ranked: bool
    told: Mapping[str, str]


class Writer(Protocol):
    """One table as bytes: a head, then rows, then an end. Not for two tables."""

    def head(self) -> bytes:
        """What comes before the first row."""
        ...

    def rows(self, rows: Rows) -> bytes:
        """Some rows; b"" where the form keeps them until there are more."""
        ...

    def end(self) -> bytes:
        """What comes after the last row, without which a reader knows that something is missing where the form can
        say so (Parquet)."""
        ...


TYPES: Mapping[Form, str] = {
    "csv": "text/csv; charset=utf-8; header=present",
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
}


def writer(form: Form, shape: Shape) -> Writer:
    """Who writes a form."""
    if form == "csv":
        from app.export.csv_table import CsvTable

        return CsvTable(shape)
    if form == "jsonl":
        from app.export.json_lines import JsonLines

        return JsonLines(shape)
    from app.export.parquet import ParquetTable  # 170 MB of pyarrow: only who asks for Parquet loads them

    return ParquetTable(shape)
