"""Printing what Redis holds, in the form of ``read``."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path

import pytest

from collector import dump
from collector.batch import Batch, Progress
from collector.dump import grouped, joined
from collector.errors import InputError
from collector.fold import fold
from collector.follow.files import DiskFiles
from collector.health import Identity
from collector.normalise import Block
from collector.pack import pack
from collector.read import read
from collector.runs import Naming
from collector.service import Service
from collector.store import Store
from collector.wire.records import Cursor, RunId, RunRecord, SeriesMeta, Source, pack_point, unpack_points
from tests.support import event_writer
from tests.support.growing import Job, lines


def meta(file: str, generation: int = 0, source: Source = "log", tag: str = "loss") -> SeriesMeta:
    return SeriesMeta(file, generation, tag, "loss", 0, source)


def block(*steps: int, wall: float | None = None) -> bytes:
    return b"".join(pack_point(step, float(step) if wall is None else wall, step / 4) for step in steps)


def steps(points: bytes) -> list[int]:
    return [step for step, _, _ in unpack_points(points)]


def test_parts_come_in_the_order_in_which_they_were_written() -> None:
    register = [
        meta("log/info.log", 1),
        meta("log/info.log.1"),
        meta("log/info.log.10"),
        meta("log/info.log.2"),
        meta("log/info.log", 0),
    ]
    ((*files,),) = [[(one.file, one.generation) for one in group] for group in grouped(register)]
    assert files == [
        ("log/info.log.10", 0),
        ("log/info.log.2", 0),
        ("log/info.log.1", 0),
        ("log/info.log", 0),
        ("log/info.log", 1),
    ]


def test_event_files_of_one_directory_follow_each_other_and_those_of_two_do_not() -> None:
    register = [meta(f"{where}/events.{number}", 0, "tensorboard") for where in ("b", "a") for number in (2, 1)]
    assert [[one.file for one in group] for group in grouped(register)] == [
        ["a/events.1", "a/events.2"],
        ["b/events.1", "b/events.2"],
    ]


@pytest.mark.parametrize(
    ("info", "worker", "expected"),
    [
        pytest.param(block(1, 2, 3), block(1, 2, 3), [1, 2, 3], id="the same"),
        pytest.param(block(1, 2), block(2, 3), [1, 2, 3], id="each has one more"),
        pytest.param(block(1, 1, 2), block(1, 2), [1, 1, 2], id="printed twice on purpose"),
        pytest.param(block(1, wall=math.nan), block(1, wall=math.nan), [1], id="no clock"),
        pytest.param(block(2, 3, wall=math.nan), block(1, wall=math.nan), [2, 3, 1], id="no clock to order by"),
        pytest.param(b"", block(1), [1], id="one is empty"),
    ],
)
def test_a_line_that_stands_in_two_logs_is_printed_once(info: bytes, worker: bytes, expected: list[int]) -> None:
    parts = [(meta("log/rank_0/info.log"), info), (meta("msrun_log/worker_0.log"), worker)]
    assert steps(joined(parts)) == expected


def test_a_value_that_is_no_number_is_the_same_in_both_logs() -> None:
    nan = pack_point(1, 1.0, math.nan)
    assert joined([(meta("info.log"), nan), (meta("worker_0.log"), nan)]) == nan


@pytest.fixture
def followed(tmp_path: Path, redis_url: str) -> Store:
    """A job's directory that was followed to its end."""
    job = Job(tmp_path / "job").prepare()
    job.events.write_bytes(event_writer.header() + event_writer.scalars(range(1, 40), ("loss", "learning-rate")))
    job.log.write_bytes(lines(range(1, 40)))
    job.worker.write_bytes(lines(range(1, 40)))
    store, service = Store(redis_url), Service([str(tmp_path)], Identity("h:1", "h", 1), Naming())
    for second in range(4):
        service.step(2e9 + second, DiskFiles(), store)
    return store


def test_dump_prints_what_read_prints(followed: Store, tmp_path: Path) -> None:
    out = io.StringIO()
    assert dump.run(followed, None, out) == 0
    followed.close()
    printed = json.loads(out.getvalue())
    (run,) = printed["runs"].values()
    assert list(printed["runs"]) == ["job"]
    assert run["path"] == str(tmp_path / "job")
    assert printed["warnings"] == []
    stored = {(one["source"], one["rank"], one["tag"]): one["points"] for one in run["series"]}
    job = Job(tmp_path / "job")
    for path in (job.events, job.log):
        (scalars,) = read(path).runs.values()
        for series in scalars.series:
            expected = [list(point) for point in unpack_points(series.points)]
            assert stored[(series.source, 0, series.tag)] == expected
    assert {one["metric"] for one in run["series"]} >= {"loss", "lr", "grad_norm"}


def test_one_run_can_be_asked_for_and_a_strange_one_is_named(followed: Store) -> None:
    out = io.StringIO()
    assert dump.run(followed, "job", out) == 0
    with pytest.raises(InputError, match=r"holds no run 'other'; runs: job\."):
        dump.run(followed, "other", out)
    followed.close()


def test_what_was_counted_is_a_warning(tmp_path: Path, redis_url: str) -> None:
    damaged = bytearray(event_writer.scalars(range(3)))
    damaged[-1] ^= 1
    (tmp_path / "events.out.tfevents.1.h").write_bytes(bytes(damaged))
    store, service = Store(redis_url), Service([str(tmp_path)], Identity("h:1", "h", 1), Naming("job"))
    for second in range(3):
        service.step(2e9 + second, DiskFiles(), store)
    out = io.StringIO()
    dump.run(store, None, out)
    store.close()
    (warning,) = json.loads(out.getvalue())["warnings"]
    assert (warning["code"], warning["file"]) == ("bad_data_crc", "events.out.tfevents.1.h")


def test_of_folded_points_those_that_are_kept_are_printed_and_the_others_counted(redis_url: str) -> None:
    store = Store(redis_url)
    at = Cursor("log/info.log", "log", 0, offset=1)
    points = block(*range(200))
    store.commit(
        Batch(RunRecord(RunId("job"), "job", "/job"), (Progress(None, at),), (Block(meta(at.file), points),)), 1.0
    )
    (loose,) = store.shelf.loose(RunId("job"), {meta(at.file).sid: 128})
    store.shelf.pack(RunId("job"), [(loose, pack([loose.block])[0])])
    (front,) = store.shelf.fronts(RunId("job"), {meta(at.file).sid: 128})
    store.shelf.fold(RunId("job"), [(front, fold(front.block))])
    printed = dump.stored(store, [RunId("job")])
    store.close()
    found = steps(printed.runs["job"].series[0].points)
    assert found[-72:] == list(range(128, 200))
    assert {0, 63, 64, 127} <= set(found[:-72]) < set(range(128))
    ((code, file, detail),) = [(one.code, one.file, one.detail) for one in printed.warnings]
    assert (code, file) == ("folded", "log/info.log")
    assert "128 points" in detail
