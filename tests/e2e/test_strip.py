"""What stands below the curves and beside them: event strip, attempt ribbon, the log of a rank."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from app.factory import ASSETS
from app.language import speaking
from app.pages.sentences import sentence
from app.series.happening import Happening
from app.words.browser import browser_words
from app.words.browser.told import WORDS
from app.words.states import DERIVED, EVENTS
from tests.e2e.conftest import PATIENCE, Watch, Web
from tests.support.collecting import collector
from tests.support.curves import ask, until
from tests.support.growing import lines
from tests.support.redis_server import RedisServer

PURE = (
    *("numbers", "words", "arrivals", "clock", "roving", "event-shapes", "event-words", "event-filter", "clusters"),
    *("strip", "ribbon", "log-lines", "drawer"),
)
AXIS = "{kind: 'step', range: [%d, %d], x: (step) => step, px: (x) => 56 + (x - %d) / (%d - %d) * 1000}"


@pytest.fixture(scope="module")
def scripts(browser: Browser) -> Iterator[Page]:
    """A blank page that knows the pure scripts and the English dictionary."""
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    page.evaluate("words => document.body.append(Object.assign(document.createElement('div'), {id: 'shell'}))", "")
    page.evaluate("words => { document.getElementById('shell').dataset.words = words; }", json.dumps(browser_words()))
    for name in PURE:
        page.add_script_tag(path=ASSETS / f"{name}.js")
    yield page
    page.close()


def axis(low: int, high: int) -> str:
    """Steps over a thousand px, as tidewatch.curves.axis gives them."""
    return AXIS % (low, high, low, high, low)


def marks(page: Page, events: str, low: int, high: int) -> list[list[int]]:
    """Steps of the events in each mark of one lane."""
    made = f"tidewatch.clusters.marks(tidewatch.clusters.placed({events}), {axis(low, high)})"
    found: list[list[int]] = ask(page, f"{made}.map(m => m.events.map(e => e.at.step))")
    return found


def at(*steps: int) -> str:
    return json.dumps([{"kind": "eval", "step": step, "last_step": step, "times": 1} for step in steps])


def test_events_that_lie_close_are_one_mark_until_a_zoom_parts_them(scripts: Page) -> None:
    assert marks(scripts, at(100, 104, 300), 0, 1000) == [[100, 104], [300]]
    assert marks(scripts, at(100, 104, 300), 0, 200) == [[100], [104]]


def test_marks_stay_few_and_lose_no_event(scripts: Page) -> None:
    many = json.dumps([{"kind": "overflow", "step": step, "last_step": step, "times": 1} for step in range(20_000)])
    found = marks(scripts, many, 0, 19_999)
    assert len(found) <= 75
    assert [step for mark in found for step in mark] == list(range(20_000))


def test_a_burst_that_reaches_into_the_window_is_seen(scripts: Page) -> None:
    burst = [{"kind": "overflow", "step": 50, "last_step": 150, "times": 9}]
    assert marks(scripts, json.dumps(burst), 100, 200) == [[50]]
    assert marks(scripts, json.dumps(burst), 160, 200) == []


def test_what_names_no_step_stands_where_the_run_was(scripts: Page) -> None:
    told = '[{"kind": "start", "step": null}, {"kind": "eval", "step": 40}, {"kind": "start", "step": null}]'
    assert ask(scripts, f"tidewatch.clusters.placed({told}, 7).map(e => e.at.step)") == [7, 40, 40]


def test_an_axis_that_cannot_place_an_event_leaves_it_out(scripts: Page) -> None:
    nowhere = "{kind: 'wall', range: [0, 9], x: () => null, px: (x) => x}"
    assert ask(scripts, f"tidewatch.clusters.marks(tidewatch.clusters.placed({at(3)}), {nowhere})") == []


def test_every_kind_has_a_lane_a_tone_and_a_shape_of_its_own(scripts: Page) -> None:
    words = {**EVENTS, **DERIVED}
    looks = ask(scripts, "tidewatch.eventShapes.KINDS")
    assert {kind: word.tone for kind, word in words.items()} == {kind: one["tone"] for kind, one in looks.items()}
    assert len({one["path"] for one in looks.values()}) == len(words)
    lanes = ask(scripts, "tidewatch.eventShapes.LANES")
    assert {one["lane"] for one in looks.values()} == set(lanes)


@pytest.mark.parametrize("health", ["healthy", "unhealthy", "unknown"])
def test_a_checkpoint_says_its_health_by_its_shape_and_in_words(scripts: Page, health: str) -> None:
    event = f"{{kind: 'checkpoint', step: 4, detail: {{health: '{health}'}}, ranks: [0], at: {{step: 4, last: 4}}}}"
    word = {"unknown": "health not known"}.get(health, health)
    assert ask(scripts, f"tidewatch.eventWords.label([{event}])") == f"Checkpoint, {word}, step 4 · rank 0"
    look = "tidewatch.eventShapes.look({kind: 'checkpoint', detail: {health}})"
    assert len(set(ask(scripts, f"['healthy', 'unhealthy', null].map(health => {look}.path)"))) == 3


def test_a_count_says_what_is_in_it(scripts: Page) -> None:
    two = "[{kind: 'skip', times: 1, at: {step: 8, last: 8}}, {kind: 'overflow', times: 4, at: {step: 3, last: 6}}]"
    assert (
        ask(scripts, f"tidewatch.eventWords.label({two})") == "5 events, steps 3 to 8: 4 × Overflow, 1 × Batch skipped"
    )
    assert ask(scripts, f"tidewatch.eventShapes.heaviest({two}).kind") == "overflow"
    short = "[7, 999, 1200, 21_000, 3e6].map(n => tidewatch.eventWords.short(n, '{}'))"
    assert ask(scripts, short.format("en")) == ["7", "999", "1k", "21k", "3M"]
    assert ask(scripts, short.format("zh")) == ["7", "999", "1千", "2万", "300万"]


def test_a_kind_that_nobody_knows_is_said_as_it_is_spelled(scripts: Page) -> None:
    assert ask(scripts, "tidewatch.eventWords.word('power_cut')") == "Power cut"
    assert ask(scripts, "tidewatch.eventShapes.look({kind: 'power_cut'}).lane") == "trouble"


@pytest.mark.parametrize(
    ("kind", "detail", "words"),
    [
        ("eval", {"loss": 3.152656, "PPL": 23.4, "seconds": 2.0}, "eval loss 3.152656, PPL 23.4, took 2\xa0s"),
        ("eval", {"loss": 4.0, "seconds": 0.0}, "eval loss 4"),
        ("eval", {"CurrentLr": 1.0}, "CurrentLr 1"),
        ("checkpoint", {"seconds": 2.123}, "took 2.1\xa0s"),
        ("loss_scale", {"change": "halved", "from": 65536.0, "to": 32768.0}, "65,536 → 32,768"),
        ("lr_phase", {"phase": "warmup_end", "lr": 0.0003}, "warm-up ends, 3.00e-4"),
        (
            "restart",
            {"attempt": 2, "ended": "nan_stop", "steps_redone": 40, "down_seconds": 180.0},
            "attempt 2 begins, after NaN in the loss, 40 steps done again, no step for 3\xa0min",
        ),
        ("restart", {"attempt": 3, "ended": "unknown"}, "attempt 3 begins, after something that no line tells"),
        ("error", {}, ""),
        ("error", {"says": "what nobody says yet"}, ""),
        (
            "error",
            {"says": "error_worker", "worker": "4711", "code": "-9"},
            "worker process 4711 ended with error code -9",
        ),
        (
            "norm_spike",
            {"says": "norm_in_row", "norm": 1247.3, "threshold": 10.0, "times": 2.0},
            "gradient norm 1,247 above 10, 2 in a row",
        ),
    ],
)
def test_strip_and_card_say_the_same_numbers(scripts: Page, kind: str, detail: dict[str, Any], words: str) -> None:
    assert sentence(Happening(kind, detail=detail)) == words
    assert ask(scripts, f"tidewatch.eventWords.numbers({json.dumps({'kind': kind, 'detail': detail})})") == words


def test_an_evaluation_that_ran_away_says_so(scripts: Page) -> None:
    assert sentence(Happening("eval", detail={"loss": float("nan")})) == "eval loss NaN"
    assert ask(scripts, "tidewatch.eventWords.numbers({kind: 'eval', detail: {loss: 'NaN'}})") == "eval loss NaN"


def test_lines_about_trouble_are_said_alike_in_chinese(scripts: Page) -> None:
    with speaking("zh"):
        for key, told in WORDS.items():
            values: dict[str, Any] = {name: 12.5 for _, name, _, _ in Formatter().parse(str(told)) if name}
            detail = {"says": key.removeprefix("told_"), **values, **({"why": "磁盘已满"} if "why" in values else {})}
            filled = f"tidewatch.words.filled({json.dumps(str(told))}, {json.dumps(values | detail)})"
            assert ask(scripts, filled) == sentence(Happening("error", detail=detail))


def test_no_blank_stands_between_two_chinese_characters_of_a_sentence() -> None:
    with speaking("zh"):
        found = sentence(Happening("restart", detail={"attempt": 2, "down_seconds": 3420.0}))
    assert found.endswith("57\xa0分钟无训练步")


ATTEMPTS = """[
  {attempt: 1, reason: 'first', started: 0, ended: 220, first_step: 1, last_step: 220, steps_redone: 0},
  {attempt: 2, reason: 'steps_back', started: 300, ended: 400, first_step: 201, last_step: 300, steps_redone: 20},
]"""


def test_an_attempt_reaches_to_where_the_next_began_and_its_tail_beyond(scripts: Page) -> None:
    found = ask(scripts, f"tidewatch.ribbon.segments({ATTEMPTS}, {axis(0, 1000)})")
    assert [(one["attempt"], one["left"], one["width"]) for one in found] == [(1, 57, 200), (2, 257, 99)]
    assert found[0]["tail"] == {"left": 257, "width": 19}
    assert found[1]["tail"] is None


def test_a_segment_out_of_the_window_is_not_there(scripts: Page) -> None:
    found = ask(scripts, f"tidewatch.ribbon.segments({ATTEMPTS}, {axis(250, 1000)})")
    assert [one["attempt"] for one in found] == [2]


def test_over_time_no_attempt_covers_another(scripts: Page) -> None:
    wall = "{kind: 'wall', range: [0, 1000], x: (step, wall) => wall, px: (x) => x}"
    found = ask(scripts, f"tidewatch.ribbon.segments({ATTEMPTS}, {wall})")
    assert [(one["left"], one["width"], one["tail"]) for one in found] == [(0, 220, None), (300, 100, None)]


def test_time_done_twice_is_reckoned_by_the_pace_of_the_first_time(scripts: Page) -> None:
    assert ask(scripts, f"tidewatch.ribbon.secondsTwice({ATTEMPTS}, 1)") == pytest.approx(20 * 220 / 219)
    assert ask(scripts, f"tidewatch.ribbon.secondsTwice({ATTEMPTS}, 0)") is None
    assert ask(scripts, f"tidewatch.ribbon.secondsTwice({ATTEMPTS}.map(a => ({{...a, started: null}})), 1)") is None


@pytest.mark.parametrize(
    ("line", "sign"),
    [
        ("2025-06-01 - mindformers[a.py:9] - ERROR - No space left.", "error"),
        ("Traceback (most recent call last):", "error"),
        ("ValueError: There is nan in loss with value nan, terminate training.", "error"),
        ("{ step:[ 4/9], loss:  nan, lr: 1e-5 }", "nan"),
        ("global_norm: [-inf]", "nan"),
        ("loss: 2.1, overflow cond: True, loss_scale: 65536.0", "overflow"),
        ("opt_global_step: 29, is_skip: [ True]", "skip"),
        ("[WARNING] ME(7:1): slow", "warning"),
        ("INFO - information about nanotubes in infrastructure, overflow cond: False", None),
        ("check_for_nan_in_loss: True", None),
    ],
)
def test_a_line_shows_what_it_is_a_sign_of(scripts: Page, line: str, sign: str | None) -> None:
    assert ask(scripts, f"tidewatch.logLines.sign({json.dumps(line)})?.sign ?? null") == sign


def test_what_is_found_in_a_line_is_marked_in_whatever_case(scripts: Page) -> None:
    assert ask(scripts, "tidewatch.logLines.pieces('Loss and loss', 'LOSS')") == [
        ["Loss", True],
        [" and ", False],
        ["loss", True],
    ]
    assert ask(scripts, "tidewatch.logLines.pieces('a.b', '.').length") == 3
    assert ask(scripts, "tidewatch.logLines.pieces('', 'a')") == []


def test_what_the_logger_put_before_a_line_is_told_from_its_words(scripts: Page) -> None:
    assert ask(scripts, f"tidewatch.logLines.parts({json.dumps(PREFIX + 'step 3')})") == [PREFIX, "step 3"]
    ours = "[INFO] 2025-06-01 10:00:57,360 [callback.py:747] print_output_info: "
    assert ask(scripts, f"tidewatch.logLines.parts({json.dumps(ours + 'loss')})") == [ours, "loss"]
    assert ask(scripts, "tidewatch.logLines.parts('ValueError: no')") == ["", "ValueError: no"]


def test_arrows_lead_along_a_lane_and_to_the_nearest_mark_of_the_next(scripts: Page) -> None:
    rows = "[[10, 50, 90], [], [12, 80]]"
    steps = [("ArrowRight", [0, 1]), ("ArrowLeft", [0, 0]), ("ArrowDown", [2, 0]), ("End", [0, 2]), ("ArrowUp", [0, 0])]
    for key, to in steps:
        assert ask(scripts, f"tidewatch.roving.next({rows}, [0, 0], '{key}')") == to
    assert ask(scripts, f"tidewatch.roving.next({rows}, [2, 1], 'ArrowUp')") == [0, 2]


def test_a_link_names_rank_and_step_of_a_log(scripts: Page) -> None:
    assert ask(scripts, "tidewatch.drawerPlace.placeOf('3@1200')") == {"rank": 3, "step": 1200}
    assert ask(scripts, "tidewatch.drawerPlace.placeOf('')") is None
    sources = "[['log', 8], ['log', 0], ['log', 8], ['mindspore', 1]].map(([source, rank]) => ({source, rank}))"
    assert ask(scripts, f"tidewatch.drawerPlace.ranksOf({{sources: {sources}}})") == [0, 8]


def test_a_filter_hides_the_rows_of_its_kinds(scripts: Page) -> None:
    assert ask(scripts, "tidewatch.eventFilter.rules(['skip'])") == '.event[data-kind="skip"] { display: none; }'


# ---- with a real log and the collector that follows it ----


PREFIX = "2023-11-14 22:16:40,000 - mindformers[mindformers/core/callback/callback.py:9] - INFO - "
EVAL = "Eval result: {'PerplexityMetric': {'loss': 3.152656, 'PPL': 23.4}}, eval time is 2.000000 s.\n"
SAVED = "Checkpoint saved at step 200 to ./ckpt (async=False, remove_redundancy=False)\n"
HOSTILE = "<img src=x onerror=\"document.title='pwned'\"> <b>bold</b>\n"
CRASH = """Traceback (most recent call last):
  File "train.py", line 3, in <module>
