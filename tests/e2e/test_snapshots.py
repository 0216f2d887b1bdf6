"""Snapshots as people make, open and revoke them; the frozen page while its run goes on under a real collector."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import redis
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect

from app.config import AppConfig
from app.factory import create_app
from app.store import RedisRunStore
from collector.wire.records import RunId
from tests.bench.ranks import stored
from tests.e2e.conftest import Watch, Web
from tests.e2e.test_axe import grave
from tests.e2e.test_share import SEEN, settled
from tests.generate.events import FIVE
from tests.generate.plan import Plan, Shape
from tests.support import alarmed, gallery
from tests.support.collecting import collector
from tests.support.curves import ask, drag, range_of_steps, until
from tests.support.redis_server import RedisServer
from tests.support.serving import serving
from tests.support.training import Training

RANKS = "wide"
EDITOR, VIEWER = "editor-0123456789abcdef", "viewer-0123456789abcdef"
STATIC = ("/assets/", "/bundle/", "/_favicon.ico")  # code and styles, which tell nothing of any run


def fill(client: redis.Redis) -> None:
    gallery.training(client, RunId("going"))
    stored.ranks(client, RANKS, Plan(Shape(16, 2, 2), FIVE, 60))


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    started = RedisServer().start()
    with redis.Redis.from_url(started.url) as client:
        fill(client)
        alarmed.fill(client, started.url)
    yield started
    started.close()


@pytest.fixture
def page(watching: Watch, served: str) -> Page:
    return opened(watching.page(), f"{served}run/going")


def opened(tab: Page, address: str) -> Page:
    """A page whose curves are drawn."""
    tab.goto(address)
    until(tab, "tidewatch.curves?.newest > 0")
    settled(tab)
    return tab


def freeze(page: Page, *, names: bool = False, days: str = "7") -> str:
    """Makes a snapshot by hand; its link."""
    page.get_by_role("button", name="Share").click()
    page.get_by_role("menuitem", name="Freeze a snapshot").click()
    dialog = page.get_by_role("dialog", name="Freeze a snapshot")
    dialog.get_by_label("The link opens it for").select_option(days)
    if names:
        dialog.get_by_label("Show host names").check()
    dialog.get_by_role("button", name="Create link").click()
    field = dialog.get_by_label("Link to the snapshot")
    expect(field).to_be_visible()
    return field.input_value()


@contextmanager
def stranger(browser: Browser, prefix: str = "", **options: Any) -> Iterator[tuple[Page, list[str]]]:
    """Somebody else's browser, and the paths it has asked outside of snapshots and files."""
    size = {"width": 1440, "height": 1000}
    context = browser.new_context(**{"viewport": size, "color_scheme": "light", "locale": "en-US", **options})
    watch, asked = Watch(context, forgiven=("status of 410",)), list[str]()
    context.on("request", lambda one: asked.append(one.url) if strays(one, prefix) else None)
    yield watch.page(), asked
    context.close()
    assert watch.troubles == []


def strays(request: Request, prefix: str) -> bool:
    path = urlsplit(request.url).path.removeprefix(prefix)
    return not path.startswith(("/s/", *STATIC))


def test_a_dialog_makes_a_link_and_lists_it(page: Page, browser: Browser) -> None:
    link = freeze(page, days="30")
    dialog = page.get_by_role("dialog", name="Freeze a snapshot")
    assert urlsplit(link).path.startswith("/s/")
    assert not dialog.get_by_label("Show host names").is_checked()
    first = dialog.locator(".snapshot").first
    expect(first).to_contain_text("opens until")
    expect(first).to_contain_text("not opened yet")
    expect(dialog.get_by_role("link", name="Open")).to_have_attribute("href", link)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    dialog.get_by_role("button", name="Copy").click()
    expect(dialog.get_by_text("The link is copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == link
    with stranger(browser) as (other, _):
        opened(other, link)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name="Share")).to_be_focused()
    page.get_by_role("button", name="Share").click()
    page.get_by_role("menuitem", name="Freeze a snapshot").click()
    expect(page.locator(".snapshot").first).to_contain_text("opened once")
    page.keyboard.press("Escape")


