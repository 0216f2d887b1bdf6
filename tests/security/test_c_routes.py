"""Rows C1, C2, C3, C15: no route is forgotten, by anybody, in any role."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import redis
from flask import Flask, Response

from app.access.policy import NEEDS, named
from app.access.weak import WELL_KNOWN
from app.config import SETTINGS, BadSetting
from app.factory import create_server
from tests.support.guarded import (
    PASSWORD,
    SEAL,
    TOKEN,
    VIEWER_PASSWORD,
    VIEWER_TOKEN,
    Served,
    bearer,
    calls,
    field_of,
    gunicorn,
    log_in,
)
from tests.support.seed import Seed, straight

pytestmark = pytest.mark.timeout(240)  # servers are started, which may take long beside other tests

ROOT = Path(__file__).resolve().parents[2]

# Reviewed: what all may see, and why. Nothing of a run is in any of them.
PUBLIC = {
    "access.login",  # the way in
    "access.logout",  # the way out; it leads nobody to the runs
    "access.team",  # the way to a team's provider of identities and back from it; 404 where there is none
    "access.team_back",
    "api.livez",  # one word for what watches the process
    "api.readyz",
    "api.healthz",
    "_dash_assets.static",  # code, styles, the icon
    "bundle.text/javascript",
    "bundle.text/css",
    "/_dash-component-suites/<string:package_name>/<path:fingerprinted_path>",
    "/_favicon.ico",
}
PAGES = {"/", "/<path:path>"}
CLOSED = {"/_reload-hash"}  # 404 for everybody
SHARED = {name for name, need in NEEDS.items() if need == "share"}  # rows D: the token in the address is the key


def is_shut(status: int, location: str) -> bool:
    return status == 401 or (status == 303 and location.startswith("/login"))


@pytest.mark.parametrize("token", ["", "wrong-token-of-somebody", PASSWORD], ids=["none", "wrong", "a password"])
def test_c1_every_route_needs_somebody(closed: Flask, token: str) -> None:
    seen = set()
    for endpoint, method, path in calls(closed):
        client = closed.test_client()
        name = named(endpoint, "/")
        seen.add(name)
        headers = {"X-Forwarded-For": "127.0.0.1", "X-Real-Ip": "127.0.0.1", **(bearer(token) if token else {})}
        origin = {"REMOTE_ADDR": f"10.0.{len(seen) // 250}.{len(seen) % 250}"}  # or one address has too many tries
        with client.open(path, method=method, headers=headers, environ_base=origin) as reply:
            if name in PUBLIC:
                assert reply.status_code != 500, (name, method)
            elif name in CLOSED | SHARED:
                assert reply.status_code in (400, 404, 405, 410, 429), (name, method)
            else:
                assert is_shut(reply.status_code, reply.headers.get("Location", "")), (name, method, reply.status_code)
    assert len(seen) > 35
    assert {name for name, need in NEEDS.items() if need == "public"} == PUBLIC, "say why everybody may see it"


def test_c1_a_new_route_is_shut_to_everybody_until_it_is_listed(closed: Flask) -> None:
    closed.add_url_rule("/brand-new", "brand.new", lambda: Response("a secret"), methods=["GET", "POST"])
    closed.add_url_rule("/api/brand-new", "api.brand_new", lambda: Response("a secret"))
    for path in ("/brand-new", "/api/brand-new"):
        client = closed.test_client()
        assert client.get(path).status_code == 401
        for token in (VIEWER_TOKEN, TOKEN):
            reply = client.get(path, headers=bearer(token))
            assert reply.status_code == 403
            assert b"a secret" not in reply.data
    assert closed.test_client().post("/brand-new", headers=bearer(TOKEN)).status_code == 403


@pytest.mark.parametrize(
    "path",
    [
        "//api/runs",
        "/api//runs",
        "/./api/runs",
        "/api/runs/",
        "/API/runs",
        "/api/runs;x",
        "/api%2Fruns",
        "/login/../api/runs",
        "/assets/../api/runs",
        "/livez/../api/runs",
        "/_dash-component-suites/../api/runs",
        "/bundle/x",
    ],
)
def test_c1_no_spelling_of_an_address_is_a_way_round(closed: Flask, path: str) -> None:
    reply = closed.test_client().get(path)
    assert reply.status_code in (308, 400, 401, 303, 404)
    assert b'"id"' not in reply.data


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "HEAD"])
def test_c1_no_method_is_a_way_round(closed: Flask, method: str) -> None:
    for path in ("/api/runs", "/api/mutes", "/api/mutes/x", "/", "/_dash-layout", "/metrics"):
        reply = closed.test_client().open(path, method=method)
        assert is_shut(reply.status_code, reply.headers.get("Location", "")), (path, reply.status_code)


def test_c1_under_gunicorn_too(closed: Flask, redis_url: str) -> None:
    with gunicorn(redis_url, TIDEWATCH_TOKEN=TOKEN) as served:
        open_ones = {named(endpoint, "/") for endpoint, method, path in calls(closed) if is_open(served, method, path)}
        assert served.ask("/api/runs", bearer(TOKEN))[0] == 200
    assert open_ones <= PUBLIC | CLOSED | SHARED


def is_open(served: Served, method: str, path: str) -> bool:
    status, headers, _body = served.ask(path, method=method)
    return not is_shut(status, headers.get("Location", ""))


@pytest.mark.parametrize(
    "path",
    [
        "/api/runs/gpt/alerts/export?format=csv",
        "/api/runs/gpt/series?metric=loss&points=0",
        "/api/runs/gpt/curves?metric=loss",
        "/api/runs/gpt/stream",
        "/api/runs/gpt/log?rank=0",
        "/api/openapi.json",
        "/metrics",
        "/run/gpt",
        "/_dash-layout",
        "/_dash-dependencies",
    ],
)
def test_c2_files_streams_and_exports_ask_as_everything_does(
    closed: Flask, redis_client: redis.Redis, path: str
) -> None:
    Seed(redis_client).points(straight(range(1, 50)))
    reply = closed.test_client().get(path)
    assert is_shut(reply.status_code, reply.headers.get("Location", ""))
    assert b"gpt" not in reply.data
    assert closed.test_client().get(path, headers=bearer(VIEWER_TOKEN)).status_code in (200, 400, 404, 503)


def test_c2_code_and_styles_tell_nothing_of_a_run(closed: Flask, redis_client: redis.Redis) -> None:
    Seed(redis_client).points(straight(range(1, 50)))
    client = closed.test_client()
    for endpoint, method, path in calls(closed):
        if method == "GET" and named(endpoint, "/") in PUBLIC:
            with client.get(path) as reply:
                assert b"/data/gpt" not in reply.get_data()


def test_c3_no_secret_has_a_default() -> None:
    kept = [one for one in SETTINGS if re.search("TOKEN|PASSWORD|SECRET", one.name)]
    assert len(kept) >= 5
    assert [one.name for one in kept if one.default] == []


def test_c3_no_file_of_the_project_holds_one() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split(
        "\n"
    )
    given = re.compile(r"\bTIDEWATCH_(?:VIEWER_)?(?:TOKEN|PASSWORD|SECRET)[\"']?\s*[:=]\s*[\"']?([A-Za-z0-9+/_-]{4,})")
    wrong = []
    for name in tracked:
        path = ROOT / name
        if (
            path.is_file()
            and not name.startswith("tests/")
            and path.suffix in ("", ".py", ".md", ".yml", ".yaml", ".conf")
        ):
            wrong += [(name, one) for one in given.findall(path.read_text(errors="ignore"))]
    assert wrong == []


def test_c3_where_others_come_it_does_not_start_without_a_secret(tmp_path: Path) -> None:
    environ = {"TIDEWATCH_HOST": "0.0.0.0", "TIDEWATCH_DATA_DIR": str(tmp_path)}
    with pytest.raises(BadSetting, match="there is no token"):
        create_server(environ)


def test_c3_no_well_known_word_opens(closed: Flask) -> None:
    for at, word in enumerate(["", "admin", "admin:admin", *WELL_KNOWN.split()]):
        client = closed.test_client()
        assert client.get("/api/runs", headers=bearer(word), environ_base=far(at)).status_code == 401
        page = client.get("/login")
        sent = {"secret": word, "form": field_of(page, "form")}
        assert client.post("/login", data=sent, environ_base=far(at)).status_code in (401, 429)


def far(at: int) -> dict[str, str]:
    return {"REMOTE_ADDR": f"10.0.{at // 250}.{at % 250}"}


def test_c15_each_role_reaches_what_is_for_it_and_nothing_else(closed: Flask) -> None:
    """Every route, every method, both roles, by token and by session."""
    rows = []
    for word, password, role in ((TOKEN, PASSWORD, "editor"), (VIEWER_TOKEN, VIEWER_PASSWORD, "viewer")):
        browser = closed.test_client()
        log_in(browser, password)
        seal = {SEAL: field_of(browser.get("/"), "seal")}
        for endpoint, method, path in calls(closed):
            need = NEEDS[named(endpoint, "/")]
            if named(endpoint, "/") in CLOSED | {"access.login", "access.logout"}:
                continue
            for client, headers in ((closed.test_client(), bearer(word)), (browser, seal)):
                with client.open(path, method=method, headers=headers) as reply:
                    rows.append((role, need))
                    is_refused = reply.status_code in (401, 403)
                    assert is_refused is (need == "editor" and role == "viewer"), (
                        role,
                        method,
                        path,
                        reply.status_code,
                    )
    assert {("editor", "editor"), ("viewer", "editor"), ("viewer", "viewer")} <= set(rows)


def test_c15_a_viewer_is_offered_nothing_that_writes_and_cannot_make_it(closed: Flask) -> None:
    browser = closed.test_client()
    log_in(browser, VIEWER_PASSWORD, name="editor")  # a name is no role
    page = browser.get("/")
    assert field_of(page, "role") == "viewer"
    headers = {SEAL: field_of(page, "seal"), "X-Tidewatch-Role": "editor"}
    sent = {"by": "x", "class": "stall", "role": "editor"}
    assert browser.post("/api/mutes?role=editor", json=sent, headers=headers).status_code == 403
    overridden = {**headers, "X-HTTP-Method-Override": "POST"}
    assert browser.get("/api/mutes", headers=overridden).json == []
