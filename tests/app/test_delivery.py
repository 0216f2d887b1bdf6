"""How answers travel: compressed, and kept by browsers as long as they are true."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient

from app import bundle, caching, compression
from app.config import AppConfig
from app.factory import ASSETS, close, create_app
from app.store import RedisRunStore
from tests.support.seed import Seed, straight
from tests.support.serving import EventStream, serving

# <link rel="stylesheet" href="/bundle/styles-1a.css">, <script src="/bundle/scripts-1a.js">
READ = re.compile(r'<(?:link|script) [^>]*(?:href|src)="([^"]*)"')
OF_THE_VISIT = ("/",)  # holds the time of the one visit
ZIPPED = {"Accept-Encoding": "gzip, deflate, br"}


def scripts(client: FlaskClient) -> list[str]:
    """Addresses of everything that the page has read."""
    return READ.findall(client.get("/").text)


def test_a_page_is_sent_small_and_is_the_same(client: FlaskClient) -> None:
    sizes = {}
    for address in ["/", "/_dash-layout", "/_dash-dependencies", *scripts(client)]:
        whole, small = (client.get(address, headers=one, buffered=True) for one in ({}, ZIPPED))
        assert whole.status_code == small.status_code == 200, address
        body = gzip.decompress(small.data) if small.headers.get("Content-Encoding") == "gzip" else small.data
        assert body == whole.data or address in OF_THE_VISIT, address
        assert "Content-Encoding" not in whole.headers
        if "icon" not in whole.content_type:
            assert "Accept-Encoding" in small.headers["Vary"], address
        sizes[address] = len(small.data)
    assert sum(sizes.values()) <= 900_000, sizes


def test_a_visit_asks_for_few_files(client: FlaskClient) -> None:
    own = [urlsplit(one).path for one in scripts(client) if not one.startswith("/_dash")]
    names = sorted(one.rpartition("/")[2].partition("-")[0] for one in own)
    assert names == ["favicon.ico", "plotly", "scripts", "styles"]


def test_a_bundle_is_every_file_once_in_order_and_named_by_its_content(tmp_path: Path) -> None:
    for name, text in (("b.js", "two()"), ("a.js", "one()"), ("stream-worker.js", "no()"), ("a.css", "p {}")):
        (tmp_path / name).write_text(text)
    scripts, styles = bundle.bundles(tmp_path)
    assert scripts.body.decode() == "/* ---- a.js ---- */\none();\n/* ---- b.js ---- */\ntwo();\n"
    assert styles.body.decode() == "/* ---- a.css ---- */\np {}\n"
    (tmp_path / "a.js").write_text("other()")
    assert bundle.bundles(tmp_path)[0].name != scripts.name


def test_every_worker_that_a_script_starts_stays_out_of_the_bundle() -> None:
    """A worker's script would install its handlers in the page."""
    handlers = {
        one.name for one in ASSETS.glob("*.js") if re.search(r"^(self\.)?on(connect|message) = ", one.read_text(), re.M)
    }
    assert handlers == set(bundle.WORKERS)


def test_what_was_sent_small_is_answered_by_304(client: FlaskClient) -> None:
    address = "/assets/plotly-basic.min.js"
    first = client.get(address, headers=ZIPPED, buffered=True)
    assert first.headers["ETag"].startswith("W/")
    again = client.get(address, headers={**ZIPPED, "If-None-Match": first.headers["ETag"]}, buffered=True)
    assert (again.status_code, again.data) == (304, b"")


def test_a_part_of_a_file_stays_as_it_is(client: FlaskClient) -> None:
    part = client.get("/assets/plotly-basic.min.js", headers={**ZIPPED, "Range": "bytes=0-1999"}, buffered=True)
    assert part.status_code == 206
    assert "Content-Encoding" not in part.headers
    assert len(part.data) == 2000


def test_points_and_the_live_stream_leave_as_they_are(server: Flask, redis_client: redis.Redis) -> None:
    Seed(redis_client).points(straight(range(1, 500)))
    octets = {**ZIPPED, "Accept": "application/octet-stream"}
    columns = server.test_client().get("/api/runs/gpt/series?metric=loss", headers=octets, buffered=True)
    assert "Content-Encoding" not in columns.headers
    with serving(server) as port, EventStream(port, "/api/runs/gpt/stream", headers=ZIPPED) as stream:
        assert "content-encoding" not in stream.answered
        assert stream.next().name == "ready"


def test_nobody_gets_what_they_did_not_ask_for(client: FlaskClient) -> None:
    address = "/assets/plotly-basic.min.js"
    for accepted in ("", "br", "gzip;q=0", "identity"):
        assert (
            "Content-Encoding" not in client.get(address, headers={"Accept-Encoding": accepted}, buffered=True).headers
        ), accepted
    head = client.head(address, headers=ZIPPED, buffered=True)
    assert (head.status_code, head.data) == (200, b"")


def test_a_little_text_is_not_worth_it(client: FlaskClient) -> None:
    assert "Content-Encoding" not in client.get("/livez", headers=ZIPPED, buffered=True).headers


def test_what_an_address_names_is_kept_for_a_year(client: FlaskClient) -> None:
    own = [one for one in scripts(client) if urlsplit(one).path.startswith("/assets/") and "?m=" in one]
    assert own
    for address in own:
        file = ASSETS / urlsplit(address).path.removeprefix("/assets/")
        expected = caching.AGAIN if file.stat().st_mtime.is_integer() else caching.YEAR
        assert client.get(address, buffered=True).headers["Cache-Control"] == expected, address
    for address in (one for one in scripts(client) if one.startswith("/bundle/")):
        assert client.get(address).headers["Cache-Control"] == caching.YEAR
    assert client.get("/assets/stream-worker.js", buffered=True).headers["Cache-Control"] == caching.AGAIN
    assert client.get("/").headers["Cache-Control"] == "no-store"
    assert client.get("/assets/none.js", buffered=True).headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("asked", "changed", "lasting"),
    [
        ("1795976055.5", 1795976055.5, caching.YEAR),
        ("1795976055.5", 1795976099.5, caching.AGAIN),  # another release answers
        ("315532800.0", 315532800.0, caching.AGAIN),  # every file of a reproducible archive is as old
        (None, 1795976055.5, caching.AGAIN),
        ("x", 1.5, caching.AGAIN),
    ],
)
def test_an_address_is_trusted_as_far_as_it_says_something(asked: str | None, changed: float, lasting: str) -> None:
    assert caching.lasting(asked, changed) == lasting


@pytest.mark.parametrize(
    ("mimetype", "is_text"),
    [
        ("text/html", True),
        ("application/json", True),
        ("text/event-stream", False),
        ("application/octet-stream", False),
        ("image/png", False),
        (None, False),
    ],
)
def test_what_becomes_smaller(mimetype: str | None, is_text: bool) -> None:
    assert compression.is_text(mimetype) == is_text


def test_below_a_prefix_it_is_the_same(store: RedisRunStore) -> None:
    server = create_app(AppConfig(prefix="/tidewatch/"), store).server
    answer = server.test_client().get("/tidewatch/assets/curves.js?m=1", headers=ZIPPED, buffered=True)
    assert (answer.headers["Cache-Control"], answer.headers["Content-Encoding"]) == (caching.AGAIN, "gzip")
    close(server)
