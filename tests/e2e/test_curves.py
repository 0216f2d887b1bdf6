"""What a reader does with the curves: other axes, zooms, smoothing, outliers, attempts, and reading what is there."""

from __future__ import annotations

import math
import time
from typing import Any

import pytest
import redis
from playwright.sync_api import Browser, Page, expect

from collector.wire.records import RunId
from tests.e2e.conftest import Watch
from tests.support.curves import (
    GRAPH,
    TRACE,
    ask,
    column,
    double_click,
    drag,
    place,
    range_of_steps,
    until,
    until_drawn,
    until_settled,
)
from tests.support.redis_server import RedisServer
from tests.support.seed import Point, Seed

STEPS = 400
LONG = 12_000
SPIKE = 7_777  # a step of the long run with a loss that no reduction may hide
BEGAN = 1_795_900_000.0
FACTS = {"global_batch_size": "8", "seq_length": "100"}


def points(steps: range, value: Any) -> list[Point]:
    """Two seconds a step."""
    return [(step, BEGAN + 2 * step, value(step)) for step in steps]


def strange(step: int) -> float:
    """NaN from 100 to 150 but for one point between, +Inf at 200, and one outlier at 300."""
    if 100 <= step <= 150:
        return 5.0 if step == 120 else math.nan
    return {200: math.inf, 300: 1e4}.get(step, 4 - step / 200)


def plain_run(client: redis.Redis) -> None:
    run = Seed(client, facts=FACTS)
    steps = range(1, STEPS + 1)
    run.points(points(steps, lambda step: 4 - step / 200), metric="loss", live=False)
    run.points(points(range(50, STEPS + 1, 50), lambda step: 4.5 - step / 200), metric="eval_loss", live=False)
    run.points(points(steps, strange), metric="grad_norm", live=False)
    run.points(points(steps, lambda step: 1024.0), metric="loss_scale", live=False)
    run.points(points(steps, lambda step: float(step == 222)), metric="overflow", live=False)


def long_run(client: redis.Redis) -> None:
    run = Seed(client, run=RunId("long"))
    run.points(points(range(1, LONG + 1), lambda step: 99.0 if step == SPIKE else 1.0), live=False)


def resumed_run(client: redis.Redis) -> None:
    """Resumed at step 201 after 300 steps."""
    run = Seed(client, run=RunId("resumed"))
    run.points(points(range(1, 301), lambda step: 3.0), live=False)
    later = [(step, BEGAN + 9_000 + 2 * step, 2.0) for step in range(201, 261)]
    run.points(later, file="log/rank_0/info.log", generation=1, reason="truncated", live=False)


def unclocked_run(client: redis.Redis) -> None:
    """No facts, no clock."""
    run = Seed(client, run=RunId("bare"))
    run.points([(step, math.nan, 1.0 + step) for step in range(1, 30)], live=False)


def fill(client: redis.Redis) -> None:
    for made in (plain_run, long_run, resumed_run, unclocked_run):
        made(client)


@pytest.fixture(scope="module")
def opened(watching: Watch, served: str) -> Page:
    page = watching.page()
    page.goto(f"{served}run/gpt")
    until_drawn(page, STEPS)
    return page


DEFAULTS = "{x: 'step', view: 'all', smooth: 0, log: [], clip: false, gap: false, attempts: 'stitched'}"


@pytest.fixture
def page(opened: Page) -> Page:
    """The run's page as it is first shown."""
    ask(opened, f"(tidewatch.state.set({DEFAULTS}), tidewatch.curves.setBaselines([]), true)")
    opened.mouse.move(5, 5)
    until_settled(opened)
    return opened


def shown(page: Page) -> str:
    """What the crosshair's box says."""
    found: str = page.locator(".reading").inner_text()
    return found


def show(page: Page, patch: str) -> None:
    ask(page, f"(tidewatch.state.set({patch}), true)")
    until_settled(page)


