"""Rows C6, C7, C8, C9, C14, C16: other sites, other names, and words that are none."""

from __future__ import annotations

import json
import socket

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.http import parse_options_header

from app.access.policy import NEEDS, named
from app.export.filename import disposition, filename
from app.factory import create_app
from app.store import RedisRunStore
from collector.wire.records import RunId
from tests.support.guarded import PASSWORD, SEAL, TOKEN, bearer, calls, config, field_of, gunicorn, log_in
from tests.support.seed import Seed, straight

pytestmark = pytest.mark.timeout(240)  # servers are started, which may take long beside other tests

MUTE = {"by": "shift", "class": "stall"}
WRITING = [name for name, need in NEEDS.items() if need == "editor"]
FOREIGN = [
    {"Origin": "https://evil.test"},
    {"Origin": "https://evil.test", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
    {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"},
    {"Origin": "http://localhost:3000"},  # another program of this machine
    {"Origin": "null"},
]


@pytest.fixture
def logged_in(closed: Flask) -> FlaskClient:
    client = closed.test_client()
    log_in(client, PASSWORD)
    return client


def writing(server: Flask) -> list[tuple[str, str]]:
    found = [(method, path) for endpoint, method, path in calls(server) if named(endpoint, "/") in WRITING]
    assert len(found) >= len(WRITING) > 4
    return found


@pytest.mark.parametrize("headers", FOREIGN)
def test_c6_no_other_site_writes_with_a_visitor_s_cookie(
    closed: Flask, logged_in: FlaskClient, headers: dict[str, str]
) -> None:
    sealed = {**headers, SEAL: field_of(logged_in.get("/"), "seal")}  # even if it knew the seal
    for method, path in writing(closed):
        for said in (headers, sealed):
            assert logged_in.open(path, method=method, json=MUTE, headers=said).status_code == 403, (method, path)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_c6_what_a_form_can_send_is_never_taken(closed: Flask, logged_in: FlaskClient, kind: str) -> None:
    body = json.dumps(MUTE)
    for method, path in writing(closed):
        assert logged_in.open(path, method=method, data=body, content_type=kind).status_code == 403
    seal = {SEAL: field_of(logged_in.get("/"), "seal")}
    assert logged_in.post("/api/mutes", data=body, content_type=kind, headers=seal).status_code == 415
    assert logged_in.get("/api/mutes").json == []


def test_c6_no_answer_is_for_other_sites(closed: Flask, logged_in: FlaskClient) -> None:
    for _endpoint, method, path in calls(closed):
        for origin in ("https://evil.test", "http://localhost"):
            asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
            for one in (method, "OPTIONS"):
                if path == "/logout":
                    continue
                with logged_in.open(path, method=one, headers=asked) as reply:
                    assert not [name for name, _text in reply.headers if name.lower().startswith("access-control-")]
                    assert reply.headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_c6_another_site_logs_nobody_in_or_out(closed: Flask, logged_in: FlaskClient) -> None:
    sent = {"secret": PASSWORD, "form": field_of(logged_in.get("/login"), "form")}
    for headers in FOREIGN:
        assert logged_in.post("/login", data=sent, headers=headers).status_code == 403
        assert logged_in.post("/logout", headers=headers).status_code == 403
    assert logged_in.post("/logout").status_code == 403
    assert logged_in.get("/api/runs").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [{}, {"Origin": "null"}, {"Origin": ""}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "none"}],
    ids=["absent", "null", "empty", "cross-site", "none"],
)
def test_c7_a_cookie_alone_writes_nothing_whatever_is_said_of_the_origin(
    closed: Flask, logged_in: FlaskClient, headers: dict[str, str]
) -> None:
    for method, path in writing(closed):
        assert logged_in.open(path, method=method, json=MUTE, headers=headers).status_code == 403
    assert logged_in.get("/api/mutes").json == []


def test_c7_origin_null_is_nobody_s(closed: Flask, logged_in: FlaskClient) -> None:
    for path in ("/api/runs", "/", "/api/runs/x/stream"):
        assert logged_in.get(path, headers={"Origin": "null"}).status_code == 403
        assert closed.test_client().get(path, headers={"Origin": "null", **bearer(TOKEN)}).status_code == 403


