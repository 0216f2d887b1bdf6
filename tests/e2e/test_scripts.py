"""The pure parts of assets/, one by one, in the browser that runs them."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from app.factory import ASSETS
from app.figures import numbers
from tests.support.curves import ask

PURE = (
    "numbers",
    "state",
    "words",
    "smoothing",
    "columns",
    "series",
    "marks",
    "view",
    "wheel",
    "stream",
    "liveness",
    "clock",
)


@pytest.fixture(scope="module")
def scripts(browser: Browser) -> Page:
    """A blank page that knows the pure scripts."""
    page = browser.new_page()
    page.set_default_timeout(10_000)
    for name in PURE:
        page.add_script_tag(path=ASSETS / f"{name}.js")
    return page


@pytest.mark.parametrize("value", [0, 2.0, 1.97634, 0.00012345, 12345.6, -0.5, 1e12, 123.456])
def test_script_and_server_write_a_value_alike(scripts: Page, value: float) -> None:
    assert ask(scripts, f"tidewatch.numbers.value({value})") == numbers.value(value)


@pytest.mark.parametrize("seconds", [0.5, 3, 12, 99.6, 120, 1560, 7200, 7500, 356_400])
def test_script_and_server_write_a_duration_alike(scripts: Page, seconds: float) -> None:
    assert ask(scripts, f"tidewatch.numbers.duration({seconds})") == numbers.duration(seconds)


def average(page: Page, weight: float, values: str, log: str = "false") -> list[Any]:
    made = f"(a => {values}.map(v => a.next(v)))(new tidewatch.smoothing.Average({weight}, {log}))"
    found: list[Any] = ask(page, made)
    return found


def test_the_average_is_not_pulled_to_zero_at_the_start(scripts: Page) -> None:
    assert average(scripts, 0.9, "[5, 5, 5]") == pytest.approx([5, 5, 5])


def test_the_average_is_the_debiased_one(scripts: Page) -> None:
    assert average(scripts, 0.5, "[1, 2, 3]") == pytest.approx([1, 5 / 3, 17 / 7])


def test_a_gap_stays_a_gap_and_does_not_poison_the_average(scripts: Page) -> None:
    assert average(scripts, 0.5, "[4, NaN, null, Infinity, 4]") == [4, None, None, None, 4]


def test_on_a_logarithmic_axis_the_average_is_the_geometric_one(scripts: Page) -> None:
    assert average(scripts, 0.5, "[1, 100, 0, -1]", log="true") == pytest.approx([1, 10 ** (4 / 3), None, None])


def test_columns_are_read_as_the_server_packs_them(scripts: Page) -> None:
    packed = """(() => {
      const buffer = new ArrayBuffer(2 * 25);
      new Float64Array(buffer, 0, 6).set([7, 8, 1.5, 2.5, 0.25, NaN]);
      new Uint8Array(buffer, 48, 2).set([0, 2]);
      const {steps, walls, values, sources} = tidewatch.columns.decode(buffer, {n: 2});
      return [steps, walls, values.map(String), sources, Array.isArray(steps)];
    })()"""
    assert ask(scripts, packed) == [[7, 8], [1.5, 2.5], ["0.25", "NaN"], ["tensorboard", "log"], True]


SERIES = (
    "new tidewatch.Series({steps: [1, 2], values: [5, NaN], sources: ['log', 'log'], meta: {total: 9, hidden_nan: 1}})"
)


def test_a_series_takes_only_what_is_newer(scripts: Page) -> None:
    taken = (
        f"(s => [s.append([[2, 0, 1, 'log'], [3, 0, 'Infinity', 'log']]).steps, s.total, s.nan, s.infinite])({SERIES})"
    )
    assert ask(scripts, taken) == [[3], 10, 1, 1]


def test_stretches_join_neighbours_of_one_kind(scripts: Page) -> None:
    found = ask(scripts, "tidewatch.marks.stretches([1, 2, 3, 4, 5, 6], [NaN, NaN, 1, Infinity, -Infinity, NaN])")
    assert [(one["kind"], one["start"], one["end"]) for one in found] == [
        ("nan", 1, 2),
        ("up", 4, 4),
        ("down", 5, 5),
        ("nan", 6, 6),
    ]


def test_an_overflow_is_marked_at_the_loss_scale_of_its_step(scripts: Page) -> None:
    marks = "tidewatch.marks.overflows({steps: [4, 5, 9], values: [1, 0, 1]}, {steps: [1, 5, 8], values: [64, 32, 16]})"
    assert ask(scripts, marks) == {"x": [4, 9], "y": [64, 16]}


@pytest.mark.parametrize(
    ("view", "span"),
    [
        ("tidewatch.view.all()", [1, 900]),
        ("tidewatch.view.last(500)", [400, 900]),
        ("tidewatch.view.last(2000)", [0, 900]),
        ("tidewatch.view.zoom(10.5, 20)", [10.5, 20]),
    ],
)
def test_a_view_is_a_stretch_of_steps(scripts: Page, view: str, span: list[float]) -> None:
    assert ask(scripts, f"tidewatch.view.range({view}, 1, 900)") == span


def test_a_run_of_one_point_has_no_stretch(scripts: Page) -> None:
    assert ask(scripts, "tidewatch.view.range(tidewatch.view.all(), 5, 5)") is None
    assert ask(scripts, "tidewatch.view.range(tidewatch.view.all(), Infinity, -Infinity)") is None


def test_a_zoom_asks_for_one_step_more_on_each_side(scripts: Page) -> None:
    assert ask(scripts, "tidewatch.view.query(tidewatch.view.zoom(10.5, 20.5), 900)") == {"start": 9, "end": 22}
    assert ask(scripts, "tidewatch.view.query(tidewatch.view.all(), 900)") == {"start": None, "end": None}


def test_the_wheel_zooms_around_the_pointer(scripts: Page) -> None:
    start, end = ask(scripts, "tidewatch.wheel.zoomed([0, 100], 25, -1)")
    assert 0 < start < 25 < end < 100
    assert (25 - start) / (end - 25) == pytest.approx(25 / 75)


@pytest.mark.parametrize(
    ("one", "other", "after"),
    [("10-0", "9-5", True), ("10-2", "10-10", False), ("10-0", None, True), (None, "1-0", False), ("", "1-0", False)],
)
def test_stream_ids_are_compared_as_numbers(scripts: Page, one: str | None, other: str | None, after: bool) -> None:
    spelled = [f"'{part}'" if part is not None else "null" for part in (one, other)]
    assert ask(scripts, f"tidewatch.stream.isAfter({', '.join(spelled)})") is after


def test_a_clock_that_is_set_differently_is_no_delay(scripts: Page) -> None:
    assert ask(scripts, "tidewatch.liveness.delay({id: '1000-0', at: 1100}, 1150)") == 150
    assert ask(scripts, "tidewatch.liveness.delay({id: '9000-0', at: 4000}, 4040)") == 40  # ours is five seconds slow


def test_what_is_days_old_is_told_by_its_date(scripts: Page) -> None:
    then = "new Date(2025, 5, 1, 11, 1) / 1000"
    assert ask(scripts, f"tidewatch.clock.ago({then}, new Date(2026, 1, 4) / 1000)") == "2025-06-01 11:01"


def test_a_moment_has_the_day_when_it_is_not_today(scripts: Page) -> None:
    assert (
        ask(scripts, "tidewatch.clock.moment(new Date(2026, 1, 3, 9, 5) / 1000, new Date(2026, 1, 3, 20))") == "09:05"
    )
    assert (
        ask(scripts, "tidewatch.clock.moment(new Date(2026, 1, 3, 9, 5) / 1000, new Date(2026, 1, 4))") == "02-03 09:05"
    )
    assert (
        ask(scripts, "tidewatch.clock.moment(new Date(2025, 1, 3, 9, 5) / 1000, new Date(2026, 1, 4))")
        == "2025-02-03 09:05"
    )


def test_a_link_spells_only_what_differs_from_the_default(scripts: Page) -> None:
    assert ask(scripts, "tidewatch.state.encode(tidewatch.state.decode(''))") == ""
    spelled = "?x=wall&view=last-500&smooth=0.6&log=loss,lr&log_at=3@1200"
    assert ask(scripts, f"tidewatch.state.encode(tidewatch.state.decode('{spelled}'))") == spelled


@pytest.mark.parametrize(
    "wrong", ["x=epoch", "smooth=2", "smooth=", "view=500", "attempts=0", "log_at=loss", "nobody=1"]
)
def test_what_a_link_misspells_is_the_default(scripts: Page, wrong: str) -> None:
    assert ask(scripts, f"JSON.stringify(tidewatch.state.decode('?{wrong}'))") == ask(
        scripts, "JSON.stringify(tidewatch.state.decode(''))"
    )


@pytest.mark.parametrize("tag", ["a,b", "loss vs samples", "层/损失", "50%", "x&y=1?#"])
def test_a_tag_of_any_spelling_survives_the_address(scripts: Page, tag: str) -> None:
    there = f"tidewatch.state.encode({{...tidewatch.state.decode(''), panels: [{tag!r}, 'b']}})"
    assert ask(scripts, f"tidewatch.state.decode({there}).panels") == [tag, "b"]