ValueError: There is nan in loss with value nan, terminate training.
"""


def told(text: str, clock: str = "22:16:40") -> bytes:
    return PREFIX.replace("22:16:40", clock).encode() + text.encode()


def history() -> bytes:
    """400 steps with an evaluation, a checkpoint and a crash; then a second attempt from step 301 to 350."""
    first = [lines(range(1, 101)), told(EVAL, "22:15:00"), lines(range(101, 201)), told(SAVED)]
    rest = [lines(range(201, 301)), told(HOSTILE, "22:18:20"), lines(range(301, 401)), CRASH.encode()]
    again = [told("Start training loop...\n"), lines(range(301, 351))]
    return b"".join([*first, *rest, b"".join(again).replace(b"2023-11-14", b"2023-11-16")])


@dataclass
class Stage:
    """One page on one run, shared by the tests below; each begins from the page's plain address."""

    page: Page
    address: str
    log: Path
    held: ExitStack
    watching: Watch

    def forgiven(self, part: str) -> None:
        """Errors that a test brings about itself."""
        self.watching.forgiven = (*self.watching.forgiven, part)

    def plain(self) -> Page:
        """The page as it is without any choice, not loaded anew."""
        changes = "log_at: '', quiet: [], attempts: 'stitched', view: 'all', x: 'step'"
        ask(self.page, f"(tidewatch.state.set({{{changes}}}), true)")
        until(self.page, "tidewatch.timeline.strip.marks.size >= 3")
        return self.page

    def mark(self, words: str) -> Locator:
        return self.page.locator(f".event-mark[aria-label*='{words}']").first

    def write(self, data: bytes) -> None:
        with self.log.open("ab") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())