def test_one_answer_fills_every_panel(watching: Watch, served: str) -> None:
    tab = watching.page()
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url) if "/curves?" in request.url else None)
    tab.goto(f"{served}run/gpt")
    until_drawn(tab, STEPS)
    until_settled(tab)
    assert len(asked) == 1
    assert column(tab, "loss", "y")[0] == pytest.approx(3.995)
    assert ask(tab, f"{GRAPH}.data[0].x instanceof Float64Array")
    tab.close()


@pytest.mark.parametrize(
    ("kind", "span"),
    [
        ("samples", [8, 3200]),
        ("tokens", [800, 320_000]),
        ("relative", [0, 798]),
        ("wall", [BEGAN + 2, BEGAN + 800]),
    ],
)
def test_x_counts_what_the_reader_wants(page: Page, kind: str, span: list[float]) -> None:
    page.get_by_label("X axis").select_option(kind)
    until(page, f"tidewatch.curves.axis.kind === '{kind}' && !tidewatch.curves.loading")
    assert range_of_steps(page) == pytest.approx(span)
    assert f"x={kind}" in page.url
    labels = ask(page, "[...document.querySelectorAll('.xtick text')].map(t => t.textContent).join(' ')")
    assert {"samples": "3,000", "tokens": " k", "relative": "m", "wall": ":"}[kind] in labels


def test_a_zoom_stays_where_it_is_when_x_counts_something_else(page: Page) -> None:
    show(page, "{view: '100..200'}")
    page.get_by_label("X axis").select_option("relative")
    until(page, "tidewatch.curves.axis.kind === 'relative' && !tidewatch.curves.loading")
    assert range_of_steps(page) == pytest.approx([198, 398])
    assert ask(page, "[tidewatch.curves.held.series.get('loss').firstStep, tidewatch.curves.held.newest]") == [
        100,
        STEPS,
    ]
    page.get_by_label("X axis").select_option("step")
    until(page, "tidewatch.curves.axis.kind === 'step' && !tidewatch.curves.loading")
    assert range_of_steps(page) == pytest.approx([100, 200])


def test_an_axis_that_the_run_cannot_give_says_what_is_missing(watching: Watch, served: str) -> None:
    tab = watching.page()
    tab.goto(f"{served}run/bare")
    until_drawn(tab, 29)
    for kind, lacks in (("samples", "batch size"), ("tokens", "seq_length"), ("wall", "clock")):
        option = tab.locator(f"#x-kind option[value={kind}]")
        expect(option).to_be_disabled()
        assert lacks in (option.get_attribute("title") or "")
    assert tab.locator("#attempts-choice").is_hidden()
    tab.close()


def test_more_closes_as_menus_do(page: Page) -> None:
    opener, inside = page.locator("details.more summary"), page.locator("#gap")
    opener.click()
    expect(inside).to_be_visible()
    page.get_by_role("heading", name="Training curves").click()
    expect(inside).to_be_hidden()
    opener.click()
    inside.focus()
    page.keyboard.press("Escape")
    expect(inside).to_be_hidden()
    expect(opener).to_be_focused()
    opener.click()
    page.locator("#add-panel").focus()
    expect(inside).to_be_hidden()


def test_a_card_that_is_not_laid_out_keeps_its_drawing(page: Page) -> None:
    """A browser that is being resized or printed tells of no width for a moment."""
    heard = "document.addEventListener('tidewatch:axis', ({detail}) => widths.push(detail.axis.width))"
    ask(page, f"(() => {{ window.widths = []; {heard}; return true }})()")
    frame = "await new Promise(requestAnimationFrame);"
    hide = f"async (card) => {{ card.hidden = true; {frame} {frame} {frame} card.hidden = false }}"
    page.locator("[data-run]").evaluate(hide)
    show(page, "{smooth: 0.5}")
    until(page, "widths.length > 0")
    assert min(ask(page, "widths")) > 500


