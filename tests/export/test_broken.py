"""An export that breaks off does not look whole: not to a program, not to a browser, not on a disk."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from collector.wire.records import SeriesMeta
from tests.support.folding import fold_oldest
from tests.support.redis_server import RedisServer
from tests.support.seed import RUN, Seed, straight
from tests.support.waiting import eventually
from tests.support.web_process import WebProcess, web_process

POINTS = 400_000
UNFINISHED = (http.client.IncompleteRead, ConnectionError)


@pytest.fixture
def web(own_redis: RedisServer, tmp_path: Path) -> Iterator[WebProcess]:
    client = redis.Redis.from_url(own_redis.url)
    seed = Seed(client)
    for metric in ("loss", "lr", "grad_norm"):
        seed.points(straight(range(POINTS)), metric=metric, live=False)
    client.close()
    (tmp_path / "server").mkdir()
    with web_process(tmp_path / "server", own_redis.url) as found:
        yield found


@contextmanager
def begun(web: WebProcess, suffix: str) -> Iterator[http.client.HTTPResponse]:
    """An export of which the first part has arrived."""
    connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=30)
    try:
        connection.request("GET", f"/api/runs/{RUN}/export.{suffix}")
        with connection.getresponse() as answer:
            assert answer.status == 200
            yield answer
    finally:
        connection.close()


def rest(answer: http.client.HTTPResponse) -> bytes:
    """What is still to come; raises where the end is missing."""
    found = b""
    while piece := answer.read(1 << 18):
        found += piece
    return found


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_the_connection_breaks_when_redis_dies(web: WebProcess, own_redis: RedisServer, suffix: str) -> None:
    with begun(web, suffix) as answer:
        assert answer.headers["Transfer-Encoding"] == "chunked"
        assert len(answer.read(1 << 16)) == 1 << 16
        own_redis.stop(kill=True)
        with pytest.raises(UNFINISHED):
            rest(answer)
    own_redis.start()


def test_the_server_goes_on_and_gives_the_place_back(web: WebProcess) -> None:
    for _ in range(6):  # more than there are places; each reader goes away
        with begun(web, "csv") as answer:
            answer.read(1 << 16)
        eventually(lambda: web.get(f"/api/runs/{RUN}/export.csv?end=3").status == 200, seconds=20)


def test_a_fold_on_the_way_breaks_it_off(web: WebProcess, own_redis: RedisServer) -> None:
    with begun(web, "csv") as answer:
        answer.read(1 << 16)
        fold_oldest(own_redis.url, 64 * 1000, SeriesMeta("log/rank_0/info.log", 0, "loss", "loss", 0, "log").sid)
        with pytest.raises(UNFINISHED):
            rest(answer)


def test_a_run_that_grows_while_it_is_exported_is_exported_as_it_was(web: WebProcess, own_redis: RedisServer) -> None:
    with begun(web, "csv") as answer:
        body = answer.read(1 << 16)
        client = redis.Redis.from_url(own_redis.url)
        more = Seed(client)
        for metric in ("loss", "lr", "grad_norm"):
            more.points(straight(range(POINTS, POINTS + 500)), metric=metric)
        client.close()
        body += rest(answer)
    lines = body.splitlines()
    assert len(lines) == POINTS + 1
    assert lines[-1].startswith(str(POINTS - 1).encode())
    assert all(line.count(b",") == 7 and not line.endswith(b",") for line in lines)
