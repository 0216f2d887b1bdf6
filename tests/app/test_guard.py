"""Who may ask: a foreign name or a foreign page reaches no route, and every answer carries its headers."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.routing import Rule

from app.api.guard import hostname, is_ours
from app.config import AppConfig
from app.factory import create_app
from app.store import RedisRunStore


def address(rule: Rule) -> str:
    # /api/runs/<run>/series → /api/runs/x/series
    return re.sub(r"<[^>]+>", "x", rule.rule)


def test_every_route_refuses_a_foreign_host(server: Flask) -> None:
    client = server.test_client()
    rules = list(server.url_map.iter_rules())
    assert len(rules) > 12
    for rule in rules:
        for method in rule.methods or ():
            reply = client.open(address(rule), method=method, headers={"Host": "evil.test"})
            assert reply.status_code == 400, (rule.rule, method)


def test_every_route_refuses_a_foreign_origin(server: Flask) -> None:
    client = server.test_client()
    for rule in server.url_map.iter_rules():
        for method in rule.methods or ():
            reply = client.open(address(rule), method=method, headers={"Origin": "http://evil.test"})
            assert reply.status_code == 403, (rule.rule, method)


@pytest.mark.parametrize("host", ["localhost", "localhost:8050", "127.0.0.1:8050", "[::1]:8050", "LOCALHOST"])
def test_loopback_is_ours_under_each_of_its_names(client: FlaskClient, host: str) -> None:
    assert client.get("/livez", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.test",
        "localhost.evil.test",
        "evil-localhost",
        "127.0.0.1.evil.test",
        "169.254.169.254",
        "localhost:80:80",
        "localhost:x",
        "localhost@evil.test",
        "",
        "::1",
        "[::1]evil",
    ],
)
def test_anything_else_is_400_with_a_sentence(client: FlaskClient, host: str) -> None:
    reply = client.get("/livez", headers={"Host": host})
    assert reply.status_code == 400
    assert "TIDEWATCH_ALLOWED_HOSTS" in reply.json["error"]


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.test",
        "null",
        "",
        "http://localhost.evil.test",
        "http://localhost:3000",
        "file://localhost",
        "javascript://localhost",
        "http://[",
    ],
)
def test_a_foreign_origin_is_403_with_a_sentence(client: FlaskClient, origin: str) -> None:
    reply = client.get("/api/runs", headers={"Origin": origin, "Host": "localhost:8050"})
    assert reply.status_code == 403
    assert "Origin" in reply.json["error"]
    assert "Access-Control-Allow-Origin" not in reply.headers


def test_our_own_page_may_ask(client: FlaskClient) -> None:
    headers = {"Origin": "http://localhost:8050", "Host": "localhost:8050", "Sec-Fetch-Site": "same-origin"}
    assert client.get("/livez", headers=headers).status_code == 200


def test_a_foreign_page_that_hides_its_origin_is_refused_and_a_link_from_it_is_not(client: FlaskClient) -> None:
    fetched = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    clicked = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/api/runs", headers=fetched).status_code == 403
    assert client.get("/", headers=clicked).status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_leads_to_no_writing(client: FlaskClient, site: str) -> None:
    led = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"}
    assert client.post("/api/mutes", json={"by": "x", "class": "stall"}, headers=led).status_code == 403
    assert client.get("/api/mutes").json == []


def test_a_name_that_is_allowed_is_served_also_behind_tls(store: RedisRunStore) -> None:
    config = AppConfig(allowed_hosts=("dash.example.com",))
    client = create_app(config, store).server.test_client()
    headers = {"Host": "dash.example.com", "Origin": "https://dash.example.com"}
    assert client.get("/livez", headers=headers).status_code == 200
    assert client.get("/livez", headers={"Host": "eviltdash.example.com"}).status_code == 400
    assert client.get("/livez", headers={"Host": "dash.example.com.evil.test"}).status_code == 400


def test_bound_to_every_address_an_address_is_ours_and_a_name_is_not() -> None:
    everywhere = AppConfig(host="0.0.0.0")
    assert is_ours("10.1.2.3:8050", everywhere)
    assert is_ours("[fe80::1]:8050", everywhere)
    assert not is_ours("evil.test:8050", everywhere)
    assert not is_ours("10.1.2.3:8050", AppConfig())
    assert is_ours("10.1.2.3:8050", AppConfig(host="10.1.2.3"))
    assert is_ours("[fe80::1]:8050", AppConfig(host="fe80::1"))


@pytest.mark.parametrize(
    ("host", "name"), [("A:1", "a"), ("a", "a"), ("[::1]:1", "[::1]"), ("[::1]", "[::1]"), ("a:b", ""), ("", "")]
)
def test_a_host_is_parted_from_its_port(host: str, name: str) -> None:
    assert hostname(host) == name


@pytest.mark.parametrize(
    "path", ["/", "/livez", "/api/runs", "/api/runs/nobody", "/assets/00-tokens.css", "/_dash-layout"]
)
def test_every_answer_carries_its_headers(client: FlaskClient, path: str) -> None:
    with client.get(path) as reply:
        headers = reply.headers
    policy = headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in policy
    assert "default-src 'self'" in policy
    assert "unsafe-eval" not in policy
    assert "'unsafe-inline'" not in policy.partition("script-src")[2].partition(";")[0]
    assert "http" not in policy


def test_a_refusal_carries_the_headers_too(client: FlaskClient) -> None:
    assert "Content-Security-Policy" in client.get("/", headers={"Host": "evil.test"}).headers


@pytest.mark.parametrize(
    "path", ["/assets/../app/config.py", "/assets/..%2fapp%2fconfig.py", "/assets/%2e%2e/README.md"]
)
def test_nothing_outside_the_assets_is_served_as_one(client: FlaskClient, path: str) -> None:
    reply = client.get(path)
    assert b"TIDEWATCH_" not in reply.data
    assert b"AppConfig" not in reply.data


def test_inline_scripts_of_the_page_are_those_that_the_policy_names(server: Flask) -> None:
    reply = server.test_client().get("/")
    page = re.sub(r"<!--.*?-->", "", reply.text, flags=re.S)
    inline = re.findall(r"<script(?![^>]*(?:src=|application/json))[^>]*>(.+?)</script>", page, re.S)
    hashes = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in inline]
    assert hashes
    assert all(f"'sha256-{one}'" in reply.headers["Content-Security-Policy"] for one in hashes)


def test_no_other_plotly_and_no_other_host_is_asked_for(client: FlaskClient) -> None:
    scripts = re.findall(r'src="([^"]+)"', client.get("/").text)
    assert scripts
    assert all(one.startswith("/") and not one.startswith("//") for one in scripts)
    plotly = [one for one in scripts if "plotly" in one]
    assert all(one.startswith("/assets/") for one in plotly), plotly
