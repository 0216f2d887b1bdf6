"""What people see of all this: gunicorn as it is started, and a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page, expect

from app.access.limit import OF_ONE
from tests.e2e.conftest import knowing
from tests.support import alarmed
from tests.support.curves import until
from tests.support.guarded import PASSWORD, TOKEN, VIEWER_PASSWORD, VIEWER_TOKEN, WORDS, Served, gunicorn
from tests.support.redis_server import RedisServer

pytestmark = pytest.mark.timeout(240)  # servers are started, which may take long beside other tests

PATIENCE = 20_000  # ms
ALERTS = "document.querySelectorAll('.alerts-lists > .alerts-list > .alert').length"
FORGIVEN = re.compile(r"status of (401|403|429)")  # what the tests themselves bring about


@pytest.fixture(scope="module")
def filled() -> Iterator[str]:
    """The address of a Redis with a run that has alerts."""
    server = RedisServer().start()
    client = redis.Redis.from_url(server.url)
    alarmed.fill(client, server.url)
    yield server.url
    client.close()
    server.close()


@pytest.fixture(scope="module")
def served(filled: str) -> Iterator[Served]:
    """A dashboard that asks for a password."""
    with gunicorn(filled, **WORDS) as served:
        yield served


@pytest.fixture(scope="module")
def script(browser: Browser) -> Page:
    """A blank page that knows assets/access.js alone."""
    return knowing(browser, ["access"])


@contextmanager
def visitor(browser: Browser, **options: object) -> Iterator[Page]:
    """A browser of its own, in which nothing may go wrong."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US", **options)  # type: ignore[arg-type]
    page, troubles = context.new_page(), []
    page.set_default_timeout(PATIENCE)
    page.on("pageerror", lambda error: troubles.append(f"{error}\n{error.stack}"))
    page.on("console", lambda one: one.type == "error" and not FORGIVEN.search(one.text) and troubles.append(one.text))
    yield page
    context.close()
    assert troubles == []


def come_in(page: Page, served: Served, word: str, name: str = "", at: str = "/") -> None:
    """Through the door."""
    page.goto(served.url + at)
    page.get_by_label("Password or token").fill(word)
    page.get_by_label("Your name (optional)").fill(name)
    page.get_by_role("button", name="Log in").click()


def test_the_link_that_was_printed_opens_the_page(browser: Browser, served: Served) -> None:
    with visitor(browser) as page:
        page.goto(f"{served.url}/run/alarmed?view=100..200&token={TOKEN}")
        until(page, f"{ALERTS} > 0")
        assert "token" not in page.url
        assert "view=100..200" in page.url
        assert TOKEN not in page.content()
        expect(page.locator("#live")).to_have_attribute("data-state", re.compile("live|finished"))


def test_a_password_leads_to_what_was_asked_for_and_the_way_out_is_out(browser: Browser, served: Served) -> None:
    with visitor(browser) as page:
        come_in(page, served, PASSWORD, "夜班", "/run/alarmed?view=100..200")
        until(page, f"{ALERTS} > 0")
        assert page.url.startswith(f"{served.url}/run/alarmed?view=100..200")
        expect(page.locator(".who-name")).to_have_text("夜班")
        page.get_by_role("link", name="Log out").click()
        expect(page.get_by_role("heading", name="Log in")).to_be_visible()
        page.goto(f"{served.url}/run/alarmed")
        expect(page.get_by_role("heading", name="Log in")).to_be_visible()


def test_who_is_logged_in_signs_what_is_said(browser: Browser, served: Served) -> None:
    with visitor(browser) as page:
        come_in(page, served, PASSWORD, "Night shift", "/run/alarmed?alert=grad_explode-a1-560")
        page.locator("[data-act='acknowledge']").click()
        name = page.get_by_label("Your name")
        expect(name).to_have_value("Night shift")
        expect(name).not_to_be_editable()
        page.locator(".alert-form [type='submit']").click()
        expect(page.locator("[data-act='reopen']")).to_be_visible()
        said = page.evaluate("fetch('/api/runs/alarmed/alerts/grad_explode-a1-560').then((one) => one.json())")
        assert said["ack"]["by"] == "Night shift"
        page.locator("[data-act='reopen']").click()
        expect(page.locator("[data-act='acknowledge']")).to_be_visible()


def test_a_viewer_is_offered_nothing_that_writes(browser: Browser, served: Served) -> None:
    with visitor(browser) as page:
        come_in(page, served, VIEWER_PASSWORD, at="/run/alarmed?alert=grad_explode-a1-560")
        until(page, f"{ALERTS} > 0")
        expect(page.locator(".alert-acts")).to_be_attached()
        expect(
            page.locator("[data-act]:visible").filter(has_text=re.compile("Acknowledge|Mute|over", re.I))
        ).to_have_count(0)
        expect(page.locator(".who-name")).to_have_text("viewer")
        asked = "fetch('/api/mutes', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{}'})"
        assert page.evaluate(f"{asked}.then((one) => one.status)") == 403