def test_a_zoom_reads_its_window_exactly_and_back_undoes_it(watching: Watch, served: str) -> None:
    tab = watching.page()
    tab.goto(f"{served}run/long")
    until_settled(tab)
    head = tab.locator("[data-panel=loss]")
    expect(head.locator(".note")).to_contain_text("no extreme hidden")
    assert SPIKE in column(tab, "loss")
    drag(tab, 0.6, 0.7)
    until(tab, "tidewatch.curves.view.kind === 'zoom' && !tidewatch.curves.loading")
    zoomed = range_of_steps(tab)
    assert zoomed == pytest.approx([0.6 * LONG, 0.7 * LONG], rel=0.02)
    steps = column(tab, "loss")
    assert steps == list(range(int(steps[0]), int(steps[-1]) + 1))  # every step of the window
    expect(head.locator(".note")).to_have_text(f"{len(steps):,} points, all drawn")
    drag(tab, 0.25, 0.75)
    until(tab, f"{GRAPH}._fullLayout.xaxis.range[0] > {zoomed[0]} + 1 && !tidewatch.curves.loading")
    tab.go_back()
    until(tab, f"Math.abs({GRAPH}._fullLayout.xaxis.range[0] - {zoomed[0]}) < 0.01 && !tidewatch.curves.loading")
    double_click(tab)
    until(tab, "tidewatch.curves.view.kind === 'all' && !tidewatch.curves.loading")
    assert range_of_steps(tab) == [1, LONG]
    tab.close()


def test_an_address_with_a_zoom_opens_there(watching: Watch, served: str) -> None:
    tab = watching.page()
    tab.goto(f"{served}run/gpt?x=tokens&view=80000..160000&smooth=0.5&clip=1")
    until_settled(tab)
    assert range_of_steps(tab) == pytest.approx([80_000, 160_000])
    assert ask(tab, "tidewatch.curves.held.series.get('loss').firstStep") == 99
    expect(tab.get_by_label("Smoothing, 0 to 0.999")).to_have_value("0.5")
    expect(tab.get_by_role("button", name="Clip outliers")).to_have_attribute("aria-pressed", "true")
    tab.close()


def test_the_wheel_zooms_with_alt_alone(page: Page) -> None:
    page.mouse.move(*place(page, 0.5))
    page.mouse.wheel(0, -300)
    page.keyboard.down("Alt")
    page.mouse.move(*place(page, 0.5))
    page.mouse.wheel(0, -300)
    page.keyboard.up("Alt")
    until(page, "tidewatch.curves.view.kind === 'zoom' && !tidewatch.curves.loading")
    start, end = range_of_steps(page)
    assert 1 < start < 200 < end < STEPS
    assert end - start == pytest.approx(
        (STEPS - 1) * math.exp(-0.15), rel=0.01
    )  # one notch: the plain wheel did nothing


def test_the_newest_steps_are_as_many_as_the_reader_types(page: Page) -> None:
    field = page.get_by_label("Newest steps to follow")
    field.fill("120")
    field.press("Enter")
    until(page, "tidewatch.curves.view.steps === 120 && !tidewatch.curves.loading")
    assert range_of_steps(page) == [STEPS - 120, STEPS]
    expect(page.get_by_role("button", name="All", exact=True)).to_have_attribute("aria-pressed", "false")
    page.get_by_role("button", name="All", exact=True).click()
    until(page, "tidewatch.curves.view.kind === 'all' && !tidewatch.curves.loading")
    assert range_of_steps(page) == [1, STEPS]


