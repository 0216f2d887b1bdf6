"""What keeps a page as the server has it: pure scripts in a blank page, then a page that a reader is on."""

from __future__ import annotations

import time

import pytest
import redis
from playwright.sync_api import Browser, Page, expect

from collector.wire.records import RunId
from tests.e2e.conftest import knowing
from tests.support.curves import ask, until, until_drawn
from tests.support.seed import Seed, straight

PATCHED = """([live, before, after]) => {
  const made = (text) => Object.assign(document.createElement("div"), { innerHTML: text });
  const [one, two, three] = [live, before, after].map(made);
  const first = one.firstChild;
  tidewatch.patch(one, two, three);
  return [one.innerHTML, first === one.firstChild];
}"""


@pytest.fixture(scope="module")
def scripts(browser: Browser) -> Page:
    """A blank page that knows the pure scripts."""
    return knowing(browser, ("patch", "address", "renewal", "links", "runs"))


@pytest.mark.parametrize(
    ("live", "before", "after", "then", "is_kept"),
    [
        ("<p>a</p>", "<p>a</p>", "<p>b</p>", "<p>b</p>", True),
        (
            "<time>3 s</time>",
            "<time></time>",
            "<time></time>",
            "<time>3 s</time>",
            True,
        ),  # a script has written into it
        ("<time>3 s</time>", "<time></time>", "<time id='x'></time>", '<time id="x"></time>', False),
        ("<p class='open'>a</p>", "<p>a</p>", "<p>b</p>", '<p class="open">b</p>', True),  # the reader has opened it
        ("<p title='a'>a</p>", "<p title='a'>a</p>", "<p>a</p>", "<p>a</p>", True),
        ("<p>a</p>", "<p>a</p>", "<b>a</b>", "<b>a</b>", False),
        ("<p>a</p>", "<p>a</p>", "<p>a</p><p>b</p>", "<p>a</p><p>b</p>", True),
        ("<p>a</p><p>b</p>", "<p>a</p><p>b</p>", "<p>a</p>", "<p>a</p>", True),
        ("", "", "<p>a</p>", "<p>a</p>", False),
        (
            "<p><b data-key='1' class='mine'>a</b><b data-key='2'>b</b></p>",
            "<p><b data-key='1'>a</b><b data-key='2'>b</b></p>",
            "<p><b data-key='3'>c</b><b data-key='2'>B</b><b data-key='1'>a</b></p>",
            '<p><b data-key="3">c</b><b data-key="2">B</b><b data-key="1" class="mine">a</b></p>',
            True,
        ),
        (
            "<p><b data-key='1'>a</b><b data-key='2'>b</b></p>",
            "<p><b data-key='1'>a</b><b data-key='2'>b</b></p>",
            "<p><b data-key='2'>b</b></p>",
            '<p><b data-key="2">b</b></p>',
            True,
        ),
        (
            "<p>a<i></i></p>",
            "<p>a</p>",
            "<p>b</p>",
            "<p>b</p>",
            True,
        ),  # a script's addition goes where the server's word does
    ],
)
def test_only_what_the_server_says_otherwise_is_changed(
    scripts: Page, live: str, before: str, after: str, then: str, *, is_kept: bool
) -> None:
    assert scripts.evaluate(PATCHED, [live, before, after]) == [then, is_kept]


@pytest.mark.parametrize(
    ("address", "is_other"),
    [
        ("/mon/", True),
        ("/mon/run/a%2Fb?x=wall", True),
        ("/mon/compare?runs=a,b", True),
        ("/mon/run/here?x=wall", False),  # the same page
        ("/mon/api/runs", False),
        ("/run/a", False),
        ("https://elsewhere.test/mon/run/a", False),
    ],
)
def test_a_link_is_followed_in_place_where_it_leads_to_another_page(
    scripts: Page, address: str, *, is_other: bool
) -> None:
    here = "new URL('http://tidewatch.test/mon/run/here')"
    assert ask(scripts, f"tidewatch.links.isOther(new URL('{address}', {here}), {here}, '/mon/')") is is_other


@pytest.mark.parametrize(
    ("before", "changes", "after"),
    [
        ("", "{sort: '-loss'}", "?sort=-loss"),
        ("?lang=zh&sort=-loss", "{sort: '-updated'}", "?lang=zh"),
        ("?sort=-loss", "{q: 'a'}", "?q=a&sort=-loss"),  # in one order, so that equal views have equal addresses
        ("?q=a", "{q: '模型 4', rows: '50'}", "?q=%E6%A8%A1%E5%9E%8B+4"),
        ("?rows=150", "{rows: '250'}", "?rows=250"),
    ],
)
def test_the_address_of_the_table_spells_what_is_not_usual(
    scripts: Page, before: str, changes: str, after: str
) -> None:
    assert ask(scripts, f"tidewatch.runs.query('{before}', {changes})") == after


@pytest.fixture
def seed(redis_client: redis.Redis) -> Seed:
    """A run of 300 steps whose head changes with every point."""
    run = Seed(redis_client, facts={"total_steps": "1000"})
    run.points(straight(range(1, 301), at=time.time() - 300), live=False)
    run.touched(time.time())
    run.beat()
    return run


def test_a_part_is_renewed_around_what_the_reader_has_in_hand(page: Page, home: str, seed: Seed) -> None:
    page.goto(f"{home}run/gpt")
    until(page, "tidewatch.renewal.isReady()")
    page.evaluate("() => { window.kept = document.querySelector('#run-head h1'); window.kept.dataset.mine = '1'; }")
    seed.points(straight([301], at=time.time()))
    expect(page.locator("#run-head")).to_contain_text("301 / 1,000")
    assert ask(page, "window.kept.isConnected && window.kept.dataset.mine") == "1"


def test_pages_change_in_place_and_back(page: Page, home: str, seed: Seed) -> None:
    page.goto(home)
    until(page, "tidewatch.renewal.isReady()")
    page.evaluate("() => { window.stays = true; }")
    page.get_by_role("link", name="gpt").click()
    until_drawn(page, 300)
    page.go_back()
    expect(page.get_by_role("searchbox")).to_be_visible()
    until(page, "!tidewatch.curves")
    page.go_forward()
    until_drawn(page, 300)
    assert ask(page, "window.stays") is True


def test_a_page_out_of_view_asks_nothing_and_asks_at_once_when_it_is_seen(page: Page, home: str, seed: Seed) -> None:
    page.goto(home)
    until(page, "tidewatch.renewal.isReady()")
    hide = "Object.defineProperty(document, 'hidden', {configurable: true, get: () => %s});"
    tell = "document.dispatchEvent(new Event('visibilitychange'))"
    page.evaluate(f"() => {{ {hide % 'true'} {tell} }}")
    assert ask(page, "dash_clientside.tidewatch.question() === dash_clientside.no_update") is True
    with page.expect_request("**/_dash-update-component*"):
        page.evaluate(f"() => {{ {hide % 'false'} {tell} }}")


def test_the_table_keeps_the_keyboard_and_its_ticks_while_it_is_renewed(page: Page, home: str, seed: Seed) -> None:
    page.goto(home)
    until(page, "tidewatch.renewal.isReady()")
    mine = page.locator("[data-pick=gpt]")
    mine.click()
    mine.focus()
    newer = Seed(seed.client, run=RunId("newer"))  # stands above it
    newer.points(straight([301], at=time.time()))
    newer.touched(time.time() + 5)
    expect(page.locator("tbody tr [data-pick]").first).to_have_attribute("data-pick", "newer")
    expect(mine).to_be_focused()
    expect(mine).to_have_attribute("aria-checked", "true")
