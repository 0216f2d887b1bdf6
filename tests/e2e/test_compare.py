"""Runs picked in the table, compared on their page, and followed as a baseline: one browser page for all of it."""

from __future__ import annotations

import json
import math
import time
from urllib.parse import unquote

import pytest
import redis
from playwright.sync_api import Locator, Page, expect

from collector.wire import schema
from collector.wire.records import RunId
from tests.e2e.conftest import Watch
from tests.support.curves import ask, until
from tests.support.redis_server import RedisServer
from tests.support.seed import Seed

FIGURE = "document.querySelector('#compare-figure .js-plotly-plot')"
LINE = f"{FIGURE}.data.find(t => t.meta.run === '%s' && t.meta.panel === '%s')"


def fall(steps: range, late: float = 0.0) -> list[tuple[int, float, float]]:
    """A loss that falls, ``late`` steps later than the usual one."""
    return [(step, time.time() - 2_000 + step, 2 + 8 * math.exp(-(step - late) / 400)) for step in steps]


def run(client: redis.Redis, name: str, points: list[tuple[int, float, float]], *, batch: int, rate: str) -> Seed:
    """A run with a loss, a learning rate and a configuration."""
    sections = {
        "configuration:lr_schedule": json.dumps({"learning_rate": rate, "type": "Cosine"}),
        "configuration:data": json.dumps({"path": "/data/" + "shard-" * 30, **({"own": "1"} if batch == 64 else {})}),
    }
    facts = {"global_batch_size": str(batch), "seq_length": "4096", "total_steps": "1000", "data_parallel": "8"}
    made = Seed(client, RunId(name), facts={**facts, **sections})
    client.hset(schema.run(made.run), "name", name)
    made.points(points, live=False)
    made.points([(step, wall, step * 1e-7) for step, wall, _ in points], metric="lr", live=False)
    return made


def fill(client: redis.Redis) -> None:
    """A finished run, one that is slower and goes on, one from step 101 on with a NaN, and one without a loss."""
    run(client, "alpha", fall(range(1, 1001)), batch=64, rate="1e-4").event("end", wall=time.time())
    live = run(client, "beta", fall(range(1, 601), late=310), batch=128, rate="2e-4")
    run(client, "gamma", [*fall(range(101, 301)), (301, time.time(), math.nan)], batch=64, rate="1e-04")
    Seed(client, RunId("bare")).points(fall(range(1, 11)), metric="lr", live=False)
    client.hset(schema.run(RunId("bare")), "name", "bare")
    live.touched(time.time())
    live.beat()


@pytest.fixture(scope="module")
def page(watching: Watch) -> Page:
    return watching.page()


def box(page: Page, run_id: str) -> Locator:
    return page.locator(f'[data-pick="{run_id}"]')


def query(page: Page) -> str:
    return unquote(str(ask(page, "location.search")))


def ends(page: Page, run_id: str, panel: str = "loss") -> list[float]:
    """First and last place of a line."""
    found: list[float] = ask(page, f"(x => [x[0], x.at(-1)])({LINE % (run_id, panel)}.x)")
    return found


def test_two_runs_are_picked_by_keyboard_and_stay_so_while_the_table_changes(
    page: Page, served: str, server: RedisServer
) -> None:
    page.goto(served)
    box(page, "beta").focus()
    with redis.Redis.from_url(server.url) as client:
        Seed(client, RunId("bare")).points(fall(range(11, 12)), metric="lr", live=False)
        client.hset(schema.run(RunId("bare")), "name", "bare")
    expect(box(page, "bare")).to_be_visible()  # the clock has renewed the table
    expect(box(page, "beta")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.locator("#runs-picked")).to_have_text("1 run ticked; tick another")
    expect(page.locator("#runs-compare")).to_be_hidden()
    box(page, "alpha").click()
    expect(page.locator("#runs-compare")).to_have_text("Compare 2 runs")
    expect(page.locator("tr:has([data-pick=alpha]) .spark svg path")).to_have_count(1)
    page.get_by_role("button", name="Loss").click()
    page.get_by_role("searchbox").fill("a")
    expect(page.locator("#runs-count")).to_have_text("4 / 4")
    until(page, "location.search === '?q=a&sort=-loss'")
    expect(box(page, "alpha")).to_have_attribute("aria-checked", "true")
    expect(box(page, "gamma")).to_have_attribute("aria-checked", "false")
    page.goto(f"{served}?q=amm&sort=name")
    expect(page.locator("tbody .name a")).to_have_text(["gamma"])
    expect(page.locator("th[aria-sort]")).to_have_text("Run")
    expect(page.locator("th[aria-sort]")).to_have_attribute("aria-sort", "ascending")


