"""Runs of any name, from the directory that is called so to every address that shows them, through a real collector."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import parse_qs, quote, unquote, urlsplit

import pytest
import redis
from playwright.sync_api import Browser, Locator, Page, expect

from app.store import RedisRunStore
from collector.parse.select import run_id
from collector.wire.records import RunId
from tests.e2e.conftest import Web, watched
from tests.e2e.test_share import copied, settled
from tests.e2e.test_snapshots import freeze
from tests.support import gallery
from tests.support.collecting import collector
from tests.support.curves import range_of_steps, until
from tests.support.growing import lines
from tests.support.redis_server import RedisServer
from tests.support.waiting import eventually

NAMES = (
    "plain-1",
    "two words",
    "a:b",
    "issue #7",
    "why?",
    "50%",
    "a%2Fb",
    "%E5%BE%AE",
    "微调 长文本",
    "run🚀",
    "a+b&c=d",
    "<b>bold<i>",
    "group/nested run",
)
GIVEN = "nightly #7: 50% (测试)?"  # by --run
FOREIGN = (
    "a b:c#d?e",
    "50%",
    "x%2Fy",
    "%25",
    "微&调=1+1",
    "quote\"'<i>",
)  # ids that no collector makes, but a store may hold
STEPS = 40


def write(root: Path, name: str, steps: range, ranks: int = 1) -> None:
    for rank in range(ranks):
        log = root / name / "log" / f"rank_{rank}" / "info.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as file:
            file.write(lines(steps))
            file.flush()
            os.fsync(file.fileno())


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directories of all these runs."""
    root = tmp_path_factory.mktemp("jobs")
    for name in NAMES:
        write(root / "many", name, range(1, STEPS + 1), ranks=2)
    write(root / "one", "output", range(1, STEPS + 1), ranks=2)
    return root


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    started = RedisServer().start()
    with redis.Redis.from_url(started.url) as client:
        for name in FOREIGN:
            gallery.training(client, RunId(name))
    yield started
    started.close()


@pytest.fixture(scope="module")
def home(job: Path, server: RedisServer) -> Iterator[str]:
    """The table over collectors that follow them."""
    with ExitStack() as held:
        held.enter_context(collector(job / "many", server.url))
        held.enter_context(collector(job / "one" / "output", server.url, "--run", GIVEN))
        store = RedisRunStore(server.url)
        held.callback(store.close)
        eventually(lambda: len(store.runs()) == len(NAMES) + len(FOREIGN) + 1, seconds=30)
        yield Web(held)(server.url)


@pytest.fixture(scope="module")
def page(browser: Browser, home: str) -> Iterator[Page]:
    with watched(browser) as watch:
        yield watch.page()


def row(page: Page, run: str) -> Locator:
    """Of the table of runs."""
    return page.locator(f"tr[data-key={json.dumps(run, ensure_ascii=False)}]")


def ends_at(page: Page, step: int) -> None:
    until(page, f"tidewatch.curves?.newest === {step}", seconds=20)
    settled(page)


@pytest.mark.parametrize("name", [*NAMES, GIVEN])
def test_a_run_is_found_by_its_name_and_followed(page: Page, home: str, job: Path, name: str) -> None:
    page.goto(home)
    row(page, run_id(name)).get_by_role("link", name=name, exact=True).click()
    expect(page.locator("h1")).to_contain_text(name)
    ends_at(page, STEPS)
    assert unquote(urlsplit(page.url).path) == f"/run/{run_id(name)}"
    page.reload()
    ends_at(page, STEPS)
    if name == GIVEN:
        write(job / "one", "output", range(STEPS + 1, STEPS + 2), ranks=2)
    else:
        write(job / "many", name, range(STEPS + 1, STEPS + 2), ranks=2)
    ends_at(page, STEPS + 1)  # through the stream


@pytest.mark.parametrize("name", [*NAMES, GIVEN])
def test_its_other_pages_lead_to_one_another(page: Page, home: str, name: str) -> None:
    address = f"{home}run/{quote(run_id(name), safe='')}"
    page.goto(address)
    until(page, "tidewatch.curves?.newest > 0")
    page.get_by_role("navigation").get_by_role("link", name="Rank map").click()
    until(page, "tidewatch.ranks?.held.m > 0")
    expect(page.locator("h1")).to_contain_text(run_id(name))
    page.reload()
    until(page, "tidewatch.ranks?.held.m > 0")
    page.get_by_role("navigation").get_by_role("link", name=run_id(name), exact=True).click()
    until(page, "tidewatch.curves?.newest > 0 && !document.querySelector('#ranks')")
    page.go_back()
    until(page, "tidewatch.ranks?.held.m > 0")
    page.go_back()
    until(page, "tidewatch.curves?.newest > 0 && !document.querySelector('#ranks')")
    assert page.url == address


ALL = [run_id(name) for name in (*NAMES, GIVEN)] + list(FOREIGN)


@pytest.mark.parametrize("run", ALL)
def test_its_links_and_the_api_know_it(page: Page, home: str, run: str) -> None:
    spelled = quote(run, safe="")
    page.goto(f"{home}run/{spelled}?view=5..20&alert=loss_spike-a1-9&lang=en")  # as a message spells it
    until(page, "tidewatch.curves?.newest > 0")
    settled(page)
    assert range_of_steps(page) == [5, 20]
    link = copied(page)
    assert unquote(urlsplit(link).path) == f"/run/{run}"
    assert parse_qs(urlsplit(link).query)["view"] == ["5..20"]
    page.goto(link)
    until(page, "tidewatch.curves?.newest > 0")
    settled(page)
    assert range_of_steps(page) == [5, 20]
    told = page.evaluate("(address) => fetch(address).then((one) => one.json())", f"/api/runs/{spelled}?metrics=0")
    assert told["id"] == run
    page.goto(home)
    expect(row(page, run).locator("td.name a")).to_have_attribute("href", f"/run/{spelled}")


def test_they_are_compared(page: Page, home: str) -> None:
    runs = [run_id(name) for name in ("issue #7", "50%", "微调 长文本", "a%2Fb")]
    page.goto(home)
    for run in runs:
        row(page, run).get_by_role("checkbox").click()
    page.locator("#runs-compare").click()
    until(page, "Number(document.querySelector('#compare')?.dataset.drawn) >= 4")
    assert [unquote(one) for one in parse_qs(urlsplit(page.url).query)["runs"][0].split(",")] == runs
    page.reload()
    until(page, "Number(document.querySelector('#compare')?.dataset.drawn) >= 4")
    page.get_by_role("link", name="issue #7").first.click()
    until(page, "tidewatch.curves?.newest > 0")
    assert unquote(urlsplit(page.url).path) == f"/run/{run_id('issue #7')}"


@pytest.mark.parametrize("run", [run_id("issue #7"), *FOREIGN])
def test_they_are_frozen(page: Page, home: str, run: str) -> None:
    page.goto(f"{home}run/{quote(run, safe='')}")
    until(page, "tidewatch.curves?.newest > 0")
    page.goto(freeze(page))
    until(page, "tidewatch.frozen.is && tidewatch.curves?.newest > 0")
    settled(page)
    page.get_by_role("navigation").get_by_role("link", name="Rank map").click()
    expect(page.locator("h1")).to_contain_text(run)
    page.get_by_role("link", name="Open the live run").evaluate("(one) => one.removeAttribute('target')")
    page.get_by_role("link", name="Open the live run").click()
    until(page, "!tidewatch.frozen.is")
    expect(page.locator("h1")).to_contain_text(run)
