"""The same event files of 64 ranks before the same browser: our map, and TensorBoard's cards with a line a rank."""

from __future__ import annotations

import json
import statistics
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from collector.wire import schema
from tests.bench.page.first_draw import opened
from tests.bench.page.stage import Stage, chromium, staged, without_chromium
from tests.bench.page.tensorboard import server
from tests.bench.ranks import drawn
from tests.bench.ranks.followed import Lags
from tests.bench.rows import Line
from tests.generate.events import FIVE
from tests.generate.plan import Plan, Shape
from tests.generate.writer import Writer
from tests.support.collecting import collector
from tests.support.waiting import eventually

RANKS, STEPS, ROUNDS = 64, 500, 5
CARDS = 2  # of its page are in view
# A card is drawn when its table names every rank and its spinner is gone; looked at once a frame, told once painted.
NOTING = f"""
(() => {{
  const isDrawn = (card) => card.querySelectorAll("tb-data-table-content-row").length >= {RANKS}
    && card.querySelector("line-chart .series-view") && !card.querySelector("mat-spinner");
  const look = () => {{
    const cards = [...document.querySelectorAll("scalar-card")].filter(isDrawn);
    if (cards.length < {CARDS}) return requestAnimationFrame(look);
    requestAnimationFrame(() => setTimeout(() => {{ window.curvesDrawn = performance.now(); }}));
  }};
  requestAnimationFrame(look);
}})()
"""


def against_tensorboard(folder: Path) -> Iterator[Line]:
    """Both have read the files before; every visit is by somebody new."""
    name = f"{RANKS} ranks x {STEPS}: address -> drawn, map against {CARDS} cards"
    if missing := without_chromium(name):
        yield from missing
        return
    plan = Plan(Shape(dp=RANKS), FIVE, STEPS, parts=("events",))
    job = folder / "ranks"
    Writer(plan, job).history()
    with ExitStack() as held:
        stage = held.enter_context(staged())
        address = read(held, stage, job, plan)
        theirs = held.enter_context(server(job, has_read))
        browser = held.enter_context(chromium())
        cold = drawn.visited(browser, address, STEPS)["at"], opened(browser, theirs, NOTING)
        times = [(drawn.visited(browser, address, STEPS)["at"], opened(browser, theirs, NOTING)) for _ in range(ROUNDS)]
    yield beside(name, times, cold)


def beside(name: str, times: list[tuple[float, float]], cold: tuple[float, float]) -> Line:
    """The medians in ms, and how many times theirs is as long."""
    mine, other = (statistics.median(side) for side in zip(*times, strict=True))
    every = "; ".join(f"{one:.0f}/{two:.0f}" for one, two in times)
    note = f"ours/theirs in ms: {every}; first visits: {cold[0]:.0f}/{cold[1]:.0f}"
    return Line(name, f"{mine:.0f} ms", f"{other:.0f} ms", f"{other / mine:.1f} x", note=note)


def read(held: ExitStack, stage: Stage, job: Path, plan: Plan) -> str:
    """The page of the run, once a collector has read all of it and has ended."""
    url = f"unix://{stage.client.connection_pool.connection_kwargs['path']}?db=0"
    with collector(job.parent, url):
        lags = Lags(stage.client, plan, job)
        eventually(lags.is_level, seconds=60, every=0.1)
    (run,) = stage.client.smembers(schema.RUNS)
    return f"{stage.home}run/{run.decode()}/ranks"


def has_read(home: str) -> bool:
    """Whether TensorBoard knows every tag of every rank."""
    try:
        with urllib.request.urlopen(f"{home}data/plugin/timeseries/tags", timeout=10) as answer:
            runs = json.loads(answer.read())["scalars"]["runTagInfo"]
    except (OSError, KeyError):
        return False
    return len(runs) == RANKS and all(len(tags) == len(FIVE) for tags in runs.values())