def test_wrong_words_are_counted(browser: Browser, filled: str) -> None:
    with gunicorn(filled, **WORDS) as served, visitor(browser) as page:
        come_in(page, served, "wrong")
        for _ in range(OF_ONE):
            expect(page.get_by_role("alert")).to_be_visible()
            page.get_by_label("Password or token").fill("wrong again")
            page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("alert")).to_contain_text("try again in")
        page.get_by_label("Password or token").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("alert")).to_contain_text("try again in")


def test_a_changed_token_ends_the_session_of_an_open_page_which_says_so(
    browser: Browser, filled: str, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.write_text(TOKEN)
    with gunicorn(filled, TIDEWATCH_TOKEN_FILE=str(file)) as served, visitor(browser) as page:
        page.goto(f"{served.url}/run/alarmed?view=100..200&token={TOKEN}")
        until(page, f"{ALERTS} > 0")
        until(page, "tidewatch.renewal.isReady()")
        file.write_text(VIEWER_TOKEN)
        notice = page.locator("#ended")
        expect(notice).to_contain_text("You are logged out")
        asked: list[str] = []
        page.on("request", lambda one: asked.append(one.url))
        page.evaluate("tidewatch.renewal.ask()")
        assert page.evaluate("fetch('/api/runs').then((one) => one.status)") == 401
        until(page, "performance.now() - (globalThis.marked ??= performance.now()) > 5000")
        assert asked == []  # nothing is asked any more, by clock, stream or script
        notice.get_by_role("link").click()
        page.get_by_label("Password or token").fill(VIEWER_TOKEN)
        page.get_by_role("button", name="Log in").click()
        until(page, f"{ALERTS} > 0")
        assert page.url.startswith(f"{served.url}/run/alarmed?view=100..200")


def test_the_door_needs_no_script(browser: Browser, served: Served) -> None:
    with visitor(browser, java_script_enabled=False) as page:
        come_in(page, served, PASSWORD, "shift")
        expect(page.locator(".runs")).to_contain_text("alarmed")
        page.get_by_role("link", name="Log out").click()
        expect(page.get_by_text("You are logged in as shift.")).to_be_visible()
        page.get_by_role("button", name="Log out").click()
        expect(page.get_by_role("heading", name="Log in")).to_be_visible()


def test_two_dashboards_of_one_host_do_not_log_each_other_out(browser: Browser, served: Served, filled: str) -> None:
    with gunicorn(filled, TIDEWATCH_TOKEN=TOKEN) as other, visitor(browser) as page:
        come_in(page, served, PASSWORD)
        come_in(page, other, TOKEN)
        for one in (served, other):
            page.goto(one.url)
            expect(page.locator(".runs")).to_contain_text("alarmed")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("language", "title"), [("en", "Log in"), ("zh", "登录")])
def test_the_door_is_for_everybody(browser: Browser, served: Served, scheme: str, language: str, title: str) -> None:
    """axe finds nothing serious, the keyboard is enough, and it fits a phone."""
    size = {"width": 390, "height": 700}
    context = browser.new_context(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"{served.url}/login?lang={language}&wrong=link")
    expect(page.get_by_role("heading", name=title)).to_be_visible()
    expect(page.get_by_role("alert")).to_be_visible()
    page.evaluate(AXE_SCRIPT)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] }).then((one) => one.violations)")
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.keyboard.type(TOKEN)  # the field has the keyboard at once
    page.keyboard.press("Enter")
    expect(page.locator(".runs")).to_contain_text("alarmed")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()


@pytest.mark.parametrize(
    ("sent", "seal", "ours", "goes"),
    [
        ({"method": "POST"}, "s", True, True),
        ({"method": "delete"}, "s", True, True),
        ({"method": "PUT", "headers": {"Content-Type": "application/json"}}, "s", True, True),
        ({"method": "POST"}, "s", False, False),  # nobody else is told
        ({"method": "POST"}, "", True, False),
        ({"method": "get"}, "s", True, False),
        ({}, "s", True, False),
    ],
)
def test_the_seal_goes_with_what_writes_and_stays_here(
    script: Page, sent: dict[str, object], seal: str, ours: bool, goes: bool
) -> None:
    made = script.evaluate(
        "([sent, seal, ours]) => Object.fromEntries(new Headers(tidewatch.access.sealed(sent, seal, ours)))",
        [sent, seal, ours],
    )
    assert ("x-tidewatch-token" in made) is goes
    assert ("content-type" in made) is ("headers" in sent)
