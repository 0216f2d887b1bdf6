"""What a reader does on the pages, and what the pages say when there is nothing to show."""

from __future__ import annotations

import math
import time

import pytest
import redis
from playwright.sync_api import Browser, Page, expect

from collector.wire import schema
from collector.wire.records import RunId
from tests.e2e.conftest import Watch, Web
from tests.support.curves import GRAPH, TRACE, ask, column, place, until, until_drawn
from tests.support.redis_server import RedisServer
from tests.support.seed import RUN, Seed, straight

STEPS = range(1, 301)


@pytest.fixture
def seed(redis_client: redis.Redis) -> Seed:
    """A run of 300 steps with every panel filled."""
    run = Seed(redis_client, facts={"total_steps": "1000", "pipeline_stages": "4"})
    for metric in ("loss", "lr", "grad_norm", "loss_scale", "throughput"):
        run.points(straight(STEPS, at=time.time() - 300), metric=metric, live=False)
    run.touched(time.time())
    run.beat()
    return run


@pytest.fixture
def run_page(page: Page, home: str, seed: Seed) -> Page:
    page.goto(f"{home}run/gpt")
    until_drawn(page, STEPS[-1])
    return page


def colour(page: Page, selector: str, what: str = "backgroundColor") -> str:
    found: str = ask(page, f"getComputedStyle(document.querySelector('{selector}')).{what}")
    return found


def test_the_head_says_how_far_how_fast_and_how_fresh(run_page: Page) -> None:
    head = run_page.locator("#run-head")
    for words in (
        "gpt",
        "Running",
        "300 / 1,000",
        "samples/s/NPU",
        "remaining",
        "4 pipeline stages",
        "one expected every",
    ):
        expect(head).to_contain_text(words)
    expect(run_page.locator("#run-badges")).to_contain_text("No NaN or Inf")
    expect(run_page.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "30")


def test_the_curves_are_asked_for_once_and_drawn_before_dash_is_there(page: Page, home: str, seed: Seed) -> None:
    page.add_init_script("document.addEventListener('tidewatch:drawn', () => (window.first ??= performance.now()))")
    page.goto(f"{home}run/gpt")
    until(page, "window.first && tidewatch.renewal.isReady()")
    asked = ask(page, "performance.getEntriesByType('resource').map(e => [e.name, e.startTime])")
    starts = {part: [at for name, at in asked if part in name] for part in ("_dash-layout", "points=2000", "/plotly")}
    assert [len(one) for one in starts.values()] == [1, 1, 1], asked
    assert ask(page, "window.first") < starts["_dash-layout"][0]


def test_a_page_is_there_before_any_script(browser: Browser, home: str, seed: Seed) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{home}run/gpt")
    expect(page.locator("#run-head")).to_contain_text("300 / 1,000")
    page.goto(home)
    page.get_by_role("link", name="gpt").click()
    expect(page.locator("#run-badges")).to_contain_text("No NaN or Inf")
    context.close()


def test_every_panel_has_its_title_last_value_and_count(run_page: Page) -> None:
    for panel, title in (("loss", "Loss"), ("lr", "Learning rate"), ("grad_norm", "Gradient norm")):
        head = run_page.locator(f"[data-panel={panel}]")
        expect(head).to_contain_text(title)
        expect(head.locator(".last")).to_have_text("9.7")
        expect(head.locator(".note")).to_have_text("300 points, all drawn")
    expect(run_page.locator("[data-panel=throughput] .unit")).to_have_text("samples/s/NPU")


def test_one_crosshair_stands_over_all_panels(run_page: Page) -> None:
    run_page.mouse.move(*place(run_page, 0.5))
    told = run_page.locator(".reading")
    for name in ("Step", "loss", "learning rate", "gradient norm", "loss scale", "throughput"):
        expect(told).to_contain_text(name)
    line, figure = run_page.locator(".crosshair").bounding_box(), run_page.locator(".curves").bounding_box()
    assert line is not None
    assert figure is not None
    assert line["height"] > figure["height"] * 0.8


def test_nan_is_shaded_and_infinities_stand_at_the_edge(page: Page, home: str, seed: Seed) -> None:
    strange = [(301, math.nan), (302, math.nan), (303, math.inf), (304, 5.0), (305, -math.inf)]
    seed.points([(step, time.time(), value) for step, value in strange], live=False)
    page.goto(f"{home}run/gpt")
    until_drawn(page, 305)
    assert column(page, "loss", "y")[-2] == 5.0
    assert column(page, "loss", role="lone") == [304]
    shapes = ask(page, f"{GRAPH}.layout.shapes.map(s => s.path)")
    assert shapes == [
        "M301,0L302,0L302,1L301,1Z",
        "M303,0.86L303,0.86L303,1L303,1Z",
        "M305,0L305,0L305,0.14L305,0.14Z",
    ]
    expect(page.locator("[data-panel=loss] .note")).to_have_text("305 points, all drawn, 2 NaN, 2 Inf")
    expect(page.locator("#run-badges .bad")).to_contain_text("NaN or Inf")


