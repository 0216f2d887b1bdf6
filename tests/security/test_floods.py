"""Requests that mean to be too much, sent to gunicorn as production runs it: each is refused, and others are served."""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import statistics
import threading
import time
from collections.abc import Callable, Iterator

import pytest
import redis

from collector.wire import schema
from collector.wire.records import RunId, SeriesMeta, pack_point
from tests.support.redis_server import RedisServer
from tests.support.seed import Seed, straight
from tests.support.waiting import eventually
from tests.support.web_process import WebProcess, web_process

MEGABYTE = 2**20
BIG = RunId("big")
USUAL = "/api/runs/gpt/series?metric=loss&points=500"
RUN = "/api/runs/gpt"
WRITING = ["/api/mutes", f"{RUN}/notes", f"{RUN}/snapshots", "/_dash-update-component", "/login", "/nowhere"]
REFUSED = (0, 303, 400, 401, 403, 404, 405, 413, 415)  # 303: where no password is needed, the login leads on


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[WebProcess, redis.Redis]]:
    """A server of its own, with a run of 100,000 series beside a usual one."""
    server = RedisServer().start()
    with redis.Redis.from_url(server.url) as client:
        Seed(client).points(straight(range(2_000)))
        fill(client, 100_000)
        with web_process(tmp_path_factory.mktemp("web"), server.url) as web:
            yield web, client
    server.close()


def fill(client: redis.Redis, count: int) -> None:
    seed = Seed(client, BIG, "/data/big")
    seed.points(straight(range(10)))
    with client.pipeline(transaction=False) as pipe:
        for number in range(count):
            meta = SeriesMeta(f"tb/rank_0/events.{number % 50}", 0, f"tag/{number}", None, 0, "tensorboard")
            pipe.hset(schema.series(BIG), meta.sid, meta.encode())
            pipe.append(schema.points(BIG, meta.sid), pack_point(1, 1e6, 1.0))
            if number % 5_000 == 4_999:
                pipe.execute()
        pipe.execute()
    seed.announce([], total=count)


def head(web: WebProcess, method: str, path: str, *lines: str) -> bytes:
    told = [
        f"{method} {path} HTTP/1.1",
        f"Host: 127.0.0.1:{web.port}",
        "Content-Type: application/json",
        *lines,
        "",
        "",
    ]
    return "\r\n".join(told).encode()


def serves(web: WebProcess) -> bool:
    return web.get(USUAL).status == 200


@pytest.mark.parametrize("path", WRITING)
def test_f3_a_body_of_a_hundred_megabytes_is_refused(web_server: WebProcess, path: str) -> None:
    """A POST of 100 MB, with its length told and in chunks: refused, and not kept in memory."""
    before, piece = web_server.memory(), b" " * MEGABYTE
    told = head(web_server, "POST", path, f"Content-Length: {100 * MEGABYTE}", "Connection: close")
    assert web_server.raw(told, *[piece] * 100, seconds=60).status in REFUSED
    chunk = b"%x\r\n%b\r\n" % (len(piece), piece)
    told = head(web_server, "POST", path, "Transfer-Encoding: chunked", "Connection: close")
    assert web_server.raw(told, *[chunk] * 100, b"0\r\n\r\n", seconds=60).status in REFUSED
    assert web_server.memory() - before < 64 * MEGABYTE
    assert serves(web_server)


@pytest.mark.parametrize("path", WRITING)
def test_f3_a_body_that_unpacks_to_a_thousand_times_its_size_stays_packed(web_server: WebProcess, path: str) -> None:
    """200 kB of gzip that are 200 MB of JSON: nothing unpacks them."""
    before = web_server.memory()
    bomb = gzip.compress(b'{"by":"' + b"a" * (200 * MEGABYTE) + b'"}', 9)
    assert len(bomb) < 300_000
    for named in ("gzip", "deflate", "br"):
        found = web_server.ask("POST", path, bomb, Content_Type="application/json", Content_Encoding=named)
        assert found.status in REFUSED, (path, found.status)
    assert web_server.memory() - before < 64 * MEGABYTE


@pytest.mark.parametrize("path", WRITING)
def test_f3_json_as_deep_as_it_is_long_is_a_bad_request(web_server: WebProcess, path: str) -> None:
    """Arrays in arrays, objects in objects, numbers without end."""
    for body in (
        b"[" * 4_000,
        b'{"a":' * 800,
        b"[" * 60_000,
        b'{"by":' + b"9" * 4_000 + b"}",
        b'{"minutes":1e999}',
        b"\xff",
    ):
        found = web_server.ask("POST", path, body, Content_Type="application/json")
        assert found.status in REFUSED, (path, body[:20], found.status)


