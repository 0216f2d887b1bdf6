"""The map of a run's ranks: its pure parts one by one, then the page over generated runs, in one browser page."""

from __future__ import annotations

import json
import struct
from itertools import pairwise
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest
import redis
from playwright.sync_api import Browser, Page, expect

from collector.wire import schema
from collector.wire.records import RunEvent, RunId
from tests.bench.ranks import stored
from tests.e2e.conftest import Watch, Web, knowing, watched
from tests.e2e.test_axe import grave
from tests.generate.events import FIVE
from tests.generate.fault import parsed
from tests.generate.plan import Plan, Shape
from tests.support.curves import ask, until
from tests.support.redis_server import RedisServer
from tests.support.seed import Seed, straight

PURE = (
    "codec",
    "numbers",
    "words",
    "address",
    "answers",
    "axis",
    "clock",
    "ticks",
    "view",
    "state",
    "ranks-answer",
    "ranks-fold",
    "ranks-tree",
    "ranks-scale",
    "ranks-paint",
    "ranks-columns",
    "ranks-held",
    "ranks-says",
    "ranks-state",
    "ranks-ahead",
    "ranks-curve",
    "ranks-panel",
    "ranks-list",
)
FAULTS = (
    "off:rank=45,from=60,by=40",
    "nan:rank=36,from=90,spread=0",
    "frozen:rank=53,from=50",
    "spike:rank=41,from=40,by=300",
)
STEPS = 120
LATE = "TimeoutError: no answer" + " in time" * 30
DRAWN = "tidewatch.ranks?.held.m > 0 && !tidewatch.ranks.loading && tidewatch.ranks.rows?.length > 0"
# Every stretch of columns that is painted from now on.
WATCHING = """() => {
  const { map } = tidewatch.ranks;
  const paint = map.paintCells;
  window.painted = [];
  map.paintCells = function (from, until) {
    window.painted.push([from, until]);
    return paint.call(this, from, until);
  };
}"""
LEARNT = f"{DRAWN} && tidewatch.ranks.ranks.length > 0"


# ---- pure parts ----


@pytest.fixture(scope="module")
def scripts(browser: Browser) -> Page:
    """A blank page that knows the pure scripts."""
    return knowing(browser, PURE)


def body(rows: list[dict[str, Any]], steps: list[int], values: list[list[float]], kinds: list[list[int]]) -> list[int]:
    """An answer of the server as bytes: ranks, with a deviation that is their value."""
    text = json.dumps({"ranks": rows, "n": len(rows), "m": len(steps), "total_columns": len(steps), "last_step": 0})
    head = struct.pack("<I", len(text)) + text.encode()
    head += bytes(-len(head) % 8)
    at, cells = np.array(steps, "<f8"), np.array(values, "<f4")
    parts = [at.tobytes(), (at + 1000).tobytes(), cells.tobytes(), cells.tobytes(), np.array(kinds, np.uint8).tobytes()]
    return list(head + b"".join(parts))