@pytest.fixture(scope="module")
def stage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    root = tmp_path_factory.mktemp("strip")
    log = root / "sft-run" / "log" / "rank_0" / "info.log"
    log.parent.mkdir(parents=True)
    log.write_bytes(history())
    shutil.copytree(log.parent, log.parent.with_name("rank_1"))
    server = RedisServer().start()
    following = ExitStack()
    expect.set_options(timeout=PATIENCE)
    with ExitStack() as held:
        held.callback(expect.set_options, timeout=5_000)
        held.callback(server.close)
        held.enter_context(following)
        following.enter_context(collector(root, server.url))
        home = Web(held)(server.url)
        context = browser.new_context(viewport={"width": 1440, "height": 1000}, color_scheme="light", locale="en-US")
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        held.callback(context.close)
        watching = Watch(context)
        page = watching.page()
        page.goto(f"{home}run/sft-run")
        until(page, "tidewatch.timeline.strip.marks.size >= 3 && tidewatch.curves.held.attempts.length === 2")
        yield Stage(page, f"{home}run/sft-run", log, following, watching)
        assert watching.troubles == []


def test_what_happened_stands_on_the_strip_along_the_curves_axis(stage: Stage) -> None:
    page = stage.plain()
    expect(stage.mark("Evaluation, step 100")).to_have_attribute(
        "aria-label", "Evaluation, step 100 · 2023-11-14 22:15 · 2 ranks, eval loss 3.152656, PPL 23.4, took 2\xa0s"
    )
    expect(stage.mark("Checkpoint, health not known, step 200")).to_be_visible()
    place = "(tidewatch.curves.axis.px(100) + document.querySelector('.figure').getBoundingClientRect().left)"
    box = stage.mark("Evaluation").bounding_box()
    assert box is not None
    assert box["x"] + box["width"] / 2 == pytest.approx(ask(page, place), abs=1.5)


