"""From a line flushed to a log to its point on the screen: collector, Redis, stream, headless Chromium."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from app.config import AppConfig
from app.factory import create_app
from app.store import RedisRunStore
from tests.bench.rows import latency
from tests.support.chromium import FLAGS
from tests.support.collecting import collector
from tests.support.curves import ask, until, until_drawn
from tests.support.growing import line, lines
from tests.support.redis_server import RedisServer
from tests.support.serving import serving

HISTORY = 500  # points on the page before the measuring begins
POINTS = 150
EVERY = 0.1  # seconds between two points
NOTING = """(window.drawn = [], document.addEventListener("tidewatch:drawn",
    ({ detail }) => window.drawn.push([detail.step, detail.at])), true)"""


def measure() -> list[float]:
    """Seconds from write to drawing, one value a point."""
    with ExitStack() as held:
        log = Path(held.enter_context(tempfile.TemporaryDirectory())) / "bench" / "log" / "rank_0" / "info.log"
        log.parent.mkdir(parents=True)
        log.write_bytes(lines(range(1, HISTORY + 1)))
        server = RedisServer().start()
        held.callback(server.close)
        page = opened(held, server.url)
        held.enter_context(collector(log.parents[3], server.url))
        until_drawn(page, HISTORY)
        return delays(page, log)


def opened(held: ExitStack, redis_url: str) -> Page:
    """The page of the run in a browser."""
    store = RedisRunStore(redis_url)
    held.callback(store.close)
    port = held.enter_context(serving(create_app(AppConfig(redis_url=redis_url), store).server))
    chromium = held.enter_context(sync_playwright()).chromium
    browser = chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
    held.callback(browser.close)
    page = browser.new_page(viewport={"width": 1440, "height": 1000})
    page.goto(f"http://127.0.0.1:{port}/run/bench")
    return page


def delays(page: Page, log: Path) -> list[float]:
    """Writes its lines, and asks the page afterwards when it drew each of them."""
    until(page, "document.querySelector('#live').dataset.state === 'live' && !tidewatch.curves.loading")
    ask(page, NOTING)
    written = write(log)
    until(page, f"window.drawn.at(-1)[0] === {HISTORY + POINTS}")
    drawn: list[list[float]] = ask(page, "window.drawn")
    return [min(at for newest, at in drawn if newest >= step) / 1000 - when for step, when in written.items()]


def write(log: Path) -> dict[int, float]:
    """One line each EVERY seconds: step → Unix seconds at which it was flushed."""
    written = {}
    with log.open("ab", buffering=0) as file:
        for step in range(HISTORY + 1, HISTORY + POINTS + 1):
            file.write(line(step))
            os.fsync(file.fileno())
            written[step] = time.time()
            time.sleep(EVERY)
    return written


def main() -> None:
    """One line."""
    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # it would tell of every request
    print(latency(f"write to screen, {1 / EVERY:.0f} points a second", measure(), 0.95, 500))


if __name__ == "__main__":
    main()