def test_smoothing_goes_by_slider_and_by_number(page: Page) -> None:
    number, slider = page.get_by_label("Smoothing, 0 to 0.999"), page.locator("#run-smoothing")
    number.fill("0.9")
    until(page, f"{TRACE % ('loss', 'smooth')}")
    expect(slider).to_have_value("0.9")
    assert ask(page, f"{TRACE % ('loss', 'raw')}.opacity") < 0.5
    smooth, raw = column(page, "loss", "y", "smooth"), column(page, "loss", "y")
    assert smooth[0] == pytest.approx(raw[0])  # debiased: not pulled to zero
    assert smooth[-1] > raw[-1]  # of a falling curve the average lags behind
    slider.fill("0")
    until(page, f"!{TRACE % ('loss', 'smooth')}")
    expect(number).to_have_value("0")


def test_nothing_that_a_line_cannot_show_is_lost(page: Page) -> None:
    shapes = ask(page, f"{GRAPH}.layout.shapes.map(s => [s.name, s.path])")
    assert shapes == [
        ["nan", "M100,0L119,0L119,1L100,1ZM121,0L150,0L150,1L121,1Z"],
        ["up", "M200,0.86L200,0.86L200,1L200,1Z"],
    ]
    assert column(page, "grad_norm", role="lone") == [120]
    assert column(page, "overflow", role="marks") == [222]
    expect(page.locator("[data-panel=grad_norm] .note")).to_have_text("400 points, all drawn, 50 NaN, 1 Inf")


def test_an_outlier_is_marked_at_the_edge_and_counted(page: Page) -> None:
    axis = f"{GRAPH}._fullLayout[tidewatch.layout.axisKey({TRACE % ('grad_norm', 'raw')}.yaxis)]"
    assert ask(page, f"{axis}.range[1]") > 4
    page.get_by_role("button", name="Clip outliers").click()
    until(page, f"{TRACE % ('grad_norm', 'outside')}")
    assert column(page, "grad_norm", role="outside") == [300]
    assert ask(page, f"{axis}.range[1]") < 2
    expect(page.locator("[data-panel=grad_norm] .note")).to_contain_text("1 outside the panel")


def test_the_crosshair_reads_every_line(page: Page) -> None:
    show(page, "{smooth: 0.5}")
    page.mouse.move(*place(page, 219 / 399))
    expect(page.locator(".reading")).to_be_visible()
    told = shown(page)
    assert "Step 220" in told
    assert "7m 18s" in told
    for row in ("2.9", "smoothed", "log, step 200", "1024", "gradient norm"):
        assert row in told
    assert ask(page, "document.querySelectorAll('.crosshair').length") == 1
    page.mouse.move(5, 5)
    expect(page.locator(".reading")).to_be_hidden()


def test_the_keyboard_alone_reads_and_zooms(page: Page) -> None:
    page.locator(".curves").focus()
    page.keyboard.press("End")
    assert f"Step {STEPS}" in shown(page)
    page.keyboard.press("ArrowLeft")
    assert f"Step {STEPS - 1}" in shown(page)
    page.keyboard.press("+")
    until(page, "tidewatch.curves.view.kind === 'zoom' && !tidewatch.curves.loading")
    start, end = range_of_steps(page)
    assert end - start == pytest.approx((STEPS - 1) / 2)
    page.keyboard.press("0")
    until(page, "tidewatch.curves.view.kind === 'all' && !tidewatch.curves.loading")


def test_the_gap_is_told_and_can_be_shown(page: Page) -> None:
    head = page.locator("[data-panel=loss] .gap")
    expect(head).to_contain_text("0.3775 at step 400")  # 2.5 − the median of the losses of steps 351 to 400
    page.get_by_text("More", exact=True).click()
    page.get_by_role("button", name="Show the gap").click()
    until(page, f"{TRACE % ('eval_loss', 'gap')}")
    assert len(column(page, "eval_loss", role="gap")) == 8
    page.get_by_text("More", exact=True).click()


