"""From a published point to its pixel, and what one drawing with new points takes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page

from tests.bench.page.first_draw import NOTING, missing_number
from tests.bench.page.stage import chromium, live_page, staged, without_chromium
from tests.bench.page.stored import PANELS, publish
from tests.bench.rows import Line, at_most, latency
from tests.support.curves import ask, until
from tests.support.seed import Seed

HISTORY = 2_000
SPEEDS = ((10, 150, 350), (1, 20, 200))  # points a second, how many, and the goal for their 95th of a hundred in ms
SEEING = """(window.seen = [], document.addEventListener("tidewatch:drawn",
    ({ detail }) => window.seen.push([detail.step, detail.at, detail.ms ?? null])), true)"""


def publish_to_pixel(folder: Path) -> Iterator[Line]:
    """One line a speed, and one for the drawings of the faster."""
    if missing := without_chromium("publish -> pixel"):
        yield from missing
        return
    with staged() as stage, chromium() as browser:
        seed, page = live_page(stage, browser, HISTORY, NOTING % len(PANELS))
        until(page, "window.curvesDrawn", seconds=40)
        step = HISTORY
        for speed, count, goal in SPEEDS:
            delays, drawings = watched(page, seed, range(step + 1, step + count + 1), 1 / speed)
            step += count
            yield latency(f"publish -> pixel, {speed} a second", delays, 0.95, goal)
            if speed == SPEEDS[0][0]:
                yield redrawn(drawings)


def watched(page: Page, seed: Seed, steps: range, every: float) -> tuple[list[float], list[float]]:
    """Publish ``steps``; seconds until each was on the screen, and milliseconds that each drawing took."""
    ask(page, SEEING)
    published = {}
    for step in steps:
        published[step] = publish(seed, step)
        time.sleep(every)
    until(page, f"window.seen.at(-1)[0] >= {steps[-1]}", seconds=30)
    seen: list[list[float]] = ask(page, "window.seen")
    delays = [min(at for newest, at, _ in seen if newest >= step) / 1000 - when for step, when in published.items()]
    return delays, [ms for _, _, ms in seen if ms is not None]


def redrawn(drawings: list[float]) -> Line:
    """What the page says that its drawings took."""
    name = "redraw with new points, 5 panels, median"
    if not drawings:
        return missing_number(name)
    note = f"ms of {len(drawings)} drawings: least {min(drawings):.0f}, most {max(drawings):.0f}"
    return at_most(name, statistics.median(drawings), None, 60, "ms", note)
