"""The pure parts behind the panels, one by one: layout, list, heads, search, picture."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from app.factory import ASSETS
from app.figures.panels import described, total_height
from app.words.browser import browser_words
from collector.wire.metrics import METRICS
from tests.support.curves import ask

PURE = (
    "codec",
    "acts",
    "numbers",
    "words",
    "state",
    "layout",
    "panels",
    "panel-head",
    "panel-menu",
    "tags",
    "tag-search",
    "picture-file",
    "picture-words",
)
KEYS = ("loss", "lr", "grad_norm", "loss_scale", "throughput")


@pytest.fixture(scope="module")
def scripts(browser: Browser) -> Page:
    """A page of nothing but the dictionary, which knows the standard panels as ``standard``."""
    page = browser.new_page()
    page.set_default_timeout(10_000)
    page.set_content("<html lang='en'><div id='shell'></div></html>")
    words = json.dumps(browser_words())
    page.evaluate("words => { document.getElementById('shell').dataset.words = words }", words)
    for name in PURE:
        page.add_script_tag(path=ASSETS / f"{name}.js")
    page.evaluate("panels => { globalThis.standard = panels }", described())
    return page


def build(page: Page, options: str = "{}", panels: str = "standard") -> Any:
    return ask(page, f"tidewatch.layout.build({panels}, {options})")


def listed(page: Page, known: object = None, **view: object) -> list[str]:
    """Keys of the panels that a view shows."""
    state = "{...tidewatch.state.decode(''), ..." + json.dumps(view) + "}"
    found = ask(page, f"tidewatch.panels.listed(standard, {state}, {json.dumps(known)}).map(one => one.key)")
    return list(found)


# ---- layout ----


def test_panels_stand_below_each_other_with_room_for_their_heads(scripts: Page) -> None:
    figure = build(scripts)
    assert figure["height"] == total_height()
    inner = total_height() - figure["layout"]["margin"]["t"] - figure["layout"]["margin"]["b"]
    for above, below in pairwise(figure["places"]):
        assert (above["domain"][0] - below["domain"][1]) * inner == pytest.approx(30)
    for panel, place in zip(described(), figure["places"], strict=True):
        assert (place["domain"][1] - place["domain"][0]) * inner == pytest.approx(panel["height"])


def test_all_panels_share_one_x_axis_that_stands_under_the_last(scripts: Page) -> None:
    figure = build(scripts)
    assert {trace["xaxis"] for trace in figure["data"]} == {"x"}
    assert {trace["yaxis"] for trace in figure["data"]} == {"y", "y2", "y3", "y4", "y5"}
    assert figure["layout"]["xaxis"]["anchor"] == "y5"


@pytest.mark.parametrize(
    ("panels", "height"), [("[]", 34), ("standard.slice(0, 1)", 168 + 30 + 34)], ids=["none", "one"]
)
def test_any_number_of_panels_can_be_laid_out(scripts: Page, panels: str, height: int) -> None:
    figure = build(scripts, panels=panels)
    assert figure["height"] == height
    assert figure["layout"]["xaxis"]["anchor"] == "y"


def test_a_scale_is_turned_from_what_it_is_by_default(scripts: Page) -> None:
    plain = build(scripts)["layout"]
    turned = build(scripts, "{logged: new Set(['loss', 'grad_norm', 'loss_scale'])}")["layout"]
    axes = ("yaxis", "yaxis3", "yaxis4")
    assert [plain[axis]["type"] for axis in axes] == ["linear", "log", "log"]
    assert [turned[axis]["type"] for axis in axes] == ["log", "linear", "linear"]
    assert plain["yaxis4"]["ticktext"][8] == "64k"
    assert "tickvals" not in turned["yaxis4"]


@pytest.mark.parametrize(("power", "said"), [(1, "1"), (1024, "1k"), (65_536, "64k"), (2**22, "4M"), (2**34, "16G")])
def test_a_loss_scale_is_read_in_powers_of_two(scripts: Page, power: int, said: str) -> None:
    assert ask(scripts, f"tidewatch.layout.binary({power})") == said


def test_lines_of_others_lie_beneath_or_over_those_of_the_panel(scripts: Page) -> None:
    line = "{metrics: ['loss'], colour: '--ink', name: 'n', role"
    extra = f"{{loss: [{line}: 'band-low', under: true, trace: {{fill: 'tonexty'}}}}, {line}: 'gap'}}]}}"
    roles = [trace["meta"]["role"] for trace in build(scripts, f"{{extra: {extra}}}", "standard.slice(0, 1)")["data"]]
    assert roles == ["band-low", "raw", "smooth", "raw", "ghost", "gap"]


# ---- the list ----


@pytest.mark.parametrize(
    ("entry", "key", "metrics"),
    [
        ("norm/a", "tag:norm/a", ["tag:norm/a"]),
        ("r3:local_loss", "tag:r3:local_loss", ["tag:r3:local_loss"]),
        ("m:step_time", "m:step_time", ["step_time"]),
        ("loss", "tag:loss", ["tag:loss"]),  # a file's own spelling is not the canonical metric
        ("层:α,b", "tag:层:α,b", ["tag:层:α,b"]),
    ],
)
def test_an_added_entry_is_a_panel_at_the_end(scripts: Page, entry: str, key: str, metrics: list[str]) -> None:
    assert listed(scripts, panels=[entry, entry]) == [*KEYS, key]
    view = json.dumps({"panels": [entry]})
    made = ask(
        scripts, f"tidewatch.panels.listed(standard, {{...tidewatch.state.decode(''), ...{view}}}, null).at(-1).lines"
    )
    assert [line["role"] for line in made] == ["raw", "smooth"]
    assert made[0]["metrics"] == metrics


@pytest.mark.parametrize("name", ["r3:x", "m:x", "plain", "a:b", "r:3", "第3层", "r3:\n", ":"])
@pytest.mark.parametrize("rank", [None, 0, 12])
def test_what_is_spelled_is_read_as_it_was_meant(scripts: Page, name: str, rank: int | None) -> None:
    meant = json.dumps({"kind": "tag", "name": name, "rank": rank})
    read = ask(scripts, f"tidewatch.panels.parse(tidewatch.panels.spell({meant}))")
    assert (read["kind"], read["name"]) == ("tag", name)
    assert read["rank"] in (
        (rank,) if rank is not None else (None, 0)
    )  # a name that looks prefixed is told with a rank


def test_pinned_come_first_then_the_order_that_was_chosen(scripts: Page) -> None:
    assert listed(scripts, pin=["throughput", "lr"], order=["grad_norm", "loss"]) == [
        "throughput",
        "lr",
        "grad_norm",
        "loss",
        "loss_scale",
    ]
    assert listed(scripts, hide=["lr", "nothing"], pin=["nothing"]) == ["loss", "grad_norm", "loss_scale", "throughput"]
    assert listed(scripts, full="lr", hide=["lr"]) == ["lr"]
    assert listed(scripts, full="gone") == list(KEYS)


def test_an_address_of_a_thousand_panels_is_cut(scripts: Page) -> None:
    assert len(listed(scripts, panels=[f"t{n}" for n in range(1000)])) == len(KEYS) + 30


def test_a_run_without_any_standard_metric_begins_with_its_own(scripts: Page) -> None:
    known = [{"metric": None, "tag": f"t{n}"} for n in range(9)] + [{"metric": "step_time", "tag": "time"}]
    assert listed(scripts, known) == [f"tag:t{n}" for n in range(5)]
    assert listed(scripts, [*known, {"metric": "eval_loss", "tag": "e"}]) == list(KEYS)
    assert listed(scripts, []) == list(KEYS)
    assert listed(scripts, known, panels=["t1", "t7"]) == [f"tag:t{n}" for n in (0, 1, 2, 3, 4, 7)]


def test_a_panel_moves_among_those_of_its_kind(scripts: Page) -> None:
    panels = "[{key: 'p', pinned: true}, {key: 'q', pinned: true}, {key: 'a'}, {key: 'b'}]"
    move = f"((key, by) => tidewatch.panels.move({panels}, key, by))"
    assert ask(scripts, f"{move}('q', -1)") == {"pin": ["q", "p"]}
    assert ask(scripts, f"{move}('a', 1)") == {"order": ["b", "a"]}
    assert ask(scripts, f"[{move}('a', -1), {move}('q', 1), {move}('gone', 1)]") == [None, None, None]
    turns = "[['a', 1], ['b', 1], ['p', -1], ['gone', 1], ['a', 'last']]"
    assert ask(scripts, f"{turns}.map(turn => tidewatch.panels.neighbour({panels}, ...turn))") == [
        "b",
        "p",
        "b",
        "p",
        "b",
    ]


def test_what_is_taken_away_leaves_nothing_in_the_address(scripts: Page) -> None:
    state = "{...tidewatch.state.decode(''), panels: ['x'], pin: ['tag:x'], log: ['tag:x', 'lr'], full: 'tag:x'}"
    left = ask(scripts, f"(s => tidewatch.state.encode({{...s, ...tidewatch.panels.remove(s, 'x')}}))({state})")
    assert left == "?log=lr"


def test_a_menu_offers_what_can_be_done(scripts: Page) -> None:
    items = "((panel, more) => tidewatch.panelMenu.items(panel, {logged: new Set(), ...more}).map(one => one.act))"
    plain = "{key: 'lr', axis: 'linear'}"
    assert ask(scripts, f"{items}({plain}, {{isFirst: true}})") == ["log", "pin", "down", "whole", "hide", "picture"]
    assert ask(scripts, f"{items}({{...{plain}, added: true}}, {{isLast: true}})")[-2:] == ["remove", "picture"]
    assert ask(scripts, f"{items}({plain}, {{full: true}})") == ["log", "whole", "hide", "picture"]


def test_every_metric_has_a_title(scripts: Page) -> None:
    titles = ask(
        scripts, f"{json.dumps(list(METRICS))}.map(name => tidewatch.panels.titleOf({{kind: 'metric', name}}))"
    )
    assert not set(titles) & set(METRICS)


# ---- heads ----


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"total": 1337, "drawn": 1337}, "1,337 points, all drawn"),
        ({"total": 1, "drawn": 1, "nan": 1}, "1 point, drawn, 1 NaN"),
        ({"total": 1_234_567, "drawn": 1900, "nan": 12}, "1.23 M points, 1,900 drawn, no extreme hidden, 12 NaN"),
        (
            {"total": 5000, "drawn": 1900, "outside": 3, "inf": 2},
            "5,000 points, 1,900 drawn, 3 outside the panel, 2 Inf",
        ),
        (
            {"total": 20_000, "drawn": 1900, "folded": 12_000},
            "20,000 points, 1,900 drawn, no extreme hidden, "
            "12,000 of them folded: the range is shown, the files hold each",
        ),
        ({"total": 9, "drawn": 9, "unclocked": 4}, "9 points, all drawn, 4 without a clock"),
        ({"total": 0, "drawn": 0, "last": None}, "no points"),
        ({"total": 0, "drawn": 0, "last": 2.5}, "no points in this stretch"),
        ({"total": 0, "drawn": 0, "last": None, "state": "loading"}, "reading …"),
    ],
)
def test_a_head_says_what_is_drawn_and_that_nothing_is_hidden(scripts: Page, facts: object, said: str) -> None:
    assert ask(scripts, f"tidewatch.panelHead.note({json.dumps(facts)})") == said


@pytest.mark.parametrize(
    ("language", "said"), [("en", ["999,999", "1 M", "1.5 B"]), ("zh", ["999,999", "100 万", "15 亿"])]
)
def test_a_large_count_is_said_in_the_language_of_the_page(scripts: Page, language: str, said: list[str]) -> None:
    amounts = f"[999_999, 1_000_000, 1_499_999_999].map(n => tidewatch.panelHead.amount(n, '{language}'))"
    assert ask(scripts, amounts) == said


def test_the_gap_has_a_sign_and_a_step(scripts: Page) -> None:
    assert (
        ask(scripts, "tidewatch.panelHead.gapText({value: -0.0312, step: 1200})")
        == "eval − train −0.0312 at step 1,200"
    )
    assert ask(scripts, "[null, {value: NaN, step: 1}].map(tidewatch.panelHead.gapText)") == ["", ""]


@pytest.mark.parametrize(
    ("facts", "is_told"),
    [({"total": 0, "last": None}, True), ({"total": 0, "last": 1.0}, False), ({"total": 2, "last": 1.0}, False)],
)
def test_an_empty_panel_says_what_would_fill_it(scripts: Page, facts: object, is_told: bool) -> None:
    assert ("Set it." in ask(scripts, f"tidewatch.panelHead.emptyText({json.dumps(facts)}, 'Set it.')")) is is_told


# ---- the search ----

TAGS = [
    {"metric": "loss", "tag": "lm loss", "title": "Loss", "ranks": [[0, 0]]},
    {"metric": None, "tag": "moe/Load/expert_1", "title": "", "ranks": [[0, 7], [9, 9]]},
    {"metric": None, "tag": "moe/load/expert_12", "title": "", "ranks": []},
    {"metric": None, "tag": "metrics/a", "title": "", "ranks": [[3, 3]]},
]


def search(page: Page, text: str, *, is_regex: bool = False, rank: int | None = None, limit: int = 200) -> Any:
    asked = json.dumps({"text": text, "isRegex": is_regex, "rank": rank, "limit": limit})
    return ask(page, f"tidewatch.tags.search({json.dumps(TAGS)}, {asked})")


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"text": ""}, [0, 1, 2, 3]),
        ({"text": "LOAD moe"}, [1, 2]),
        ({"text": "loss"}, [0]),
        ({"text": "a.b ("}, []),
        ({"text": "expert_1$", "is_regex": True}, [1]),
        ({"text": "^(lm|metrics)", "is_regex": True}, [0, 3]),
        ({"text": "", "rank": 9}, [1]),
        ({"text": "", "rank": 8}, []),
    ],
)
def test_a_search_finds_by_words_by_expression_and_by_rank(scripts: Page, asked: Any, found: list[int]) -> None:
    assert search(scripts, **asked) == {"indices": found, "total": len(found)}


def test_only_the_first_are_listed_and_all_are_counted(scripts: Page) -> None:
    assert search(scripts, "e", limit=1) == {"indices": [1], "total": 3}


@pytest.mark.parametrize("text", ["(", "[", "*a", "a{2,1}", "\\"])
def test_what_is_no_expression_is_said_and_nothing_is_thrown(scripts: Page, text: str) -> None:
    assert search(scripts, text, is_regex=True)["error"]


def test_sections_are_what_stands_before_the_first_slash(scripts: Page) -> None:
    sections = ask(
        scripts,
        f"tidewatch.tags.sections({json.dumps(TAGS)}).map(one => [one.isMetrics, one.section, one.rows.length])",
    )
    assert sections == [[True, None, 1], [False, "moe", 2], [False, "metrics", 1]]


def test_twelve_thousand_names_are_searched_between_two_frames(scripts: Page) -> None:
    made = """(() => {
        const tag = (n) => ({metric: null, tag: `layer_${n}/weight/norm`, title: "", ranks: []});
        const list = Array.from({length: 12_345}, (_, n) => tag(n));
        return [false, true].map((isRegex) => {
          const began = performance.now();
          const { total } = tidewatch.tags.search(list, {text: "layer_1 norm", isRegex, rank: null, limit: 200});
          return [performance.now() - began, total];
        });
    })()"""
    (words_ms, words), (regex_ms, _) = ask(scripts, made)
    assert words == sum(str(number).startswith("1") for number in range(12_345))
    assert max(words_ms, regex_ms) < 500  # 50 ms where nothing else runs


# ---- the picture ----
