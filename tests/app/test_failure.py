"""What goes wrong is told as a page to a person who opened one, and as JSON to a script."""

from __future__ import annotations

import logging

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.config import AppConfig
from app.factory import close, create_app
from app.store import RedisRunStore

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
WORN = ("Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Resource-Policy")


def broken() -> str:
    raise ZeroDivisionError("on purpose")


@pytest.fixture
def failing(server: Flask, caplog: pytest.LogCaptureFixture) -> FlaskClient:
    """A server of which one page and one address of the API cannot be made."""
    server.add_url_rule("/run/broken", "pages.broken", broken)
    server.add_url_rule("/api/broken", "api.broken", broken)
    caplog.set_level(logging.CRITICAL, server.name)  # the traceback is wanted in a log, not in a test's output
    return server.test_client()


@pytest.mark.parametrize(
    ("language", "lang", "title", "words"),
    [
        ("en", "en", "This page cannot be shown", "An error inside Tidewatch is the cause"),
        ("zh-CN", "zh-Hans", "无法显示此页面", "Tidewatch 内部出错"),
    ],
)
def test_a_page_that_cannot_be_made_is_a_page_in_the_readers_language(
    failing: FlaskClient, language: str, lang: str, title: str, words: str
) -> None:
    reply = failing.get("/run/broken", headers={**BROWSER, "Accept-Language": language})
    assert (reply.status_code, reply.mimetype) == (500, "text/html")
    for part in (f'<html lang="{lang}">', f"<h1>{title}</h1>", words, '<a href="/">'):
        assert part in reply.text
    assert "on purpose" not in reply.text
    ready = failing.get("/livez")
    assert {name: reply.headers[name] for name in WORN} == {name: ready.headers[name] for name in WORN}


@pytest.mark.parametrize(
    ("path", "headers"),
    [("/api/broken", BROWSER), ("/api/broken", {}), ("/run/broken", {"Accept": "application/json"})],
)
def test_a_script_reads_json(failing: FlaskClient, path: str, headers: dict[str, str]) -> None:
    reply = failing.get(path, headers=headers)
    assert (reply.status_code, reply.mimetype) == (500, "application/json")
    assert reply.json is not None
    assert set(reply.json) == {"error"}


def test_a_page_under_a_name_that_is_not_served_says_so_and_quotes_it_as_text(client: FlaskClient) -> None:
    reply = client.get("/", headers={**BROWSER, "Host": "<b>evil</b>.test"})
    assert (reply.status_code, reply.mimetype) == (400, "text/html")
    assert "&lt;b&gt;evil&lt;/b&gt;.test" in reply.text
    assert "<b>" not in reply.text


def test_the_way_out_leads_below_the_prefix(store: RedisRunStore, caplog: pytest.LogCaptureFixture) -> None:
    server = create_app(AppConfig(prefix="/watch/"), store).server
    server.add_url_rule("/watch/run/broken", "pages.broken", broken)
    caplog.set_level(logging.CRITICAL, server.name)
    client = server.test_client()
    assert '<a href="/watch/">' in client.get("/watch/run/broken", headers=BROWSER).text
    assert client.get("/watch/api/none", headers=BROWSER).mimetype == "application/json"
    close(server)
