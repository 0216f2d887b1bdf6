"""What the collector may not do, and what it never does: files without permission, a tree that it must not touch."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
import redis

from collector.store import Store
from collector.wire.records import FileState, Heartbeat
from tests.support.following import following
from tests.support.growing import Job, lines
from tests.support.waiting import eventually

UNPRIVILEGED = (sys.executable, "-m", "tests.support.unprivileged")


def problems(client: redis.Redis) -> list[FileState]:
    texts = [client.get(key) for key in client.keys("tw:collector:*")]
    return [problem for text in texts if text for problem in Heartbeat.decode(text).problems]


def points(url: str, file: str) -> int:
    store = Store(url)
    try:
        found = [meta.sid for run in store.runs() for meta in store.series(run) if meta.file == file]
        return sum(len(block) for run in store.runs() for block in store.points(run, found)) // 24
    finally:
        store.close()


def test_a_file_without_permission_is_told_and_read_once_it_may_be(
    tmp_path: Path, redis_url: str, redis_client: redis.Redis
) -> None:
    job = Job(tmp_path).prepare()
    job.append(1)
    job.log.chmod(0)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    with following(tmp_path, redis_url, within=UNPRIVILEGED):
        told = eventually(lambda: {one.file: one.reason for one in problems(redis_client)}, seconds=15)
        assert told == {"closed": "directory: permission denied", "output/log/rank_0/info.log": "permission denied"}
        eventually(lambda: points(redis_url, "msrun_log/worker_0.log"), seconds=10)
        assert points(redis_url, "output/log/rank_0/info.log") == 0
        job.log.chmod(0o400)
        closed.chmod(0o700)
        eventually(lambda: points(redis_url, "output/log/rank_0/info.log"), seconds=10)
        eventually(lambda: not problems(redis_client), seconds=10)


def footprint(root: Path) -> list[tuple[object, ...]]:
    """All that a write would change: names, sizes, times of change and modes, of directories too."""
    paths = [root, *sorted(root.rglob("*"))]
    stats = [path.lstat() for path in paths]
    return [
        (str(path), one.st_ino, one.st_mode, one.st_size, one.st_mtime_ns, one.st_ctime_ns)
        for path, one in zip(paths, stats, strict=True)
    ]


@pytest.mark.parametrize("options", [(), ("--poll-only",)], ids=["notified", "polling"])
def test_nothing_is_ever_written_beside_the_logs(
    tmp_path: Path, redis_url: str, redis_client: redis.Redis, options: tuple[str, ...]
) -> None:
    job = Job(tmp_path).prepare()
    for step in range(1, 50):
        job.append(step)
    (tmp_path / "other" / "log" / "rank_0").mkdir(parents=True)
    (tmp_path / "other" / "log" / "rank_0" / "info.log").write_bytes(lines(range(1, 9)))
    for directory, _, _ in os.walk(tmp_path):
        Path(directory).chmod(0o555)
    before = footprint(tmp_path)
    with following(tmp_path, redis_url, *options, within=UNPRIVILEGED):
        eventually(lambda: points(redis_url, "log/rank_0/info.log"), seconds=15)
        redis_client.flushall()
        eventually(lambda: points(redis_url, "log/rank_0/info.log"), seconds=15)
    assert footprint(tmp_path) == before
    for directory, _, _ in os.walk(tmp_path):
        Path(directory).chmod(0o755)
