"""Points that reach a page past its own sleeping thread: the same bytes, in order, each once."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import pytest

from app.api.course import Course, Parcel
from app.api.line import Line
from app.api.mailbox import Mailbox
from app.api.stream import Page
from app.store import RedisRunStore
from tests.support.seed import RUN, Seed, straight
from tests.support.waiting import eventually

# "loss":[[17,
STEP = re.compile(rb'"loss":\[\[(\d+),')


@dataclass
class Served:
    """A page on a connection, written as a server writes it: one chunk for each piece of the body."""

    store: RedisRunStore
    seed: Seed
    server: socket.socket
    client: socket.socket
    box: Mailbox[Parcel] = field(default_factory=Mailbox)
    pieces: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        run = self.store.run(RUN)
        assert run is not None
        self.course, self.page = Course(self.store, run), Page(self.store, run, None, Line(self.server))
        self.thread = threading.Thread(target=self.write)
        self.thread.start()
        self.read_until(b"event: ready")

    def write(self) -> None:
        with suppress(OSError):
            for piece in self.page.events(self.box):
                self.pieces.append(piece)
                self.server.sendall(b"%X\r\n%b\r\n" % (len(piece), piece))

    def publish(self, step: int) -> None:
        """One step, through the store."""
        self.seed.points([(step, float(step), 1.0)])
        entries = self.store.live_after(RUN, self.course.position)
        assert entries
        self.box.put([self.course.advance(entries)])

    def read_until(self, words: bytes) -> bytes:
        read = b""
        while words not in read:
            read += self.client.recv(65536)
        return read


@pytest.fixture
def served(store: RedisRunStore, seed: Seed) -> Iterator[Served]:
    seed.points(straight(range(1, 4)))
    with socket.create_server(("127.0.0.1", 0)) as door:
        client = socket.socket()
        client.settimeout(10)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # little room, so that a slow reader soon has none
        client.connect(door.getsockname())
        server, _ = door.accept()
        server.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    with server, client:
        found = Served(store, seed, server, client)
        yield found
        found.box.close()
        found.client.close()
        found.thread.join(10)
        assert not found.thread.is_alive()


def body(chunks: bytes) -> bytes:
    """What chunks hold; fails when their lengths are not right."""
    found = b""
    while chunks:
        size, _, chunks = chunks.partition(b"\r\n")
        found += chunks[: int(size, 16)]
        assert chunks[int(size, 16) :].startswith(b"\r\n")
        chunks = chunks[int(size, 16) + 2 :]
    return found


def test_news_is_written_while_the_thread_of_the_page_sleeps(served: Served) -> None:
    read = b""
    for step in range(4, 30):
        served.publish(step)
        read += served.read_until(b'"loss":[[%d,' % step)
        while not read.endswith(b"\n\n\r\n"):
            read += served.client.recv(65536)
    assert [int(step) for step in STEP.findall(body(read))] == list(range(4, 30))
    assert len(served.pieces) < 26  # ready, and what came before it slept


def test_a_client_that_reads_slowly_gets_every_byte_once(served: Served) -> None:
    for step in range(4, 300):
        served.publish(step)
    read = served.read_until(b'"loss":[[299,')
    served.box.close()
    served.thread.join(10)
    served.server.shutdown(socket.SHUT_WR)
    while more := served.client.recv(65536):
        read += more
    assert [int(step) for step in STEP.findall(body(read))] == list(range(4, 300))
    assert any(b'"loss"' in piece for piece in served.pieces)  # its own thread had to wait for room


def test_a_chunk_that_did_not_fit_is_finished_before_anything_else_is_written() -> None:
    server, client = socket.socketpair()
    line, data = Line(server), bytes(2_000_000)
    with server, client:
        client.settimeout(10)
        assert line.send(data)
        assert (line.whole, line.send(b"later")) == (False, False)
        rest = threading.Thread(target=line.finish)
        rest.start()
        read = b""
        while len(read) < len(data):
            read += client.recv(2**20)
        rest.join(10)
        assert line.send(b"later")
        server.shutdown(socket.SHUT_WR)
        read += b"".join(iter(lambda: client.recv(2**20), b""))
    assert body(read) == data + b"later"


def test_a_client_that_left_ends_the_answer(served: Served) -> None:
    served.client.close()
    steps = iter(range(4, 1000))
    eventually(lambda: (served.publish(next(steps)), not served.thread.is_alive())[1])


def test_a_line_is_used_only_where_chunks_are_written_in_the_clear() -> None:
    one, other = socket.socketpair()
    with one, other:
        fine = {"gunicorn.socket": one, "REQUEST_METHOD": "GET", "SERVER_PROTOCOL": "HTTP/1.1"}
        assert Line.found(fine)
        for name, value in (("REQUEST_METHOD", "HEAD"), ("SERVER_PROTOCOL", "HTTP/1.0"), ("gunicorn.socket", None)):
            assert Line.found({**fine, name: value}) is None
        one.settimeout(1)
        assert Line.found(fine) is None
