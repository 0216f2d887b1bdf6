"""The map of ranks as a picture: ranks from the top, steps from the left, one colour a cell. Pure.

Colours are those of assets/ranks-scale.js: cividis for values, blue to orange for deviations from the rank's group.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.figures.canvas import Canvas
from app.figures.numbers import count, value
from app.figures.plot import THEMES, Box, Colours, Theme
from app.figures.preview import FOOT, HEAD, HEIGHT, WIDTH, Head, heading, letters, most
from app.language import gettext as _
from app.series.curve import Bytes, Floats, Ints
from app.series.ranks.grid import DOWN, MISSING, NAN, UP, ZERO

SHADES = 256
LEVELS = 32  # of them that cells show: neighbours look alike, and a picture of noise is half as many bytes
STOPS = {
    "value": "#00224e #083370 #35456c #4f576c #666970 #7d7c78 #948f78 #aea371 #c8b866 #e5cf52 #fee838",
    "light": "#08306b #2268ad #7fb1dc #d3e3f1 #f4f5f7 #fbe0bf #f3a44c #cc5f08 #7a2c02",
    "dark": "#b5dcff #5ea8ee #2f6199 #213851 #1c232d #46331f #94591a #e8912e #ffdca6",
}
BEYOND = 0.01  # of the numbers at each end lie outside of the scale
LEAST = 8.0  # deviations up to here are always on the scale
CALM, CHANCE = 0.12, 4.5  # the share of colour that a middling deviation has, and how far it may be by chance
WIDE = 30.0  # how often the highest may hold the lowest before the scale is one of powers
GUTTER = 10.0  # letters that labels take
TICKS = 6

Rgb = NDArray[np.uint8]
Singles = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Row:
    """What is said of a row: its name, and of an odd one how (``tone`` warn or bad)."""

    name: str
    state: str = ""
    tone: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class RankMap:
    """``numbers`` (n, m) are deviations from the rank's group where ``compares``, else values; ``kinds`` (n, m) as
    series.ranks.grid has them. ``each``: ranks that one row stands for."""

    head: Head
    title: str
    rows: Sequence[Row]
    steps: Ints
    numbers: Singles | Floats
    kinds: Bytes
    compares: bool
    unit: str = ""
    each: int = 1


@dataclass(frozen=True, slots=True)
class Shade:
    """From numbers to 0 … 1."""

    low: float
    high: float
    power: float = 0.0  # of deviations
    log: bool = False

    def places(self, numbers: Floats | Singles) -> Floats:
        """Of each number its share of the scale; NaN stays."""
        known = np.asarray(numbers, np.float64)
        if self.power:
            size = np.minimum(1.0, np.log1p(np.abs(known)) / math.log1p(self.high))
            return np.asarray(0.5 + np.sign(known) * size**self.power / 2)
        low, high = self.low, self.high
        if self.log:
            low, high, known = math.log(low), math.log(high), np.log(np.where(known > 0, known, low))
        return np.clip((known - low) / (high - low), 0.0, 1.0)


def shade(numbers: Floats | Singles, *, compares: bool) -> Shade:
    """As wide as all numbers but the farthest few."""
    finite = np.asarray(numbers[np.isfinite(numbers)], np.float64)
    if compares:
        sizes = np.abs(finite)
        usual = min(CHANCE, float(np.median(sizes))) if len(sizes) else 0.0
        far = max(LEAST, 3 * usual, float(np.quantile(sizes, 1 - BEYOND / 2)) if len(sizes) else LEAST)
        power = max(2.0, math.log(CALM) / math.log(math.log1p(usual) / math.log1p(far))) if usual else 2.0
        return Shade(-far, far, power)
    if not len(finite):
        return Shade(0.0, 1.0)
    low, high = (float(one) for one in np.quantile(np.clip(finite, -1e300, 1e300), [BEYOND, 1 - BEYOND]))
    if not high > low:
        around = abs(high) / 2 or 0.5
        low, high = low - around, high + around
    return Shade(low, high, log=low > 0 and high / low > WIDE)


def png(of: RankMap, *, width: int = WIDTH, height: int = HEIGHT, theme: Theme = "light") -> bytes:
    """``width`` × ``height`` px, within the limits of figures.preview; fewer colours where it would have more bytes
    than ``most`` says."""
    colours = THEMES[theme]
    canvas = Canvas(width, height, colours.ground)
    letter = letters(width, height)
    heading(canvas, of.head, colours, (width, height))
    at, box = shade(of.numbers, compares=of.compares), place(width, height)
    palette = shades("value" if not of.compares else theme)
    right = _scale(canvas, (box, letter), at, palette, colours)
    _title(canvas, of, (1.2 * letter, right - letter, box.top - 0.8 * letter), letter, colours)
    if of.numbers.size:
        canvas.cells((box.left, box.top, box.right, box.bottom), cells(of, at, palette, colours))
    _labels(canvas, of, (box, letter), colours)
    _marks(canvas, of, (box, letter), colours)
    _axis(canvas, of, (box, letter), colours)
    _kinds(canvas, of, (width, height), letter, colours)
    return canvas.png(most(width, height), (128, 64, 32), rare=True)


def place(width: int, height: int) -> Box:
    """Where the cells lie."""
    letter = letters(width, height)
    gutter = min(GUTTER * letter, 0.3 * width)
    return Box(gutter, (HEAD + 1.6) * letter, width - 1.2 * letter, height - (FOOT + 1.9) * letter)


def shades(name: str) -> Rgb:
    """(256, 3) colours between the stops."""
    stops = np.array([_rgb(one) for one in STOPS[name].split()], np.float64)
    at = np.linspace(0, len(stops) - 1, SHADES)
    columns = [np.interp(at, np.arange(len(stops)), stops[:, channel]) for channel in range(3)]
    return np.stack(columns, axis=1).round().astype(np.uint8)


def _rgb(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return red, green, blue


def cells(of: RankMap, at: Shade, palette: Rgb, colours: Colours) -> Rgb:
    """(n, m, 3): what each cell looks like."""
    with np.errstate(invalid="ignore"):
        level = np.nan_to_num(at.places(of.numbers) * LEVELS, nan=0.0).round()
    found = palette[(level * ((SHADES - 1) / LEVELS)).astype(np.int64)]
    found[~np.isfinite(of.numbers)] = _rgb(colours.ghost)  # a number that is compared with nothing
    for kind, colour in _marked(colours):
        found[of.kinds == kind] = _rgb(colour)
    return found


def _marked(colours: Colours) -> Sequence[tuple[int, str]]:
    """Cells that are no plain number."""
    strange = [(kind, colours.ink) for kind in (NAN, UP, DOWN)]
    return [*strange, (MISSING, colours.ground), (ZERO, colours.grid)]


def _title(canvas: Canvas, of: RankMap, place: tuple[float, float, float], letter: int, colours: Colours) -> None:
    """``place``: left, right and height of the line."""
    left, right, y = place
    small = round(0.75 * letter)
    title = canvas.fitted(of.title, letter, 0.4 * (right - left))
    canvas.text((left, y), title, letter, colours.ink)
    left += canvas.width(title, letter) + 0.8 * letter
    said = _("deviations from each rank's group") if of.compares else of.unit
    folded = _("%(count)s ranks a row, the farthest of them shown", count=count(of.each)) if of.each > 1 else ""
    text = canvas.fitted(_(" · ").join(one for one in (said, folded) if one), small, right - left)
    canvas.text((left, y), text, small, colours.quiet)


def _labels(canvas: Canvas, of: RankMap, place: tuple[Box, int], colours: Colours) -> None:
    """Odd rows first, then every k-th, none over another."""
    box, letter = place
    small = max(8, round(0.7 * letter))
    high = box.height / max(1, len(of.rows))
    heights = [max(box.top + 0.5 * small, box.top + (row + 0.5) * high) for row in range(len(of.rows))]
    for row in labelled([bool(one.tone) for one in of.rows], heights, 1.15 * small):
        one, y = of.rows[row], heights[row]
        room = box.left - 1.6 * letter
        text = canvas.fitted(_(" · ").join(it for it in (one.name, one.state) if it), small, room)
        canvas.text((box.left - 0.8 * letter, y), text, small, _toned(one, colours), "right")


def _marks(canvas: Canvas, of: RankMap, place: tuple[Box, int], colours: Colours) -> None:
    """Beside every odd row, labelled or not."""
    box, letter = place
    high = box.height / max(1, len(of.rows))
    for row, one in enumerate(of.rows):
        if one.tone:
            y, half = box.top + (row + 0.5) * high, max(1.0, high / 2)
            canvas.box(box.left - 0.5 * letter, y - half, box.left - 1, y + half, _toned(one, colours))


def _toned(row: Row, colours: Colours) -> str:
    return {"warn": colours.warn, "bad": colours.bad}.get(row.tone, colours.quiet)


def labelled(odd: Sequence[bool], heights: Sequence[float], apart: float) -> Sequence[int]:
    """Which rows get a label: odd ones first, then every k-th. ``heights`` is where each would stand, labels are
    ``apart`` px at least."""
    every = max(1, math.ceil(apart * len(odd) / max(1.0, heights[-1] - heights[0]))) if len(odd) else 1
    taken: list[int] = []
    for row in [*(row for row, is_odd in enumerate(odd) if is_odd), *range(0, len(odd), every)]:
        if all(abs(heights[row] - heights[other]) >= apart for other in taken):
            taken.append(row)
    return sorted(taken)


def _axis(canvas: Canvas, of: RankMap, place: tuple[Box, int], colours: Colours) -> None:
    box, letter = place
    small, y = round(0.75 * letter), box.bottom + letter
    canvas.text((box.left - 0.8 * letter, y), _("step"), small, colours.quiet, "right")
    columns = len(of.steps)
    for column in np.unique(np.linspace(0, columns - 1, min(TICKS, columns)).astype(int)).tolist() if columns else ():
        text = count(int(of.steps[column]))
        x, half = box.left + (column + 0.5) * box.width / columns, canvas.width(text, small) / 2
        canvas.box(x, box.bottom, x + 1, box.bottom + 0.3 * letter, colours.ghost)
        canvas.text((max(box.left + half, min(box.right - half, x)), y), text, small, colours.quiet, "middle")


def _scale(canvas: Canvas, place: tuple[Box, int], at: Shade, palette: Rgb, colours: Colours) -> float:
    """The colours between their lowest and their highest number, at the upper right; where they begin."""
    box, letter = place
    small, y, wide = round(0.7 * letter), box.top - 0.8 * letter, min(8.0 * letter, box.width / 4)
    ends = f"≤ {value(float(f'{at.low:.2g}'))}", f"≥ {value(float(f'{at.high:.2g}'))}"
    right = box.right - canvas.width(ends[1], small)
    canvas.text((box.right, y), ends[1], small, colours.quiet, "right")
    bar = Box(right - 0.5 * letter - wide, y - 0.4 * letter, right - 0.5 * letter, y + 0.4 * letter)
    canvas.cells((bar.left, bar.top, bar.right, bar.bottom), palette[None])
    canvas.text((bar.left - 0.5 * letter, y), ends[0], small, colours.quiet, "right")
    return bar.left - 0.5 * letter - canvas.width(ends[0], small)


def _kinds(canvas: Canvas, of: RankMap, size: tuple[int, int], letter: int, colours: Colours) -> None:
    """What cells mean that are no plain number, at the lower right, where there is room beside the foot."""
    small, x, y = round(0.7 * letter), size[0] - 1.2 * letter, size[1] - 0.9 * letter
    room = x - canvas.width(_(" · ").join(of.head.foot), round(0.85 * letter)) - 2.5 * letter
    for text, kinds, colour in _entries(colours):
        wide = canvas.width(text, small) + 2.0 * letter
        if np.isin(of.kinds, kinds).any() and wide <= room:
            canvas.text((x, y), text, small, colours.quiet, "right")
            left = x - canvas.width(text, small) - 1.2 * letter
            canvas.box(left - 1, y - 0.35 * letter - 1, left + 0.8 * letter + 1, y + 0.35 * letter + 1, colours.ghost)
            canvas.box(left, y - 0.35 * letter, left + 0.8 * letter, y + 0.35 * letter, colour)
            x, room = x - wide, room - wide


def _entries(colours: Colours) -> Iterator[tuple[str, tuple[int, ...], str]]:
    yield _("NaN or Inf"), (NAN, UP, DOWN), colours.ink
    yield _("nothing written"), (MISSING,), colours.ground
    yield _("zero by design"), (ZERO,), colours.grid
