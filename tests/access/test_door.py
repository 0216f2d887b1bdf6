"""The pages to log in and out, and links with a token."""

from __future__ import annotations

from http.cookies import SimpleCookie

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.access.limit import OF_ONE
from app.factory import create_app
from app.store import RedisRunStore
from tests.support.guarded import PASSWORD, SEAL, TOKEN, VIEWER_TOKEN, bearer, config, field_of, log_in


def cookie(reply: object, word: str) -> SimpleCookie:
    """The cookie of a reply whose name holds ``word``."""
    lines = [one for one in reply.headers.getlist("Set-Cookie") if word in one]  # type: ignore[attr-defined]
    assert len(lines) == 1
    return SimpleCookie(lines[0])


@pytest.mark.parametrize("word", [PASSWORD, TOKEN, f" {TOKEN}\n"])
def test_either_word_opens_the_door(client: FlaskClient, word: str) -> None:
    assert log_in(client, word).location == "/"
    assert client.get("/api/runs").status_code == 200


def test_a_wrong_word_says_so_and_keeps_the_way(client: FlaskClient) -> None:
    reply = log_in(client, "wrong", next="/run/gpt-1")
    text = reply.get_data(as_text=True)
    assert reply.status_code == 401
    assert 'role="alert"' in text
    assert field_of(reply, "next") == "/run/gpt-1"
    assert "wrong" not in text.split("<body>")[1]
    assert client.get("/api/runs").status_code == 401


def test_the_cookie_is_for_the_server_alone(client: FlaskClient) -> None:
    (found,) = cookie(log_in(client, PASSWORD), "session").values()
    assert (found["httponly"], found["samesite"], found["path"], found["secure"]) == (True, "Lax", "/", "")
    assert int(found["max-age"]) == 14 * 86_400
    assert found.key == "tidewatch_session_web"


def test_over_tls_it_stays_there(client: FlaskClient, server: Flask) -> None:
    page = client.get("/login", base_url="https://localhost")
    sent = {"secret": PASSWORD, "form": field_of(page, "form")}
    (found,) = cookie(client.post("/login", data=sent, base_url="https://localhost"), "session").values()
    assert found["secure"] is True
    behind = server.test_client()  # TLS ends at a proxy, and the browser says where the form was
    page = behind.get("/login", base_url="http://localhost:8050")
    sent = {"secret": PASSWORD, "form": field_of(page, "form")}
    reply = behind.post(
        "/login", data=sent, base_url="http://localhost:8050", headers={"Origin": "https://localhost:8050"}
    )
    (found,) = cookie(reply, "session").values()
    assert found["secure"] is True
    assert found.key == "tidewatch_session_8050"


def test_below_a_prefix_everything_stays_there(store: RedisRunStore) -> None:
    client = create_app(config(TIDEWATCH_PREFIX="/mon/"), store).server.test_client()
    assert client.get("/mon/run/x").location == "/mon/login?next=%2Fmon%2Frun%2Fx"
    reply = log_in(client, PASSWORD, prefix="/mon/")
    assert reply.location == "/mon/"
    (found,) = cookie(reply, "session").values()
    assert found["path"] == "/mon/"
    assert found.key != "tidewatch_session_web"  # that of another dashboard of this host
    assert client.get("/mon/api/runs").status_code == 200


def test_a_link_with_the_token_opens_and_leaves_no_trace_of_it(client: FlaskClient) -> None:
    reply = client.get(f"/run/%E8%A7%82?x=1&token={TOKEN}&y=a%26b")
    assert reply.status_code == 303
    assert reply.location == "/run/%E8%A7%82?x=1&y=a%26b"
    assert TOKEN not in str(reply.headers)
    assert client.get("/api/runs").status_code == 200
    assert client.get(f"/login?token={TOKEN}&next=/compare").location == "/compare"


def test_a_link_with_an_old_token_says_so(client: FlaskClient) -> None:
    reply = client.get("/run/x?token=old-token-of-yesterday")
    assert reply.location == "/login?next=%2Frun%2Fx&wrong=link"
    assert "may be an old one" in client.get(reply.location).get_data(as_text=True)
    assert client.get("/?token=").location == "/login?next=%2F%3Ftoken%3D"


def test_an_old_link_is_no_way_out(client: FlaskClient) -> None:
    log_in(client, PASSWORD)
    assert client.get("/run/x?token=old-token-of-yesterday").location == "/run/x"
    assert client.get("/api/runs").status_code == 200


def test_what_was_wrong_is_told_to_who_runs_it_without_the_word(
    client: FlaskClient, caplog: pytest.LogCaptureFixture
) -> None:
    log_in(client, "almost-the-password")
    client.get("/?token=almost-the-token")
    client.get("/api/runs", headers=bearer("almost-a-token"))
    assert [one.getMessage().split(" from ")[1] for one in caplog.records] == ["127.0.0.1."] * 3
    assert "almost" not in caplog.text