def test_a_frozen_page_shows_the_view_and_asks_nothing_but_the_snapshot(page: Page, browser: Browser) -> None:
    drag(page, 0.25, 0.75)
    until(page, "tidewatch.curves.view.kind === 'zoom' && !tidewatch.curves.loading")
    page.locator("#smoothing-number").fill("0.4")
    page.locator(".panel-head[data-panel=lr]").get_by_role("button", name="what to do").click()
    page.get_by_role("menu").get_by_text("Hide", exact=True).click()
    settled(page)
    seen = ask(page, SEEN)
    link = freeze(page)
    with stranger(browser) as (other, asked):
        opened(other, link)
        there = ask(other, SEEN)
        assert [there[one] for one in ("state", "axes", "lines", "panels")] == [
            seen[one] for one in ("state", "axes", "lines", "panels")
        ]
        banner = other.get_by_role("region", name="Frozen snapshot")
        expect(banner).to_contain_text(f"step {gallery.STEPS}")
        expect(banner.get_by_role("link", name="Open the live run")).to_be_visible()
        expect(other.locator("#live")).to_be_hidden()
        for gone in (".baseline", ".alert-buttons"):
            expect(other.locator(gone).filter(visible=True)).to_have_count(0)
        other.get_by_role("button", name="Share").click()
        acts = ask(other, "[...document.querySelectorAll('#share-menu :not([hidden])')].map(one => one.dataset.act)")
        assert {"link", "png"} <= set(acts)
        assert not {"freeze", "snapshots", "link-steps", "note"} & set(acts)
        other.keyboard.press("Escape")
        other.get_by_role("button", name="Log", exact=False).first.click()
        expect(other.locator(".toast")).to_contain_text("A snapshot has no logs")
        expect(other.locator("[data-drawer]")).to_be_hidden()
        drag(other, 0.3, 0.6)
        until(other, "tidewatch.curves.view.kind === 'zoom' && !tidewatch.curves.loading")
        zoomed = range_of_steps(other)
        other.reload()
        settled(other)
        assert range_of_steps(other) == zoomed
        other.get_by_role("button", name="All", exact=True).click()
        other.get_by_role("button", name="Share").click()
        other.keyboard.press("Escape")
        assert asked == []


def test_what_shows_everything_is_not_what_its_maker_saw(page: Page, browser: Browser) -> None:
    page.locator("#smoothing-number").fill("0.7")
    settled(page)
    link = freeze(page)
    with stranger(browser) as (other, _):
        opened(other, link)
        assert ask(other, "tidewatch.state.get().smooth") == 0.7
        other.locator("#smoothing-number").fill("0")
        until(other, "tidewatch.state.get().smooth === 0")
        other.reload()
        settled(other)
        assert ask(other, "tidewatch.state.get().smooth") == 0
        other.go_back()
        until(other, "tidewatch.state.get().smooth === 0.7")


def test_the_map_of_a_frozen_run_is_frozen_too(watching: Watch, served: str, browser: Browser) -> None:
    page = watching.page()
    page.goto(f"{served}run/{RANKS}/ranks?by=stage&rank=35@30")
    until(page, "tidewatch.ranks?.held.m > 0 && tidewatch.ranks.ranks.length === 32")
    link = freeze(page)
    with stranger(browser) as (other, asked):
        other.goto(link)
        until(other, "tidewatch.ranks?.held.m > 0 && tidewatch.ranks.ranks.length === 32")
        assert ask(other, "[tidewatch.ranks.state.by, tidewatch.ranks.state.rank]") == ["stage", "35@30"]
        expect(other.locator(".ranks-chosen h3")).to_contain_text("35")
        other.get_by_role("button", name="Node", exact=True).click()
        until(other, "tidewatch.ranks.state.by === ''")
        other.get_by_role("navigation").get_by_role("link", name=RANKS).click()
        until(other, "tidewatch.curves?.newest > 0")
        other.locator("a[href*='/ranks']", has_text="Show every rank").click()
        until(other, "tidewatch.ranks?.held.m > 0")
        assert asked == []
    page.close()


def test_a_snapshot_stays_while_its_run_goes_on_and_says_when_it_is_revoked(
    watch: Watch, home: str, redis_url: str, tmp_path: Path, browser: Browser
) -> None:
    job = Training(tmp_path)
    job.train(300)
    with collector(tmp_path, redis_url), stranger(browser) as (other, asked):
        page = watch.page()
        page.goto(f"{home}run/sft-run")
        until(page, "tidewatch.curves?.newest === 300")
        settled(page)
        link = freeze(page)
        opened(other, link)
        seen, head = ask(other, SEEN), other.locator("#run-head").inner_text()
        assert ask(other, "tidewatch.curves.newest") == 300
        page.keyboard.press("Escape")
        job.train(50)
        until(page, "tidewatch.curves.newest === 350")
        for _ in range(2):
            other.reload()
            settled(other)
            assert ask(other, SEEN) == seen
            assert other.locator("#run-head").inner_text() == head
        other.keyboard.press("r")  # reads everything again
        settled(other)
        assert ask(other, SEEN) == seen
        page.get_by_role("button", name="Share").click()
        page.get_by_role("menuitem", name="Freeze a snapshot").click()
        page.get_by_role("button", name="Revoke the snapshot of").click()
        page.get_by_role("button", name="Really revoke?").click()
        expect(page.locator(".snapshots [role=status]")).to_contain_text("Revoked")
        expect(page.locator(".snapshot")).to_contain_text("revoked")
        drag(other, 0.2, 0.4)  # who has it open by then is told, once, and nothing more is asked
        expect(other.locator(".frozen-over")).to_contain_text("This snapshot was revoked")
        answer = other.reload()
        assert answer is not None
        assert answer.status == 410
        expect(other.get_by_text("This snapshot was revoked")).to_be_visible()
        assert asked == []


