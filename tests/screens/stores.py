"""What stands behind the pictures: a store with a run of each kind, one that a collector fills from files, one empty,
and one that has gone."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import redis

from app.config import AppConfig
from app.factory import create_app
from app.store import RedisRunStore
from collector.wire.records import RunId
from tests.bench.ranks import stored
from tests.generate.events import FIVE
from tests.generate.fault import parsed
from tests.generate.plan import Plan, Shape
from tests.screens.states import Store
from tests.support import alarmed, gallery
from tests.support.collecting import collector
from tests.support.dashboard import ROOT
from tests.support.redis_server import RedisServer
from tests.support.seed import Seed
from tests.support.serving import serving
from tests.support.waiting import eventually

FIXTURES = ROOT / "tests" / "data" / "fixtures" / "logs"
REAL = ("mf1.3.2_eval_nan_resume", "mf2.1.0_graph_moe_nan_crash", "mf2.1.0_graph_norm_spike_skip")
FAULTS = (
    "off:rank=45,from=60,by=40",
    "nan:rank=36,from=90,spread=0",
    "frozen:rank=53,from=50",
    "spike:rank=41,from=40,by=300",
)
HISTORY = 2_000  # steps of the demonstration that are there at once


@contextmanager
def homes() -> Iterator[tuple[Mapping[Store, str], RedisServer]]:
    """The address of each dashboard, and the store with a run of each kind, for a terminal."""
    with ExitStack() as held:
        filled, empty, lost = (held.enter_context(server()) for _ in range(3))
        client = redis.Redis.from_url(filled.url)
        held.callback(client.close)
        gallery.fill(client)
        alarmed.fill(client, filled.url)
        from_files = held.enter_context(followed())
        found: dict[Store, str] = {
            "gallery": held.enter_context(page_of(filled)),
            "files": held.enter_context(page_of(from_files)),
            "ranks": held.enter_context(page_of(held.enter_context(ranked()))),
            "empty": held.enter_context(page_of(empty)),
            "lost": held.enter_context(page_of(lost)),
        }
        lost.stop(kill=True)
        yield found, filled


@contextmanager
def server() -> Iterator[RedisServer]:
    """A Redis."""
    started = RedisServer().start()
    try:
        yield started
    finally:
        started.close()


@contextmanager
def ranked() -> Iterator[RedisServer]:
    """A Redis with runs of 64 and 1,024 ranks, some of which are odd, and one of a single rank."""
    with server() as filled:
        client = redis.Redis.from_url(filled.url)
        stored.ranks(client, "few", Plan(Shape(16, 2, 2), FIVE, 120, faults=tuple(map(parsed, FAULTS))))
        alarmed.raise_at(filled.url, RunId("few"), alarmed.OF_RANKS)
        stored.ranks(client, "many", Plan(Shape(1024), FIVE, 200, faults=(parsed("off:rank=301,from=90,by=30"),)))
        Seed(client, RunId("one")).points([(1, 1.0, 1.0)])
        client.close()
        yield filled


@contextmanager
def page_of(over: RedisServer) -> Iterator[str]:
    """The pages over it: the address of the table."""
    store = RedisRunStore(over.url)
    try:
        with serving(create_app(AppConfig(redis_url=over.url), store).server) as port:
            yield f"http://127.0.0.1:{port}/"
    finally:
        store.close()


@contextmanager
def followed() -> Iterator[RedisServer]:
    """A Redis that a collector fills from a demonstration that goes on, and from logs of real jobs."""
    with tempfile.TemporaryDirectory() as folder, server() as filled:
        root = Path(folder)
        for name in REAL:
            shutil.copytree(FIXTURES / name, root / name)
        (root / "demonstration").mkdir()
        writing = [sys.executable, "-m", "app.demo", str(root / "demonstration"), "--history", str(HISTORY)]
        writer = subprocess.Popen(writing, cwd=ROOT)
        client = redis.Redis.from_url(filled.url)
        try:
            with collector(root, filled.url):
                store = RedisRunStore(filled.url)
                eventually(lambda: len(store.runs()) > len(REAL), seconds=120, every=0.5)
                store.close()
                yield filled
        finally:
            writer.terminate()
            writer.wait(timeout=15)
            client.close()
