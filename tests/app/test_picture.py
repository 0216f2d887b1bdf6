"""Pictures of curves: that what is known lies at its pixels, and that nothing that a run may hold breaks them."""

from __future__ import annotations

import io
import time
from importlib.resources import files

import numpy as np
import pytest
from PIL import Image, ImageFont

from app.figures.letters import BOX, is_han, spelled
from app.figures.picture import BYTES, HEIGHT, THEMES, WIDTH, Frame, Picture, Theme, Trace, frame, png
from app.figures.scale import Scale, scale, steps, ticks

LIGHT = THEMES["light"]
STEPS = np.arange(1000, 1400, dtype=np.int64)
RAMP = np.linspace(2.0, 3.0, len(STEPS))


def near(image: Image.Image, colour: str, x: float, y: float, within: int = 2) -> bool:
    """Whether a pixel of about this colour is within so many of a place."""
    wanted = tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))
    columns = range(max(0, round(x) - within), min(image.width, round(x) + within + 1))
    lines = range(max(0, round(y) - within), min(image.height, round(y) + within + 1))
    seen = [image.getpixel((column, line)) for column in columns for line in lines]
    return any(max(abs(a - b) for a, b in zip(one, wanted, strict=True)) <= 12 for one in seen)  # type: ignore[arg-type]


def drawn(picture: Picture, theme: Theme = "light") -> tuple[Image.Image, Frame]:
    made = png(picture, theme=theme)
    assert made.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(made) <= BYTES
    image = Image.open(io.BytesIO(made)).convert("RGB")
    assert image.size == (WIDTH, HEIGHT)
    return image, frame(picture, WIDTH, HEIGHT)


def of(values: np.ndarray, **more: object) -> Picture:
    return Picture("loss", [Trace("loss", STEPS[: len(values)], values)], **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_line_lies_where_its_values_are(theme: Theme) -> None:
    image, at = drawn(of(RAMP), theme)
    colours = THEMES[theme]
    for place in range(5, len(STEPS), 40):
        x, y = at.x.place(float(STEPS[place])), at.y.place(float(RAMP[place]))
        assert near(image, colours.traces[0], x, y)
        assert not near(image, colours.traces[0], x, y + 40)
    assert near(image, colours.ground, 3, 3)


def test_the_band_is_from_its_first_to_its_last_step() -> None:
    image, at = drawn(of(RAMP, band=(1100, 1200)))
    height = at.bottom - 9  # the curve is higher there
    for step, inside in ((1095, False), (1105, True), (1150, True), (1195, True), (1205, False)):
        assert near(image, LIGHT.band, at.x.place(step), height, 0) is inside


def test_one_step_is_a_band_that_can_be_seen() -> None:
    image, at = drawn(of(RAMP, band=(1300, 1300)))
    x = at.x.place(1300)
    assert [near(image, LIGHT.band, x + by, at.bottom - 9, 0) for by in (-12, -3, 3, 12)] == [False, True, True, False]


def test_the_baseline_is_a_dashed_line_at_its_value() -> None:
    image, at = drawn(of(RAMP, level=("median", 2.5)))
    y = round(at.y.place(2.5))
    dark = [near(image, LIGHT.ink, x, y, 1) for x in range(round(at.left) + 5, round(at.x.place(1150)))]
    assert 0.3 < sum(dark) / len(dark) < 0.9


def test_nan_is_a_gap_with_a_mark() -> None:
    values = RAMP.copy()
    values[200:240] = np.nan
    image, at = drawn(of(values))
    middle = at.x.place(1220)
    assert near(image, LIGHT.shade, middle, at.bottom - 9, 0)
    assert near(image, LIGHT.bad, at.x.place(1200), at.bottom - 9, 1)
    assert not near(image, LIGHT.traces[0], middle, at.y.place(2.55), 30)
    assert near(image, LIGHT.traces[0], at.x.place(1245), at.y.place(float(RAMP[245])))
    assert not near(image, LIGHT.bad, at.x.place(1100), at.bottom - 9, 5)


def test_a_value_alone_between_gaps_is_a_dot() -> None:
    values = np.full(400, np.nan)
    values[[0, 399]] = 1.0, 3.0
    values[200] = 2.0
    image, at = drawn(of(values))
    assert near(image, LIGHT.traces[0], at.x.place(1200), at.y.place(2.0), 1)


def test_no_point_one_point_and_none_that_is_a_number_are_pictures_too() -> None:
    for values in (np.zeros(0), np.full(50, np.nan), np.full(50, np.inf), np.full(50, -np.inf)):
        drawn(of(values, band=(1000, 1010), level=("median", float("nan"))))
    image, at = drawn(of(np.array([2.2])))
    assert near(image, LIGHT.traces[0], at.x.place(1000), at.y.place(2.2), 1)
    drawn(Picture("loss", []))


@pytest.mark.parametrize("value", [0.0, 3e-4, -7.0, 1e300, 1.7e308, 5e-324])
def test_a_constant_is_a_line_in_the_middle(value: float) -> None:
    image, at = drawn(of(np.full(400, value)))
    assert at.top + 20 < at.y.place(value) < at.bottom - 20
    assert near(image, LIGHT.traces[0], (at.left + at.right) / 2, at.y.place(value))


@pytest.mark.parametrize("ends", [(-1.7e308, 1.7e308), (5e-324, 1.7e308), (1e-12, 1e12), (-1e-320, 1e-320)])
def test_no_range_of_values_is_too_wide(ends: tuple[float, float]) -> None:
    drawn(of(np.where(STEPS % 2 == 0, *ends), level=("median", ends[1])))


def test_what_is_far_apart_is_drawn_on_powers() -> None:
    values = np.full(400, 1.0)
    values[100] = 400.0
    image, at = drawn(of(values))
    assert at.y.log
    assert near(image, LIGHT.traces[0], at.x.place(1100), at.y.place(400.0))
    assert at.bottom - at.y.place(1.0) < at.bottom - at.y.place(20.0) < at.bottom - at.y.place(400.0)


def test_a_million_points_keep_a_single_peak_and_take_no_time() -> None:
    steps, values = np.arange(1_000_000, dtype=np.int64), np.random.default_rng(7).normal(2.0, 0.1, 1_000_000)
    values[123_456] = 6.0
    picture = Picture("loss", [Trace("loss", steps, values)])
    began = time.process_time()
    image, at = drawn(picture)
    assert time.process_time() - began < 3
    assert near(image, LIGHT.traces[0], at.x.place(123_456), at.y.place(6.0))


def test_noise_all_over_stays_within_the_bytes() -> None:
    dice = np.random.default_rng(7)
    steps = np.arange(4_000, dtype=np.int64)
    traces = [Trace(f"rank {one}", steps, dice.normal(0, 1, len(steps))) for one in range(6)]
    for theme in THEMES:
        drawn(Picture("loss", traces, (10, 3000), ("median", 0.0), "llama"), theme)
    assert len(png(Picture("loss", traces), width=1200, height=630, most=100_000)) <= 100_000


def test_names_that_no_typeface_has_are_left_out_and_long_ones_cut() -> None:
    plain = png(of(RAMP))
    assert png(of(RAMP, note="훈련")) == plain
    assert png(of(RAMP, note="训练")) != plain
    assert png(of(RAMP, note="llama")) != plain
    assert png(of(RAMP, note="a" * 4000)) != plain
    assert Image.open(io.BytesIO(png(of(RAMP), width=320, height=160))).size == (320, 160)


def test_several_lines_have_their_own_colours_and_the_quiet_one_is_grey() -> None:
    quiet = Trace("median", STEPS, np.full(400, 2.0), quiet=True)
    image, at = drawn(Picture("loss", [Trace("a", STEPS, RAMP), quiet, Trace("b", STEPS, RAMP + 1)]))
    x = at.x.place(1300)
    for colour, value in ((LIGHT.traces[0], RAMP[300]), (LIGHT.ghost, 2.0), (LIGHT.traces[1], RAMP[300] + 1)):
        assert near(image, colour, x, at.y.place(float(value)))


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (0.0, 10.0, ["0", "2", "4", "6", "8", "10"]),
        (2.1, 2.3, ["2.10", "2.15", "2.20", "2.25", "2.30"]),
        (-1.0, 1.0, ["-1.0", "-0.5", "0", "0.5", "1.0"]),
        (2.99e-4, 3.01e-4, ["2.990e-4", "2.995e-4", "3.000e-4", "3.005e-4", "3.010e-4"]),
        (1000.0, 3000.0, ["1,000", "1,500", "2,000", "2,500", "3,000"]),
    ],
)
def test_numbers_beside_the_axis_are_round_and_tell_neighbours_apart(low: float, high: float, texts: list[str]) -> None:
    assert [one.text for one in ticks(Scale(low, high, 0.0, 1.0), 5)] == texts