def test_a_mark_tells_itself_and_stands_over_all_panels(stage: Stage) -> None:
    page = stage.plain()
    stage.mark("Evaluation").hover()
    tip = page.locator(".strip-tip")
    for words in ("Evaluation", "step 100", "2 ranks", "eval loss 3.152656", "Eval result:"):
        expect(tip).to_contain_text(words)
    line, figure = page.locator(".event-line.pointed").bounding_box(), page.locator(".figure").bounding_box()
    assert line is not None and figure is not None
    assert line["height"] == pytest.approx(figure["height"], abs=2)
    page.mouse.move(5, 5)
    expect(tip).to_be_hidden()


def test_a_kind_is_filtered_from_strip_and_card_and_the_address_says_so(stage: Stage) -> None:
    page = stage.plain()
    chip = page.locator(".event-chip", has_text="Evaluation")
    row = page.locator(".event[data-kind=eval]").first
    expect(row).to_be_visible()
    chip.click()
    expect(chip).to_have_attribute("aria-pressed", "false")
    expect(page.locator(".event-mark[aria-label*=Evaluation]")).to_have_count(0)
    expect(row).to_be_hidden()
    assert "quiet=eval" in page.url
    page.locator(".event-chip", has_text="Evaluation").click()
    expect(row).to_be_visible()
    assert "quiet" not in page.url