def test_the_picked_runs_are_drawn_over_each_other_with_their_numbers(page: Page, served: str) -> None:
    page.goto(served)
    for name in ("beta", "alpha"):
        box(page, name).click()
    page.locator("#runs-compare").click()
    until(page, f"{FIGURE}.data.length === 4")
    assert query(page) == "?runs=beta,alpha"
    assert ends(page, "alpha") == [1, 1000]
    assert ask(page, f"{LINE % ('alpha', 'loss')}.line.color") != ask(page, f"{LINE % ('beta', 'loss')}.line.color")
    beta, alpha = (page.locator(f"[data-line={name}]") for name in ("beta", "alpha"))
    expect(page.locator(".sides thead")).to_contain_text("At step 600")
    expect(beta).to_contain_text("reference")
    expect(alpha).to_contain_text("3.785")  # 2 + 8 exp(-600 / 400) at the step that both have
    expect(alpha.locator(".good")).to_have_text("−2.09")


def test_the_axis_is_switched_and_the_address_restores_it(page: Page, served: str) -> None:
    page.goto(f"{served}compare?runs=beta,alpha,gamma&metric=loss")
    until(page, f"{FIGURE}.data.length === 3")
    assert ends(page, "gamma")[0] == 101
    page.get_by_role("button", name="Steps since its first").click()
    until(page, f"{LINE % ('gamma', 'loss')}.x[0] === 0")
    page.get_by_role("button", name="Tokens").click()
    until(page, f"{LINE % ('beta', 'loss')}.x.at(-1) === 600 * 128 * 4096")
    assert ends(page, "alpha")[1] == 1000 * 64 * 4096
    page.locator("#compare-smooth").fill("0.9")
    page.locator('[data-show="gamma"]').click()
    until(page, f"{LINE % ('gamma', 'loss')}.visible === false")
    assert query(page) == "?runs=beta,alpha,gamma&metric=loss&x=tokens&smooth=0.9&hide=gamma"
    page.reload()
    until(page, f"{LINE % ('gamma', 'loss')}.visible === false && {LINE % ('beta', 'loss')}.x.at(-1) > 1e6")
    expect(page.get_by_role("button", name="Tokens")).to_have_attribute("aria-pressed", "true")
    page.go_back()
    until(page, f"{LINE % ('gamma', 'loss')}.visible === true")


def test_numbers_are_spelled_as_everywhere_else(page: Page, served: str) -> None:
    page.goto(f"{served}compare?runs=alpha,beta&x=tokens")
    ticks = "Array.from(document.querySelectorAll('#compare-figure .%stick text'), one => one.textContent)"
    until(page, f"({ticks % 'x'}).length > 2")
    assert [said for said in ask(page, ticks % "x") if not said.endswith((" M", "0"))] == []
    assert set(ask(page, ticks % "y2")) >= {"5e−5", "1e−4"}
    page.goto(f"{served}run/alpha")
    until(page, "(document.querySelectorAll('.figure .y2tick text')).length > 1")
    rates = ask(page, ticks.replace("#compare-figure", ".figure") % "y2")
    assert [said for said in rates if said not in ("0", "5e−5", "1e−4")] == []
    assert len(rates) > 1


