"""A figure that is only moved looks as it would if it were drawn whole."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
import redis
from playwright.sync_api import Browser, Page

from tests.e2e.conftest import Web, watched
from tests.support.curves import ask, until, until_drawn, until_settled
from tests.support.redis_server import RedisServer
from tests.support.seed import Point, Seed

STEPS = 600
BEGAN = 1_795_900_000.0
DEFAULTS = "{x: 'step', view: 'all', smooth: 0, log: [], clip: false, attempts: 'stitched'}"
PICTURE = """(() => {
  const graph = document.querySelector(".js-plotly-plot");
  const at = (one) => one.getAttribute("transform");
  const box = (line) => (({x, y, width, height}) => [x, y, width, height])(line.getBBox());
  const all = (selector, read) => [...graph.querySelectorAll(selector)].map(read);
  const set = (selector, read) => all(selector, read).sort(); // Plotly puts what is new behind what it has
  return {
    ranges: ["xaxis", "yaxis", "yaxis2", "yaxis3", "yaxis4"].map((axis) => [...graph._fullLayout[axis].range]),
    ticks: set(".xtick text, [class*=ytick] text", (one) => [one.textContent, at(one), one.getAttribute("y")]),
    grid: set("path.ygrid, path.xgrid", (one) => [at(one), one.getAttribute("d")]),
    points: set("path.point", at),
    strokes: all(".js-line", (line) => line.getAttribute("style")),
    lines: all(".js-line", (line) => [...box(line), line.getTotalLength()]),
  };
})()"""


def points(steps: range, value: Any) -> list[Point]:
    """Two seconds a step."""
    return [(step, BEGAN + 2 * step, value(step)) for step in steps]


def noisy(step: int) -> float:
    return 4 - step / 200 + math.sin(step * step)


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """A run with two lines in one panel, one of them with marks, a logarithmic one, stairs, and values that are spelled
    otherwise when they are small."""
    server = RedisServer().start()
    client = redis.Redis.from_url(server.url)
    run = Seed(client)
    run.points(points(range(1, STEPS + 1), noisy), metric="loss", live=False)
    run.points(points(range(50, STEPS + 1, 50), lambda step: 4.5 - step / 200), metric="eval_loss", live=False)
    run.points(points(range(1, STEPS + 1), lambda step: 6 + noisy(step)), metric="grad_norm", live=False)
    run.points(points(range(1, STEPS + 1), lambda step: 1.5e-3 / (1 + step / 200)), metric="lr", live=False)
    run.points(points(range(1, STEPS + 1), lambda step: 2.0 ** (10 + step // 250)), metric="loss_scale", live=False)
    with watched(browser) as watch, ExitStack() as held:
        page = watch.page()
        page.goto(f"{Web(held)(server.url)}run/gpt")
        until_drawn(page, STEPS)
        counting = "(draw => Plotly.redraw = (...all) => { window.whole += 1; return draw(...all) })(Plotly.redraw)"
        ask(page, f"(window.whole = 0, {counting}, true)")
        yield page
    client.close()
    server.close()


def show(page: Page, patch: str) -> None:
    ask(page, f"(tidewatch.state.set({patch}), true)")
    until_settled(page)


VIEWS = [
    "{view: '100..300'}",
    "{view: 'last-150'}",
    "{view: '240.5..260.5'}",  # lines that come in from beyond both edges
    "{smooth: 0.8}",
    "{log: ['loss']}",
    "{x: 'wall'}",
]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("then", ["{view: '200..500'}", "{view: 'all'}"])
def test_what_is_moved_looks_as_if_it_were_drawn(page: Page, view: str, then: str) -> None:
    show(page, DEFAULTS)
    show(page, view)
    if "wall" in view and "500" in then:
        then = f"{{view: '{BEGAN + 400}..{BEGAN + 1000}'}}"
    ask(page, "((window.whole = 0), true)")
    show(page, then)
    assert ask(page, "window.whole") == 0
    moved = ask(page, PICTURE)
    ask(page, "((tidewatch.curves.plot.likeness = null), tidewatch.curves.redraw(), true)")
    until(page, "window.whole === 1")
    until_settled(page)
    drawn = ask(page, PICTURE)
    lines = [one.pop("lines") for one in (moved, drawn)]
    assert moved == drawn
    for mine, whole in zip(*lines, strict=True):
        assert mine[:4] == pytest.approx(whole[:4], abs=1)  # px; Plotly leaves out what a line's width covers
        assert mine[4] == pytest.approx(whole[4], rel=0.03, abs=2)


@pytest.mark.parametrize("patch", ["{smooth: 0.5}", "{log: ['loss']}", "{x: 'wall'}"])
def test_what_is_more_than_moved_is_drawn_whole(page: Page, patch: str) -> None:
    show(page, DEFAULTS)
    ask(page, "((window.whole = 0), true)")
    show(page, patch)
    assert ask(page, "window.whole") == 1


def test_a_line_begins_anew_behind_a_gap(page: Page) -> None:
    trace = "{x: [0, 1, 2, 3, 4], y: [1, 2, NaN, Infinity, 4]}"
    scales = "(x) => 10 * x, (y) => 100 - y"
    assert ask(page, f"tidewatch.again.path({trace}, {scales}, false)") == "M0,99L10,98M40,96"
    assert ask(page, f"tidewatch.again.path({trace}, {scales}, true)") == "M0,99H10V98M40,96"
