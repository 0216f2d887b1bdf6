"""People log in at a provider of identities: a real one in a process of its own, which can be told to be wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from urllib.request import HTTPRedirectHandler, build_opener

import pytest
from flask import Flask
from flask.testing import FlaskClient
from playwright.sync_api import Browser, expect
from werkzeug.test import TestResponse

from app.access.given import Access, BadSecret, access
from app.access.team import Roles
from app.config import AppConfig, BadSetting
from app.factory import close, create_app
from app.store import RedisRunStore
from tests.support.curves import until
from tests.support.oidc_provider import CLIENT, SECRET, Provider, provider
from tests.support.redis_server import RedisServer
from tests.support.web_process import web_process


@pytest.fixture(scope="module")
def running() -> Iterator[Provider]:
    with provider() as found:
        yield found


def settings(issuer: str, **also: str) -> dict[str, str]:
    return {
        "TIDEWATCH_AUTH": "oidc",
        "TIDEWATCH_OIDC_ISSUER": issuer,
        "TIDEWATCH_OIDC_CLIENT_ID": CLIENT,
        "TIDEWATCH_OIDC_CLIENT_SECRET": SECRET,
        "TIDEWATCH_EDITORS": "writers",
        "TIDEWATCH_VIEWERS": "readers, @example.org",
        **also,
    }


@dataclass
class Login:
    """A browser before the dashboard."""

    client: FlaskClient
    told: Provider

    def begin(self, to: str = "/mon/run/gpt?x=wall") -> str:
        """The address at the provider."""
        answer = self.client.get("/mon/login/team", query_string={"next": to})
        assert answer.status_code == 303, answer.text
        return str(answer.headers["Location"])

    def back(self, address: str) -> TestResponse:
        """What the dashboard answers to where the provider sends the browser."""
        return self.client.get(urlsplit(led(address))._replace(scheme="", netloc="").geturl())

    def whole(self, **person: Any) -> TestResponse:
        self.told.wish(**person)
        return self.back(self.begin())

    def is_in(self) -> bool:
        return self.client.get("/mon/api/runs").status_code == 200

    def role(self) -> str:
        """What this browser may do; "" where it is not in."""
        shell = self.client.get("/mon/", headers={"Accept": "text/html"}).text
        return shell.partition('data-role="')[2].partition('"')[0]


class Still(HTTPRedirectHandler):
    """Follows nobody."""

    def redirect_request(self, *_: object) -> None:
        return None


def led(address: str) -> str:
    """Where the provider leads from an address."""
    opener = build_opener(Still)
    try:
        opener.open(address, timeout=10)
    except OSError as error:  # urllib takes a redirect that nobody follows for an error
        return str(error.headers["Location"])  # type: ignore[attr-defined]
    raise AssertionError("it leads nowhere")


@pytest.fixture
def server(running: Provider, redis_url: str) -> Iterator[Flask]:
    running.wish()
    config = AppConfig(host="127.0.0.1", prefix="/mon/", access=access(settings(running.issuer)))
    store = RedisRunStore(redis_url)
    found = create_app(config, store).server
    yield found
    close(found)
    store.close()


@pytest.fixture
def login(server: Flask, running: Provider) -> Login:
    return Login(server.test_client(), running)


# As it should be


def test_who_comes_back_from_the_provider_is_in_and_where_they_wanted_to_be(login: Login) -> None:
    assert not login.is_in()
    answer = login.whole()
    assert (answer.status_code, answer.headers["Location"]) == (303, "/mon/run/gpt?x=wall")
    cookies = [one for one in answer.headers.getlist("Set-Cookie") if "session" in one]
    assert all(word in cookies[0] for word in ("HttpOnly", "SameSite=Lax", "Path=/mon/"))
    assert login.is_in()
    assert login.role() == "editor"
    assert "夜班" in login.client.get("/mon/", headers={"Accept": "text/html"}).text


def test_the_way_there_has_state_nonce_and_a_proof(login: Login) -> None:
    asked = {name: values[0] for name, values in parse_qs(urlsplit(login.begin()).query).items()}
    assert asked["response_type"] == "code"
    assert asked["client_id"] == CLIENT
    assert asked["code_challenge_method"] == "S256"
    assert asked["redirect_uri"].endswith("/mon/login/team/back")
    assert "openid" in asked["scope"].split()
    again = {name: values[0] for name, values in parse_qs(urlsplit(login.begin()).query).items()}
    for name in ("state", "nonce", "code_challenge"):
        assert len(asked[name]) >= 43
        assert asked[name] != again[name]
    assert SECRET not in str(asked)


PEOPLE: Mapping[str, tuple[dict[str, Any], str]] = {
    "of a group that writes": ({}, "editor"),
    "of a group that looks": ({"groups": ["readers", "others"], "email": "a@elsewhere.org"}, "viewer"),
    "of an address that looks": ({"groups": []}, "viewer"),
    "of an address that nobody proved": ({"groups": [], "email_verified": False}, ""),
    "of an address of which nothing is said": ({"groups": [], "email_verified": None}, ""),
    "of an address like ours": ({"groups": [], "email": "li@evil-example.org"}, ""),
    "of an address below ours": ({"groups": [], "email": "li@x.example.org"}, ""),
    "of a group as text": ({"groups": "writers"}, "editor"),
    "of groups that are none": ({"groups": {"writers": 1}, "email": None}, ""),
    "of no group": ({"groups": None, "email": None}, ""),
}


@pytest.mark.parametrize("case", PEOPLE)
def test_groups_and_proved_addresses_say_who_may_what(login: Login, case: str) -> None:
    person, role = PEOPLE[case]
    answer = login.whole(**person)
    assert answer.status_code == (303 if role else 403)
    assert login.role() == role
    if not role:
        assert "Nothing is open here to 夜班." in answer.text


def test_groups_may_be_told_only_when_they_are_asked_for(login: Login) -> None:
    login.told.wish(told={"groups": ["writers"]}, groups=None)
    assert login.back(login.begin()).status_code == 303
    assert login.role() == "editor"


def test_what_is_told_of_somebody_else_does_not_count(login: Login) -> None:
    login.told.wish(told={"sub": "0815", "groups": ["writers"]}, groups=None, email=None)
    assert login.back(login.begin()).status_code == 403


def test_a_new_key_of_the_provider_is_learnt(server: Flask, running: Provider) -> None:
    login = Login(server.test_client(), running)
    assert login.whole().status_code == 303
    running.wish(new_key=True)
    other = Login(create_again(server, running).test_client(), running)
    assert other.back(other.begin()).status_code == 303


def create_again(_server: Flask, running: Provider) -> Flask:
    """Another process of the same dashboard."""
    config = AppConfig(prefix="/mon/", access=access(settings(running.issuer)))
    return create_app(config, RedisRunStore("redis://127.0.0.1:1/0")).server


# As it should not be


WRONG = (
    *("issuer", "audience", "expired", "nonce", "no nonce", "signature", "none", "public key as secret", "party"),
    "no token",
)


@pytest.mark.parametrize("wrong", WRONG)
def test_a_token_that_is_wrong_in_one_thing_is_not_believed(login: Login, wrong: str) -> None:
    login.told.wish(wrong)
    answer = login.back(login.begin())
    assert answer.status_code == 403
    assert "is not believed" in answer.text
    assert not login.is_in()


@pytest.mark.parametrize(("wrong", "said"), [("state", "in another browser"), ("denied", "let nobody in")])
def test_an_answer_that_is_none_is_refused(login: Login, wrong: str, said: str) -> None:
    login.told.wish(wrong)
    answer = login.back(login.begin())
    assert answer.status_code == 403
    assert said in answer.text
    assert not login.is_in()


def test_the_way_back_of_one_browser_is_none_of_another(server: Flask, login: Login) -> None:
    address = login.begin()
    other = Login(server.test_client(), login.told)
    assert other.back(address).status_code == 403
    other.begin()
    assert other.back(address).status_code == 403
    assert not other.is_in()


def test_a_code_counts_once(login: Login) -> None:
    back = urlsplit(led(login.begin()))._replace(scheme="", netloc="").geturl()
    assert login.client.get(back).status_code == 303
    assert login.client.get(back).status_code == 403


def test_a_cookie_of_the_way_is_ours_and_does_not_last(login: Login, server: Flask) -> None:
    address = login.begin()
    (kept,) = [one for one in login.client._cookies.values() if "team" in one.key]  # type: ignore[union-attr]
    forged = kept.value[:-3] + ("aaa" if not kept.value.endswith("aaa") else "bbb")
    login.client.set_cookie(kept.key, forged, path="/mon/")
    assert login.back(address).status_code == 403


@pytest.mark.parametrize("to", ["//evil.test", "https://evil.test/", "/\\evil.test", "/mon/../evil", "/elsewhere"])
def test_behind_the_login_there_is_no_other_site(login: Login, to: str) -> None:
    login.told.wish()
    assert login.back(login.begin(to)).headers["Location"] == "/mon/"


def test_after_ten_logins_that_failed_the_next_waits(login: Login) -> None:
    for _ in range(10):
        assert login.client.get("/mon/login/team/back?code=x&state=y").status_code == 403
    assert login.client.get("/mon/login/team/back?code=x&state=y").status_code == 429


@pytest.mark.parametrize("wrong", ["discovery", "plain"])
def test_a_provider_that_is_not_what_it_was_said_to_be_is_not_used(running: Provider, wrong: str) -> None:
    running.wish(wrong)
    answer = create_again(Flask("x"), running).test_client().get("/mon/login/team")
    assert answer.status_code == 502
    assert "does not answer" in answer.text
    running.wish()


def test_a_provider_that_is_away_costs_no_error() -> None:
    config = AppConfig(prefix="/mon/", access=access(settings("http://127.0.0.1:1")))
    client = create_app(config, RedisRunStore("redis://127.0.0.1:1/0")).server.test_client()
    assert client.get("/mon/login/team").status_code == 502
    assert client.get("/mon/login").status_code == 200


def test_other_people_in_the_settings_end_what_was_opened(server: Flask, login: Login, running: Provider) -> None:
    assert login.whole().status_code == 303
    (kept,) = [one for one in login.client._cookies.values() if "session" in one.key]  # type: ignore[union-attr]
    key = b"k" * 32
    config = AppConfig(prefix="/mon/", access=access(settings(running.issuer)), secret=key)
    answers = []
    for roles in (config.access.roles, Roles(("bosses",), ())):
        again = create_app(
            replace(config, access=replace(config.access, roles=roles)), RedisRunStore("redis://127.0.0.1:1/0")
        ).server
        one = Login(again.test_client(), running)
        if not answers:
            assert one.whole().status_code == 303
            (kept,) = [c for c in one.client._cookies.values() if "session" in c.key]  # type: ignore[union-attr]
        else:
            one.client.set_cookie(kept.key, kept.value, path="/mon/")
        answers.append(one.client.get("/mon/api/openapi.json").status_code)
    assert answers == [200, 401]


# As it is set


@pytest.mark.parametrize(
    ("also", "named"),
    [
        ({"TIDEWATCH_OIDC_ISSUER": ""}, "TIDEWATCH_OIDC_ISSUER"),
        ({"TIDEWATCH_OIDC_ISSUER": "http://login.example.org"}, "TIDEWATCH_OIDC_ISSUER"),
        ({"TIDEWATCH_OIDC_CLIENT_ID": ""}, "TIDEWATCH_OIDC_CLIENT_ID"),
        ({"TIDEWATCH_OIDC_CLIENT_SECRET": ""}, "TIDEWATCH_OIDC_CLIENT_SECRET"),
        ({"TIDEWATCH_EDITORS": "", "TIDEWATCH_VIEWERS": ""}, "TIDEWATCH_EDITORS"),
        ({"TIDEWATCH_AUTH": "openid"}, "TIDEWATCH_AUTH"),
    ],
)
def test_what_cannot_be_used_is_said_and_no_secret_with_it(also: Mapping[str, str], named: str) -> None:
    with pytest.raises(BadSetting, match=named) as told:
        AppConfig.from_environ(settings("https://login.example.org", **also))
    assert SECRET not in str(told.value)
    assert SECRET not in repr(access(settings("https://login.example.org")))


def test_the_secret_may_lie_in_a_file(tmp_path: Path, running: Provider) -> None:
    running.wish()
    path = tmp_path / "secret"
    given = settings(running.issuer, TIDEWATCH_OIDC_CLIENT_SECRET="", TIDEWATCH_OIDC_CLIENT_SECRET_FILE=str(path))
    store = RedisRunStore("redis://127.0.0.1:1/0")
    with pytest.raises(BadSecret, match="TIDEWATCH_OIDC_CLIENT_SECRET_FILE"):
        create_app(AppConfig(prefix="/mon/", access=access(given)), store)
    path.write_text(SECRET + "\n")
    server = create_app(AppConfig(prefix="/mon/", access=access(given)), store).server
    login = Login(server.test_client(), running)
    assert login.back(login.begin()).status_code == 303


def test_without_a_provider_there_is_no_such_address(redis_url: str) -> None:
    client = create_app(AppConfig(access=Access("token")), RedisRunStore(redis_url)).server.test_client()
    assert client.get("/login/team").status_code == 404
    assert client.get("/login/team/back?code=x").status_code == 404


# In a browser


def test_a_person_logs_in_and_out(
    browser: Browser, redis_server: RedisServer, running: Provider, tmp_path: Path
) -> None:
    running.wish()
    with web_process(tmp_path, redis_server.url, **settings(running.issuer)) as web:
        context = browser.new_context(locale="en-US")
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{web.port}/?search=x")
        assert page.locator("#secret").count() == 0
        page.locator("a.door-team").click()
        expect(page.locator(".who-name")).to_have_text("夜班")
        assert page.url == f"http://127.0.0.1:{web.port}/?search=x"
        until(page, "tidewatch.access")
        page.locator("#log-out").click()
        expect(page.locator("a.door-team")).to_be_visible()
        context.close()