def test_the_strip_is_one_tab_stop_and_arrows_walk_it(stage: Stage) -> None:
    page = stage.plain()
    assert page.locator('.event-mark[tabindex="0"]').count() == 1
    stage.mark("Evaluation").focus()
    page.keyboard.press("ArrowRight")
    expect(stage.mark("Checkpoint")).to_be_focused()
    assert page.locator('.event-mark[tabindex="0"]').count() == 1
    page.keyboard.press("ArrowDown")
    expect(page.locator("[data-lane=trouble] .event-mark").first).to_be_focused()


def test_enter_opens_the_log_at_the_step_and_escape_leads_back(stage: Stage) -> None:
    page = stage.plain()
    stage.mark("Checkpoint").focus()
    page.keyboard.press("Enter")
    drawer = page.get_by_role("dialog", name="Log")
    here = drawer.locator(".log-line.here").first
    expect(here).to_contain_text("step:[  200/99999]")
    expect(drawer.locator(".drawer-file")).to_contain_text("log/rank_0/info.log")
    expect(drawer.locator(".drawer-place")).to_have_text("rank 0, step 200")
    assert page.url.endswith("log_at=0@200")
    expect(page.locator(".event-line.chosen")).to_be_visible()
    expect(stage.mark("Checkpoint")).to_have_class("event-mark tone-plain chosen")
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    expect(stage.mark("Checkpoint")).to_be_focused()
    assert "log_at" not in page.url