def test_a_drag_zooms_all_and_a_double_click_shows_everything(page: Page, served: str) -> None:
    page.goto(f"{served}compare?runs=alpha,gamma")
    until(page, f"{FIGURE}.data.length === 4")
    assert ask(page, f"{FIGURE}.layout.shapes.length") == 1  # the NaN of gamma
    area = page.locator("#compare-figure .nsewdrag").first.bounding_box()
    assert area is not None
    middle = area["y"] + area["height"] / 2
    page.mouse.move(area["x"] + area["width"] * 0.3, middle)
    page.mouse.down()
    page.mouse.move(area["x"] + area["width"] * 0.4, middle, steps=3)
    page.mouse.move(area["x"] + area["width"] * 0.6, middle, steps=3)
    page.mouse.up()
    until(page, f"{LINE % ('alpha', 'loss')}.x.at(-1) < 650")
    assert query(page).startswith("?runs=alpha,gamma&view=")
    page.mouse.dblclick(area["x"] + area["width"] / 2, middle)
    until(page, f"{LINE % ('alpha', 'loss')}.x.at(-1) === 1000")
    assert query(page) == "?runs=alpha,gamma"


def test_the_name_that_is_pointed_at_brings_its_line_forward(page: Page, served: str) -> None:
    page.goto(f"{served}compare?runs=alpha,beta")
    until(page, f"{FIGURE}.data.length === 4")
    page.locator("[data-line=beta] a").hover()
    until(page, f"{LINE % ('alpha', 'loss')}.opacity < 0.5 && {LINE % ('beta', 'loss')}.opacity === 1")
    page.mouse.move(5, 5)
    until(page, f"{LINE % ('alpha', 'loss')}.opacity === 1")


def test_what_differs_in_the_settings_is_listed_and_a_missing_key_is_said(page: Page, served: str) -> None:
    page.goto(f"{served}compare?runs=alpha,beta")
    keys = page.locator(".settings tbody th")
    expect(keys).to_have_text(["data.own", "lr_schedule.learning_rate", "run.global_batch_size"])
    expect(page.locator("tr", has_text="data.own").locator(".missing")).to_have_text("missing")
    page.get_by_role("button", name="All settings").click()
    expect(keys).to_have_count(8)
    expect(page.locator("tr", has_text="data.path").locator("details").first).not_to_have_attribute("open", "")
    page.get_by_role("searchbox").fill("cosine")
    expect(keys).to_have_text(["lr_schedule.type"])
    page.get_by_role("searchbox").fill("nothing like it")
    expect(page.locator("#compare-settings")).to_contain_text("No setting has “nothing like it” in it.")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("?runs=alpha", "Two runs at least are needed"),
        ("?runs=" + ",".join(f"r{n}" for n in range(21)), "21 runs are asked for; 20 at most"),
        ("?runs=alpha,nobody", "There is no run nobody"),
        ("?runs=alpha,bare", "bare: no points of Loss"),
        ("?runs=alpha,bare&metric=lr&x=tokens", "bare: the files do not say how many tokens a step is"),
    ],
)
def test_what_cannot_be_compared_is_said_in_a_sentence(page: Page, served: str, asked: str, words: str) -> None:
    page.goto(f"{served}compare{asked}")
    expect(page.locator("#compare-notice")).to_contain_text(words)


def test_a_run_that_goes_on_is_looked_at_again(page: Page, served: str, server: RedisServer) -> None:
    page.goto(f"{served}compare?runs=alpha,beta")
    until(page, f"{LINE % ('beta', 'loss')}.x.at(-1) === 600")
    with redis.Redis.from_url(server.url) as client:
        live = Seed(client, RunId("beta"), facts={})
        client.hset(schema.run(live.run), "name", "beta")
        live.points(fall(range(601, 604), late=310), live=False)
        live.touched(time.time())
    until(page, f"{LINE % ('beta', 'loss')}.x.at(-1) === 603")


def test_a_chosen_baseline_is_drawn_and_the_distance_is_said(page: Page, served: str) -> None:
    page.goto(f"{served}run/beta")
    page.locator("#baseline-open").click()
    page.locator(".baseline-choices label", has_text="alpha").click()
    page.get_by_role("button", name="Draw").click()
    said = page.locator("#baseline-said")
    expect(said).to_contain_text("steps behind the baseline")
    steps = int(said.inner_text().split()[0])
    assert steps == pytest.approx(310, abs=20)
    until(
        page, "document.querySelector('.js-plotly-plot').data.some(t => t.meta.role === 'baseline' && t.x.length > 50)"
    )
    assert "base=alpha" in query(page)
    page.reload()
    expect(said).to_contain_text("steps behind the baseline")
    page.locator("#baseline-open").click()
    page.get_by_role("button", name="No baseline").click()
    expect(said).to_be_empty()
    until(page, "!document.querySelector('.js-plotly-plot').data.some(t => t.meta.role === 'baseline')")
    assert "base=" not in query(page)


