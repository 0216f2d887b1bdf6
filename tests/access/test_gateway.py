"""Behind a gateway: what a trusted proxy says is believed, and what anybody else says of the same is taken away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import redis
from flask import Flask
from werkzeug.test import TestResponse

from app.access.given import Access, access
from app.access.proxies import BELIEVED, Forwarded
from app.access.team import Headers, Roles
from app.access.trusted import Trusted
from app.config import AppConfig, BadSetting
from app.factory import close, create_app
from app.store import RedisRunStore
from tests.support.redis_server import RedisServer
from tests.support.seed import Seed, straight
from tests.support.web_process import web_process

PROXY, VISITOR = "10.1.0.1", "203.0.113.9"
CONFIG = AppConfig(
    host="0.0.0.0",
    allowed_hosts=("watch.example",),
    prefix="/mon/",
    access=Access("proxy", roles=Roles(("writers", "boss@example.org"), ("*",)), headers=Headers()),
    trusted_proxies=Trusted.parsed("10.1.0.0/16, fd00::/8"),
)


@pytest.fixture
def served(redis_client: redis.Redis, redis_url: str) -> Iterator[Flask]:
    Seed(redis_client).points(straight(range(50)))
    store = RedisRunStore(redis_url)
    server = create_app(CONFIG, store).server
    yield server
    close(server)
    store.close()


def asked(server: Flask, path: str, peer: str = PROXY, **headers: str) -> TestResponse:
    """What a request is answered that comes from a peer."""
    client = server.test_client()
    client.environ_base["REMOTE_ADDR"] = peer
    return client.open(path, headers={"Host": "watch.example", **{n.replace("_", "-"): t for n, t in headers.items()}})


RUNS = "/mon/api/runs"


# Who it is


def test_a_name_of_a_trusted_gateway_comes_in(served: Flask) -> None:
    assert asked(served, RUNS, X_Forwarded_User="li").status_code == 200
    assert asked(served, RUNS).status_code == 401


@pytest.mark.parametrize("peer", [VISITOR, "127.0.0.1", "::1", "10.2.0.1", ""])
def test_a_name_that_anybody_else_says_is_nobodys(served: Flask, peer: str) -> None:
    reply = asked(served, RUNS, peer, X_Forwarded_User="li", X_Forwarded_For="10.1.0.1", Forwarded="for=10.1.0.1")
    assert reply.status_code == 401


@pytest.mark.parametrize("name", ["", " ", "evil,li", "a\tb", "x" * 81, "a\x7fb"])
def test_a_name_that_is_none_comes_not_in(served: Flask, name: str) -> None:
    assert asked(served, RUNS, X_Forwarded_User=name).status_code == 401


@pytest.mark.parametrize(
    ("also", "may_write"),
    [
        ({}, False),
        ({"X-Forwarded-Groups": "readers,writers"}, True),
        ({"X-Forwarded-Groups": "Writers, writersx"}, False),
        ({"X-Forwarded-Email": "Boss@Example.org"}, True),
        ({"X-Forwarded-Email": "other@example.org"}, False),
    ],
)
def test_groups_and_addresses_say_who_writes(served: Flask, also: Mapping[str, str], may_write: bool) -> None:
    told = asked(
        served, "/mon/api/runs/gpt/notes", **{"X-Forwarded-User": "夜班".encode().decode("latin-1"), **also}
    ).json
    assert (told["name"], told["may_write"]) == ("夜班", may_write)


def test_what_writes_needs_the_seal_of_a_page(served: Flask) -> None:
    client = served.test_client()
    client.environ_base["REMOTE_ADDR"] = PROXY
    headers = {"Host": "watch.example", "X-Forwarded-User": "li", "X-Forwarded-Groups": "writers"}
    said = {"first": 1, "text": "from a page"}
    url = "/mon/api/runs/gpt/notes"
    assert client.post(url, json=said, headers=headers).status_code == 403
    page = client.get("/mon/run/gpt", headers={**headers, "Accept": "text/html"}).text
    seal = page.partition('data-seal="')[2].partition('"')[0]
    reply = client.post(url, json=said, headers={**headers, "X-Tidewatch-Token": seal})
    assert (reply.status_code, reply.json["author"]) == (200, "li")
    assert "log-out" not in page
    other = {**headers, "X-Forwarded-User": "han", "X-Tidewatch-Token": seal}
    assert client.post(url, json=said, headers=other).status_code == 403


def test_a_page_past_the_gateway_says_so(served: Flask) -> None:
    reply = asked(served, "/mon/", Accept="text/html")
    assert reply.status_code == 303
    page = asked(served, "/mon/login").text
    assert "opened through its gateway" in page
    assert 'name="secret"' not in page


# From where, and under which name


def seen(trusted: Trusted, peer: str, also: tuple[str, ...] = (), **headers: str) -> dict[str, object]:
    """The environment of a request as the application gets it."""
    got: dict[str, object] = {}
    environ = {"REMOTE_ADDR": peer, "HTTP_HOST": "inner:8050", "wsgi.url_scheme": "http", "PATH_INFO": "/run/gpt"}
    environ |= {f"HTTP_{name}": text for name, text in headers.items()}
    Forwarded(lambda found, _start: (got.update(found), [])[1], trusted, "/mon/", also)(environ, lambda *_: None)
    return got


TRUSTED = Trusted.parsed("10.1.0.0/16, fd00::/8, unix")


@pytest.mark.parametrize(
    ("chain", "client"),
    [
        ("", PROXY),
        (VISITOR, VISITOR),
        (f"1.1.1.1, {VISITOR}", VISITOR),
        (f"{VISITOR}, 10.1.2.3", VISITOR),
        (f"{VISITOR}, nonsense", PROXY),
        (f"{VISITOR}:4711", VISITOR),
        ("[2001:db8::1]:80, fd00::2", "2001:db8::1"),
        ("10.1.9.9, 10.1.2.3", "10.1.9.9"),
        (f"::ffff:{VISITOR}", VISITOR),
    ],
)
def test_the_visitor_is_the_last_that_is_no_proxy(chain: str, client: str) -> None:
    assert seen(TRUSTED, PROXY, X_FORWARDED_FOR=chain)["REMOTE_ADDR"] == client


def test_a_trusted_proxy_says_scheme_name_and_prefix() -> None:
    told = {"X_FORWARDED_PROTO": "http, https", "X_FORWARDED_HOST": "watch.example", "X_FORWARDED_PREFIX": "/mon"}
    for peer in (PROXY, "fd00::1", ""):
        got = seen(TRUSTED, peer, **told)
        assert (got["wsgi.url_scheme"], got["HTTP_HOST"], got["PATH_INFO"]) == (
            "https",
            "watch.example",
            "/mon/run/gpt",
        )
        assert got[BELIEVED] is True


def test_a_scheme_or_prefix_that_is_none_of_ours_changes_nothing() -> None:
    got = seen(TRUSTED, PROXY, X_FORWARDED_PROTO="javascript", X_FORWARDED_PREFIX="/evil")
    assert (got["wsgi.url_scheme"], got["PATH_INFO"]) == ("http", "/run/gpt")


@pytest.mark.parametrize("peer", [VISITOR, "127.0.0.1", "not an address"])
def test_from_anybody_else_all_of_it_is_taken_away(peer: str) -> None:
    told = {"X_FORWARDED_FOR": PROXY, "X_FORWARDED_PROTO": "https", "X_FORWARDED_HOST": "evil.test", "REMOTE_USER": "x"}
    got = seen(
        TRUSTED,
        peer,
        ("Remote-User",),
        **told,
        X_REAL_IP=PROXY,
        FORWARDED="for=1.1.1.1",
        X_FORWARDED_PREFIX="/mon",
    )
    assert (got["REMOTE_ADDR"], got["HTTP_HOST"], got["wsgi.url_scheme"]) == (peer, "inner:8050", "http")
    assert {name for name in got if name.startswith("HTTP_")} == {"HTTP_HOST"}
    assert BELIEVED not in got


def test_no_proxy_is_trusted_unless_it_is_named() -> None:
    assert BELIEVED not in seen(Trusted(), "127.0.0.1", X_FORWARDED_FOR=VISITOR)
    assert BELIEVED not in seen(Trusted(), "", X_FORWARDED_FOR=VISITOR)


def test_cookies_are_for_tls_alone_where_a_trusted_proxy_says_so(redis_url: str) -> None:
    store = RedisRunStore(redis_url)
    given = access({"TIDEWATCH_PASSWORD": "a long enough word"})
    server = create_app(replace(CONFIG, access=given), store).server
    secure = asked(server, "/mon/login", X_Forwarded_Proto="https").headers["Set-Cookie"]
    plain = asked(server, "/mon/login", VISITOR, X_Forwarded_Proto="https").headers["Set-Cookie"]
    assert ("Secure" in secure, "Secure" in plain) == (True, False)
    close(server)
    store.close()


def test_guesses_are_counted_by_visitor_and_not_by_proxy(redis_url: str) -> None:
    store = RedisRunStore(redis_url)
    given = access({"TIDEWATCH_PASSWORD": "a long enough word"})
    server = create_app(replace(CONFIG, access=given), store).server
    tried = [asked(server, "/mon/?token=wrong", Accept="text/html", X_Forwarded_For=VISITOR) for _ in range(11)]
    assert tried[-1].status_code == 429
    assert asked(server, "/mon/?token=wrong", Accept="text/html", X_Forwarded_For="203.0.113.77").status_code == 303
    assert (
        asked(server, "/mon/?token=wrong", Accept="text/html", X_Forwarded_For=f"9.9.9.9, {VISITOR}").status_code == 429
    )
    close(server)
    store.close()


# As it is set


def test_settings_make_it(tmp_path: Path) -> None:
    config = AppConfig.from_environ(
        {
            "TIDEWATCH_AUTH": "proxy",
            "TIDEWATCH_TRUSTED_PROXIES": "127.0.0.1, unix",
            "TIDEWATCH_EDITORS": "ml-team, Boss@Example.org",
            "TIDEWATCH_PROXY_USER_HEADER": "Remote-User",
        }
    )
    assert config.access.roles == Roles(("ml-team", "boss@example.org"), ("*",))
    assert config.access.headers == Headers(user="Remote-User")
    assert config.trusted_proxies.knows("127.0.0.1")
    assert (config.is_open, config.is_locked) == (False, False)


@pytest.mark.parametrize(
    ("environ", "named"),
    [
        ({}, "TIDEWATCH_TRUSTED_PROXIES"),
        ({"TIDEWATCH_TRUSTED_PROXIES": "gateway"}, "TIDEWATCH_TRUSTED_PROXIES"),
        ({"TIDEWATCH_TRUSTED_PROXIES": "10.0.0.1/8"}, "TIDEWATCH_TRUSTED_PROXIES"),
        ({"TIDEWATCH_TRUSTED_PROXIES": "::1", "TIDEWATCH_PROXY_USER_HEADER": "a b"}, "TIDEWATCH_PROXY_USER_HEADER"),
    ],
)
def test_what_cannot_be_used_is_said(environ: Mapping[str, str], named: str) -> None:
    with pytest.raises(BadSetting, match=named):
        AppConfig.from_environ({"TIDEWATCH_AUTH": "proxy", **environ})


def head(port: int, *lines: str) -> bytes:
    """A request with these headers, as they are spelled."""
    told = ("GET /api/runs HTTP/1.1", f"Host: 127.0.0.1:{port}", "Connection: close", *lines, "", "")
    return "\r\n".join(told).encode()


def test_under_gunicorn_no_spelling_of_a_header_gets_round_it(redis_server: RedisServer, tmp_path: Path) -> None:
    settings = {"TIDEWATCH_AUTH": "proxy", "TIDEWATCH_TRUSTED_PROXIES": "192.0.2.1", "TIDEWATCH_EDITORS": "*"}
    spellings = ("X-Forwarded-User", "x-forwarded-user", "X_Forwarded_User", "X-Forwarded_User", "X-Forwarded-User ")
    with web_process(tmp_path, redis_server.url, **settings) as web:
        for name in spellings:
            assert web.raw(head(web.port, f"{name}: li")).status in (400, 401), name
    settings["TIDEWATCH_TRUSTED_PROXIES"] = "127.0.0.1"
    with web_process(tmp_path, redis_server.url, **settings) as web:
        assert web.raw(head(web.port, "X-Forwarded-User: li")).status == 200
        # a proxy lets such a header through, as it is none that it sets
        assert web.raw(head(web.port, "X_Forwarded_User: li")).status == 401
        assert web.raw(head(web.port, "X-Forwarded-User: evil", "X-Forwarded-User: li")).status == 401