def test_the_card_says_numbers_and_opens_the_log_too(stage: Stage) -> None:
    page = stage.plain()
    row = page.locator(".event[data-kind=eval]").first
    expect(row.locator(".told")).to_have_text("eval loss 3.152656, PPL 23.4, took 2 s")
    expect(row.locator(".told")).to_have_attribute("title", EVAL.strip())
    row.get_by_role("button", name="Log of rank 0 at step 100").click()
    expect(page.locator(".log-line.here").first).to_contain_text("step:[  100/99999]")


def test_lines_are_text_and_their_signs_are_words(stage: Stage) -> None:
    page = stage.plain()
    ask(page, "(tidewatch.state.set({log_at: '0@300'}), true)")
    expect(page.locator(".log-line", has_text="<img src=x")).to_contain_text("<b>bold</b>")
    assert page.locator(".log-lines img, .log-text b:not(.log-sign)").count() == 0
    assert page.title() != "pwned"
    page.locator(".drawer-step").fill("400")
    page.keyboard.press("Enter")
    expect(page.locator(".log-line.tone-bad .log-sign").first).to_have_text("error")


def test_the_log_is_searched_and_read_on_in_both_directions(stage: Stage) -> None:
    page = stage.plain()
    ask(page, "(tidewatch.state.set({log_at: '0@200'}), true)")
    rows = page.locator(".log-line")
    expect(page.locator(".log-line.here").first).to_be_visible()
    page.locator(".drawer-find").fill("EVAL result")
    page.get_by_role("button", name="Find earlier").click()
    expect(page.locator(".log-line.match mark")).to_have_text("Eval result")
    page.get_by_role("button", name="Find earlier").click()
    expect(page.locator(".drawer-found")).to_have_text("not found above")
    held = rows.count()
    page.get_by_role("button", name="Older lines").click()
    until(page, f"document.querySelectorAll('.log-line').length > {held}")
    expect(page.locator(".log-line .log-text").first).to_contain_text("step:[    1/99999]")
    expect(page.get_by_role("button", name="Older lines")).to_be_disabled()
    held = rows.count()
    page.get_by_role("button", name="Newer lines").click()
    until(page, f"document.querySelectorAll('.log-line').length > {held}")
    steps = ask(page, "tidewatch.drawer.file.lines.filter(l => l.text.includes('step:[')).map(l => l.step)")
    assert steps == list(range(1, len(steps) + 1))  # no line twice, none left out


def test_another_rank_is_chosen_and_lines_are_copied(stage: Stage) -> None:
    page = stage.plain()
    ask(page, "(tidewatch.state.set({log_at: '0@120'}), true)")
    expect(page.locator(".drawer-rank option")).to_have_text(["0", "1"])
    page.locator(".drawer-rank").select_option("1")
    expect(page.locator(".drawer-file")).to_contain_text("log/rank_1/info.log")
    assert "log_at=1@120" in page.url
    page.get_by_role("button", name="Copy lines").click()
    expect(page.locator(".drawer-notice")).to_contain_text("lines copied")
    assert "step:[  120/99999]" in page.evaluate("() => navigator.clipboard.readText()")