def test_a_nan_that_arrives_live_is_shaded_too(run_page: Page, seed: Seed) -> None:
    until(run_page, "document.querySelector('#live').dataset.state === 'live'")
    seed.points([(301, time.time(), math.nan)])
    until_drawn(run_page, 301)
    until(run_page, f"{GRAPH}.layout.shapes.length === 1")
    expect(run_page.locator("[data-panel=loss] .last")).to_have_text("NaN")


def test_overflows_are_marked_on_the_loss_scale(page: Page, home: str, seed: Seed) -> None:
    seed.points([(step, time.time(), float(step == 200)) for step in STEPS], metric="overflow", live=False)
    page.goto(f"{home}run/gpt")
    until(page, f"{TRACE % ('overflow', 'marks')}.x.length === 1")
    assert column(page, "overflow", "x", "marks") == [200]
    expect(page.locator("#run-badges")).to_contain_text("1Overflow")


def test_the_loss_axis_can_be_logarithmic(run_page: Page) -> None:
    for kind in ("log", "linear"):
        run_page.locator("[data-panel=loss] [data-act=menu]").click()
        run_page.get_by_role("menuitemcheckbox").first.click()
        until(run_page, f"{GRAPH}._fullLayout.yaxis.type === '{kind}'")


def test_the_picture_is_saved_under_the_runs_name(run_page: Page) -> None:
    with run_page.expect_download() as saved:
        run_page.get_by_role("button", name="Share").click()
        run_page.get_by_role("menuitem", name="Save PNG").click()
    assert saved.value.suggested_filename == "gpt 1-300.png"  # the run, and the steps that are shown
    assert saved.value.path().read_bytes().startswith(b"\x89PNG")


def test_the_theme_is_switched_everywhere_and_remembered(run_page: Page) -> None:
    assert colour(run_page, "body") == "rgb(245, 246, 248)"
    light = ask(run_page, f"{TRACE % ('loss', 'raw')}.line.color")
    run_page.get_by_role("button", name="Light or dark (t)").click()
    assert colour(run_page, "body") == "rgb(13, 17, 23)"
    until(run_page, f"{GRAPH}._fullLayout.paper_bgcolor === '#151b23'")
    assert ask(run_page, f"{TRACE % ('loss', 'raw')}.line.color") != light
    run_page.reload()
    until_drawn(run_page, STEPS[-1])
    assert colour(run_page, "body") == "rgb(13, 17, 23)"
    assert ask(run_page, f"{GRAPH}._fullLayout.paper_bgcolor") == "#151b23"


def test_the_system_decides_on_the_theme_until_the_reader_does(page: Page, home: str) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto(home)
    assert colour(page, "body") == "rgb(13, 17, 23)"
    page.emulate_media(color_scheme="light")
    until(page, "document.documentElement.dataset.theme === 'light'")


def test_the_keyboard_alone_is_enough(page: Page, home: str, seed: Seed) -> None:
    page.goto(home)
    expect(page.get_by_role("link", name="gpt")).to_be_visible()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("t?")
    expect(page.get_by_role("searchbox")).to_have_value("t?")
    page.keyboard.press("Escape")
    expect(page.get_by_role("searchbox")).not_to_be_focused()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("light or dark")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).not_to_be_visible()
    page.keyboard.press("t")
    assert colour(page, "body") == "rgb(13, 17, 23)"


def test_r_reads_everything_again(run_page: Page, seed: Seed) -> None:
    seed.client.delete(schema.live(RUN))  # so that no stream can tell of it
    seed.points(straight([301], at=time.time()), live=False)
    run_page.keyboard.press("r")
    until_drawn(run_page, 301)


def test_runs_are_searched_and_sorted(page: Page, home: str, seed: Seed) -> None:
    other = Seed(seed.client, run=RunId("alpha"))
    other.points(straight(range(1, 11), value=20.0), live=False)
    seed.client.hset(schema.run(other.run), "name", "alpha")
    page.goto(home)
    names = page.locator("tbody .name a")
    page.get_by_role("button", name="Loss").click()
    expect(names).to_have_text(["alpha", "gpt"])
    page.get_by_role("button", name="Loss").click()
    expect(names).to_have_text(["gpt", "alpha"])
    expect(page.get_by_role("columnheader", name="Loss")).to_have_attribute("aria-sort", "ascending")
    page.get_by_role("searchbox").fill("alp")
    expect(names).to_have_text(["alpha"])
    page.get_by_role("searchbox").fill("nothing of the kind")
    expect(page.locator("#runs-table")).to_contain_text("No run has “nothing of the kind” in its name.")


