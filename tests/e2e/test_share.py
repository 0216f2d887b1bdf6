"""The menu "Share": what it offers, by mouse and by keyboard."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import redis
from PIL import Image, ImageChops, ImageFilter
from playwright.sync_api import Browser, Page, expect

from collector.wire.records import RunId
from tests.e2e.conftest import Watch, Web
from tests.support import gallery
from tests.support.curves import GRAPH, ask, drag, range_of_steps, until


def fill(client: redis.Redis) -> None:
    gallery.fill(client)


@pytest.fixture
def page(watching: Watch, served: str) -> Page:
    """A run whose curves are drawn."""
    tab = watching.page()
    tab.goto(f"{served}run/going")
    until(tab, f"tidewatch.curves?.newest === {gallery.STEPS} && !tidewatch.curves.loading")
    return tab


def focused(page: Page) -> str:
    found: str = ask(page, "document.activeElement.textContent")
    return found


def offered(page: Page) -> list[str]:
    """The items that are seen, from the top down."""
    found: list[str] = ask(
        page, "[...document.querySelectorAll('#share-menu [role=menuitem]:not([hidden])')].map(one => one.dataset.act)"
    )
    return found


def test_the_menu_is_one_for_the_keyboard_too(page: Page) -> None:
    opener, menu = page.get_by_role("button", name="Share"), page.get_by_role("menu", name="Share")
    opener.press("Enter")
    expect(menu).to_be_visible()
    expect(opener).to_have_attribute("aria-expanded", "true")
    acts = offered(page)
    assert "png" in acts
    first = focused(page)
    for _ in acts:
        page.keyboard.press("ArrowDown")
    assert focused(page) == first  # once around
    page.keyboard.press("End")
    assert ask(page, "document.activeElement.dataset.act") == acts[-1]
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(opener).to_be_focused()
    expect(opener).to_have_attribute("aria-expanded", "false")


def test_the_menu_closes_where_one_looks_elsewhere(page: Page) -> None:
    menu = page.get_by_role("menu", name="Share")
    page.get_by_role("button", name="Share").click()
    expect(menu).to_be_visible()
    page.get_by_role("heading", name="Training curves").click()
    expect(menu).to_be_hidden()
    for shown in (True, False):
        page.get_by_role("button", name="Share").click()
        expect(menu).to_be_visible(visible=shown)


def test_an_act_is_shown_where_somebody_does_it(page: Page) -> None:
    ask(page, "tidewatch.shareMenu.on('bundle', (place) => (window.told = place.run))")
    ask(page, "tidewatch.shareMenu.on('note', () => {}, {pages: ['ranks']})")
    page.get_by_role("button", name="Share").click()
    acts = offered(page)
    assert "bundle" in acts
    assert "note" not in acts
    page.get_by_role("menuitem", name="Incident bundle").click()
    assert ask(page, "window.told") == "going"


def copied(page: Page, item: str = "Copy link") -> str:
    """What an item of the menu puts into the clipboard."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Share").click()
    page.get_by_role("menuitem", name=item, exact=True).click()
    expect(page.locator(".toast")).to_have_text("The link to this view is copied.")
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


@contextmanager
def another(browser: Browser, **options: Any) -> Iterator[Page]:
    """A tab of somebody else's browser; nothing may go wrong in it."""
    size = {"width": 1440, "height": 1000}
    context = browser.new_context(**{"viewport": size, "color_scheme": "light", "locale": "en-US", **options})
    watch = Watch(context)
    yield watch.page()
    context.close()
    assert watch.troubles == []


SEEN = """(() => {
  const { data, _fullLayout: full } = document.querySelector(".js-plotly-plot");
  const axes = Object.keys(full).filter((key) => /^[xy]axis\\d*$/.test(key));
  return {
    state: tidewatch.state.get(),
    axes: Object.fromEntries(axes.map((key) => [key, [full[key].type, full[key].range]])),
    lines: data.filter(({ x }) => x.length).map(({ meta: { panel, role }, x, y }) => [panel, role, [...x], [...y]]),
    panels: [...document.querySelectorAll(".panel-head h3")].map((one) => one.textContent),
    logs: document.querySelector("[data-drawer]").hidden,
    settings: document.querySelector("[data-settings]").open,
  };
})()"""


