"""The dialog "Download data": what it asks, what it tells, and what lands on the disk."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import redis
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Watch, knowing, watched
from tests.support import gallery
from tests.support.curves import ask, until
from tests.support.redis_server import RedisServer
from tests.support.seed import RUN, Seed, straight
from tests.support.web_process import web_process

POINTS = 400_000


def fill(client: redis.Redis) -> None:
    gallery.fill(client)


def opened(watching: Watch, served: str, query: str = "", run: str = "resumed") -> Page:
    """The dialog over a run whose curves are drawn, with the size told."""
    tab = watching.page()
    tab.goto(f"{served}run/{run}{query}")
    until(tab, f"tidewatch.curves?.newest === {gallery.STEPS} && !tidewatch.curves.loading")
    tab.get_by_role("button", name="Share").click()
    tab.get_by_role("menuitem", name="Download data").click()
    until(tab, "document.querySelector('.export-said')?.textContent !== ''")
    return tab


def saved(page: Page, to: Path) -> Path:
    """The file under the name that the browser gives it."""
    with page.expect_download() as found:
        page.get_by_role("link", name="Download").click()
    return Path(found.value.path()).rename(to / found.value.suggested_filename)


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as text:
        return list(csv.DictReader(text))


def test_what_is_in_view_is_saved_as_csv(watching: Watch, served: str, tmp_path: Path) -> None:
    page = opened(watching, served, "?view=120..180")
    dialog = page.get_by_role("dialog", name="Download data")
    expect(dialog.get_by_label("in view: 120 to 180")).to_be_checked()
    expect(dialog.get_by_role("status")).to_contain_text("rows of 6 series")
    file = saved(page, tmp_path)
    assert file.name == "resumed_120-180.csv"
    found = rows(file)
    assert {int(one["step"]) for one in found} == {*range(120, 181)}
    assert [*found[0]][:5] == ["step", "attempt", "source", "time", "wall"]
    assert {"loss", "lr", "grad_norm"} <= {*found[0]}
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("button", name="Share")).to_be_focused()


def test_other_choices_make_another_file(watching: Watch, served: str, tmp_path: Path) -> None:
    page = opened(watching, served, "?view=120..180&attempts=2")
    page.get_by_label("Parquet").check()
    page.get_by_label("the whole run").check()
    page.get_by_label("every metric and tag").check()
    page.get_by_label("attempt 2 alone").check()
    page.get_by_label("one a point").check()
    file = saved(page, tmp_path)
    assert file.name == "resumed.parquet"
    table = pq.read_table(file)
    assert table.column_names == ["step", "attempt", "source", "rank", "name", "time", "wall", "value"]
    assert set(table["attempt"].to_pylist()) == {2}


def test_the_keyboard_alone_suffices(watching: Watch, served: str, tmp_path: Path) -> None:
    page = opened(watching, served)
    page.get_by_label("CSV").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("JSON lines")).to_be_checked()
    page.get_by_role("link", name="Download").focus()
    with page.expect_download() as found:
        page.keyboard.press("Enter")
    first = json.loads(Path(found.value.path()).read_text().splitlines()[0])
    assert first["step"] == 1
    page.get_by_role("button", name="Share").click()
    page.get_by_role("menuitem", name="Download data").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Download data")).to_be_hidden()


def test_a_chinese_run_keeps_its_name(watching: Watch, served: str, tmp_path: Path) -> None:
    page = opened(watching, served, run=gallery.CHINESE)
    assert saved(page, tmp_path).name == f"{gallery.CHINESE}.csv"


def test_what_cannot_be_exported_is_said_before(browser: Browser, served: str, server: RedisServer) -> None:
    with watched(browser) as watching:
        watching.forgiven = ("404",)
        page = opened(watching, served, "?panels=m:none")
        expect(page.locator(".export-said")).to_contain_text("nothing of: none")
        page.evaluate("tidewatch.address.ofRun = () => '/api/runs/none/export'")
        page.get_by_label("JSON lines").check()
        expect(page.locator(".export-said")).to_contain_text("There is no run")
        expect(page.get_by_text("Download", exact=True)).to_have_attribute("aria-disabled", "true")


@pytest.mark.parametrize("name", ["light", "dark"])
def test_it_fits_a_phone(browser: Browser, served: str, name: Any) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 700}, color_scheme=name, locale="zh-CN")
    tab = context.new_page()
    tab.goto(f"{served}run/resumed")
    tab.locator("#share").click()
    tab.locator("[data-act=data]").click()
    until(tab, "document.querySelector('.export-said')?.textContent !== ''")
    assert ask(tab, "document.querySelector('#export').scrollWidth <= document.querySelector('#export').clientWidth")
    box = tab.locator("#export").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert box["height"] <= 700
    tab.locator("#export-go").scroll_into_view_if_needed()
    expect(tab.locator("#export-go")).to_be_in_viewport()
    context.close()


def test_a_browser_keeps_no_half_file(browser: Browser, own_redis: RedisServer, tmp_path: Path) -> None:
    """gunicorn, a real browser, and a Redis that dies on the way."""
    with redis.Redis.from_url(own_redis.url) as client:
        seed = Seed(client)
        for metric in ("loss", "lr", "grad_norm"):
            seed.points(straight(range(POINTS)), metric=metric, live=False)
    with web_process(tmp_path, own_redis.url) as web:
        context = browser.new_context(accept_downloads=True)
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{web.port}/livez")
        page.set_content(f"<a id=go download href='http://127.0.0.1:{web.port}/api/runs/{RUN}/export.csv'>go</a>")
        with page.expect_download() as found:
            page.locator("#go").click()
        own_redis.stop(kill=True)
        assert found.value.failure() is not None
        context.close()
        own_redis.start()


@pytest.fixture(scope="module")
def scripts(browser: Browser) -> Iterator[Page]:
    """A page that knows the pure part."""
    page = knowing(browser, ("words", "numbers", "export-question"))
    yield page
    page.close()


def test_what_is_asked(scripts: Page) -> None:
    page = scripts
    lines = "[{lines: [{metrics: ['loss']}, {metrics: ['loss', 'eval_loss']}]}, {lines: [{metrics: ['tag:r3:a&b']}]}]"
    names = ask(page, f"tidewatch.exportQuestion.namesOf({lines})")
    assert names == ["loss", "eval_loss", "tag:r3:a&b"]

    def query(choice: dict[str, str], window: str = "null") -> str:
        chosen = {"series": "shown", "range": "all", "attempt": "all", "layout": "wide", **choice}
        found: str = ask(page, f"tidewatch.exportQuestion.query({json.dumps(chosen)}, {json.dumps(names)}, {window})")
        return found

    assert query({}) == "metric=loss&metric=eval_loss&tag=r3%3Aa%26b"
    assert query({"series": "all", "range": "view"}, "{from: 3, to: 9}") == "all=1&start=3&end=9"
    assert query({"series": "all", "attempt": "latest", "layout": "long"}) == "all=1&attempt=latest&layout=long"
    sizes = ask(page, "[0, 999, 1234, 56e6, 1.25e9].map(tidewatch.exportQuestion.size)")
    assert sizes == ["0 B", "1,000 B", "1.2 kB", "56 MB", "1.3 GB"]