def test_c7_a_page_elsewhere_does_not_reach_a_dashboard_on_loopback(redis_url: str) -> None:
    """Where no password is needed the browser's own words are what there is: it always says Origin with a POST."""
    from app.config import AppConfig

    store = RedisRunStore(redis_url)
    client = create_app(AppConfig(), store).server.test_client()
    for headers in FOREIGN:
        assert client.post("/api/mutes", json=MUTE, headers=headers).status_code == 403
        plain = json.dumps(MUTE)
        assert client.post("/api/mutes", data=plain, content_type="text/plain", headers=headers).status_code == 403
    assert client.post("/api/mutes", data=json.dumps(MUTE), content_type="text/plain").status_code == 415
    assert client.get("/api/mutes").json == []
    store.close()


NEARLY = [
    "trusted.example.com.evil.test",
    "eviltrusted.example.com",
    "trusted.example.com.",
    "trusted-example.com",
    "trustedxexample.com",
    "trusted.example.com@evil.test",
    "trusted.example.com:80:80",
    "evil.test#trusted.example.com",
    "evil.test/trusted.example.com",
    "evil.test\\trusted.example.com",
    "example.com",
    "sub.trusted.example.com",
]


@pytest.mark.parametrize("name", NEARLY)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_c8_a_name_that_only_looks_like_ours_is_not(redis_url: str, name: str, scheme: str) -> None:
    store = RedisRunStore(redis_url)
    allowed = config(TIDEWATCH_ALLOWED_HOSTS="trusted.example.com")
    client = create_app(allowed, store).server.test_client()
    ours = {"Host": "trusted.example.com", **bearer(TOKEN)}
    assert client.get("/api/runs", headers={**ours, "Origin": f"{scheme}://trusted.example.com"}).status_code == 200
    assert client.get("/api/runs", headers={**ours, "Origin": f"{scheme}://{name}"}).status_code == 403
    assert client.get("/api/runs", headers={**bearer(TOKEN), "Host": name}).status_code == 400
    store.close()


