"""A real browser before the real application: every page is watched for errors and for requests it should not make."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
import redis
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request

from app.config import AppConfig
from app.factory import ASSETS, create_app
from app.store import RedisRunStore
from tests.support.redis_server import RedisServer
from tests.support.serving import serving

PATIENCE = 15_000  # ms


@dataclass
class Web:
    """Serves the application on any Redis, below any prefix; ended with the test."""

    held: ExitStack

    def __call__(self, redis_url: str, prefix: str = "/") -> str:
        """The address of the runs page."""
        store = RedisRunStore(redis_url)
        self.held.callback(store.close)
        app = create_app(AppConfig(redis_url=redis_url, prefix=prefix), store)
        port = self.held.enter_context(serving(app.server))
        return f"http://127.0.0.1:{port}{prefix}"


@pytest.fixture
def web() -> Iterator[Web]:
    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # what failed is easier to find without every request
    with ExitStack() as held:
        yield Web(held)


@dataclass
class Watch:
    """What went wrong in a browser while nobody looked."""

    context: BrowserContext
    troubles: list[str] = field(default_factory=list)
    forgiven: tuple[str, ...] = ()  # parts of console errors that the test itself brings about

    def page(self) -> Page:
        """A new tab."""
        page = self.context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: self.troubles.append(f"page error: {error}"))
        page.on("console", self.hear)
        page.on("request", self.see)
        return page

    def hear(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not any(part in message.text for part in self.forgiven):
            self.troubles.append(f"console: {message.text}")

    def see(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme in ("http", "https", "ws", "wss") and address.hostname != "127.0.0.1":
            self.troubles.append(f"request to a foreign host: {request.url}")
        if address.path.endswith("plotly.min.js"):
            self.troubles.append("the whole plotly bundle was requested")


def knowing(browser: Browser, scripts: Iterable[str]) -> Page:
    """A blank page that knows some scripts of assets/, by their names."""
    page = browser.new_page()
    page.set_default_timeout(10_000)
    for name in scripts:
        page.add_script_tag(path=ASSETS / f"{name}.js")
    return page


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest) -> Iterator[RedisServer]:
    """A Redis for all tests of a module, which its own ``fill(client)`` has filled."""
    started = RedisServer().start()
    with redis.Redis.from_url(started.url) as client:
        request.module.fill(client)
    yield started
    started.close()


@pytest.fixture(scope="module")
def served(server: RedisServer) -> Iterator[str]:
    """The runs page over that Redis."""
    with ExitStack() as held:
        yield Web(held)(server.url)


@pytest.fixture(scope="module")
def watching(browser: Browser, served: str) -> Iterator[Watch]:
    """A browser for all tests of a module, ended before what it shows."""
    with watched(browser) as watch:
        yield watch


@contextmanager
def watched(browser: Browser) -> Iterator[Watch]:
    """A browser of its own for tests that share one; nothing may have gone wrong in it by the end."""
    context = browser.new_context(viewport={"width": 1440, "height": 1000}, color_scheme="light", locale="en-US")
    watch = Watch(context)
    yield watch
    context.close()
    assert "\n".join(sorted(set(watch.troubles))) == ""


@pytest.fixture
def watch(browser: Browser, web: Web) -> Iterator[Watch]:  # after ``web``, so that a browser never sees it end
    context = browser.new_context(viewport={"width": 1440, "height": 1000}, color_scheme="light", locale="en-US")
    watching = Watch(context)
    yield watching
    context.close()
    assert watching.troubles == []


@pytest.fixture
def page(watch: Watch) -> Page:
    return watch.page()


@pytest.fixture
def home(web: Web, redis_url: str) -> str:
    """The runs page over an empty Redis."""
    return web(redis_url)
