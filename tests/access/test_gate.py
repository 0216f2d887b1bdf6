"""Who is let through, and what the others are told."""

from __future__ import annotations

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.access.identity import ANYBODY, NOBODY, present
from app.config import AppConfig
from app.factory import create_app
from app.store import RedisRunStore
from tests.access.conftest import Clock
from tests.support.guarded import PASSWORD, SEAL, TOKEN, VIEWER_PASSWORD, VIEWER_TOKEN, bearer, field_of, log_in

MUTE = {"by": "shift", "class": "stall"}


def test_a_script_without_a_token_gets_a_sentence_and_the_way_in(client: FlaskClient) -> None:
    reply = client.get("/api/runs")
    assert reply.status_code == 401
    assert reply.headers["WWW-Authenticate"].startswith("Bearer")
    assert "Authorization: Bearer" in reply.json["error"]


@pytest.mark.parametrize("path", ["/", "/run/gpt-1?panels=loss", "/run/a%2Fb", "/compare?runs=a,b", "/run/%E8%A7%82"])
def test_a_person_is_shown_the_door_and_comes_back(client: FlaskClient, path: str) -> None:
    shown = client.get(path)
    assert shown.status_code == 303
    assert shown.location.startswith("/login")
    page = client.get(shown.location)
    sent = {"secret": PASSWORD, "form": field_of(page, "form"), "next": field_of(page, "next")}
    back = client.post("/login", data=sent)
    assert back.status_code == 303
    assert client.get(back.location).status_code == 200
    assert client.get(path).request.path == client.get(back.location).request.path


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "token", "Token"])
def test_a_token_in_the_header_is_enough_and_may_write(client: FlaskClient, scheme: str) -> None:
    headers = {"Authorization": f"{scheme} {TOKEN}"}
    assert client.get("/api/runs", headers=headers).json == []
    assert client.post("/api/mutes", json=MUTE, headers=headers).status_code == 200


@pytest.mark.parametrize(
    "header",
    ["", "Bearer", "Bearer ", f"Bearer {TOKEN}x", f"Basic {TOKEN}", f"Bearer{TOKEN}", f"Bearer {PASSWORD}", "Bearer é"],
)
def test_anything_else_in_the_header_is_not(client: FlaskClient, header: str) -> None:
    assert client.get("/api/runs", headers={"Authorization": header}).status_code == 401


def test_a_proxy_s_own_authorization_does_not_hide_a_session(client: FlaskClient) -> None:
    log_in(client, PASSWORD)
    for header in ("Basic dXNlcjpwYXNz", "Bearer of.another.kind"):
        assert client.get("/api/runs", headers={"Authorization": header}).status_code == 200


def test_a_viewer_sees_everything_and_writes_nothing(client: FlaskClient) -> None:
    headers = bearer(VIEWER_TOKEN)
    assert client.get("/api/runs", headers=headers).status_code == 200
    assert client.get("/metrics", headers=headers).status_code == 200
    reply = client.post("/api/mutes", json=MUTE, headers=headers)
    assert reply.status_code == 403
    assert "editor" in reply.json["error"]
    assert client.get("/api/mutes", headers=headers).json == []


def test_what_writes_with_a_cookie_repeats_the_seal_of_its_session(client: FlaskClient, server: Flask) -> None:
    log_in(client, PASSWORD)
    seal = field_of(client.get("/"), "seal")
    other = server.test_client()
    log_in(other, PASSWORD)
    foreign = field_of(other.get("/"), "seal")
    for sent in ({}, {SEAL: ""}, {SEAL: foreign}, {SEAL: seal[:-1]}, {SEAL: "é"}):
        assert client.post("/api/mutes", json=MUTE, headers=sent).status_code == 403
    assert client.get("/api/mutes").json == []
    assert client.post("/api/mutes", json=MUTE, headers={SEAL: seal}).status_code == 200


def test_who_is_logged_in_signs(client: FlaskClient) -> None:
    log_in(client, PASSWORD, name=" Night  shift ")
    page = client.get("/")
    assert field_of(page, "name") == "Night shift"
    headers = {SEAL: field_of(page, "seal")}
    assert client.post("/api/mutes", json={**MUTE, "by": "Somebody else"}, headers=headers).json["by"] == "Night shift"
    assert client.post("/api/mutes", json={"rank": 1}, headers=headers).json["by"] == "Night shift"


def test_who_gave_no_name_says_one(client: FlaskClient) -> None:
    assert client.post("/api/mutes", json={"rank": 1}, headers=bearer(TOKEN)).status_code == 400
    assert client.post("/api/mutes", json={"rank": 1, "by": "shift"}, headers=bearer(TOKEN)).json["by"] == "shift"