def test_a_baseline_lies_behind_its_curve_and_stays(page: Page) -> None:
    steps = "Float64Array.from({length: 50}, (_, k) => 8 * k)"
    level = "(value) => new Float64Array(50).fill(value)"
    ask(
        page,
        f"(level => (tidewatch.curves.setBaselines([{{name: 'earlier', metric: 'loss', steps: {steps},"
        f" low: level(2), mid: level(3), high: level(4)}}]), true))({level})",
    )
    until(page, f"{TRACE % ('loss', 'baseline')}")
    assert ask(page, f"{TRACE % ('loss', 'band-high')}.fill") == "tonexty"
    show(page, "{smooth: 0.3}")
    until(page, f"{TRACE % ('loss', 'smooth')}")
    assert column(page, "loss", role="baseline")[1] == 8


def test_attempts_are_stitched_or_all_or_one(watching: Watch, served: str) -> None:
    tab = watching.page()
    tab.goto(f"{served}run/resumed")
    until_settled(tab)
    assert column(tab, "loss")[-1] == 260
    assert max(column(tab, "loss", role="ghost")) == 300
    tab.get_by_text("More", exact=True).click()
    choice = tab.get_by_label("Attempts", exact=True).first
    expect(choice).to_be_visible()
    choice.select_option("all")
    until(tab, "tidewatch.curves.held.series.get('loss').length === 60 && !tidewatch.curves.loading")
    assert column(tab, "loss", role="ghost") == list(range(1, 301))  # the first attempt, a line of its own
    choice.select_option("1")
    until(tab, "tidewatch.curves.held.series.get('loss').length === 300 && !tidewatch.curves.loading")
    assert not ask(tab, f"Boolean({TRACE % ('loss', 'ghost')})")
    watching.forgiven = ("404",)
    tab.goto(f"{served}run/resumed?attempts=7")  # a link to an attempt that is not there
    until_settled(tab)
    assert column(tab, "loss")[-1] == 260
    assert "attempts" not in tab.url
    tab.close()


def test_a_new_point_is_written_to_the_end_of_its_line(page: Page, server: RedisServer) -> None:
    client = redis.Redis.from_url(server.url)
    run = Seed(client)
    until(page, "document.querySelector('#live').dataset.state === 'live'")
    trace = f"{GRAPH}._fullData.find(t => t.meta?.metrics[0] === 'loss')"
    path = f"document.querySelector('.trace' + {trace}.uid + ' .line-end')"
    run.points([(STEPS + 1, time.time(), 2.0)])
    until_drawn(page, STEPS + 1)
    ask(page, "(window.axes = 0, document.addEventListener('tidewatch:axis', () => (window.axes += 1)), true)")
    before = ask(page, f"{path}?.getAttribute('d').length ?? 0")
    run.points([(STEPS + 2, time.time(), 2.1)])
    until_drawn(page, STEPS + 2)
    assert ask(page, f"{path}.getAttribute('d').length") > before
    assert ask(page, "window.axes") == 0  # the axes stood still, and nothing else was drawn again
    run.points([(STEPS + 3, time.time(), 50.0)])
    until(page, "window.axes > 0")  # past the panel's top: everything is drawn
    assert ask(page, "document.querySelectorAll('.line-end').length") == 0
    expect(page.locator("[data-panel=loss] .last")).to_have_text("50")
    client.close()


def test_the_bar_fits_a_phone_in_chinese_and_in_the_dark(browser: Browser, served: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark", locale="zh-CN")
    watch = Watch(context)
    tab = watch.page()
    tab.goto(f"{served}run/gpt")
    until_settled(tab)
    assert ask(tab, "document.documentElement.scrollWidth") <= 390
    for name in ("横轴", "平滑系数，0 到 0.999", "跟随最新的步数"):
        expect(tab.get_by_label(name, exact=True)).to_be_visible()
    tab.get_by_text("更多", exact=True).click()
    expect(tab.get_by_role("button", name="显示泛化差距")).to_be_visible()
    assert ask(tab, "document.documentElement.scrollWidth") <= 390
    assert ask(tab, f"{GRAPH}._fullLayout.paper_bgcolor") == "#151b23"
    context.close()
    assert watch.troubles == []