def test_powers_are_told_where_there_are_many_and_parts_of_them_where_few() -> None:
    assert [one.text for one in ticks(Scale(0.5, 600.0, 0.0, 1.0, log=True), 5)] == ["1", "10", "100"]
    assert [one.text for one in ticks(Scale(0.9, 30.0, 0.0, 1.0, log=True), 5)] == ["1", "3", "10", "30"]
    assert len(ticks(Scale(1e-300, 1e300, 0.0, 1.0, log=True), 5)) <= 7


def test_steps_are_whole_and_never_below_zero() -> None:
    assert [one.text for one in steps(Scale(-1.0, 2.0, 0.0, 1.0), 6)] == ["0", "1", "2"]
    assert [one.text for one in steps(Scale(30_900.0, 31_420.0, 0.0, 1.0), 5)] == [
        "31,000", "31,200", "31,400",
    ]  # fmt: skip


def test_a_scale_has_room_around_what_it_shows() -> None:
    found = scale(np.array([2.0, 3.0]), 100.0, 0.0, log=False)
    assert 0 < found.place(3.0) < found.place(2.0) < 100


def test_what_is_called_a_chinese_letter_is_one_that_the_typeface_has() -> None:
    font = ImageFont.truetype(io.BytesIO((files("app.figures") / "typeface" / "han.woff").read_bytes()), 16)
    unknown = bytes(font.getmask(BOX))
    letters = [chr(one) for one in (*range(0x3000, 0x3400), *range(0x4E00, 0xA000), *range(0xFF00, 0x10000))]
    wrong = [one for one in letters if is_han(one) and one != "\u3000" and bytes(font.getmask(one)) == unknown]
    assert not wrong
    assert sum(map(is_han, letters)) > 3_900


@pytest.mark.parametrize(
    ("text", "spelt"),
    [
        ("loss", "loss"), ("训练 loss", "训练 loss"), ("café − 3×10⁴", "cafe - 3x104"), ("a\nb\tc\x00", "a b c"),
        ("\u202egnp.exe", "gnp.exe"), ("훈련", BOX * 2), ("😀", BOX), ("", ""),
    ],
)  # fmt: skip
def test_a_text_is_spelled_in_letters_that_can_be_drawn(text: str, spelt: str) -> None:
    assert spelled(text) == spelt
    assert spelled(spelled(text)) == spelt