def settled(page: Page) -> None:
    until(page, "tidewatch.curves.plot.drawn && !tidewatch.curves.loading && !tidewatch.curves.frame")
    until(page, "tidewatch.curves.newest > 0 && document.querySelectorAll('.panel-head').length > 0")


def picture(page: Page) -> bytes:
    """The figure as it is on the screen."""
    page.mouse.move(2, 2)
    expect(page.locator(".toast:not(:empty)")).to_have_count(0)
    expect(page.locator(".reading:not([hidden])")).to_have_count(0)
    return page.locator(".curves").screenshot(animations="disabled")


SUBPIXEL = 24  # of 255: a line that moves by a tenth of a pixel, as again.js and Plotly round it


def apart(one: bytes, other: bytes) -> int:
    """How far two pictures are apart at the worst place, a little blurred."""
    pictures = [Image.open(BytesIO(each)).convert("RGB") for each in (one, other)]
    assert pictures[0].size == pictures[1].size
    found = ImageChops.difference(*(each.filter(ImageFilter.GaussianBlur(2)) for each in pictures))
    return max(high for _, high in found.getextrema())


def test_whoever_gets_a_link_sees_the_same(page: Page, browser: Browser) -> None:
    drag(page, 0.3, 0.8)
    until(page, "tidewatch.curves.view.kind === 'zoom' && !tidewatch.curves.loading")
    page.locator("#x-kind").select_option("relative")
    page.locator("#smoothing-number").fill("0.61")
    page.locator("#clip").click()
    for key, item in (("grad_norm", "Pin to the top"), ("lr", "Logarithmic scale"), ("throughput", "Hide")):
        page.locator(f".panel-head[data-panel={key}]").get_by_role("button", name="what to do").click()
        page.get_by_role("menu").get_by_text(item, exact=True).click()
    page.locator(".event-chip[data-kind=checkpoint]").click()
    page.locator("[data-settings] > summary").click()
    settled(page)
    link = copied(page)
    assert set(parse_qs(urlsplit(link).query)) == {
        "view", "x", "smooth", "clip", "pin", "log", "hide", "quiet", "settings"
    }  # fmt: skip
    with another(browser) as other:
        other.goto(link)
        settled(other)
        assert ask(other, SEEN) == ask(page, SEEN)
        assert apart(picture(other), picture(page)) < SUBPIXEL
        other.reload()
        settled(other)
        assert ask(other, SEEN) == ask(page, SEEN)
        other.locator("#clip").click()
        other.locator("#smoothing-number").fill("0.9")
        settled(other)
        assert apart(picture(other), picture(page)) > 2 * SUBPIXEL  # what is not alike is told


def test_a_link_to_these_steps_shows_them_when_the_run_has_gone_on(
    watch: Watch, web: Web, redis_url: str, redis_client: redis.Redis, browser: Browser
) -> None:
    seed = gallery.training(redis_client, RunId("going"))
    page = watch.page()
    page.goto(f"{web(redis_url)}run/going")
    until(page, f"tidewatch.curves?.newest === {gallery.STEPS} && tidewatch.curves.details")
    seen = ask(page, SEEN)
    whole, steps = copied(page), copied(page, "Copy link to these steps")
    assert (urlsplit(whole).query, parse_qs(urlsplit(steps).query)) == ("", {"view": [f"1..{gallery.STEPS}"]})
    seed.points([(step, time.time(), 1.0) for step in range(gallery.STEPS + 1, gallery.STEPS + 21)])
    until(page, f"tidewatch.curves.newest === {gallery.STEPS + 20}")
    with another(browser) as other:
        other.goto(steps)
        settled(other)
        there = ask(other, SEEN)
        assert (there["axes"], there["panels"]) == (seen["axes"], seen["panels"])
        assert ask(other, f"Math.max(...{GRAPH}.data[0].x)") <= gallery.STEPS + 1
        other.goto(whole)
        until(other, f"tidewatch.curves?.newest === {gallery.STEPS + 20} && !tidewatch.curves.loading")
    drag(page, 0.2, 0.5)
    page.get_by_role("button", name="Share").click()
    assert "link-steps" not in offered(page)  # the address says them already


