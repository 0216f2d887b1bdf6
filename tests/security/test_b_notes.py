"""B5, B7, B8, B13: what people and logs say is text on the page, whatever it says, and an address in it is of the web
or no address at all."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pytest
import redis
from flask.testing import FlaskClient
from playwright.sync_api import Page, expect

from app.config import AppConfig
from app.diagnosis.handling import Ack, Handling
from app.diagnosis.notices import Changes
from app.diagnosis.signal import Evidence
from app.diagnosis.store import AlertStore
from app.factory import close, create_app
from app.ids import ASKED, RENEWED
from app.notes.plain import shown
from app.pages.question import BYTES, is_question
from app.store import RedisRunStore
from collector.wire.records import RunId
from tests.e2e.conftest import Watch
from tests.support import alarmed, noted
from tests.support.curves import ask, until
from tests.support.seed import Seed, straight

HARM = """<img src=x onerror="window.harmed='%s'"><script>window.harmed='%s'</script>"""
SCRIPT = "javascript:window.harmed=1"
ADDRESSES = "[...document.querySelectorAll('[href], [src], [action], [formaction]')].flatMap((one) => \
['href', 'src', 'action', 'formaction'].filter((name) => one.hasAttribute(name)).map((name) => one.getAttribute(name)))"


def harm(where: str) -> str:
    """A text that would tell where it ran."""
    return HARM % (where, where)


def unharmed(page: Page) -> None:
    """Nothing of what was written has run, nor waits as an address to be followed."""
    assert ask(page, "window.harmed ?? null") is None
    schemes = {one.partition(":")[0].strip().lower() for one in ask(page, ADDRESSES) if ":" in one.partition("/")[0]}
    assert schemes <= {"http", "https"}
    assert ask(page, "document.querySelectorAll('main img, main script, main iframe, main object').length") == 0


# Notes


@pytest.fixture
def run_page(page: Page, home: str, redis_client: redis.Redis, redis_url: str) -> Page:
    alarmed.fill(redis_client, redis_url)
    noted.write(redis_url, *noted.NOTES)
    page.goto(f"{home}run/{alarmed.RUN}?note={noted.HARMFUL.id}")
    until(page, "document.querySelectorAll('.run-note').length === 4 && document.querySelector('.note-line.strong')")
    return page


def test_b5_an_address_in_a_note_is_of_the_web_or_no_link(run_page: Page) -> None:
    links = run_page.locator(".run-note a")
    assert {one.get_attribute("href", timeout=1_000) for one in links.all()} == {
        "https://example.org/ticket/42",
        "https://xn--fsqu00a.xn--0zwm56d/%E8%B7%AF%E5%BE%84",
    }
    for one in links.all():
        assert (one.get_attribute("rel") or "").split() == ["noopener", "noreferrer", "nofollow"]
    unharmed(run_page)


def test_b7_a_link_to_a_script_in_a_note_stays_text(run_page: Page) -> None:
    text = run_page.locator(".run-note.chosen .note-text")
    assert SCRIPT in text.inner_text()
    assert text.locator("a").count() == 0
    run_page.locator(f"[data-note-mark='{noted.HARMFUL.id}']").focus()
    expect(run_page.locator(".strip-tip")).to_contain_text(SCRIPT)
    unharmed(run_page)


def test_b13_neither_html_nor_markdown_of_a_note_is_taken_for_any(run_page: Page) -> None:
    chosen = run_page.locator(".run-note.chosen")
    assert chosen.locator(".note-text").inner_text() == shown(noted.HARM)
    assert chosen.locator(".note-text *").count() == 0
    expect(chosen.locator(".note-by b")).to_have_text(noted.HARMFUL.author)
    chosen.locator("[data-note-do=edit]").click()
    assert run_page.locator(".note-form [name=text]").input_value() == noted.HARM
    unharmed(run_page)


# Saved views


VIEWS: Mapping[str, str] = {
    "a run": f"run/{alarmed.RUN}?base=X&panels=X&full=X&pin=X&order=X&hide=X&quiet=X&alert=X&note=X&log_at=X",
    "its filters": f"run/{alarmed.RUN}?settings=1&view=X&x=X&alert_class=X&alert_severity=X&alert_rank=X&setting=X",
    "its ranks": f"run/{alarmed.RUN}/ranks?rank=X&metric=X&older=X&group=X",
    "a comparison": "compare?runs=X,Y&metric=X&x=X",
    "all runs": "?search=X&sort=X&q=X",
    "no run": "run/X",
    "no page": "X",
}


@pytest.mark.parametrize("where", VIEWS)
@pytest.mark.parametrize("evil", [SCRIPT, harm("view"), '"><svg onload=window.harmed=1>'])
def test_b7_a_saved_view_leads_nowhere_and_runs_nothing(
    page: Page, watch: Watch, home: str, redis_client: redis.Redis, redis_url: str, where: str, evil: str
) -> None:
    watch.forgiven = ("status of 404",)  # of the document itself, where there is no such page
    alarmed.fill(redis_client, redis_url)
    page.context.set_default_timeout(10_000)
    said = quote(evil, safe="")
    page.goto(home + VIEWS[where].replace("X", said).replace("Y", said), wait_until="load")
    until(page, "document.querySelector('main > *') && tidewatch.words.say('comma') !== 'comma'")
    until(page, "!document.querySelector('.curves') || tidewatch.curves?.plot.drawn || tidewatch.curves?.retry")
    unharmed(page)


def test_b7_a_run_that_is_named_like_a_script_is_not_run_by_its_own_page(
    page: Page, home: str, redis_client: redis.Redis
) -> None:
    name = RunId("javascript:window.harmed=1")
    seed = Seed(redis_client, name)
    for rank in range(2):
        seed.points(straight(range(50)), metric="local_loss", rank=rank, file=f"log/rank_{rank}/info.log")
    page.goto(f"{home}run/{quote(name, safe='')}")
    way = page.locator(".ranks-part a.button")
    way.click()
    until(page, "location.pathname.endsWith('/ranks') && document.querySelector('.ranks-frame')")
    unharmed(page)


# Forged questions


QUESTION = {"path": "/run/gpt", "query": "", "kind": "", "parts": {}}


def asking(value: object, **also: object) -> dict[str, Any]:
    """What Dash sends when a page asks."""
    return {
        "output": f"{RENEWED}.data",
        "outputs": {"id": RENEWED, "property": "data"},
        "inputs": [{"id": ASKED, "property": "data", "value": value}],
        "changedPropIds": [f"{ASKED}.data"],
        **also,
    }


FORGED: Mapping[str, object] = {
    "nothing": None,
    "a list": [],
    "an empty object": {},
    "another output": asking(QUESTION, output="nobody.data"),
    "a number as output": asking(QUESTION, output=5),
    "several outputs": asking(QUESTION, output=f"..{RENEWED}.data...{ASKED}.data.."),
    "another element": asking(QUESTION, outputs={"id": "page", "property": "children"}),
    "no inputs": asking(QUESTION, inputs=[]),
    "inputs that are none": asking(QUESTION, inputs={"a": 1}),
    "another input": asking(QUESTION, inputs=[{"id": "url", "property": "pathname", "value": "/"}]),
    "two inputs": asking(QUESTION, inputs=[{"id": ASKED, "property": "data", "value": QUESTION}] * 2),
    "state": asking(QUESTION, state=[{"id": "x", "property": "y", "value": 1}]),
    "a number": asking(5),
    "text": asking("x"),
    "no path": asking({**QUESTION, "path": None}),
    "a script as path": asking({**QUESTION, "path": SCRIPT}),
    "half a character": asking({**QUESTION, "path": "/run/\ud800"}),
    "a long path": asking({**QUESTION, "path": "/" + "a" * 9_000}),
    "an object as query": asking({**QUESTION, "query": {"a": 1}}),
    "a number as kind": asking({**QUESTION, "kind": 5}),
    "no parts": asking({**QUESTION, "parts": None}),
    "a list of parts": asking({**QUESTION, "parts": [1]}),
    "parts of numbers": asking({**QUESTION, "parts": {"a": 1}}),
    "many parts": asking({**QUESTION, "parts": {str(one): "" for one in range(101)}}),
}


@pytest.fixture
def client(redis_client: redis.Redis, redis_url: str) -> Iterator[FlaskClient]:
    """A dashboard with one run."""
    Seed(redis_client).points(straight(range(50)))
    store = RedisRunStore(redis_url)
    server = create_app(AppConfig(), store).server
    yield server.test_client()
    close(server)
    store.close()


def sent(client: FlaskClient, body: object) -> tuple[int, str]:
    reply = client.post("/_dash-update-component", data=json.dumps(body), content_type="application/json")
    return reply.status_code, reply.text


@pytest.mark.parametrize("case", FORGED)
def test_b7_a_forged_question_is_refused_before_it_is_looked_at(client: FlaskClient, case: str) -> None:
    status, text = sent(client, FORGED[case])
    assert (status, json.loads(text)) == (400, {"error": "No page of this dashboard asks so; reload it."})


def test_b7_what_is_no_json_or_has_no_end_is_refused(client: FlaskClient) -> None:
    address = "/_dash-update-component"
    assert client.post(address, data=b"\xff", content_type="application/json").status_code == 400
    assert client.post(address, data=b"[" * 60_000, content_type="application/json").status_code == 400
    assert client.post(address, data=b" " * (BYTES + 1), content_type="application/json").status_code == 413


def test_b7_a_page_that_asks_is_answered_with_text_alone(client: FlaskClient) -> None:
    status, text = sent(client, asking({**QUESTION, "path": f"/run/{harm('path')}", "query": f"?q={harm('query')}"}))
    assert status == 200
    page = json.loads(text)["response"][RENEWED]["data"]["page"]
    assert "<img" not in page
    assert "<script" not in page
    assert sent(client, asking(None))[0] == 200
    assert is_question(asking({**QUESTION, "at": 1.0}))


# Alerts, events, and lines of logs


def test_b8_what_an_alert_says_is_text(page: Page, home: str, redis_client: redis.Redis, redis_url: str) -> None:
    seed = alarmed.fill(redis_client, redis_url)
    seed.event("error", step=500, text=f"[ERROR] {harm('event')}")
    evil = replace(
        alarmed.SPIKE,
        id="custom-a1-500",
        about="custom",
        rule=harm("rule"),
        severity="critical",
        evidence=Evidence(5.0, 2.0, beside=((harm("beside"), 1.0),)),
    )
    broken = replace(evil, id=f'x" onclick="{SCRIPT}', raised_step=505)
    store = AlertStore(redis_url)
    version = store.kept(alarmed.RUN).version
    assert store.commit(alarmed.RUN, version, {}, Changes((evil, broken), (), ()))
    said = Handling(Ack(harm("by"), None, f"{harm('note')} {SCRIPT}", 1.0), count=evil.count)
    assert store.handle(alarmed.RUN, evil.id, said, None)
    store.close()
    page.goto(f"{home}run/{alarmed.RUN}?alert={evil.id}")
    until(page, "document.querySelector('.alert.chosen .alert-numbers') && document.querySelector('.alert-mark')")
    opened = page.locator(".alert.chosen")
    for part in ("rule", "by", "note"):
        expect(opened).to_contain_text(harm(part))
    expect(page.locator(".alerts-lists > .alerts-list > .alert")).to_have_count(6)
    page.locator("[data-lane=trouble] .event-mark").first.hover()
    expect(page.locator(".strip-tip")).to_contain_text(harm("event"))
    unharmed(page)