def raw(port: int, request: bytes) -> bytes:
    """The answer to bytes that no client would send."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(request)
        found = b""
        while chunk := connection.recv(65_536):
            found += chunk
            if b"\r\n\r\n" in found:
                break
        return found


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"], ids=["on loopback", "on every address"])
def test_c9_a_foreign_name_is_refused_under_gunicorn(redis_url: str, host: str) -> None:
    with gunicorn(redis_url, host=host, **({"TIDEWATCH_TOKEN": TOKEN} if host == "0.0.0.0" else {})) as served:
        for name in (
            "evil.test",
            "evil.test:80",
            "localhost.evil.test",
            f"evil.test:{served.port}",
            "127.0.0.1.nip.test",
        ):
            for path in ("/", "/api/runs", "/livez", "/metrics", "/login", "/assets/theme.js"):
                for more in ({}, {"X-Forwarded-Host": "localhost", "Forwarded": "host=localhost"}):
                    assert served.ask(path, {"Host": name, **bearer(TOKEN), **more})[0] == 400, (name, path)
        two = b"GET /api/runs HTTP/1.1\r\nHost: localhost\r\nHost: evil.test\r\nConnection: close\r\n\r\n"
        assert raw(served.port, two).split()[1] == b"400"
        none = b"GET /api/runs HTTP/1.0\r\n\r\n"
        assert raw(served.port, none).split()[1] == b"400"
        absolute = b"GET http://evil.test/api/runs HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n"
        assert raw(served.port, absolute).split()[1] == b"400"


def test_c14_nothing_of_a_debugger_is_there(redis_url: str) -> None:
    """Whatever the environment asks for."""
    asks = {"FLASK_DEBUG": "1", "FLASK_ENV": "development", "DASH_DEBUG": "1", "DASH_HOT_RELOAD": "1"}
    with gunicorn(redis_url, host="127.0.0.1", **asks) as served:
        for path in ("/console", "/_reload-hash", "/__debugger__", "/_debug_toolbar", "/debug", "/api/console"):
            assert served.ask(path)[0] == 404, path
        for path in (
            "/?__debugger__=yes&cmd=resource&f=style.css",
            "/?__debugger__=yes&cmd=printpin&s=x",
            "/api/runs?__debugger__=yes&cmd=1%2B1&frm=0&s=x",
        ):
            body = served.ask(path)[2]
            assert "Werkzeug" not in body
            assert "EVALEX" not in body
        page = served.ask("/")[2]
        assert '"ui":true' not in page.replace(" ", "")  # Dash's developer tools
        assert "dash_renderer.dev" not in page
        assert "Werkzeug" not in served.ask("/", method="BREW")[1].get("Server", "")


ODD = [
    "a\r\nSet-Cookie: x=1",
    "a\nb",
    "\x1b[2Jcleared",
    'a"; filename="b.exe',
    "../../etc/passwd",
    "观潮 run#1",
    "CON",
    "a\u202egnp.exe",
    "x" * 1_000,
]


@pytest.mark.parametrize("name", ODD)
def test_c16_no_name_is_a_header_or_a_path(name: str) -> None:
    safe = filename(name, "", "csv")
    said = disposition(safe)
    assert said.isprintable()
    assert said.isascii()
    assert said.count('"') == 2
    assert parse_options_header(said)[1].keys() == {"filename"}
    assert not set(safe) & set('/\\"\r\n\x1b\u202e')
    assert len(safe) <= 125
    assert not safe.lower().startswith(("con", "."))


@pytest.mark.parametrize("name", [one for one in ODD if len(one) < 200])
def test_c16_a_run_of_any_name_is_exported(closed: Flask, redis_client: redis.Redis, name: str) -> None:
    Seed(redis_client, RunId(name)).points(straight(range(1, 5)))
    runs = closed.test_client().get("/api/runs", headers=bearer(TOKEN)).json
    assert [one["id"] for one in runs] == [name]
    from urllib.parse import quote

    reply = closed.test_client().get(f"/api/runs/{quote(name, safe='')}/alerts/export", headers=bearer(TOKEN))
    assert reply.status_code in (200, 404)  # a slash in an id is another address
    assert "Set-Cookie" not in reply.headers
    assert "x=1" not in reply.headers.get("Set-Cookie", "")


@pytest.mark.parametrize(
    "path",
    [
        "/%0d%0aSet-Cookie:%20x=1",
        "/run/%0d%0aSet-Cookie:%20x=1",
        "/login?next=/%0d%0aSet-Cookie:%20x=1",
        "/?token=%0d%0aSet-Cookie:%20x=1",
        "/api/runs/%0d%0aSet-Cookie:%20x=1",
        "/?lang=%0d%0aSet-Cookie:%20x=1",
    ],
)
def test_c16_no_address_writes_a_header(closed: Flask, path: str) -> None:
    for headers in ({}, bearer(TOKEN)):
        reply = closed.test_client().get(path, headers=headers)
        assert reply.status_code < 500
        assert [one for one in reply.headers.getlist("Set-Cookie") if one.startswith("x=1")] == []
        assert "\r" not in str(reply.headers).replace("\r\n", "")


def test_c16_a_form_without_an_end_is_not_read(redis_url: str) -> None:
    """The page to log in is for everybody, and so is what can be sent to it."""
    with gunicorn(redis_url, TIDEWATCH_TOKEN=TOKEN) as served:
        head = b"POST /login HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n"
        for kind in (b"application/x-www-form-urlencoded", b"multipart/form-data; boundary=x"):
            part = b'--x\r\nContent-Disposition: form-data; name="secret"; filename="a"\r\n\r\n' + b"a" * 65_000
            chunk = b"%X\r\n%b\r\n" % (len(part), part)
            request = head + b"Content-Type: " + kind + b"\r\n\r\n" + chunk * 30 + b"0\r\n\r\n"
            assert raw(served.port, request).split()[1] in (b"413", b"403")  # too much, or cut off and no form of ours
        assert served.ask("/livez")[0] == 200


def test_c16_no_address_writes_to_the_terminal(redis_url: str) -> None:
    with gunicorn(redis_url, "--access-logfile", "-", TIDEWATCH_TOKEN=TOKEN) as served:
        served.ask("/%1b[2J%1b]0;evil%07", bearer(TOKEN))
        served.ask("/api/runs", {"User-Agent": "x\x1b[2J", **bearer(TOKEN)})
        raw(served.port, b"GET /\x1b[2J HTTP/1.1\r\nHost: localhost\r\n\r\n")
        raw(served.port, b"\x1b[2J\r\n\r\n")
        text = served.text
    assert "\x1b" not in text
    assert "\x07" not in text