def test_the_configuration_of_a_run_is_unfolded_and_stays_so(page: Page, served: str) -> None:
    page.goto(f"{served}run/beta")
    card = page.locator(".configuration")
    expect(card.locator("summary").first).to_contain_text("data parallel 8 · global batch 128 · sequence length 4,096")
    card.locator("summary").first.click()
    expect(card.locator(".settings tbody tr")).to_have_count(7)
    ticks = ask(page, "performance.now()")
    until(page, f"performance.now() > {ticks} + 2500")  # the clock has renewed the page's parts
    card.get_by_role("searchbox").fill("learning")
    expect(card.locator(".settings tbody th")).to_have_text(["lr_schedule.learning_rate"])


@pytest.mark.parametrize("path", ["", "compare?runs=alpha,beta", "run/beta?base=alpha"])
def test_nothing_of_it_is_wider_than_a_phone(page: Page, served: str, path: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(served + path)
    expect(page.get_by_text("beta").first).to_be_visible()
    if path:
        until(page, "document.querySelector('.js-plotly-plot')?.data?.length > 1")
    assert ask(page, "document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1440, "height": 1000})


def test_the_pure_parts_spell_what_they_should(page: Page, served: str) -> None:
    page.goto(served)
    wrong = (
        "tidewatch.compareState.encode(tidewatch.compareState.decode('?runs=a,a,b&x=wall&smooth=2&view=9..1&log=2'))"
    )
    assert ask(page, wrong) == "?runs=a,b"
    whole = "?runs=a,b&metric=tag:x/y&x=relative&smooth=0.6&log=1&hide=b&view=1.5..9&all=1"
    again = ask(page, f"tidewatch.compareState.encode(tidewatch.compareState.decode('{whole}'))")
    assert unquote(again) == whole
    signs = "[-0.2, 0, 0.03, null].map(tidewatch.compareTable.signed)"
    assert ask(page, signs) == ["−0.2", "0", "+0.03", "–"]
    cases = "[[-1, 'lower'], [1, 'lower'], [1, 'higher'], [1, 'none'], [0, 'lower']]"
    assert ask(page, f"{cases}.map(one => tidewatch.compareTable.tone(...one))") == ["good", "bad", "good", "", ""]
    gaps = ask(page, "tidewatch.sparkline.path('0,1 0.5,0 - 1,1', 100, 20)")
    assert gaps == "M2.0 2.0L50.0 18.0M98.0 2.0h0.1"
    assert ask(page, "[0, 7, 8, 19].map(tidewatch.palette.variable)") == ["--run-1", "--run-8", "--run-1", "--run-4"]
    assert ask(page, "[0, 8, 16].map(tidewatch.palette.dash)") == ["solid", "dash", "dot"]
    assert ask(page, "[0, 1, 2, 20].map(count => tidewatch.pick.told(count).ready)") == [False, False, True, True]


@pytest.mark.parametrize(
    ("behind", "key"),
    [
        ("{steps: 310, step: 290, value: 2, enough: true, reason: ''}", "baseline_behind"),
        ("{steps: -310, step: 910, value: 2, enough: true, reason: ''}", "baseline_ahead"),
        ("{steps: 4, step: 910, value: 2, enough: false, reason: 'noisy'}", "baseline_noisy"),
        ("{steps: 0, step: 910, value: 2, enough: true, reason: ''}", "baseline_level"),
        ("{steps: null, step: null, value: 2, enough: false, reason: 'below_best'}", "baseline_below_best"),
        ("{steps: null, step: null, value: null, enough: false, reason: 'no_points'}", "baseline_no_points"),
    ],
)
def test_every_verdict_has_a_sentence(page: Page, behind: str, key: str) -> None:
    assert ask(page, f"tidewatch.baseline.verdict({{behind: {behind}}}).key") == key
    assert ask(page, f"tidewatch.words.say('{key}')") != key
