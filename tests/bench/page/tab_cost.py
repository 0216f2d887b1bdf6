"""What an open page costs the reader's machine: in view, out of view, and nine times."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.bench.page.stage import (
    VIEWPORT,
    Stage,
    chromium,
    command,
    families,
    live_page,
    staged,
    used,
    without_chromium,
)
from tests.bench.page.stored import live, publish
from tests.bench.rows import Line, at_most
from tests.support.chromium import FLAGS
from tests.support.curves import until
from tests.support.seed import Seed
from tests.support.waiting import eventually

SECONDS = 16.0
HISTORY = 500
GOALS = ((10, 25.0), (1, 8.0))  # points a second and per cent of a core
HIDDEN_GOAL = 2.0  # "next to nothing"
TABS = 9
TELLTALE = "<title>?</title><script>setInterval(() => { document.title = document.visibilityState }, 200)</script>"


def in_view(folder: Path) -> Iterator[Line]:
    """One tab, at each speed."""
    if missing := without_chromium("one tab"):
        yield from missing
        return
    with staged() as stage, chromium() as browser:
        seed, _ = live_page(stage, browser, HISTORY)
        step = HISTORY
        for speed, goal in GOALS:
            step, whole, renderer = cost(seed, step, speed, ("chromium",))
            note = f"all processes of the browser; of that its renderers {renderer:.1f} %"
            yield at_most(f"one tab at {speed} points a second", whole, None, goal, "% core", note)


def cost(seed: Seed, step: int, speed: int, words: tuple[str, ...]) -> tuple[int, float, float]:
    """The step reached, and per cent of a core that the browser and its renderers alone took at that speed."""
    before, began, reached = spent(words), time.monotonic(), step
    while time.monotonic() - began < SECONDS:
        reached += 1
        publish(seed, reached)
        time.sleep(max(0.0, began + (reached - step) / speed - time.monotonic()))
    after, seconds = spent(words), time.monotonic() - began
    whole, renderers = ((late - early) / seconds * 100 for early, late in zip(before, after, strict=True))
    return reached, whole, renderers


def spent(words: tuple[str, ...]) -> tuple[float, float]:
    """Processor seconds so far of the browser whose command line holds ``words``, and of its renderers."""
    whole = families(*words)
    return used(whole), used({one for one in whole if "--type=renderer" in command(one)})


def out_of_view(folder: Path) -> Iterator[Line]:
    """A tab behind another one, in a browser that nobody drives: a driven one takes every tab for seen."""
    if missing := without_chromium("a hidden tab"):
        yield from missing
        return
    with staged() as stage, lone_browser(folder) as tabs:
        seed = live(stage.client, "live", HISTORY)
        tabs.open(f"{stage.home}run/live")
        time.sleep(12)  # a page that cannot be asked: it has drawn by then, or it is behind and costs more
        telltale = tabs.open("data:text/html," + urllib.parse.quote(TELLTALE))
        tabs.open("about:blank")
        eventually(lambda: tabs.title(telltale) == "hidden", seconds=10, every=0.2)
        tabs.close(telltale)
        _, whole, renderer = cost(seed, HISTORY, 10, (str(folder),))
        note = f"all processes of the browser; of that its renderers {renderer:.1f} %"
        yield at_most("a hidden tab at 10 points a second", whole, None, HIDDEN_GOAL, "% core", note)


class Tabs:
    """A browser over the little HTTP that it speaks for debuggers."""

    def __init__(self, port: str) -> None:
        self.port = port

    def _ask(self, path: str, method: str = "GET") -> str:
        asked = urllib.request.Request(f"http://127.0.0.1:{self.port}/json/{path}", method=method)
        with urllib.request.urlopen(asked, timeout=10) as answer:
            return str(answer.read().decode())

    def open(self, address: str) -> str:
        """A new tab in front of all others; its id."""
        found: dict[str, Any] = json.loads(self._ask("new?" + urllib.parse.quote(address, safe=""), "PUT"))
        self._ask(f"activate/{found['id']}")
        return str(found["id"])

    def title(self, tab: str) -> str:
        return next((str(one["title"]) for one in json.loads(self._ask("list")) if one["id"] == tab), "")

    def close(self, tab: str) -> None:
        self._ask(f"close/{tab}")


@contextmanager
def lone_browser(folder: Path) -> Iterator[Tabs]:
    """Chromium with its profile in ``folder``."""
    program = str(shutil.which("chromium"))
    own = ["--headless=new", "--remote-debugging-port=0", f"--user-data-dir={folder}", "--window-size=1440,1000"]
    process = subprocess.Popen(
        [program, *FLAGS, *own, "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        told = folder / "DevToolsActivePort"
        eventually(lambda: told.is_file() and told.read_text().strip(), seconds=20, every=0.1)
        yield Tabs(told.read_text().split()[0])
    finally:
        process.terminate()
        process.wait(timeout=15)


def nine(folder: Path) -> Iterator[Line]:
    """Nine tabs of one browser: all on one run, and each on a run of its own."""
    if missing := without_chromium("9 tabs"):
        yield from missing
        return
    for runs, words in ((1, "one run"), (TABS, "nine runs")):
        with staged() as stage:
            alive, slowest = living(stage, runs)
        note = f"the last of them drew a published point after {slowest:.1f} s"
        yield Line(
            f"9 tabs of one browser, {words}: live",
            f"{alive} of {TABS}",
            goal=str(TABS),
            passed=alive == TABS,
            note=note,
        )


def living(stage: Stage, runs: int) -> tuple[int, float]:
    """How many of the tabs drew a point that was published when all were open, and when the last of them did (s)."""
    seeds = [live(stage.client, f"live-{number}", HISTORY) for number in range(runs)]
    with chromium() as browser:
        context = browser.new_context(viewport=VIEWPORT)
        pages = [context.new_page() for _ in range(TABS)]
        for number, page in enumerate(pages):
            page.goto(f"{stage.home}run/live-{number % runs}")
        for page in pages:
            until(page, f"tidewatch.curves?.newest === {HISTORY}", seconds=40)
        began = time.monotonic()
        for seed in seeds:
            publish(seed, HISTORY + 1)
        drawn = 0
        for page in pages:
            try:
                until(page, f"tidewatch.curves.newest === {HISTORY + 1}", seconds=10)
                drawn += 1
            except Exception as error:  # Playwright's own TimeoutError, of a tab that stands still
                if "Timeout" not in type(error).__name__:
                    raise
        took = time.monotonic() - began
        context.close()
    return drawn, took