def test_wrong_tokens_are_counted_and_right_ones_of_others_are_not_kept_out(client: FlaskClient) -> None:
    replies = [client.get("/api/runs", headers=bearer("wrong")) for _ in range(70)]
    assert {one.status_code for one in replies} == {401, 429}
    assert int(replies[-1].headers["Retry-After"]) > 0
    elsewhere = {"REMOTE_ADDR": "10.9.9.9"}
    assert client.get("/api/runs", headers=bearer(TOKEN), environ_base=elsewhere).status_code == 200


def test_a_session_of_two_weeks_is_over(client: FlaskClient, clock: Clock) -> None:
    log_in(client, PASSWORD)
    clock.now += 13 * 86_400
    assert client.get("/api/runs").status_code == 200
    clock.now += 2 * 86_400
    assert client.get("/api/runs").status_code == 401


def test_load_balancers_are_told_one_word_and_others_the_reasons(client: FlaskClient) -> None:
    assert client.get("/readyz?verbose").json == {"status": "not ready"}
    assert client.get("/livez").json == {"status": "alive"}
    assert client.get("/readyz", headers=bearer(VIEWER_TOKEN)).json["checks"]


def test_the_page_says_who_looks(client: FlaskClient) -> None:
    log_in(client, VIEWER_PASSWORD)
    page = client.get("/")
    assert field_of(page, "role") == "viewer"
    assert "Log out" in page.get_data(as_text=True)


def test_where_no_password_is_needed_everybody_is_an_editor(store: RedisRunStore) -> None:
    client = create_app(AppConfig(), store).server.test_client()
    page = client.get("/")
    assert (field_of(page, "role"), field_of(page, "seal"), field_of(page, "name")) == ("editor", "", "")
    assert "log-out" not in page.get_data(as_text=True)
    assert client.post("/api/mutes", json=MUTE).status_code == 200
    assert client.get("/readyz").json["checks"]
    for path in ("/login", "/logout", "/?token=x"):
        assert client.get(path).location == "/"


def test_told_that_only_loopback_reaches_it_others_are_refused(store: RedisRunStore) -> None:
    client = create_app(AppConfig(), store).server.test_client()
    far = {"REMOTE_ADDR": "10.1.2.3"}
    for path in ("/", "/api/runs", "/livez"):
        reply = client.get(path, environ_base=far)
        assert reply.status_code == 403
        assert "TIDEWATCH_HOST" in reply.get_data(as_text=True)
    said_so = create_app(AppConfig.from_environ({"TIDEWATCH_AUTH": "none"}), store).server.test_client()
    assert said_so.get("/api/runs", environ_base=far).status_code == 200


@pytest.mark.parametrize(
    ("name", "text", "far"),
    [
        ("X-Forwarded-For", "10.1.2.3", True),
        ("X-Forwarded-For", "127.0.0.1, 2001:db8::1", True),
        ("X-Forwarded-For", "unknown", True),
        ("X-Real-IP", "203.0.113.9:4711", True),
        ("Forwarded", 'for="[2001:db8::1]:80";proto=https', True),
        ("Forwarded", "for=_hidden", True),
        ("X-Forwarded-For", "127.0.0.1", False),
        ("X-Forwarded-For", "", False),
        ("Forwarded", 'proto=http;for="[::1]:80"', False),
        ("X-Real-IP", "127.0.0.1:80", False),
    ],
)
def test_a_proxy_that_leads_from_elsewhere_to_a_dashboard_without_a_password_is_refused(
    store: RedisRunStore, name: str, text: str, far: bool
) -> None:
    """nginx with proxy_pass alone says Host: 127.0.0.1, as a browser of this machine does."""
    client = create_app(AppConfig(), store).server.test_client()
    assert client.get("/api/runs", headers={name: text}).status_code == (403 if far else 200)
    said_so = create_app(AppConfig.from_environ({"TIDEWATCH_AUTH": "none"}), store).server.test_client()
    assert said_so.get("/api/runs", headers={name: text}).status_code == 200


def test_the_description_of_the_api_says_what_is_needed(client: FlaskClient) -> None:
    described = client.get("/api/openapi.json", headers=bearer(TOKEN)).json
    assert described["security"] == [{"token": []}, {"session": []}]
    assert described["paths"]["/livez"]["get"]["security"] == []
    assert "401" in described["paths"]["/api/runs"]["get"]["responses"]
    assert "401" not in described["paths"]["/livez"]["get"]["responses"]


def test_without_any_secret_nobody_comes_in(store: RedisRunStore) -> None:
    client = create_app(AppConfig(host="0.0.0.0"), store).server.test_client()
    assert client.get("/api/runs").status_code == 401
    assert log_in(client, "").status_code == 401


def test_before_the_gate_has_asked_it_is_nobody(server: Flask) -> None:
    assert present() == ANYBODY  # no request, so a program of the machine
    with server.test_request_context("/"):
        assert present() == NOBODY