def test_a_rank_without_a_log_is_a_sentence_with_those_that_have_one(stage: Stage) -> None:
    page = stage.plain()
    stage.forgiven("404")
    ask(page, "(tidewatch.state.set({log_at: '7@120'}), true)")
    expect(page.locator(".drawer-notice")).to_contain_text("Rank 7 has no log here. Ranks with one: 0, 1.")


def test_the_ribbon_tells_of_both_attempts_and_shows_one(stage: Stage) -> None:
    page = stage.plain()
    first, second = page.locator(".attempt").all()
    expect(first).to_have_text("1")
    expect(second).to_have_attribute(
        "aria-label",
        "Attempt 2, steps 301 to 350, 2023-11-16 22:18 to 2023-11-16 22:19, "
        "100 steps had been done before, about 2 min, after NaN in the loss",
    )
    second.focus()
    expect(page.locator(".strip-tip")).to_contain_text("after NaN in the loss")
    second.click()
    assert "attempts=2" in page.url
    expect(second).to_have_attribute("aria-pressed", "true")
    second.click()
    assert "attempts" not in page.url


def test_strip_and_ribbon_follow_an_axis_of_time(stage: Stage) -> None:
    page = stage.plain()
    ask(page, "(tidewatch.state.set({x: 'wall'}), true)")
    until(page, "tidewatch.curves.axis.kind === 'wall' && !tidewatch.curves.loading")
    at = "(events => tidewatch.curves.axis.px(events.find(e => e.kind === 'eval').wall))(tidewatch.timeline.told)"
    until(page, f"Math.abs({at} - tidewatch.timeline.strip.at(100, 0).mark.at) < 30")
    first, second = (attempt.bounding_box() for attempt in page.locator(".attempt").all())
    assert first is not None and second is not None
    assert first["x"] + first["width"] <= second["x"] + 1


def test_a_count_of_events_is_zoomed_into(stage: Stage) -> None:
    page = stage.plain()
    stage.write(
        b"".join(
            told(EVAL, "23:00:00") if step % 2 else lines([step]).replace(b"2023-11-14", b"2023-11-16")
            for step in range(351, 361)
        )
    )
    many = page.locator("[data-lane=saved] .event-mark.many")
    expect(many).to_be_visible()  # it came with the stream, without loading the page anew
    many.click()
    until(page, "tidewatch.state.get().view.includes('..')")


def test_a_link_opens_the_log_on_a_phone_in_chinese_in_the_dark(stage: Stage) -> None:
    page = stage.page
    page.context.add_cookies([{"name": "tidewatch_language", "value": "zh", "domain": "127.0.0.1", "path": "/"}])
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark")
    page.goto(f"{stage.address}?log_at=1@120")
    drawer = page.get_by_role("dialog", name="日志")
    until(page, "document.querySelector('.log-line.here') && tidewatch.timeline.strip.marks.size")
    expect(drawer.locator(".log-line.here").first).to_contain_text("step:[  120/99999]")
    expect(drawer.locator(".drawer-place")).to_have_text("rank 1，第 120 步")
    box = drawer.bounding_box()
    assert box is not None
    assert (box["x"], box["width"]) == (0, 390)
    assert box["y"] + box["height"] == 844
    assert ask(page, "document.documentElement.scrollWidth") <= 390
    assert not drawer.evaluate("drawer => drawer.contains(document.activeElement)")  # a link takes no focus
    expect(page.locator(".event-chip", has_text="评估")).to_be_visible()


def test_without_a_collector_the_drawer_says_what_to_do(stage: Stage) -> None:
    page = stage.page
    stage.forgiven("503")
    stage.held.close()
    until(page, "tidewatch.drawer")
    ask(page, "(tidewatch.state.set({log_at: '0@100'}), true)")
    notice = page.locator(".drawer-notice")
    expect(notice).to_contain_text("没有采集器应答 rank 0 的日志请求")
    expect(notice.get_by_role("button", name="重试")).to_be_visible()