def test_a_form_that_cannot_be_taken_is_answered_with_a_page(client: FlaskClient) -> None:
    """A proxy that names itself and not its visitors' host, for one."""
    reply = client.post("/login", headers={"Origin": "https://dash.example.com", "Accept": "text/html"})
    assert reply.status_code == 403
    assert reply.mimetype == "text/html"
    assert "dash.example.com" in reply.get_data(as_text=True)


def test_a_name_is_text_on_every_page(client: FlaskClient) -> None:
    log_in(client, PASSWORD, name="\"><img src=x onerror=alert(1)>{{7*7}}'")
    for path in ("/", "/logout"):
        page = client.get(path).get_data(as_text=True)
        assert "<img" not in page
        assert "49" not in page.split("You are")[-1][:60]


def test_a_token_in_an_address_of_the_api_is_none(client: FlaskClient) -> None:
    assert client.get(f"/api/runs?token={TOKEN}").status_code == 401  # scripts have headers, and logs have addresses


def test_after_ten_wrong_words_one_waits_and_the_right_word_waits_too(client: FlaskClient) -> None:
    replies = [log_in(client, f"wrong {one}") for one in range(OF_ONE + 1)]
    assert [one.status_code for one in replies] == [401] * OF_ONE + [429]
    assert int(replies[-1].headers["Retry-After"]) > 0
    assert "try again in" in replies[-1].get_data(as_text=True)
    assert log_in(client, PASSWORD).status_code == 429
    assert client.get(f"/?token={TOKEN}").status_code == 429
    assert client.get("/api/runs", headers=bearer(TOKEN)).status_code == 200  # what is at work goes on


def test_the_form_goes_with_its_cookie(client: FlaskClient, server: Flask) -> None:
    """Another site can send a form, and cannot know what goes with the cookie."""
    sent = {"secret": PASSWORD}
    assert client.post("/login", data=sent).status_code == 403
    foreign = field_of(server.test_client().get("/login"), "form")
    client.get("/login")
    assert client.post("/login", data={**sent, "form": foreign}).status_code == 403
    assert client.get("/api/runs").status_code == 401


def test_two_tabs_have_one_form(client: FlaskClient) -> None:
    first, second = (field_of(client.get("/login"), "form") for _ in range(2))
    assert first == second


@pytest.mark.parametrize("name", ["x" * 81, "a\x1b[2Jb", "a\u202eb"])
def test_a_name_is_a_name(client: FlaskClient, name: str) -> None:
    assert log_in(client, PASSWORD, name=name).status_code == 400
    assert client.get("/api/runs").status_code == 401


def test_a_huge_form_is_not_read(client: FlaskClient) -> None:
    assert client.post("/login", data={"secret": "x" * 100_000}).status_code == 413


def test_out_is_out_also_for_a_copy_of_the_cookie(client: FlaskClient, server: Flask) -> None:
    log_in(client, PASSWORD, name="shift")
    kept = client.get_cookie("tidewatch_session_web")
    assert kept
    asked = client.get("/logout")
    assert "You are logged in as shift." in asked.get_data(as_text=True)
    assert client.get("/api/runs").status_code == 200  # a link alone logs nobody out
    assert client.post("/logout", data={"seal": "guessed"}).status_code == 403
    reply = client.post("/logout", data={"seal": field_of(asked, "seal")})
    assert reply.location == "/login"
    assert client.get("/api/runs").status_code == 401
    thief = server.test_client()
    thief.set_cookie("tidewatch_session_web", kept.value)
    assert thief.get("/api/runs").status_code == 401


def test_scripts_log_out_by_the_header(client: FlaskClient) -> None:
    log_in(client, PASSWORD)
    assert client.post("/logout", headers={SEAL: field_of(client.get("/"), "seal")}).status_code == 303
    assert client.get("/api/runs").status_code == 401


def test_who_is_nobody_has_nothing_to_log_out_of(client: FlaskClient) -> None:
    assert client.get("/logout").location == "/"
    assert client.post("/logout").location == "/"


def test_logging_in_anew_ends_the_session_before(client: FlaskClient, server: Flask) -> None:
    log_in(client, VIEWER_TOKEN)
    before = client.get_cookie("tidewatch_session_web")
    assert before
    log_in(client, TOKEN)
    old = server.test_client()
    old.set_cookie("tidewatch_session_web", before.value)
    assert old.get("/api/runs").status_code == 401
    assert field_of(client.get("/"), "role") == "editor"


@pytest.mark.parametrize(("accept", "word"), [("en", "Log in"), ("zh-CN", "登录")])
def test_it_speaks_the_reader_s_language(client: FlaskClient, accept: str, word: str) -> None:
    page = client.get("/login", headers={"Accept-Language": accept}).get_data(as_text=True)
    assert f"<h1>{word}</h1>" in page
    assert "{" not in page.split("<body>")[1]


def test_no_word_of_an_address_is_hypertext(client: FlaskClient) -> None:
    page = client.get("/login?next=/%22%3E%3Cscript%3Ealert(1)%3C/script%3E&lang=%3Cb%3E").get_data(as_text=True)
    assert "<script>alert" not in page