def test_f3_arguments_by_the_thousand_are_refused(web_server: WebProcess) -> None:
    """A query with more parameters than anything takes; a name as long as a line may be."""
    for query in (
        "&".join(f"a{n}=1" for n in range(20_000)),
        "&" * 3_000,
        "a" * 3_900,
        "=" * 3_900,
    ):
        for path in ("/api/runs/gpt/series", "/api/runs/gpt/curves", "/api/compare", "/api/runs"):
            assert 400 <= web_server.get(f"{path}?{query}").status < 500 or path == "/api/runs", (path, query[:20])
    form = "&".join(f"a{n}=1" for n in range(20_000)).encode()
    for path in (*WRITING, "/login"):
        found = web_server.ask("POST", path, form, Content_Type="application/x-www-form-urlencoded")
        assert found.status in REFUSED, (path, found.status)
    parts = (
        b"".join(b"--x\r\nContent-Disposition: form-data; name=a%d\r\n\r\n1\r\n" % n for n in range(5_000)) + b"--x--"
    )
    for path in (*WRITING, "/login"):
        found = web_server.ask("POST", path, parts, Content_Type="multipart/form-data; boundary=x")
        assert found.status in REFUSED, (path, found.status)


POST = b"POST /api/mutes HTTP/1.1\r\nHost: x\r\n"
BAD = {
    "no request": b"\r\n\r\n\r\n",
    "noise": bytes(range(256)) * 4,
    "no version": b"GET /\r\n\r\n",
    "a version that is none": b"GET / HTTP/9.9\r\n\r\n",
    "two lengths": POST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "a negative length": POST + b"Content-Length: -1\r\n\r\n",
    "a length that is none": POST + b"Content-Length: 1e9\r\n\r\n",
    "length and chunks": POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x",
    "a chunk that is none": POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n",
    "a chunk of 2^63": POST + b"Transfer-Encoding: chunked\r\n\r\n8000000000000000\r\nab",
    "a negative chunk": POST + b"Transfer-Encoding: chunked\r\n\r\n-1\r\nab",
    "two encodings": POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "a header of a megabyte": b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * MEGABYTE + b"\r\n\r\n",
    "headers by the thousand": b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X: a\r\n" * 5_000 + b"\r\n",
    "a line of a megabyte": b"GET /" + b"a" * MEGABYTE + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    "a header without a name": b"GET / HTTP/1.1\r\nHost: x\r\n: a\r\n\r\n",
    "a blank in a name": b"GET / HTTP/1.1\r\nHost: x\r\nX Y: a\r\n\r\n",
    "a folded header": b"GET / HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n",
    "a NUL": b"GET /\x00 HTTP/1.1\r\nHost: x\r\n\r\n",
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "two hosts": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n",
    "a host with a path": b"GET / HTTP/1.1\r\nHost: 127.0.0.1/evil\r\n\r\n",
    "an address with a host": b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    "a tunnel": b"CONNECT 127.0.0.1:6379 HTTP/1.1\r\nHost: 127.0.0.1:6379\r\n\r\n",
    "a method that is none": b"GE\tT / HTTP/1.1\r\nHost: x\r\n\r\n",
    "another protocol": b"*1\r\n$8\r\nFLUSHALL\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 500,
}


@pytest.mark.parametrize("kind", BAD)
def test_f3_what_is_no_request_is_refused(web_server: WebProcess, kind: str) -> None:
    """Bytes on the socket that are no HTTP, or two requests to two readers."""
    with socket.create_connection(("127.0.0.1", web_server.port), timeout=10) as connection:
        with contextlib.suppress(OSError):  # it may have closed its ear
            connection.sendall(BAD[kind])
            connection.shutdown(socket.SHUT_WR)
        said = b""
        with contextlib.suppress(OSError):
            while piece := connection.recv(1 << 16):
                said += piece
    statuses = [line.split()[1] for line in said.split(b"\r\n") if line.startswith(b"HTTP/1.")]
    assert all(status.startswith(b"4") or status in (b"501", b"505") for status in statuses), (kind, said[:200])
    assert len(statuses) <= 1
    assert b"Traceback" not in said
    assert serves(web_server)


def test_f3_a_run_of_a_hundred_thousand_series_is_answered(crowded: tuple[WebProcess, redis.Redis]) -> None:
    """Every address of the run answers, with what it can tell."""
    web, _ = crowded
    for below in ("", "?metrics=0", "/ranks?tag=tag/1", "/events", "/alerts", "/tags?tag=tag/7", "/curves?tag=tag/7"):
        found = web.get(f"/api/runs/{BIG}{below}")
        assert found.status == 200, (below, found.status)
    assert len(json.loads(web.get(f"/api/runs/{BIG}").body)["metrics"]) == 20_000
    assert web.get(f"/run/{BIG}").status == 200


