"""Whatever a reader does to what is seen is in the address: done by hand, read from the address, seen again after a
reload, and undone by "back"."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import redis
from playwright.sync_api import Page, expect

from collector.wire.records import RunId
from tests.bench.ranks import stored
from tests.e2e.conftest import Watch
from tests.e2e.test_share import copied
from tests.generate.events import FIVE
from tests.generate.plan import Plan, Shape
from tests.support import alarmed, gallery
from tests.support.collecting import collector
from tests.support.curves import GRAPH, ask, until
from tests.support.growing import lines
from tests.support.redis_server import RedisServer

RUN, RANKS, COMPARE = "run/alarmed", "run/wide/ranks", "compare?runs=alarmed,other"
DRAWN = {
    RUN: "tidewatch.curves?.newest > 0 && !tidewatch.curves.loading && tidewatch.alerts?.alerts",
    RANKS: "tidewatch.ranks?.held.m > 0 && tidewatch.ranks.ranks.length > 0",
    COMPARE: "Number(document.querySelector('#compare')?.dataset.drawn) > 1",
}


@dataclass(frozen=True)
class Act:
    """One thing that a reader does: by what it is known in the address, and how one sees that it was done."""

    page: str
    name: str
    value: str
    do: Callable[[Page], object]
    seen: str  # an expression that is true when it was done, and not before


def panel(key: str, item: str) -> Callable[[Page], object]:
    def choose(page: Page) -> None:
        page.locator(f".panel-head[data-panel={key}]").get_by_role("button", name="what to do").click()
        page.get_by_role("menu").get_by_text(item, exact=True).click()

    return choose


def select(selector: str, value: str) -> Callable[[Page], object]:
    return lambda page: page.locator(selector).select_option(value)


def fill_in(selector: str, value: str) -> Callable[[Page], object]:
    return lambda page: page.locator(selector).fill(value)


def click(selector: str) -> Callable[[Page], object]:
    return lambda page: page.locator(selector).first.click()


def first_at(page: Page) -> None:
    page.locator("#ranks-first-step").fill("33")
    page.locator("#ranks-first-step").press("Enter")


def pressed(selector: str) -> str:
    return attribute(selector, "aria-pressed", "true")


def attribute(selector: str, name: str, value: str) -> str:
    return f"document.querySelector({selector!r}).getAttribute({name!r}) === {value!r}"


def value(selector: str, wanted: str) -> str:
    return f"document.querySelector({selector!r}).value === {wanted!r}"


RANGE = "tidewatch.curves.view.kind"
HEADS = "[...document.querySelectorAll('.panel-head h3')].map((one) => one.textContent)"
LISTED = "[...document.querySelectorAll('.alerts-lists > .alerts-list > li')].map((one) => one.dataset.alertId)"
CHECKPOINTS = ".event-chip[data-kind=checkpoint]"
METRIC = "device_local_loss"
ACTS = (
    Act(RUN, "x", "relative", select("#x-kind", "relative"), "tidewatch.curves.axis.kind === 'relative'"),
    Act(RUN, "view", "last-500", click("[data-view=last-500]"), f"{RANGE} === 'last'"),
    Act(RUN, "smooth", "0.25", fill_in("#smoothing-number", "0.25"), value("#run-smoothing", "0.25")),
    Act(RUN, "log", "loss", panel("loss", "Logarithmic scale"), f"{GRAPH}._fullLayout.yaxis.type === 'log'"),
    Act(RUN, "clip", "1", click("#clip"), pressed("#clip")),
    Act(RUN, "pin", "lr", panel("lr", "Pin to the top"), f"{HEADS}[0] === 'Learning rate'"),
    Act(
        RUN,
        "order",
        "loss,grad_norm,lr,loss_scale,throughput",
        panel("grad_norm", "Move up"),
        f"{HEADS}[1] !== 'Learning rate'",
    ),
    Act(RUN, "hide", "lr", panel("lr", "Hide"), f"!{HEADS}.includes('Learning rate')"),
    Act(RUN, "full", "lr", panel("lr", "Full size"), f"{HEADS}.length === 1"),
    Act(RUN, "quiet", "checkpoint", click(CHECKPOINTS), attribute(CHECKPOINTS, "aria-pressed", "false")),
    Act(RUN, "alert_class", "rank_outlier", select("[name=about]", "rank_outlier"), f"{LISTED}.length === 1"),
    Act(RUN, "alert_class", "jitter", select("[name=about]", "jitter"), f"{LISTED}[0]?.startsWith('jitter')"),
    Act(RUN, "alert_severity", "critical", select("[name=severity]", "critical"), f"{LISTED}.length === 1"),
    Act(RUN, "alert_rank", "5", fill_in(".alerts-filters [name=rank]", "5"), f"{LISTED}.length === 1"),
    Act(RUN, "alerts_over", "1", click(".alerts-past > summary"), "document.querySelector('.alerts-past').open"),
    Act(RUN, "settings", "1", click("[data-settings] > summary"), "document.querySelector('[data-settings]').open"),
    Act(
        RANKS, "metric", METRIC, select("#ranks-metric", METRIC), f"tidewatch.ranks.held.top.meta.metric === {METRIC!r}"
    ),
    Act(RANKS, "show", "value", click("[data-show=value]"), "tidewatch.ranks.look.show === 'value'"),
    Act(RANKS, "by", "stage", click("[data-by=stage]"), pressed("[data-by=stage]")),
    Act(RANKS, "x", "wall", click("[data-x=wall]"), "tidewatch.ranks.isByClock"),
    Act(RANKS, "folds", "all", click("[data-fold=closed]"), "tidewatch.ranks.rows.every(row => !row.isOpen)"),
    Act(RANKS, "rank", "40@60", click(".ranks-list [data-rank='40']"), "Boolean(document.querySelector('.ranks-who'))"),
    Act(RANKS, "state", "ok", select("#ranks-filter", "ok"), value("#ranks-filter", "ok")),
    Act(RANKS, "what", "spike", click("[data-what=spike]"), pressed("[data-what=spike]")),
    Act(RANKS, "what_at", "33", first_at, value("#ranks-first-step", "33")),
    Act(COMPARE, "x", "relative", click("[data-x=relative]"), pressed("[data-x=relative]")),
    Act(COMPARE, "metric", "lr", select("#compare-metric", "lr"), value("#compare-metric", "lr")),
    Act(COMPARE, "log", "1", click("#compare-log"), pressed("#compare-log")),
    Act(COMPARE, "hide", "other", click("[data-show=other]"), attribute("[data-show=other]", "aria-checked", "false")),
    Act(COMPARE, "all", "1", click("#compare-all"), pressed("#compare-all")),
    Act(COMPARE, "smooth", "0.5", fill_in("#compare-smooth", "0.5"), value("#compare-smooth", "0.5")),
    Act(COMPARE, "setting", "zz", fill_in("#compare-words", "zz"), value("#compare-words", "zz")),
)


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    started = RedisServer().start()
    with redis.Redis.from_url(started.url) as client:
        alarmed.fill(client, started.url)
        gallery.training(client, RunId("other"))
        stored.ranks(client, "wide", Plan(Shape(16, 2, 2), FIVE, 60))
    yield started
    started.close()


@pytest.fixture(scope="module")
def page(watching: Watch) -> Page:
    return watching.page()


@pytest.mark.parametrize("act", ACTS, ids=lambda one: f"{one.page.split('?')[0]}-{one.name}-{one.value}")
def test_what_a_reader_does_is_in_the_address(page: Page, served: str, act: Act) -> None:
    page.goto(served + act.page)
    until(page, DRAWN[act.page])
    assert not ask(page, f"Boolean({act.seen})"), "there is nothing to be done"
    before = page.url
    act.do(page)
    until(page, act.seen)
    said = parse_qs(urlsplit(page.url).query)
    assert said[act.name] == [act.value]
    assert set(said) - {"runs"} == {act.name}  # and nothing else
    page.reload()
    until(page, f"{DRAWN[act.page]} && ({act.seen})")
    page.go_back()
    until(page, f"!({act.seen})")
    assert page.url == before


def test_what_is_searched_for_in_a_log_is_in_the_address(
    page: Page, served: str, server: RedisServer, tmp_path: Path
) -> None:
    log = tmp_path / "sft-run" / "log" / "rank_0" / "info.log"
    log.parent.mkdir(parents=True)
    log.write_bytes(lines(range(1, 401)))
    with collector(tmp_path, server.url):
        page.goto(f"{served}run/sft-run?log_at=0@20")
        until(page, "document.querySelector('.log-line.here')")
        page.locator(".drawer-find").fill("99.500000")  # the loss of step 398
        page.locator(".drawer-find").press("Enter")
        until(page, "document.querySelector('.log-line.match')")
        assert parse_qs(urlsplit(page.url).query) == {"log_at": ["0@398"], "log_find": ["99.500000"]}
        found = page.locator(".log-line.match").inner_text()
        page.goto(copied(page))
        until(page, "document.querySelector('.log-line.here mark')")
        assert page.locator(".drawer-find").input_value() == "99.500000"
        assert page.locator(".log-line.here").inner_text() == found
        page.locator(".drawer").get_by_role("button", name="Close").click()
        assert urlsplit(page.url).query == ""


def test_a_comparison_is_shared_too(page: Page, served: str) -> None:
    page.goto(f"{served}{COMPARE}&view=0.1..517.6543210987654&smooth=0.5")
    until(page, DRAWN[COMPARE])
    link = copied(page)
    assert link == f"{served}{COMPARE}&view=0.1..517.6543210987654&smooth=0.5"
    expect(page.locator("#share-menu [data-act=freeze]")).to_be_hidden()


SOMEHOW = {
    RUN: "tidewatch.curves?.plot.drawn && !tidewatch.curves.loading",
    RANKS: "tidewatch.ranks?.held.top && !tidewatch.ranks.loading",
    COMPARE: "document.querySelector('#compare').dataset.state === 'shown'",
}
NONSENSE = (
    "view=1e308..1.7e308",
    "view=-1e24..1e24&x=wall",
    "view=0..1e24&x=tokens",
    "view=-5..-1",
    "view=last-999999999",
    "panels=r999999999:loss,m:nope,%00,%0a,%zz&pin=%E5&full=nobody",
    "panels=" + ",".join(f"t{number}" for number in range(300)),
    "hide=loss,lr,grad_norm,loss_scale,throughput",
    "alert=nobody&alert_class=nope&alert_rank=%F0%9F%9A%80&note=ffffffffffff",
    "base=nobody,alarmed,%zz&quiet=a,%22%5D&setting=%5B%28&settings=1",
    "v=2&v=3&view=1..2&view=3..4&smooth=" + "9" * 3000,
)


@pytest.mark.parametrize("query", NONSENSE, ids=lambda one: one[:30])
@pytest.mark.parametrize("path", [RUN, RANKS, COMPARE])
def test_nonsense_in_an_address_breaks_no_page(page: Page, served: str, path: str, query: str) -> None:
    """The page is drawn, nothing is refused, and no script fails (see ``watching``)."""
    refused: list[str] = []
    page.on("response", lambda one: refused.append(one.url) if one.status >= 400 else None)
    page.goto(served + path + ("&" if "?" in path else "?") + query)
    until(page, SOMEHOW[path])
    assert refused == []
    assert page.locator("#live").get_attribute("data-state") != "away"
