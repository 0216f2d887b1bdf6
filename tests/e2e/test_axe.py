"""Every page as axe-core sees it: nothing serious, in both themes, both languages, and on a narrow screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
import redis
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page

from tests.e2e.conftest import Watch, Web
from tests.support import alarmed, gallery, noted
from tests.support.curves import until
from tests.support.redis_server import RedisServer

GRAVE = ("serious", "critical")
NARROW = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def gallery_home() -> Iterator[str]:
    """The address of a dashboard with a run of each kind."""
    server = RedisServer().start()
    client = redis.Redis.from_url(server.url)
    gallery.fill(client)
    alarmed.fill(client, server.url)
    noted.write(server.url, *noted.NOTES)
    with ExitStack() as held:
        yield Web(held)(server.url)
    client.close()
    server.close()


def grave(page: Page) -> list[str]:
    """What axe finds, in one line each: the rule, how many elements, the first of them."""
    page.evaluate(AXE_SCRIPT)  # as a debugger does: the policy of the page holds for scripts that it loads itself
    found: list[dict[str, Any]] = page.evaluate(
        "axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations)"
    )
    return [
        f"{one['id']} ({one['impact']}, {len(one['nodes'])}): {one['nodes'][0]['html'][:150]} … "
        f"{one['nodes'][0]['failureSummary'].splitlines()[-1].strip()[:200]}"
        for one in found
        if one["impact"] in GRAVE
    ]


def runs(page: Page, home: str) -> None:
    page.goto(home)
    until(page, "document.querySelectorAll('table.runs tbody tr').length === 6")


def run(page: Page, home: str, name: str = "going") -> None:
    page.goto(f"{home}run/{name}")
    until(page, f"tidewatch.curves?.newest === {gallery.STEPS} && !tidewatch.curves.loading")


def diverged(page: Page, home: str) -> None:
    run(page, home, "diverged")


def resumed(page: Page, home: str) -> None:
    run(page, home, "resumed")


def alerts(page: Page, home: str) -> None:
    run(page, home, "alarmed")
    page.locator(".alerts-past > summary").click()
    page.locator(f"[data-alert-id='{alarmed.SPIKE.id}'] > .alert-open").click()
    page.locator("[data-act=acknowledge]").click()
    until(page, "document.querySelector('.alert-numbers') && !document.querySelector('.alert-band').hidden")


def notes(page: Page, home: str) -> None:
    page.goto(f"{home}run/alarmed?note={noted.RANGE.id}")
    until(page, f"tidewatch.curves?.newest === {gallery.STEPS} && document.querySelector('.note-line.strong')")
    page.locator(".notes-add").click()
    until(page, "document.querySelector('.note-form [name=text]') === document.activeElement")


def compare(page: Page, home: str) -> None:
    page.goto(f"{home}compare?runs=going,resumed")
    until(page, "document.querySelector('#compare .js-plotly-plot')?.data?.length > 1")


def keys(page: Page, home: str) -> None:
    run(page, home)
    page.locator("#help-open").click()
    until(page, "document.querySelector('#help').open")


def adding(page: Page, home: str) -> None:
    run(page, home)
    page.locator("#add-panel").click()
    until(page, "document.querySelectorAll('dialog[open] [role=option]').length > 0")


def exporting(page: Page, home: str) -> None:
    run(page, home)
    page.locator("#share").click()
    page.locator("[data-act=data]").click()
    until(page, "document.querySelector('.export-said')?.textContent !== ''")


def log(page: Page, home: str) -> None:
    page.goto(f"{home}run/going?log_at=0@300")
    until(
        page, f"tidewatch.curves?.newest === {gallery.STEPS} && document.querySelector('[data-drawer]:not([hidden])')"
    )


def full(page: Page, home: str) -> None:
    page.goto(f"{home}run/going?full=loss")
    until(page, f"tidewatch.curves?.newest === {gallery.STEPS} && !tidewatch.curves.loading")


def unknown(page: Page, home: str) -> None:
    page.goto(f"{home}run/nobody")
    until(page, "document.querySelector('.notice')")


Show = Callable[[Page, str], None]
LIGHT = {"color_scheme": "light", "locale": "en-US"}
SEEN: dict[str, tuple[dict[str, Any], list[Show]]] = {
    "light": (LIGHT, [runs, resumed, alerts, notes, compare, adding, exporting, log, full, unknown]),
    "dark": ({"color_scheme": "dark", "locale": "en-US"}, [runs, diverged, alerts, notes, compare, exporting, keys]),
    "chinese": ({"color_scheme": "light", "locale": "zh-CN"}, [run, alerts, notes, keys]),
    "narrow": ({**LIGHT, "viewport": NARROW}, [runs, run, alerts, notes]),
}


@pytest.mark.parametrize("name", SEEN)
def test_axe_finds_nothing_serious(name: str, browser: Browser, gallery_home: str) -> None:
    options, shows = SEEN[name]
    context = browser.new_context(
        **{"viewport": {"width": 1440, "height": 1000}, "reduced_motion": "reduce", **options}
    )
    watch = Watch(context, forgiven=("status of 404", "status of 50"))
    try:
        page = watch.page()
        found = {}
        for show in shows:
            show(page, gallery_home)
            found[show.__name__] = grave(page)
    finally:
        context.close()
    assert {name: said for name, said in found.items() if said} == {}
    assert watch.troubles == []


def test_axe_sees_what_is_wrong(watch: Watch) -> None:
    page = watch.page()
    page.set_content("<html lang=en><title>t</title><main><h1>t</h1><img src=x><button></button></main></html>")
    assert [one.split()[0] for one in grave(page)] == ["button-name", "image-alt"]
    watch.troubles.clear()  # the picture is not there