def test_a_run_that_is_over_needs_no_second_entry(page: Page, served: str) -> None:
    page.goto(f"{served}run/finished")
    until(page, f"tidewatch.curves?.newest === {gallery.STEPS} && tidewatch.curves.isOver")
    page.get_by_role("button", name="Share").click()
    assert "link" in offered(page)
    assert "link-steps" not in offered(page)


def test_the_language_goes_along_where_it_was_chosen(page: Page, browser: Browser) -> None:
    assert "lang" not in copied(page)
    page.locator("#language-switch").click()
    until(page, "document.documentElement.lang.startsWith('zh') && tidewatch.curves?.newest > 0")
    page.get_by_role("button", name="分享").click()
    page.get_by_role("menuitem", name="复制链接", exact=True).click()
    expect(page.locator(".toast")).to_have_text("已复制此视图的链接。")
    link = page.evaluate("navigator.clipboard.readText()")
    assert parse_qs(urlsplit(link).query) == {"lang": ["zh"]}
    page.locator("#language-switch").click()
    until(page, "document.documentElement.lang.startsWith('en')")
    with another(browser) as other:
        other.goto(link)
        expect(other.get_by_role("button", name="分享")).to_be_visible()


def test_where_no_page_may_write_to_the_clipboard_a_field_has_the_link(browser: Browser, served: str) -> None:
    """As browsers have it on http at any address but this machine's own."""
    with another(browser) as page:
        page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
        page.goto(f"{served}run/going?smooth=0.5")
        until(page, "tidewatch.curves?.newest > 0")
        page.get_by_role("button", name="Share").click()
        page.get_by_role("menuitem", name="Copy link", exact=True).click()
        field = page.get_by_role("textbox", name="Link to this view")
        expect(field).to_be_focused()
        expect(field).to_have_value(f"{served}run/going?smooth=0.5")
        assert ask(page, "String(getSelection()) || document.activeElement.selectionEnd > 20")
        page.keyboard.press("ControlOrMeta+c")
        expect(page.get_by_role("dialog").get_by_role("status")).to_have_text("Copied.")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)


def test_back_and_forward_lead_through_what_was_seen(page: Page, served: str) -> None:
    def spelled(*names: str) -> list[str]:
        return sorted(parse_qs(urlsplit(page.url).query)) if not names else [*names]

    drag(page, 0.2, 0.6)
    until(page, "tidewatch.curves.view.kind === 'zoom' && !tidewatch.curves.loading")
    zoomed = range_of_steps(page)
    page.locator(".panel-head[data-panel=lr]").get_by_role("button", name="what to do").click()
    page.get_by_role("menu").get_by_text("Hide", exact=True).click()
    expect(page.locator(".panel-head[data-panel=lr]")).to_have_count(0)
    slider = page.locator("#run-smoothing")
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    assert spelled() == ["hide", "smooth", "view"]
    page.get_by_role("link", name="Rank map").first.click()
    until(page, "document.querySelector('#ranks')")
    page.go_back()
    until(page, "tidewatch.curves?.axis && !document.querySelector('#ranks')")
    settled(page)
    assert range_of_steps(page) == zoomed
    page.go_back()  # all moves of the slider at once
    assert spelled() == ["hide", "view"]
    page.go_back()
    expect(page.locator(".panel-head[data-panel=lr]")).to_have_count(1)
    page.go_back()
    until(page, "tidewatch.curves.view.kind === 'all' && !tidewatch.curves.loading")
    assert spelled() == []
    for _ in range(3):
        page.go_forward()
    settled(page)
    assert spelled() == ["hide", "smooth", "view"]
    assert range_of_steps(page) == zoomed
    assert page.url.startswith(f"{served}run/going?")


def test_a_link_of_a_newer_version_is_read_as_far_as_it_is_known(page: Page, served: str) -> None:
    page.goto(f"{served}run/going?v=7&smooth=0.5&hologram=1")
    until(page, "tidewatch.curves?.newest > 0")
    note = page.locator(".version-note")
    expect(note).to_contain_text("newer version of Tidewatch")
    assert ask(page, "tidewatch.state.get().smooth") == 0.5
    note.get_by_role("button", name="Close").click()
    expect(note).to_have_count(0)
