"""From an address to drawn curves, side by side with TensorBoard; then what a reader's hand asks for."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Browser, Page

from tests.bench.page import tensorboard
from tests.bench.page.stage import VIEWPORT, Stage, chromium, staged, without_chromium
from tests.bench.page.stored import PANELS, TAGS, million
from tests.bench.rows import Line, at_most, not_measured
from tests.support.curves import ask, double_click, drag, until

POINTS = 1_000_000
ROUNDS = 5
ZOOMS = 7
PATIENCE = 90  # seconds; for a machine that does something else as well
SETTLED_MS = 700  # without a drawing for so long the picture is what it will be
# When each drawing was on the screen, and how many panels had a curve then.
NOTING = """
(() => {
  window.drawings = [];
  document.addEventListener("tidewatch:drawn", ({ detail }) => {
    const data = document.querySelector(".js-plotly-plot")?.data ?? [];
    const curves = data.filter((t) => t.meta?.role === "raw" && (t.x?.length ?? 0) > 100);
    const panels = new Set(curves.map((t) => t.yaxis ?? "y"));
    window.drawings.push({ at: performance.now(), panels: panels.size, ms: detail.ms });
    if (panels.size >= %d) window.curvesDrawn ??= performance.now();
  });
  addEventListener("pointerup", () => { window.letGo = performance.now(); }, true);
})()
"""


def against_tensorboard(folder: Path) -> Iterator[Line]:
    """Ten panels of a million points each against three cards of a thousand samples."""
    name = f"navigation -> drawn, 10 panels x {POINTS // 1_000_000} M against 3 cards"
    if missing := without_chromium(name):
        yield from missing
        return
    with ExitStack() as held:
        stage = held.enter_context(staged())
        million(stage.client, "million", POINTS)
        theirs = held.enter_context(tensorboard.tensorboard(folder))
        browser = held.enter_context(chromium())
        address = shown(stage, [*TAGS])
        ours = NOTING % (len(PANELS) + len(TAGS))
        cold = opened(browser, address, ours)
        opened(browser, theirs, tensorboard.NOTING)
        times = [(opened(browser, address, ours), opened(browser, theirs, tensorboard.NOTING)) for _ in range(ROUNDS)]
        yield beside(name, times, cold)


def beside(name: str, times: list[tuple[float, float]], cold: float) -> Line:
    """The medians in ms, and how much of theirs ours takes."""
    mine, other = (statistics.median(side) for side in zip(*times, strict=True))
    every = "; ".join(f"{one:.0f}/{two:.0f}" for one, two in times)
    note = f"ours/theirs in ms: {every}; ours before anything was read: {cold:.0f}"
    return Line(name, f"{mine:.0f} ms", f"{other:.0f} ms", f"{mine / other:.2f}", "<= 0.5", mine <= other / 2, note)


def shown(stage: Stage, tags: list[str]) -> str:
    """The run's page with further tags as panels."""
    return f"{stage.home}run/million?panels={','.join(quote(quote(tag, safe='')) for tag in tags)}"


def opened(browser: Browser, address: str, noting: str) -> float:
    """A visit by somebody new: milliseconds from the navigation's start until the page says that all is drawn."""
    context = browser.new_context(viewport=VIEWPORT)
    try:
        page = context.new_page()
        page.add_init_script(noting)
        page.goto(address)
        until(page, "window.curvesDrawn", seconds=PATIENCE)
        return float(ask(page, "window.curvesDrawn"))
    finally:
        context.close()


def by_hand(folder: Path) -> Iterator[Line]:
    """What the five panels of a run of a million points take to answer a hand that zooms."""
    if missing := without_chromium("zoom -> drawn"):
        yield from missing
        return
    with staged() as stage, chromium() as browser:
        million(stage.client, "million", POINTS)
        page = browser.new_page(viewport=VIEWPORT)
        page.add_init_script(NOTING % len(PANELS))
        page.goto(f"{stage.home}run/million")
        until(page, "window.curvesDrawn", seconds=PATIENCE)
        took = [zoomed(page) for _ in range(ZOOMS)]
        note = "ms, exact points on the screen: " + " ".join(f"{one:.0f}" for one in took)
        yield at_most("zoom -> drawn, 5 panels x 1 M, median", statistics.median(took), None, 150, "ms", note)


def zoomed(page: Page) -> float:
    """Drag over the middle half: milliseconds from letting go until the last drawing. Then back to the whole run."""
    settle(page)
    drag(page, 0.25, 0.75)
    settle(page)
    took = float(ask(page, "window.drawings.at(-1).at - window.letGo"))
    double_click(page)
    return took


def settle(page: Page) -> None:
    """Until nothing has been drawn, and no button let go, for a while."""
    until(page, f"performance.now() - Math.max(window.drawings.at(-1).at, window.letGo ?? 0) > {SETTLED_MS}")


def missing_number(name: str) -> Line:
    """What a page that does not tell its drawing's length leaves open."""
    return not_measured(name, "the page does not say how long a drawing took")