def test_a_question_that_nobody_answers_is_taken_back(page: Page) -> None:
    freeze(page)
    revoke = page.get_by_role("button", name="Revoke the snapshot of").first
    revoke.click()
    expect(page.get_by_role("button", name="Really revoke?")).to_be_visible()
    expect(page.get_by_role("button", name="Really revoke?")).to_have_count(0, timeout=12_000)
    expect(page.locator(".snapshot").first).to_contain_text("opens until")
    page.keyboard.press("Escape")


@pytest.fixture
def viewer(server: RedisServer) -> Iterator[str]:
    """The address of a run for somebody who may only look."""
    told = {"REDIS_URL": server.url, "TIDEWATCH_TOKEN": EDITOR, "TIDEWATCH_VIEWER_TOKEN": VIEWER}
    with ExitStack() as held:
        store = RedisRunStore(server.url)
        held.callback(store.close)
        app = create_app(AppConfig.from_environ(told), store)
        yield f"http://127.0.0.1:{held.enter_context(serving(app.server))}/run/going?token={VIEWER}"


def test_who_may_only_look_sees_the_list_alone(watch: Watch, viewer: str) -> None:
    page = opened(watch.page(), viewer)
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_role("menuitem", name="Freeze a snapshot")).to_be_hidden()
    page.get_by_role("menuitem", name="Snapshots of this run").click()
    dialog = page.get_by_role("dialog", name="Snapshots of this run")
    expect(dialog.locator(".snapshots [role=status]")).not_to_have_text("Reading…")
    expect(dialog.get_by_role("button", name="Create link")).to_have_count(0)
    expect(dialog.get_by_role("button", name="Revoke")).to_have_count(0)


def test_behind_a_prefix_and_in_another_language(watch: Watch, web: Web, server: RedisServer, browser: Browser) -> None:
    page = opened(watch.page(), f"{web(server.url, prefix='/mon/')}run/going?x=relative")
    link = freeze(page)
    assert urlsplit(link).path.startswith("/mon/s/")
    with stranger(browser, prefix="/mon") as (other, asked):
        opened(other, link)
        assert ask(other, "tidewatch.curves.axis.kind") == "relative"
        other.locator("#language-switch").click()
        until(other, "document.documentElement.lang.startsWith('zh') && tidewatch.curves?.newest > 0")
        settled(other)
        expect(other.get_by_role("region", name="快照")).to_be_visible()
        assert ask(other, "tidewatch.curves.axis.kind") == "relative"
        other.keyboard.press("/")  # the search runs in a worker, whose file is with all others
        expect(other.get_by_role("dialog").get_by_role("option").first).to_be_visible()
        assert asked == []


NARROW = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
LOOKS: dict[str, dict[str, Any]] = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "chinese": {"locale": "zh-CN"},
    "narrow": NARROW,
}


@pytest.mark.parametrize("look", LOOKS)
def test_axe_finds_nothing_serious(browser: Browser, served: str, look: str) -> None:
    context: BrowserContext = browser.new_context(
        **{"viewport": {"width": 1440, "height": 1000}, "reduced_motion": "reduce", **LOOKS[look]}
    )
    watch = Watch(context)
    page = opened(watch.page(), f"{served}run/alarmed?alert={alarmed.SPIKE.id}")
    page.locator("#share").click()
    found = {"menu": grave(page)}
    page.locator("#share-menu [data-act=freeze]").click()
    page.locator(".freeze-form [type=submit]").click()
    expect(page.locator(".snapshot").first).to_be_visible()
    found["dialog"] = grave(page)
    assert ask(page, "document.documentElement.scrollWidth <= innerWidth")
    opened(page, page.locator(".freeze-link input").input_value())
    until(page, "document.querySelector('.alert-numbers')")
    found["frozen"] = grave(page)
    assert ask(page, "document.documentElement.scrollWidth <= innerWidth")
    context.close()
    assert {name: said for name, said in found.items() if said} == {}
    assert watch.troubles == []