def four(start: int = 1) -> list[int]:
    """Four ranks on two nodes over three steps; rank 3 has a NaN, rank 1 nothing at the first step."""
    rows = [{"rank": r, "host": f"n{r // 2}", "node": r // 2, "stage": 0, "group": r % 2} for r in range(4)]
    values: list[list[float]] = [[1, 2, 3], [np.nan, 5, 6], [7, 8, 9], [10, np.nan, 1e9]]
    return body(rows, [start, start + 1, start + 2], values, [[0, 0, 0], [1, 0, 0], [0, 0, 0], [0, 2, 0]])


def block(data: list[int]) -> str:
    return f"tidewatch.ranksAnswer.decode(new Uint8Array({data}).buffer)"


def test_an_answer_is_read_and_grows_by_columns(scripts: Page) -> None:
    line = "[...tidewatch.ranksAnswer.line(b, 2).mid]"
    read = f"(() => {{ const b = {block(four())}; return [b.m, {line}, [...b.walls.subarray(0, b.m)]] }})()"
    assert ask(scripts, read) == [3, [7, 8, 9], [1001, 1002, 1003]]
    grow = f"const b = {block(four())}; const from = tidewatch.ranksAnswer.append(b, {block(four(3))});"
    grown = f"(() => {{ {grow} return [from, b.m, {line}, [...b.steps.subarray(0, b.m)]] }})()"
    assert ask(scripts, grown) == [2, 5, [7, 8, 7, 8, 9], [1, 2, 3, 4, 5]]


def test_other_rows_are_not_put_behind_these(scripts: Page) -> None:
    other = body([{"rank": 9}], [4], [[1]], [[0]])
    assert ask(scripts, f"tidewatch.ranksAnswer.append({block(four())}, {block(other)})") is None


def test_a_fold_tells_lowest_middle_highest_and_the_kind_that_says_most(scripts: Page) -> None:
    fold = "tidewatch.ranksFold.filled(tidewatch.ranksFold.begun([0, 1, 2, 3], b.m), b)"
    told = "[f.low, f.mid, f.high, f.kinds].map((one) => [...one])"
    read = f"(() => {{ const b = {block(four())}; const f = {fold}; return {told} }})()"
    assert ask(scripts, read) == [[1, 2, 3], [7, 5, 7.5], [10, 8, 1e9], [0, 2, 0]]


def test_a_level_at_which_all_is_alike_is_left_out(scripts: Page) -> None:
    ids = "(nodes) => nodes.map((one) => [one.id, one.children.map(({ id }) => id)])"
    rows = f"{block(four())}.rows"
    assert ask(scripts, f"({ids})(tidewatch.ranksTree.whole({rows}, 'node'))") == [
        ["nn0", ["r0", "r1"]],
        ["nn1", ["r2", "r3"]],
    ]
    assert ask(scripts, f"({ids})(tidewatch.ranksTree.whole({rows}, 'stage'))") == [
        ["g0", ["r0", "r2"]],
        ["g1", ["r1", "r3"]],
    ]
    assert ask(scripts, f"({ids})(tidewatch.ranksTree.whole({rows}, 'none'))") == [[f"r{r}", []] for r in range(4)]
    assert ask(scripts, "tidewatch.ranksTree.spans([7, 1, 2, 3, 9])") == [[1, 3], [7, 7], [9, 9]]


@pytest.mark.parametrize("show", ["value", "deviation"])
def test_one_huge_cell_does_not_decide_on_the_scale(scripts: Page, show: str) -> None:
    numbers = "Float32Array.from({ length: 1000 }, (_, k) => (k === 17 ? 1e30 : 2 + (k % 10) / 10))"
    scale = f"tidewatch.ranksScale.of('{show}', [((n) => ({{ low: n, mid: n, high: n, worst: n }}))({numbers})])"
    low, high, most, far = ask(scripts, f"(({{ index, high }}) => [index(2), index(2.9), index(1e30), high])({scale})")
    assert high - low > (200 if show == "value" else 5)
    assert most == 255
    assert far < 10


@pytest.mark.parametrize(
    ("numbers", "calm", "odd"),
    [
        ("((k % 7) - 3) / 3", 1, 8),  # of single cells most are nearly nothing
        ("(k % 2 ? 3 : -3) + (k % 5) / 5", 3.4, 12),  # the farthest of forty are away by chance
        ("k % 10 ? 30 : 1", 4.5, 30),  # nearly all rows have an odd rank in them: that is no chance
    ],
)
def test_what_is_away_by_chance_is_hardly_coloured(scripts: Page, numbers: str, calm: float, odd: float) -> None:
    column = f"Float32Array.from({{ length: 1000 }}, (_, k) => {numbers})"
    scale = f"tidewatch.ranksScale.of('deviation', [{{ worst: {column} }}])"
    near, far = ask(scripts, f"(({{ index }}) => [index({calm}), index({odd})])({scale})")
    assert abs(near - 128) < 24
    assert far > 200


def test_numbers_of_many_sizes_are_shown_by_powers(scripts: Page) -> None:
    numbers = "Float32Array.from({ length: 100 }, (_, k) => 10 ** (k / 25))"
    scale = f"tidewatch.ranksScale.of('value', [((n) => ({{ low: n, mid: n, high: n, worst: n }}))({numbers})])"
    is_log, middle = ask(scripts, f"(({{ isLog, share }}) => [isLog, share(100)])({scale})")
    assert is_log
    assert middle == pytest.approx(0.5, abs=0.05)


def test_cells_that_are_no_number_are_left_to_patterns(scripts: Page) -> None:
    line = "{ mid: [1, 1, 1], low: [1, 1, 1], high: [1, 1, 1], worst: [0, NaN, 5], kinds: [0, 2, 6] }"
    look = "{ show: 'deviation', scale: { index: (z) => z }, palette: [10, 11, 12, 13, 14, 15], plain: 99 }"
    assert ask(scripts, f"[...tidewatch.ranksPaint.pixels([{line}], 0, 3, {look})]") == [10, 0, 15]
    assert ask(scripts, "tidewatch.ranksPaint.stretches([0, 2, 2, 1, 6, 0], 0, 6)") == [[2, 1, 3], [6, 4, 5]]


def test_columns_stand_side_by_side_or_where_their_time_was(scripts: Page) -> None:
    of = "{ steps: [1, 2, 3, 4], walls: [0, 10, 20, 100], m: 4 }"
    assert ask(scripts, f"[...tidewatch.ranksColumns.places({of}, 'step', [0, 100], 5).starts]") == [0, 20, 40, 60]
    starts, ends = ask(
        scripts,
        f"(({{ starts, ends }}) => [[...starts], [...ends]])(tidewatch.ranksColumns.places({of}, 'wall', [0, 110], 4))",
    )
    assert starts[1] == ends[0]
    assert starts[3] - ends[2] > 60  # the pause
    assert ask(scripts, "tidewatch.ranksColumns.columnAt({ starts: [0, 20, 90], ends: [20, 40, 100] }, 80)") == 2
    back = "{ steps: [1, 2], walls: [50, 10], m: 2 }"
    assert ask(scripts, f"tidewatch.ranksColumns.places({back}, 'wall', [0, 100], 2).kind") == "step"


def test_the_address_tells_the_view_and_nothing_else(scripts: Page) -> None:
    query = "?view=10..20&metric=tag%3Aa%2Fb&folds=nn0&rank=3@17&by=nonsense&other=1"
    state = ask(scripts, f"tidewatch.ranksState.decode('{query}')")
    assert (state["metric"], state["folds"], state["rank"], state["by"]) == ("tag:a/b", "nn0", "3@17", "")
    spelled = unquote(ask(scripts, f"tidewatch.ranksState.encode({json.dumps(state)}, '{query}')"))
    assert spelled == "?view=10..20&other=1&metric=tag:a/b&rank=3@17&folds=nn0"
    assert ask(scripts, "tidewatch.ranksState.turned('a,b', 'a')") == "b"
    assert ask(scripts, "['', 'a', 'all', 'all,a'].map((f) => tidewatch.ranksState.isOpen(f, 'a', true))") == [
        True,
        False,
        False,
        True,
    ]


def test_many_ranks_are_asked_for_folded(scripts: Page) -> None:
    asked = "tidewatch.ranksAhead.question({ run: 'a', metric: 'loss', count: %d }, { by: '', metric: '' }, {}, 9000)"
    assert ask(scripts, asked % 256).endswith("/api/runs/a/ranks?metric=loss&columns=500&fold=none&form=columns")
    assert unquote(ask(scripts, asked % 257)).endswith("fold=node,stage,group,none&form=columns")


def test_gravest_ranks_are_listed_first(scripts: Page) -> None:
    ranks = "[{ rank: 1, state: 'ok' }, { rank: 2, state: 'frozen' }, { rank: 3, state: 'nan' }, { rank: 4 }]"
    assert ask(scripts, f"tidewatch.ranksList.listed({ranks}, '').map(({{ rank }}) => rank)") == [3, 2, 1, 4]
    assert ask(scripts, f"tidewatch.ranksList.listed({ranks}, 'odd').map(({{ rank }}) => rank)") == [3, 2]
    assert ask(scripts, f"tidewatch.ranksList.counted({ranks})") == [["nan", 1], ["frozen", 1], ["ok", 2]]


# ---- the page ----


def fill(client: redis.Redis) -> None:
    """A run of 64 ranks with faults, one of 512 where a rank is off, and one of a single rank."""
    stored.ranks(client, "few", Plan(Shape(16, 2, 2), FIVE, STEPS, faults=tuple(map(parsed, FAULTS))))
    stored.ranks(client, "many", Plan(Shape(512), FIVE, 40, faults=(parsed("off:rank=301,from=20,by=40"),)))
    Seed(client, RunId("one")).points([(1, 1.0, 1.0)])
    for rank in range(300):
        told = Seed(client, RunId("bare"))
        told.points(straight(range(1, 9)), metric="step_time", file=f"log/rank_{rank}/info.log", rank=rank)
    for rank in range(512):
        frames = ("run.py:289 <module>", f"model.py:{1300 if rank == 301 else 1274} train")
        died = RunEvent("traceback", 40, None, LATE, rank, frames=frames)
        client.rpush(schema.events(RunId("many")), died.encode())


@pytest.fixture(scope="module")
def page(watching: Watch) -> Page:
    watching.forgiven = ("status of 404", "status of 503")  # nobody follows these runs' logs, and one run is not there
    return watching.page()


@pytest.fixture
def few(page: Page, served: str) -> Page:
    page.goto(f"{served}run/few/ranks")
    until(page, LEARNT)
    return page


@pytest.mark.parametrize("chosen", ["", "?by=stage", "?by=none"])
def test_the_map_is_asked_for_once_and_by_the_document(page: Page, served: str, chosen: str) -> None:
    """What the document preloads is spelled like the scripts' first question, so that one answer serves both."""
    page.goto(f"{served}run/many/ranks{chosen}")
    until(page, LEARNT)
    initiators = ask(
        page,
        "performance.getEntriesByType('resource').filter(({ name }) => name.includes('columns=500'))"
        ".map(({ initiatorType }) => initiatorType)",
    )
    assert initiators == ["link"]


def ids(page: Page) -> list[str]:
    found: list[str] = ask(page, "tidewatch.ranks.rows.map(({ id }) => id)")
    return found


def query(page: Page) -> str:
    return unquote(str(ask(page, "location.search")))


def spot(page: Page, row: str, step: int | None = None) -> tuple[float, float]:
    """A point of the window: in the row's label, or in its cell at a step."""
    page.locator(".ranks-scroll").scroll_into_view_if_needed()
    box = page.locator(".ranks-scroll").bounding_box()
    assert box is not None
    at = f"tidewatch.ranks.rows.findIndex(({{ id }}) => id === '{row}')"
    column = "0" if step is None else f"tidewatch.ranksAnswer.columnAt(tidewatch.ranks.held.top, {step})"
    found = ask(page, f"(b => [b.left + b.width / 2, b.top + b.height / 2])(tidewatch.ranks.map.box({at}, {column}))")
    return box["x"] + (60 if step is None else found[0]), box["y"] + found[1]


def colours(page: Page, row: str, step: int) -> list[int]:
    """How many colours a cell's neighbourhood has, and the commonest: patterns have two at least."""
    at = f"tidewatch.ranks.rows.findIndex(({{ id }}) => id === '{row}')"
    column = f"tidewatch.ranksAnswer.columnAt(tidewatch.ranks.held.top, {step})"
    data = "tidewatch.ranks.map.to.getImageData(b.left - 6, b.top, 12, b.height).data"
    seen = f"new Set(new Uint32Array({data}.buffer))"
    found: list[int] = ask(page, f"(b => [...{seen}])(tidewatch.ranks.map.box({at}, {column}))")
    return found


def test_the_ranks_that_are_odd_are_named_and_compared_with_their_like(few: Page) -> None:
    expect(few.locator("h1")).to_have_text("Ranks of few")
    expect(few.locator(".ranks-layout")).to_contain_text("DP 16 · TP 2 · PP 2")
    expect(few.locator(".ranks-notice")).to_contain_text("Only one pipeline stage")
    states = ask(few, "tidewatch.ranks.ranks.filter(tidewatch.ranksHeld.isOdd).map(({ rank, state }) => [rank, state])")
    assert [45, "outlier"] in states
    assert [36, "nan"] in states
    assert [53, "frozen"] in states
    assert few.locator(".ranks-list tbody tr").first.inner_text().startswith("Rank 36")
    expect(few.locator('[data-show="deviation"]')).to_have_attribute("aria-pressed", "true")
    assert ask(few, "globalThis.Plotly === undefined")


def test_the_run_leads_to_its_ranks_and_back(page: Page, served: str) -> None:
    page.goto(f"{served}run/few")
    page.locator("#run-ranks a.button").click()
    until(page, f"location.pathname === '/run/few/ranks' && {DRAWN}")
    expect(page.locator("#nav .here")).to_have_text("Rank map")
    page.locator("#nav a", has_text="few").click()
    until(page, "location.pathname === '/run/few' && tidewatch.curves?.newest > 0")


def test_the_run_says_how_many_ranks_are_odd_and_leads_to_them(page: Page, served: str) -> None:
    page.goto("about:blank")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/ranks/states" in request.url else None)
    page.goto(f"{served}run/few")
    card = page.locator("#run-ranks")
    expect(card).to_contain_text("Local loss: 3 of 32 odd: ")
    expect(card).to_contain_text("1 with NaN or Inf, 1 off their group, 1 frozen.")
    assert len(asked) == 1
    card.locator("a", has_text="frozen").click()
    until(page, f"location.pathname === '/run/few/ranks' && {LEARNT}")
    assert "state=frozen" in query(page)
    assert "rank=53@" in query(page)
    expect(page.locator(".ranks-list tbody tr")).to_have_count(1)
    expect(page.locator(".ranks-chosen")).to_contain_text("Rank 53")


def test_a_run_of_one_rank_is_not_asked_for_states(page: Page, served: str) -> None:
    page.goto("about:blank")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/ranks" in request.url else None)
    page.goto(f"{served}run/one")
    until(page, "tidewatch.curves?.newest > 0")
    assert asked == []


@pytest.mark.parametrize("view", ["", "?view=last-4"])
def test_many_ranks_without_hosts_are_drawn_after_one_question(page: Page, served: str, view: str) -> None:
    page.goto("about:blank")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/bare/ranks?" in request.url else None)
    page.goto(f"{served}run/bare/ranks{view}")
    until(page, LEARNT)
    assert ask(page, "tidewatch.ranks.rows.length") == 300
    assert len([one for one in asked if "/api/" in one]) == (2 if view else 1)  # the newest step has to be known first


def test_the_odd_stack_comes_first_and_unfolds(page: Page, served: str) -> None:
    page.goto(f"{served}run/many/ranks")
    until(page, LEARNT)
    odd = page.locator(".ranks-errors li").first
    expect(odd).to_contain_text("Rank 301 alone")
    expect(odd.locator("pre")).to_be_hidden()
    odd.locator("summary").click()
    expect(odd.locator("pre")).to_have_text(
        "run.py:289  <module>\nmodel.py:1300  train\nTimeoutError: no answer" + " in time" * 30
    )
    expect(page.locator(".ranks-errors li").nth(1)).to_contain_text("511 ranks")


def test_on_a_narrow_screen_nothing_lies_over_or_beside_another(page: Page, served: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{served}run/many/ranks")
    until(page, LEARNT)
    page.locator(".ranks-errors summary").first.click()
    boxes = [page.locator(one).bounding_box() for one in ("#nav .here", "#live", "#language-switch", "#theme-switch")]
    known = [one for one in boxes if one]
    assert len(known) == 4
    for left, right in pairwise(known):
        assert left["x"] + left["width"] <= right["x"]
    assert ask(page, "document.documentElement.scrollWidth") == 390
    page.set_viewport_size({"width": 1440, "height": 1000})
    card, pre = (page.locator(one).first.bounding_box() for one in (".ranks-errors-card", ".ranks-errors pre"))
    assert card is not None
    assert pre is not None
    assert pre["x"] + pre["width"] < card["x"] + card["width"]


KEYS = {"←": "ArrowLeft", "→": "ArrowRight", "↑": "ArrowUp", "↓": "ArrowDown", "PgUp": "PageUp", "PgDn": "PageDown"}
SPELLED = {**KEYS, "−": "-", "Esc": "Escape", **dict.fromkeys(("Home", "End", "Enter", "0", "+"))}


def test_the_help_tells_every_key_of_the_map(few: Page) -> None:
    few.mouse.click(*spot(few, "r38", 100))  # so that there is something to close
    few.locator("#help-open").click()
    section = few.locator("#help h2", has_text="On the rank map").locator("..")
    listed = [one for one in section.locator("kbd").all_inner_texts() if one in SPELLED]
    assert sorted(set(listed)) == sorted(SPELLED)
    few.locator("#help-close").click()
    press = """(key) => !document.querySelector('.ranks-scroll')
      .dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))"""
    assert {one: few.evaluate(press, SPELLED[one] or one) for one in listed} == dict.fromkeys(listed, True)


def test_cells_that_are_no_plain_number_look_different_without_colour(few: Page) -> None:
    plain, lost, frozen = (len(colours(few, row, 105)) for row in ("r38", "r36", "r53"))
    assert lost > 1  # hatched
    assert frozen > plain
    expect(few.locator(".ranks-kinds")).to_contain_text("NaN")
    expect(few.locator(".ranks-kinds")).to_contain_text("frozen")


def test_a_row_is_folded_and_unfolded_by_click_and_keyboard(few: Page) -> None:
    whole = ids(few)
    few.mouse.click(*spot(few, "nnode5"))
    until(few, f"tidewatch.ranks.rows.length < {len(whole)}")
    assert "r45" not in ids(few)
    assert query(few) == "?folds=nnode5"
    few.locator(".ranks-scroll").focus()
    few.keyboard.press("+")
    until(few, f"tidewatch.ranks.rows.length === {len(whole)}")
    few.keyboard.press("ArrowDown")
    few.keyboard.press("ArrowDown")
    few.keyboard.press("-")  # of a rank: what it is in
    until(few, f"tidewatch.ranks.rows.length < {len(whole)}")
    few.go_back()
    until(few, f"tidewatch.ranks.rows.length === {len(whole)}")
    few.locator('[data-fold="closed"]').click()
    until(few, "tidewatch.ranks.rows.length === 4")
    few.locator('[data-by="none"]').click()
    until(few, "tidewatch.ranks.rows.length === 32")


def test_a_folded_row_shows_lowest_middle_and_highest(few: Page) -> None:
    few.locator('[data-fold="closed"]').click()
    few.locator('[data-show="value"]').click()
    until(few, "tidewatch.ranks.map.strips === 3")
    few.mouse.move(*spot(few, "nnode5", 100))
    expect(few.locator(".ranks-tip")).to_contain_text("median")
    expect(few.locator(".ranks-tip")).to_contain_text("node5")


def test_a_drag_zooms_and_a_double_click_shows_all(few: Page) -> None:
    from_, to = spot(few, "r45", 30), spot(few, "r45", 79)
    few.mouse.move(*from_)
    few.mouse.down()
    few.mouse.move(*to, steps=4)
    few.mouse.up()
    until(few, f"tidewatch.ranks.held.m === 50 && {DRAWN}")
    assert query(few) == "?view=30..79"
    few.mouse.dblclick(*spot(few, "r47", 50))
    until(few, f"tidewatch.ranks.held.m === {STEPS} && {DRAWN}")
    assert "view" not in query(few)


def test_the_keyboard_brushes_too(few: Page) -> None:
    few.locator(".ranks-scroll").focus()
    few.keyboard.press("Home")
    for _ in range(9):
        few.keyboard.press("Shift+ArrowRight")
    few.keyboard.press("Enter")
    until(few, f"tidewatch.ranks.held.m === 10 && {DRAWN}")
    few.keyboard.press("0")
    until(few, f"tidewatch.ranks.held.m === {STEPS} && {DRAWN}")


def test_a_cell_opens_its_rank_its_log_and_its_neighbours(few: Page) -> None:
    few.mouse.click(*spot(few, "r45", 100))
    chosen = few.locator(".ranks-chosen")
    expect(chosen.locator("h3")).to_have_text("Rank 45")
    expect(chosen).to_contain_text("node5, stage 1, DP 6, TP 1")
    expect(chosen.locator("[data-log]")).to_have_attribute("data-log", "45@100")
    until(few, "document.querySelector('.ranks-curve .own')?.getAttribute('d').length > 500")
    until(few, "document.querySelector('.ranks-curve .band')?.getAttribute('d').length > 500")
    assert chosen.locator(".ranks-others button").all_inner_texts() == ["40", "41", "42", "43", "44", "46", "47"]
    assert query(few) == "?rank=45@100"
    chosen.locator("[data-log]").click()
    expect(few.locator("[data-drawer]")).to_be_visible()
    few.keyboard.press("Escape")
    few.locator(".ranks-scroll").focus()
    few.keyboard.press("Escape")
    expect(chosen).to_contain_text("Click a cell")


def test_where_no_host_is_known_nobody_is_called_a_neighbour(scripts: Page) -> None:
    panel = "Object.assign(Object.create(tidewatch.ranksPanel.RanksPanel.prototype), {})"
    ranks = "[{ rank: 0, host: '', node: 0 }, { rank: 1, host: '', node: 0 }]"
    said = f"(r => {panel}.neighbours(r, r[0]).textContent)({ranks})"
    assert ask(scripts, said) == "ranks_host_unknown"


def test_arrows_read_the_cells_aloud(few: Page) -> None:
    few.locator(".ranks-scroll").focus()
    few.keyboard.press("End")
    few.keyboard.press("ArrowDown")
    expect(few.locator(".ranks-said")).to_contain_text(f"step {STEPS}")
    expect(few.locator(".ranks-said")).to_contain_text("Group 2")


def test_a_link_shows_what_its_sender_saw(page: Page, served: str) -> None:
    page.goto(f"{served}run/few/ranks?metric=device_local_norm&show=value&x=wall&rank=45@100&folds=nnode4&state=odd")
    until(page, f"{LEARNT} && tidewatch.ranks.map.places.kind === 'wall'")
    expect(page.locator("#ranks-metric")).to_have_value("device_local_norm")
    expect(page.locator('[data-show="value"]')).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".ranks-chosen h3")).to_have_text("Rank 45")
    assert "r36" not in ids(page)
    assert "Fine" not in page.locator(".ranks-list").inner_text()


def test_who_was_first_is_told(few: Page) -> None:
    expect(few.locator(".ranks-first")).to_contain_text("Rank 36 was first to have a NaN, at step 90.")
    few.locator('[data-what="stall"]').click()
    expect(few.locator(".ranks-first")).to_contain_text("No rank has stopped")
    expect(few.locator(".ranks-errors")).to_contain_text("No error line")


def test_the_theme_repaints_without_asking_again(few: Page) -> None:
    asked: list[str] = []
    few.on("request", lambda request: asked.append(request.url))
    before = colours(few, "r38", 20)
    few.locator("#theme-switch").click()
    until(few, "document.documentElement.dataset.theme === 'dark'")
    after = colours(few, "r38", 20)
    few.locator("#theme-switch").click()
    assert set(before) != set(after)
    assert not [one for one in asked if "/ranks?" in one]


def test_a_new_column_is_painted_alone(few: Page, server: RedisServer) -> None:
    client = redis.Redis.from_url(server.url)
    plan = Plan(Shape(16, 2, 2), FIVE, STEPS, faults=tuple(map(parsed, FAULTS)))
    growing = stored.Growing(Seed(client, RunId("few")), plan)
    few.evaluate(WATCHING)
    until(few, "document.querySelector('#live').dataset.state === 'live'")
    growing.column(STEPS + 1)
    until(few, f"tidewatch.ranks.held.lastStep === {STEPS + 1}")
    painted = ask(few, "window.painted")
    assert painted
    assert all(start >= STEPS - 3 for start, _ in painted)
    client.close()


def test_many_ranks_begin_folded_and_are_read_as_they_unfold(page: Page, served: str) -> None:
    page.goto(f"{served}run/many/ranks")
    until(page, LEARNT)
    assert ask(page, "tidewatch.ranks.rows.length") == 64
    assert ask(page, "tidewatch.ranks.rows.filter(({ odd }) => odd).map(({ id }) => id)") == ["nnode37"]
    page.mouse.click(*spot(page, "nnode37"))
    until(page, f"tidewatch.ranks.rows.length === 72 && {DRAWN}")
    assert "r301" in ids(page)
    expect(page.locator(".ranks-legend")).to_contain_text("is labelled")
    page.locator(".ranks-list [data-rank='301']").click()
    expect(page.locator(".ranks-chosen")).to_contain_text("Rank 301")
    page.reload()
    until(page, f"tidewatch.ranks.rows.length === 72 && {LEARNT}")


def test_without_ranks_that_share_a_metric_the_page_says_what_to_do(page: Page, served: str) -> None:
    page.goto(f"{served}run/one/ranks")
    expect(page.locator(".ranks-notice")).to_contain_text("monitor_config")


def test_an_unknown_run_has_no_ranks(page: Page, served: str) -> None:
    page.goto(f"{served}run/nobody/ranks")
    expect(page.locator(".notice h1")).to_have_text("There is no run “nobody”")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser: Browser, served: str, theme: Any) -> None:
    context = browser.new_context(viewport={"width": 1440, "height": 1000}, color_scheme=theme, reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{served}run/few/ranks?rank=45@100")
    until(page, f"{LEARNT} && document.querySelector('.ranks-curve')")
    assert grave(page) == []
    context.close()


def test_a_phone_shows_it_in_chinese(browser: Browser, served: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, locale="zh-CN")
    page = context.new_page()
    page.set_default_timeout(15_000)
    page.goto(f"{served}run/few/ranks?rank=45@100")
    until(page, LEARNT)
    expect(page.locator(".ranks-chosen")).to_contain_text("离群")
    assert ask(page, "document.documentElement.scrollWidth") <= 390
    context.close()


def test_a_history_that_is_too_long_to_be_held_is_shown_joined(
    browser: Browser, web: Web, redis_url: str, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.grids.CELLS", 16 * 200)
    monkeypatch.setattr("app.pasts.COLUMNS", 100)
    seed = Seed(redis_client)
    for rank in range(16):
        points = [
            (step, 1e6 + step, float("nan") if (rank, step) == (3, 77) else 2.0 + rank) for step in range(1, 1_001)
        ]
        seed.points(points, metric="step_time", file=f"log/rank_{rank}/info.log", rank=rank)
    with watched(browser) as watch:
        page = watch.page()
        page.goto(f"{web(redis_url)}run/gpt/ranks")
        expect(page.locator(".ranks-notice")).to_contain_text("A column stands for about")
        until(page, f"{DRAWN} && tidewatch.ranks.held.top.meta.exact_from === null && !tidewatch.ranks.older.isReading")
        expect(page.locator(".ranks-notice")).not_to_contain_text("Steps before")
        steps = ask(page, "[...tidewatch.ranks.held.top.steps.subarray(0, tidewatch.ranks.held.m)]")
        assert steps[0] < 20
        assert steps[-1] == 1_000
        assert 100 <= len(steps) <= 250
        column = "tidewatch.ranksAnswer.columnAt(tidewatch.ranks.held.top, 77)"
        row = "tidewatch.ranks.rows.find(({ id }) => id === 'r3')"
        assert ask(page, f"{row}.line().kinds[{column}]") == 2
        for rank in range(16):
            seed.points([(1_001, 1e6 + 1_001, 2.0)], metric="step_time", file=f"log/rank_{rank}/info.log", rank=rank)
        until(page, "tidewatch.ranks.held.lastStep === 1001 && tidewatch.ranks.held.top.steps[0] < 20")
        page.goto(f"{page.url}?view=50..100")  # every step
        until(page, f"{DRAWN} && tidewatch.ranks.held.m === 51")
        expect(page.locator(".ranks-notice")).not_to_contain_text("A column stands for")
