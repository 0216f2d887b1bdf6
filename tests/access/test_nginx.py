"""All of it behind a real nginx with deploy/nginx.conf: prefix, TLS, live streams, headers, caches, login, shares."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
import redis
from playwright.sync_api import Browser, Page, expect

from app.config import SETTINGS
from collector.wire.records import RunId
from tests.support.curves import until, until_drawn
from tests.support.growing import PROJECT
from tests.support.nginx import CONF, Nginx, nginx
from tests.support.redis_server import RedisServer
from tests.support.seed import Seed, straight
from tests.support.web_process import web_process

PASSWORD, TOKEN, LOOKS = "a long enough password", "editors-token-0123456789", "viewers-token-0123456789"
SETTINGS_BEHIND = {
    "TIDEWATCH_HOST": "127.0.0.1",
    "TIDEWATCH_PREFIX": "/mon/",
    "TIDEWATCH_ALLOWED_HOSTS": "watch.example",
    "TIDEWATCH_TRUSTED_PROXIES": "127.0.0.1",
    "TIDEWATCH_PASSWORD": PASSWORD,
    "TIDEWATCH_TOKEN": TOKEN,
    "TIDEWATCH_VIEWER_TOKEN": LOOKS,
}
ODD = RunId("a%2Fb c#d?训练")
SECOND = 1.0


@dataclass
class Stage:
    """nginx, the pages behind it, and their Redis."""

    front: Nginx
    client: redis.Redis
    log: Path

    def point(self, step: int) -> None:
        Seed(self.client).points([(step, time.time(), 1.0)])


@contextmanager
def behind(place: Path, redis_url: str, **also: str) -> Iterator[tuple[Nginx, Path]]:
    settings = {**SETTINGS_BEHIND, **also, "TIDEWATCH_DATA_DIR": str(place)}
    with web_process(place, redis_url, **settings) as web, nginx(place, web.port) as front:
        yield front, web.log


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    server = RedisServer().start()
    with redis.Redis.from_url(server.url) as client:
        Seed(client).points(straight(range(100), at=time.time() - 100))
        Seed(client, ODD, "/data/odd").points(straight(range(20)))
        with behind(tmp_path_factory.mktemp("nginx"), server.url) as (front, log):
            yield Stage(front, client, log)
    server.close()


BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1440, "height": 1000}, locale="en-US", ignore_https_errors=True)
    made = context.new_page()
    made.set_default_timeout(15_000)
    troubles: list[str] = []
    made.on("pageerror", lambda error: troubles.append(str(error)))
    yield made
    context.close()
    assert troubles == []


def logged_in(page: Page, stage: Stage, to: str = "") -> Page:
    page.goto(stage.front.home + to)
    page.locator("#secret").fill(PASSWORD)
    page.locator("#name").fill("夜班")
    page.locator("button[type=submit]").click()
    return page


# Where it lies


def test_the_pages_lie_below_the_prefix_and_by_tls_alone(stage: Stage) -> None:
    assert stage.front.get("/mon").headers["location"].endswith("/mon/")
    assert stage.front.get("/mon/livez").status == 200
    assert stage.front.get("/livez").status == 404
    with socket.create_connection(("127.0.0.1", stage.front.plain_port), timeout=5) as plain:
        plain.sendall(b"GET /mon/run/gpt?x=wall HTTP/1.0\r\nHost: watch.example\r\n\r\n")
        said = plain.recv(4096).decode()
    assert "301" in said.splitlines()[0]
    assert "Location: https://watch.example/mon/run/gpt?x=wall" in said


def test_every_address_that_a_page_names_has_the_prefix(stage: Stage) -> None:
    text = stage.front.get("/mon/run/gpt", Accept="text/html", **BEARER).text
    named = [one for one in re.findall(r'(?:href|src|action)="([^"]+)"', text) if not one.startswith(("#", "data:"))]
    assert named
    assert [one for one in named if one.startswith("/") and not one.startswith("/mon/")] == []


def test_names_of_runs_come_through_as_they_are_spelled(stage: Stage) -> None:
    spelled = "a%252Fb%20c%23d%3F%E8%AE%AD%E7%BB%83"
    assert stage.front.get(f"/mon/api/runs/{spelled}", **BEARER).status == 200
    assert json.loads(stage.front.get(f"/mon/api/runs/{spelled}", **BEARER).body)["id"] == ODD
    assert stage.front.get("/mon/api/runs/a%2Fb", **BEARER).status == 404


# Live


def test_a_point_comes_through_the_stream_within_a_second(stage: Stage) -> None:
    with stage.front.connect() as connection:
        head = f"GET /mon/api/runs/gpt/stream HTTP/1.1\r\nHost: watch.example\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
        connection.sendall(head.encode())
        heard = b""
        while b"event: ready" not in heard:
            heard += connection.recv(4096)
        assert b"text/event-stream" in heard
        for step in range(100, 105):
            assert f"[[{step}," not in heard.decode()
            began = time.time()
            stage.point(step)
            while f"[[{step}," not in heard.decode():
                heard += connection.recv(4096)
            took = time.time() - began
            print(f"from Redis through nginx: {1_000 * took:.1f} ms")
            assert took < SECOND


def test_an_open_page_shows_a_point_within_a_second(stage: Stage, page: Page) -> None:
    logged_in(page, stage, "run/gpt")
    until(page, "document.querySelector('#live')?.textContent === 'Live' && tidewatch.curves?.plot.drawn")
    newest = int(page.evaluate("tidewatch.curves.newest"))
    page.evaluate(
        "seen = {}; document.addEventListener('tidewatch:drawn', ({detail}) => seen[detail.step] ??= Date.now())"
    )
    for step in range(newest + 1, newest + 4):
        began = time.time()
        stage.point(step)
        until_drawn(page, step)
        until(page, f"seen[{step}]")
        took = page.evaluate(f"seen[{step}]") / 1_000 - began
        print(f"from Redis to the screen: {took:.3f} s")
        assert took < SECOND


# What answers carry


def test_headers_come_once_and_the_one_of_nginx_with_them(stage: Stage) -> None:
    for target in ("/mon/login", "/mon/api/runs", "/mon/nothing"):
        with stage.front.connect() as connection:
            connection.sendall(
                f"GET {target} HTTP/1.1\r\nHost: watch.example\r\nConnection: close\r\n"
                f"Authorization: Bearer {TOKEN}\r\n\r\n".encode()
            )
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.recv(4096)
        names = [line.split(":")[0].lower() for line in head.decode("latin-1").split("\r\n\r\n")[0].splitlines()[1:]]
        for name in (
            "content-security-policy",
            "x-content-type-options",
            "x-frame-options",
            "referrer-policy",
            "cache-control",
            "strict-transport-security",
        ):
            assert names.count(name) == 1, (target, name)
        assert not any(b"nginx/1" in line for line in head.splitlines())


def test_text_is_compressed_once_and_columns_never(stage: Stage) -> None:
    page = stage.front.get("/mon/run/gpt", Accept="text/html", Accept_Encoding="gzip", **BEARER)
    assert (page.headers.get("content-encoding"), page.body[:2]) == ("gzip", b"\x1f\x8b")
    target = "/mon/api/runs/gpt/series?metric=loss&points=0"
    columns = stage.front.get(target, Accept="application/octet-stream", Accept_Encoding="gzip", **BEARER)
    assert "content-encoding" not in columns.headers
    assert len(columns.body) % 25 == 0


def test_what_is_too_long_is_refused_by_nginx(stage: Stage) -> None:
    assert stage.front.ask("POST", "/mon/api/runs/gpt/notes", b" " * 200_000, **BEARER).status == 413


# A cache in front


def test_c13_a_cache_gives_nobody_what_another_was_answered(stage: Stage) -> None:
    for target in ("/mon/", "/mon/run/gpt", "/mon/api/runs", "/mon/api/runs/gpt", "/mon/api/runs/gpt/notes"):
        for _ in range(2):
            assert stage.front.get(target, Accept="text/html", **BEARER).status == 200
        assert stage.front.get(target, Accept="text/html").status in (303, 401)
        assert stage.front.get(target, Accept="text/html", Authorization="Bearer wrong").status in (303, 401)
        assert "HIT" not in stage.front.cached(target), target
    editor = stage.front.get("/mon/api/runs/gpt/notes", **BEARER)
    viewer = stage.front.get("/mon/api/runs/gpt/notes", Authorization=f"Bearer {LOOKS}")
    assert [json.loads(one.body)["may_write"] for one in (editor, viewer)] == [True, False]


def test_c13_a_cache_keeps_what_is_named_by_its_content(stage: Stage) -> None:
    text = stage.front.get("/mon/login").text
    style = re.findall(r'href="(/mon/bundle/[^"]+)"', text)[0]
    for _ in range(3):
        assert stage.front.get(style).status == 200
    assert "HIT" in stage.front.cached(style)


def test_c13_no_cookie_is_kept_in_a_cache(stage: Stage) -> None:
    for _ in range(2):
        assert "set-cookie" in stage.front.get("/mon/login").headers
    assert "HIT" not in stage.front.cached("/mon/login")


# Who came


def test_a_person_logs_in_writes_and_logs_out(stage: Stage, page: Page) -> None:
    logged_in(page, stage, "run/gpt")
    until(page, "tidewatch.notes?.mayWrite && tidewatch.curves?.plot.drawn")
    (session,) = [one for one in page.context.cookies() if "session" in one["name"]]
    assert (session["secure"], session["httpOnly"], session["path"]) == (True, True, "/mon/")
    page.keyboard.press("n")
    page.locator(".note-form [name=text]").fill("through nginx")
    page.locator(".note-form [type=submit]").click()
    expect(page.locator(".run-note .note-text").last).to_have_text("through nginx")
    expect(page.locator(".run-note .note-by b").last).to_have_text("夜班")
    page.locator("#log-out").click()
    expect(page.locator("#secret")).to_be_visible()


def test_a_shared_link_opens_without_a_login(stage: Stage, browser: Browser) -> None:
    said = b'{"days": 1}'
    answer = stage.front.ask("POST", "/mon/api/runs/gpt/snapshots", said, Content_Type="application/json", **BEARER)
    assert answer.status == 200, answer.text
    link = json.loads(answer.body)["url"]
    assert link.startswith("https://watch.example/mon/s/")
    context = browser.new_context(ignore_https_errors=True)
    made = context.new_page()
    made.goto(stage.front.home.removesuffix("/mon/") + urlsplit(link).path)
    until(made, "tidewatch.curves?.plot.drawn && document.getElementById('shell').dataset.frozen")
    context.close()
    assert stage.front.get("/mon/s/nothing", Accept="text/html").status == 404


def test_the_visitor_is_who_connected_to_nginx_whatever_is_said(stage: Stage) -> None:
    for number in range(10):
        told = {"X_Forwarded_For": f"203.0.113.{number}", "X_Real_IP": "203.0.113.1", "Forwarded": "for=203.0.113.1"}
        assert stage.front.get(f"/mon/?{urlencode({'token': 'wrong'})}", Accept="text/html", **told).status == 303
    assert stage.front.get("/mon/?token=wrong", Accept="text/html", X_Forwarded_For="203.0.113.99").status == 429


def test_a_name_that_a_visitor_writes_goes_no_further(redis_server: RedisServer, tmp_path: Path) -> None:
    with behind(tmp_path, redis_server.url, TIDEWATCH_AUTH="proxy", TIDEWATCH_EDITORS="*") as (front, _log):
        for name in ("X_Forwarded_User", "X_Forwarded_Groups", "X_Forwarded_Email"):
            assert front.get("/mon/api/runs", **{name: "li"}).status == 401
        line = "GET /mon/api/runs HTTP/1.1\r\nHost: watch.example\r\nConnection: close\r\nX_Forwarded_User: li\r\n\r\n"
        with front.connect() as connection:
            connection.sendall(line.encode())
            assert b" 401 " in connection.recv(4096).split(b"\r\n")[0]


def test_a_foreign_name_is_not_served(stage: Stage) -> None:
    assert stage.front.get("/mon/livez", Host="evil.test").status == 400
    assert stage.front.get("/mon/livez", X_Forwarded_Host="evil.test").status == 200  # nginx sets it itself


# The files


def test_what_is_told_of_settings_is_known() -> None:
    known = {one.name for one in SETTINGS} | {"TIDEWATCH_DATA_DIR", "REDIS_URL"}
    files = [*PROJECT.glob("deploy/**/*.md"), *PROJECT.glob("deploy/**/*.service"), CONF]
    named = {name for file in files for name in re.findall(r"TIDEWATCH_[A-Z_]+[A-Z]", file.read_text())}
    assert {name for name in named if name.removesuffix("_FILE") not in known} == set()
