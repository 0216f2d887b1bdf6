"""What each form of an exported table promises, and which forms there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol

from app.export.csv_table import CsvTable
from app.export.json_lines import JsonLines
from app.export.rows import Rows
from app.export.shape import Shape

Form = Literal["csv", "jsonl", "parquet"]


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
        return CsvTable(shape)
    if form == "jsonl":
        return JsonLines(shape)
    from app.export.parquet import ParquetTable  # 170 MB of pyarrow: only who asks for Parquet loads them

    return ParquetTable(shape)
