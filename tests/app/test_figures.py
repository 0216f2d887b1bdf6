"""The empty figure that the browser fills, and the numbers beside it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from app.factory import ASSETS
from app.figures import numbers
from app.figures.panels import PANELS, described, total_height
from app.language import speaking
from collector.wire.metrics import METRICS


def test_every_line_names_metrics_that_there_are() -> None:
    assert {metric for panel in PANELS for line in panel.lines for metric in line.metrics} <= set(METRICS)


def test_the_browser_is_told_all_of_every_panel_in_plain_words() -> None:
    told = json.loads(json.dumps(described()))
    assert [panel["key"] for panel in told] == [panel.key for panel in PANELS]
    for panel in told:
        assert panel["title"]
        assert panel["hint"].endswith(".")
        assert {"metrics", "role", "colour", "name", "steps", "points"} <= set(panel["lines"][0])
    assert total_height() > sum(panel["height"] for panel in told)


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (1.97634, "1.976"),
        (2.0, "2"),
        (0.0001234, "1.23e-4"),
        (12345.6, "12,346"),
        (1234.56, "1,235"),
        (0, "0"),
        (1e12, "1.00e12"),
        (math.nan, "NaN"),
        (math.inf, "+Inf"),
        (-math.inf, "−Inf"),
    ],
)
def test_a_value_has_four_digits(number: float, said: str) -> None:
    assert numbers.value(number) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.52, "0.5 s"),
        (12, "12 s"),
        (99.6, "2 min"),
        (1560, "26 min"),
        (7500, "2 h 5 min"),
        (7200, "2 h"),
        (356_400, "4 d 3 h"),
    ],
)
def test_a_duration_has_two_units_at_most(seconds: float, said: str) -> None:
    assert numbers.duration(seconds) == said


@pytest.mark.parametrize(
    ("number", "said"), [(1_240_000, "1.24 M"), (15_400, "15.4 k"), (15.7, "15.7"), (9994, "9,990"), (999_999, "1 M")]
)
def test_a_large_number_has_a_prefix(number: float, said: str) -> None:
    assert numbers.compact(number) == said


@pytest.mark.parametrize(
    ("ms", "said"), [(418.2, "418 ms"), (2.345, "2.3 ms"), (12_300, "12.3 s"), (210_000, "3.5 min")]
)
def test_a_step_time_is_said_in_the_unit_that_suits_it(ms: float, said: str) -> None:
    assert numbers.milliseconds(ms) == said


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        (lambda: numbers.duration(3900), "65 分钟"),
        (lambda: numbers.duration(7500), "2 小时 5 分"),
        (lambda: numbers.duration(12), "12 秒"),
        (lambda: numbers.duration(356_400), "4 天 3 小时"),
        (lambda: numbers.milliseconds(418), "418 ms"),
        (lambda: numbers.milliseconds(12_300), "12.3 秒"),
        (lambda: numbers.compact(476_000), "47.6 万"),
        (lambda: numbers.compact(1.2e9), "12 亿"),
        (lambda: numbers.engineering(15_400), "15.4 k"),
        (lambda: numbers.size(4.1e6), "4.1 MB"),
        (lambda: numbers.percent(0.923), "92.3%"),
        (lambda: numbers.percent(0.0001), "< 0.1%"),
        (lambda: numbers.done(0.999), "99%"),
    ],
)
def test_a_chinese_reader_finds_the_units_that_are_written_there(said: Callable[[], str], wanted: str) -> None:
    with speaking("zh"):
        assert said() == wanted


# --name: #rrggbb;
COLOUR = re.compile(r"--([\w-]+):\s*(#[0-9a-f]{6});")


def themes() -> dict[str, dict[str, str]]:
    """Colour variables of the two themes."""
    light, dark = (ASSETS / "00-tokens.css").read_text().split(':root[data-theme="dark"]')
    return {"light": dict(COLOUR.findall(light)), "dark": dict(COLOUR.findall(dark))}


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Contrast ratio, 1 to 21."""
    lower, upper = sorted((luminance(one), luminance(other)))
    return (upper + 0.05) / (lower + 0.05)


GROUNDS = ("card", "ground")
TEXTS = [
    *[(ink, ground) for ink in ("ink", "ink2", "ink3", "accent") for ground in GROUNDS],
    *[(tone, f"{tone}-ground") for tone in ("good", "warn", "bad", "info")],
    *[(tone, ground) for tone in ("good", "warn", "bad", "info") for ground in GROUNDS],
    *[(line.colour.removeprefix("--"), "card") for panel in PANELS for line in panel.lines if line.role != "ghost"],
    *[(f"curve-{number}", "card") for number in range(1, 9)],  # of added panels
    ("on-accent", "accent"),
    ("ink2", "line"),
]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_all_text_can_be_read(theme: str) -> None:
    colours = themes()[theme]
    weak = {pair: round(contrast(*(colours[name] for name in pair)), 2) for pair in TEXTS}
    assert {pair: ratio for pair, ratio in weak.items() if ratio < 4.5} == {}


def test_both_themes_name_the_same_colours() -> None:
    light, dark = themes().values()
    assert set(light) == set(dark)


def test_the_plot_library_lies_beside_its_licence() -> None:
    assert "MIT License" in (ASSETS / "plotly-basic.LICENSE").read_text()
    assert "plotly.js (basic - minified) v4." in bundle_head(ASSETS / "plotly-basic.min.js")


def bundle_head(path: Path) -> str:
    with path.open() as file:
        return file.read(200)
