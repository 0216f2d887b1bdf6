"""The menu "Share": what it offers, by mouse and by keyboard."""

from __future__ import annotations

import pytest
import redis
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Watch
from tests.support import gallery
from tests.support.curves import ask, until


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