def test_an_empty_store_says_what_is_looked_for_and_a_first_run_appears(
    page: Page, home: str, request: pytest.FixtureRequest
) -> None:
    page.goto(home)
    expect(page.get_by_role("heading", name="No run yet")).to_be_visible()
    expect(page.locator("#runs-table")).to_contain_text("python -m collector follow")
    request.getfixturevalue("seed")
    expect(page.get_by_role("link", name="gpt")).to_be_visible()


def test_a_run_that_is_not_there_is_named_and_shown_when_it_comes(
    page: Page, home: str, request: pytest.FixtureRequest
) -> None:
    page.goto(f"{home}run/gpt")
    expect(page.get_by_role("heading", name="There is no run “gpt”")).to_be_visible()
    request.getfixturevalue("seed")
    until_drawn(page, STEPS[-1])
    expect(page.get_by_role("heading", name="There is no run “gpt”")).not_to_be_visible()


def test_an_unknown_address_leads_back(watch: Watch, home: str, seed: Seed) -> None:
    watch.forgiven = ("404",)  # which it is
    page = watch.page()
    page.goto(f"{home}nowhere")
    page.get_by_role("link", name="All runs").click()
    expect(page.get_by_role("link", name="gpt")).to_be_visible()


def test_a_store_that_goes_away_is_told_and_comes_back(watch: Watch, web: Web, own_redis: RedisServer) -> None:
    watch.forgiven = ("503",)
    client = redis.Redis.from_url(own_redis.url)
    seed = Seed(client)
    seed.points(straight(STEPS), live=False)
    home = web(own_redis.url)
    table, run = watch.page(), watch.page()
    table.goto(home)
    run.goto(f"{home}run/gpt")
    until_drawn(run, STEPS[-1])
    own_redis.stop()
    run.bring_to_front()
    expect(run.locator("#run-banner")).to_contain_text("Redis does not answer")
    expect(run.locator("#run-head")).to_contain_text("gpt")  # what was known stays
    table.bring_to_front()
    expect(table.get_by_role("heading", name="Redis does not answer")).to_be_visible()
    own_redis.start()
    expect(table.get_by_role("link", name="gpt")).to_be_visible()
    run.bring_to_front()
    expect(run.locator("#run-banner")).to_be_empty()
    client.close()


def test_everything_works_below_a_prefix(page: Page, web: Web, redis_url: str, seed: Seed) -> None:
    home = web(redis_url, "/mon/")
    page.goto(home)
    page.get_by_role("link", name="gpt").click()
    until_drawn(page, STEPS[-1])
    until(page, "document.querySelector('#live').dataset.state === 'live'")
    assert page.url == f"{home}run/gpt"
    seed.points(straight([301]))
    until_drawn(page, 301)
    page.get_by_role("link", name="Runs").click()
    expect(page.get_by_role("searchbox")).to_be_visible()
    expect(page.locator("#live")).to_be_empty()


@pytest.mark.parametrize("path", ["", "run/gpt"])
def test_nothing_is_wider_than_a_phone(page: Page, home: str, seed: Seed, path: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(home + path)
    expect(page.get_by_text("300 / 1,000")).to_be_visible()
    assert ask(page, "document.documentElement.scrollWidth") <= 390


def test_the_language_is_switched_everywhere_and_remembered(run_page: Page) -> None:
    run_page.get_by_role("button", name="中文").click()
    expect(run_page.locator("[data-panel=loss] h3")).to_have_text("损失")
    expect(run_page.locator("#run-head")).to_contain_text("运行中")
    expect(run_page.locator("[data-panel=loss] .note")).to_contain_text("300")
    expect(run_page.locator("html")).to_have_attribute("lang", "zh-Hans")
    run_page.get_by_role("link", name="任务", exact=True).click()
    expect(run_page.get_by_role("heading", name="任务")).to_be_visible()
    run_page.get_by_role("button", name="English").click()
    expect(run_page.get_by_role("heading", name="Runs")).to_be_visible()


def test_a_link_that_names_a_language_holds_for_its_tab_alone(run_page: Page, watch: Watch, home: str) -> None:
    page, watch.forgiven = run_page, ("404",)
    page.goto(f"{home}run/gpt?lang=zh&smooth=0.5")
    expect(page.locator("#run-head")).to_contain_text("运行中")
    refused = "fetch('/api/runs/nobody').then(answer => answer.json()).then(({error}) => error)"
    assert "没有任务" in page.evaluate(refused)
    page.get_by_role("link", name="任务", exact=True).click()  # to an address that names none
    expect(page.get_by_role("heading", name="任务")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="任务")).to_be_visible()
    other = page.context.new_page()
    other.goto(home)
    expect(other.get_by_role("heading", name="Runs")).to_be_visible()
    other.close()
    page.goto(f"{home}?lang=zh&q=gpt")
    expect(page.get_by_role("searchbox")).to_have_value("gpt")
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("heading", name="Runs")).to_be_visible()
    assert "lang=en" in page.url
