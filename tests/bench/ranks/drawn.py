"""From an address to the drawn map of a run's ranks, and from a new column to its pixels."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from tests.bench.page.stage import VIEWPORT, chromium, staged, without_chromium
from tests.bench.ranks import stored
from tests.bench.rows import Line, at_most, latency
from tests.generate.events import FIVE
from tests.generate.plan import Plan, Shape
from tests.support.curves import ask, until

Drawn = Mapping[str, float]  # what NOTING keeps of a drawing

ROUNDS = 5
PATIENCE = 60  # seconds
COLUMNS = 25  # that a live map grows by: of fewer than twenty, 95 % is the slowest
EVERY = 1.5  # seconds between two of them; the page asks at most once a second
# Every drawing that the page tells of, at the time when its frame is painted; when the document was there, and when the
# first answer had been asked for and was there.
NOTING = """
(() => {
  window.maps = [];
  document.addEventListener("tidewatch:ranks-drawn", ({ detail }) => requestAnimationFrame(() => setTimeout(() => {
    const { rows, columns, ms } = detail;
    const [page] = performance.getEntriesByType("navigation");
    const answer = performance.getEntriesByType("resource").find(({ name }) => /api.*ranks[?]/.test(name)) ?? {};
    window.maps.push({ rows, columns, ms, at: performance.now(), wall: Date.now(), page: page.responseEnd,
      asked: answer.startTime ?? 0, answered: answer.responseEnd ?? 0 });
  })));
})()
"""


@dataclass(frozen=True)
class Size:
    """``ranks`` × ``columns``, and the goal for an address in ms."""

    shape: Shape
    columns: int
    goal: float

    @property
    def name(self) -> str:
        return f"{self.shape.world:,} ranks x {self.columns}"


THOUSAND = Size(Shape(dp=128, tp=8), 500, 500)  # every rank has a value in every column
TEN_THOUSAND = Size(Shape(dp=1280, tp=8), 300, 1500)


def address_to_map(folder: Path) -> Iterator[Line]:
    """Visits by people who are new, and the first after the server's start."""
    if missing := without_chromium("address -> map of the ranks"):
        yield from missing
        return
    for size in (THOUSAND, TEN_THOUSAND):
        with staged() as stage, chromium() as browser:
            stored.ranks(stage.client, "ranks", Plan(size.shape, FIVE, size.columns))
            address = f"{stage.home}run/ranks/ranks"
            first = visited(browser, address, size.columns)
            folded = [visited(browser, address, size.columns) for _ in range(ROUNDS)]
            flat = [visited(browser, f"{address}?by=none", size.columns) for _ in range(ROUNDS)]
        yield drawing(f"{size.name}: first visit -> drawn", [first], size.goal)
        yield drawing(f"{size.name}: address -> drawn", folded, size.goal)
        yield drawing(f"{size.name}: the same, a row for every rank", flat, size.goal)


def drawing(name: str, times: Sequence[Drawn], goal: float) -> Line:
    """The median, and of what it is made: document, question and answer, drawing."""
    each, last = " ".join(f"{one['at']:.0f}" for one in times), times[-1]
    at, *parts = (statistics.median(one[part] for one in times) for part in ("at", "page", "asked", "answered", "ms"))
    made = "document {:.0f}, asked {:.0f}, answered {:.0f}, drawing {:.0f} ms".format(*parts)
    note = f"ms: {each}; {made}; {last['rows']:.0f} rows x {last['columns']:.0f} columns"
    return at_most(name, at, None, goal, "ms", note)


def visited(browser: Browser, address: str, columns: int) -> Drawn:
    """The first drawing of all columns that somebody new sees; ``at`` in ms since the navigation began."""
    context = browser.new_context(viewport=VIEWPORT)
    try:
        page = context.new_page()
        page.add_init_script(NOTING)
        page.goto(address)
        return drawn(page, columns)
    finally:
        context.close()


def drawn(page: Page, columns: int) -> Drawn:
    """The first drawing of at least so many columns; fails with what was drawn instead."""
    whole = f"window.maps.find((one) => one.rows > 0 && one.columns >= {columns})"
    try:
        until(page, whole, seconds=PATIENCE)
    except Exception as error:
        maps: list[Any] = ask(page, "window.maps")
        raise AssertionError(
            f"{columns} columns were not drawn within {PATIENCE} s, but {maps or 'nothing'}"
        ) from error
    found: Drawn = ask(page, whole)
    return found


def live_column(folder: Path) -> Iterator[Line]:
    """A map in view, all of it unfolded as the page begins, grows by a column now and then."""
    if missing := without_chromium("live column -> drawn"):
        yield from missing
        return
    size = THOUSAND
    plan = Plan(size.shape, FIVE, size.columns)
    with staged() as stage, chromium() as browser:
        growing = stored.Growing(stored.ranks(stage.client, "ranks", plan), plan)
        page = browser.new_page(viewport=VIEWPORT)
        page.add_init_script(NOTING)
        page.goto(f"{stage.home}run/ranks/ranks")
        drawn(page, size.columns)
        until(page, "document.querySelector('#live').dataset.state === 'live'", seconds=PATIENCE)
        delays = [grown(page, growing, size.columns + number) for number in range(1, COLUMNS + 1)]
    yield latency(f"{size.name}: live column -> drawn", delays, 0.95, 100)


def grown(page: Page, growing: stored.Growing, step: int) -> float:
    """Seconds from the announcement of a column until it was on the screen."""
    time.sleep(EVERY)
    announced = growing.column(step)
    since = f"window.maps.find((one) => one.wall >= {announced * 1000} && one.columns >= {step})"
    until(page, since, seconds=PATIENCE)
    return float(ask(page, f"{since}.wall")) / 1000 - announced
