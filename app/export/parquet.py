"""A table as Parquet, row group by row group. The one module that knows pyarrow, imported for it alone.

pyarrow is large (52 to 55 MB to fetch, 170 MB on disk); nothing smaller writes what every reader of Parquet takes.
"""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from app.export.rows import Rows, Values
from app.export.shape import Shape
from app.series.curve import Floats, Ints

GROUP = 500_000  # numbers of a row group: 4 MB, of which one is held
LARGEST = 9.2e12  # Unix seconds of which the microseconds are an int64; what is beyond has no time

_WORD = pa.dictionary(pa.int32(), pa.string())
_TIME = pa.timestamp("us", tz="UTC")


class _Sink(io.RawIOBase):
    """A file that is given away while it is written."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def writable(self) -> bool:
        return True

    def write(self, some: object) -> int:
        part = bytes(some)  # type: ignore[call-overload]  # a buffer of pyarrow's
        self._parts.append(part)
        self._size += len(part)
        return len(part)

    def tell(self) -> int:
        return self._size

    def taken(self) -> bytes:
        """What was written since the last time."""
        parts, self._parts = self._parts, []
        return b"".join(parts)


class ParquetTable:
    """See form.Writer."""

    def __init__(self, shape: Shape) -> None:
        """See form.writer."""
        self._shape = shape
        self._schema = _schema(shape)
        self._sink = _Sink()
        self._waiting: list[pa.RecordBatch] = []
        self._count = 0
        self._most = max(1_024, GROUP // len(self._schema))
        words = [one.name for one in self._schema if one.type == _WORD]
        self._writer = pq.ParquetWriter(
            self._sink, self._schema, compression="zstd", write_page_checksum=True, use_dictionary=words
        )

    def head(self) -> bytes:
        """See form.Writer."""
        return self._sink.taken()

    def rows(self, rows: Rows) -> bytes:
        """See form.Writer."""
        self._waiting.append(_batch(self._schema, self._shape, rows))
        self._count += len(rows)
        if self._count >= self._most:
            self._settle()
        return self._sink.taken()

    def end(self) -> bytes:
        """See form.Writer."""
        self._settle()
        self._writer.close()
        return self._sink.taken()

    def _settle(self) -> None:
        """Write what waits as one group."""
        if self._waiting:
            self._writer.write_table(pa.Table.from_batches(self._waiting, self._schema), row_group_size=self._count)
            self._waiting, self._count = [], 0
            pa.default_memory_pool().release_unused()  # it would keep a multiple of what is used


def _schema(shape: Shape) -> pa.Schema:
    place = [("step", pa.int64()), ("attempt", pa.int32()), ("source", _WORD)]
    rank = [("rank", pa.int32())] if shape.ranked else []
    moment = [("time", _TIME), ("wall", pa.float64())]
    values = [(label, pa.float64()) for label in (("value",) if shape.long else shape.labels)]
    told = {name.encode(): text.encode() for name, text in shape.told.items()}
    return pa.schema([*place, *rank, *([("name", _WORD)] if shape.long else []), *moment, *values], metadata=told)


def _batch(schema: pa.Schema, shape: Shape, rows: Rows) -> pa.RecordBatch:
    count = len(rows)
    rank = [_same(rows.rank, count, pa.int32())] if shape.ranked else []
    name = [_same(rows.name, count, _WORD)] if shape.long else []
    clockless = ~np.isfinite(rows.walls)
    columns = [
        pa.array(rows.steps),
        pa.array(rows.attempts.astype(np.int32)),
        _same(rows.source, count, _WORD),
        *rank,
        *name,
        pa.array(_micros(rows.walls), type=_TIME, mask=clockless | (np.abs(rows.walls) > LARGEST)),
        pa.array(np.ascontiguousarray(rows.walls), mask=clockless),
        *(_values(one, count) for one in rows.columns),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _same(value: str | int | None, count: int, kind: pa.DataType) -> pa.Array:
    """One value as often as there are rows."""
    if value is None:
        return pa.nulls(count, kind)
    if kind == _WORD:
        return pa.DictionaryArray.from_arrays(pa.array(np.zeros(count, np.int32)), pa.array([value], pa.string()))
    return pa.array(np.full(count, value), type=kind)


def _micros(walls: Floats) -> Ints:
    usable = np.where(np.abs(walls) <= LARGEST, walls, 0.0)
    return np.rint(np.where(np.isfinite(usable), usable, 0.0) * 1e6).astype(np.int64)


def _values(column: Values | None, count: int) -> pa.Array:
    """NaN is a value; null is none."""
    if column is None:
        return pa.nulls(count, pa.float64())
    missing = None if column.present is None else ~column.present
    return pa.array(np.ascontiguousarray(column.values), mask=missing, from_pandas=False)
