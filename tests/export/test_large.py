"""A million points of six series from a server process: what memory that takes, and what arrives."""

from __future__ import annotations

import http.client
import io
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
import redis

from app.series.curve import POINT
from collector.wire import schema
from collector.wire.records import SeriesMeta
from tests.support.redis_server import RedisServer
from tests.support.seed import RUN, Seed
from tests.support.web_process import WebProcess, web_process

COUNT = 1_000_000
METRICS = ("loss", "lr", "grad_norm", "loss_scale", "throughput", "step_time")
MIB = 2**20


def written(metric: str) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    """What an event file of a long run holds: float32 values, clocks with microseconds, here and there no number."""
    dice = np.random.default_rng(METRICS.index(metric))
    points = np.zeros(COUNT, POINT)
    points["step"] = np.arange(1, COUNT + 1)
    points["wall"] = 1_795_961_300.0 + np.round(np.arange(COUNT) * 1.37, 6)
    points["value"] = dice.standard_normal(COUNT).astype(np.float32)
    for value in (np.nan, np.inf, -np.inf, -0.0, 1e-30):
        points["value"][dice.integers(0, COUNT, 100)] = value
    return points


@pytest.fixture(scope="module")
def long_run() -> Iterator[str]:
    server = RedisServer().start()
    client = redis.Redis.from_url(server.url)
    seed = Seed(client)
    for metric in METRICS:
        meta = SeriesMeta("e.1", 0, metric, metric, 0, "tensorboard")
        client.hset(schema.series(RUN), meta.sid, meta.encode())
        for part in np.array_split(written(metric), 20):
            client.append(schema.points(RUN, meta.sid), part.tobytes())
    seed.announce([], total=COUNT)
    client.close()
    yield server.url
    server.close()


@dataclass
class Watched:
    """The memory of a server while something goes on."""

    web: WebProcess
    before: int
    most: int = 0
    over: threading.Event = field(default_factory=threading.Event)

    def look(self) -> None:
        while not self.over.wait(0.02):
            self.most = max(self.most, self.web.memory())

    @property
    def grown(self) -> float:
        """MiB."""
        return (self.most - self.before) / MIB


@contextmanager
def watched(web: WebProcess) -> Iterator[Watched]:
    found = Watched(web, web.memory())
    thread = threading.Thread(target=found.look)
    thread.start()
    try:
        yield found
    finally:
        found.over.set()
        thread.join()


def fetch(web: WebProcess, suffix: str, to: Path) -> float:
    """Save an export; seconds."""
    began = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=120)
    connection.request("GET", f"/api/runs/{RUN}/export.{suffix}")
    answer = connection.getresponse()
    assert answer.status == 200
    with to.open("wb") as file:
        while piece := answer.read(1 << 18):
            file.write(piece)
    connection.close()
    return time.perf_counter() - began


def same(table: pa.Table, names: Sequence[str] = METRICS) -> None:
    """Whether a table has every point as it was written, bit by bit."""
    assert table.num_rows == COUNT
    for name in names:
        points = written(name)
        np.testing.assert_array_equal(table["step"].to_numpy(), points["step"])
        np.testing.assert_array_equal(table["wall"].to_numpy().view(np.int64), points["wall"].view(np.int64))
        found = table[name].to_numpy()
        np.testing.assert_array_equal(np.isnan(found), np.isnan(points["value"]))
        there = ~np.isnan(found)
        np.testing.assert_array_equal(found[there].view(np.int64), points["value"][there].view(np.int64))


@pytest.mark.timeout(300)
def test_memory_stays_flat_and_everything_arrives(long_run: str, tmp_path: Path) -> None:
    numbers = {name: pa.float64() for name in ("wall", *METRICS)}
    read = pc.ConvertOptions(column_types={**numbers, "time": pa.string()}, null_values=[""], strings_can_be_null=False)
    with web_process(tmp_path, long_run) as web, watched(web) as memory:
        seconds = fetch(web, "csv", tmp_path / "a.csv")
    size = (tmp_path / "a.csv").stat().st_size
    print(f"\nCSV: {memory.grown:.1f} MiB grown, {6 * COUNT / seconds:,.0f} values/s, {size / seconds / 1e6:.1f} MB/s")
    assert memory.grown <= 30
    text = (tmp_path / "a.csv").read_bytes().replace(b"-Infinity", b"-inf").replace(b"Infinity", b"inf")
    table = pc.read_csv(io.BytesIO(text), convert_options=read)
    same(table)
    assert table["time"][999_999].as_py() == "2026-12-15T10:41:38.63Z"


@pytest.mark.timeout(300)
def test_parquet_is_equal(long_run: str, tmp_path: Path) -> None:
    with web_process(tmp_path, long_run) as web:
        with watched(web) as first:
            fetch(web, "parquet", tmp_path / "a.parquet")
        with watched(web) as memory:
            seconds = fetch(web, "parquet", tmp_path / "b.parquet")
    size = (tmp_path / "b.parquet").stat().st_size
    print(
        f"\nParquet: {first.grown:.1f} MiB grown with pyarrow, {memory.grown:.1f} again, "
        f"{6 * COUNT / seconds:,.0f} values/s, {size / seconds / 1e6:.1f} MB/s"
    )
    assert memory.grown <= 30
    file = pq.ParquetFile(tmp_path / "b.parquet")
    assert file.num_row_groups > 5
    same(file.read())