def times(web: WebProcess, client: redis.Redis, count: int) -> list[float]:
    """Seconds of so many requests of somebody else, of a run that grows meanwhile."""
    taken = []
    for step in range(count):
        Seed(client).points(straight([5_000 + step]))
        began = time.perf_counter()
        assert serves(web)
        taken.append(time.perf_counter() - began)
    return taken


@contextlib.contextmanager
def going_on(work: Callable[[], object]) -> Iterator[None]:
    """``work`` again and again in another thread, until the block ends."""
    over = threading.Event()

    def go() -> None:
        while not over.is_set():
            work()

    thread = threading.Thread(target=go)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def ninety_fifth(taken: list[float]) -> float:
    return statistics.quantiles(taken, n=20)[-1]


@contextlib.contextmanager
def unread(web: WebProcess, count: int) -> Iterator[None]:
    """So many readers of the live stream, who never read."""
    with contextlib.ExitStack() as held:
        for _ in range(count):
            connection = held.enter_context(socket.create_connection(("127.0.0.1", web.port), timeout=10))
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            connection.sendall(head(web, "GET", f"{RUN}/stream"))
        eventually(lambda: b"tidewatch_stream_clients %d.0" % count in web.get("/metrics").body, seconds=20)
        yield


ROOM = 0.05  # seconds that a machine with two cores may lose to anything else


@pytest.mark.timeout(120)
@pytest.mark.parametrize("attack", ["body", "deep", "slow"])
def test_f3_others_are_served_meanwhile(crowded: tuple[WebProcess, redis.Redis], attack: str) -> None:
    """While one sends too much, others wait less than twice as long as beside a usual reader."""
    web, client = crowded
    acts: dict[str, Callable[[], object]] = {
        "body": lambda: web.raw(
            head(web, "POST", "/api/mutes", f"Content-Length: {8 * MEGABYTE}", "Connection: close"),
            *[b" " * MEGABYTE] * 8,
        ),
        "deep": lambda: web.ask("POST", "/api/mutes", b"[" * 4_000, Content_Type="application/json"),
        "slow": lambda: web.get(USUAL),
    }
    attacked: list[float] = []
    beside: list[float] = []
    for _ in range(5):
        with going_on(lambda: web.get(USUAL)):
            beside += times(web, client, 15)
        with unread(web, 30 if attack == "slow" else 0), going_on(acts[attack]):
            attacked += times(web, client, 15)
    assert ninety_fifth(attacked) < 2 * ninety_fifth(beside) + ROOM


def test_f3_streams_that_are_left_open_end(crowded: tuple[WebProcess, redis.Redis]) -> None:
    """Readers of the live stream go without a word, more of them than there are places: there is room again."""
    web, client = crowded
    several = [socket.create_connection(("127.0.0.1", web.port), timeout=10) for _ in range(110)]
    for connection in several:
        connection.sendall(head(web, "GET", "/api/runs/gpt/stream"))
    assert serves(web)
    for connection in several:
        connection.close()

    def has_room() -> bool:
        Seed(client).points(straight(range(1)))
        with socket.create_connection(("127.0.0.1", web.port), timeout=10) as one:
            one.sendall(head(web, "GET", "/api/runs/gpt/stream"))
            return b" 200 " in one.recv(100)

    eventually(has_room, seconds=30, every=0.2)


@pytest.mark.parametrize(
    "half", [b"GET / HTTP/1.1\r\nHost:", b"POST /api/mutes HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{"]
)
def test_f3_half_a_request_holds_no_place_for_long(web_server: WebProcess, half: bytes) -> None:
    """More connections than there are threads send half a request and wait: others are served soon after."""
    with contextlib.ExitStack() as held:
        for _ in range(150):
            connection = held.enter_context(socket.create_connection(("127.0.0.1", web_server.port), timeout=10))
            connection.sendall(half)
        assert web_server.ask("GET", USUAL, seconds=40).status == 200


def test_f3_who_never_hangs_up_keeps_nobody_waiting(web_server: WebProcess) -> None:
    """Answered clients leave their connections open; gunicorn waited two seconds for each, one after the other."""
    with contextlib.ExitStack() as held:
        for _ in range(30):
            connection = held.enter_context(socket.create_connection(("127.0.0.1", web_server.port), timeout=10))
            connection.sendall(head(web_server, "GET", "/livez", "Connection: close"))
        assert web_server.ask("GET", USUAL, seconds=15).status == 200


def test_f3_nothing_of_this_was_an_error_of_ours(
    web_server: WebProcess, crowded: tuple[WebProcess, redis.Redis]
) -> None:
    """The servers' logs hold no traceback after all of it."""
    for one in (web_server, crowded[0]):
        assert "Traceback" not in one.log.read_text()
