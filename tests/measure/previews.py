"""``python -m tests.measure.previews [--points 1000000] [--panels 5]``: how long a run's picture takes, and its bytes.

A real Redis, asked as an address is (``preview.png``): the first time in a fresh process, again after a new point, in
another theme, and while nothing is new. Prints milliseconds inside the server and the process's memory.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import redis
from flask.testing import FlaskClient

from app.config import AppConfig
from app.factory import close, create_app
from app.store import RedisRunStore
from tests.measure.windows import fill, grow
from tests.support.redis_server import RedisServer
from tests.support.seed import RUN, Seed

ADDRESS = f"/api/runs/{RUN}/preview.png"


def resident() -> float:
    """MB of this process."""
    with open("/proc/self/status") as file:  # noqa: PTH123 - a file of the kernel
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS"))


def timed(what: str, client: FlaskClient, query: str = "") -> None:
    """One question, and what it took."""
    began, processor = time.perf_counter(), time.process_time()
    answer = client.get(ADDRESS + query)
    took, own = time.perf_counter() - began, time.process_time() - processor
    assert answer.status_code == 200, answer.data[:200]
    print(f"{what:34} {took * 1e3:8.0f} ms  {own * 1e3:8.0f} ms CPU  {len(answer.data):8,} B  {resident():6.0f} MB")


def measure(points: int, panels: int) -> None:
    """All of it, on a server of its own."""
    server = RedisServer()
    server.start()
    store = RedisRunStore(server.url)
    now = [time.time()]
    clock: Callable[[], float] = lambda: now[0]  # noqa: E731
    app = create_app(AppConfig(), store, clock=clock).server
    try:
        fill(server.url, panels, points, "events", 1)
        client = app.test_client()
        timed("the first time", client)
        timed("again", client)
        timed("another theme", client, "?theme=dark")
        timed("a hundredth of the steps", client, f"?start={points // 2}&end={points // 2 + points // 100}")
        timed("2400 x 1600", client, "?width=2400&height=1600")
        now[0] += 11
        grow(Seed(redis.Redis.from_url(server.url)), panels, "events", 1, points)
        timed("after one more point", client)
    finally:
        close(app)
        store.close()
        server.close()


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--panels", type=int, default=5)
    given = parser.parse_args()
    measure(given.points, given.panels)


if __name__ == "__main__":
    main()
