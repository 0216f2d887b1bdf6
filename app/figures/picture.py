"""Curves as a PNG, for chats and mails and wherever no browser draws. Pure.

Its one typeface has no Chinese, so what is written are numbers, names of metrics and steps, and a run's name where it
can be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.figures.canvas import Canvas, drawable
from app.figures.numbers import count, value
from app.figures.scale import Scale, is_wide, scale, steps, ticks
from app.series.curve import Curve, Flags, Floats, Ints
from app.series.reduce import reduce

WIDTH, HEIGHT, BYTES = 1000, 420, 60_000
EACH = 4  # points a pixel at most: the highest, the lowest, and room for marks
FEW = 80  # points that are each drawn with a dot
LEAST_BAND = 10.0  # px: less is not seen where a picture is shown small

Theme = Literal["light", "dark"]


@dataclass(frozen=True, slots=True)
class Colours:
    """As assets/00-tokens.css has them; ``traces`` in their order."""

    ground: str
    ink: str
    quiet: str
    grid: str
    band: str
    edge: str
    shade: str
    bad: str
    ghost: str
    traces: tuple[str, ...]


THEMES: dict[Theme, Colours] = {
    "light": Colours(
        "#ffffff", "#101828", "#475467", "#e4e7ec", "#fef4e2", "#f5c26b", "#fbd9d6", "#b42318", "#98a2b3",
        ("#2563d9", "#b45309", "#0b7f6e", "#8b3fa8", "#0e7490", "#a8214f"),
    ),
    "dark": Colours(
        "#151b23", "#eef2f7", "#b3bdca", "#2a323d", "#2d2210", "#7a5618", "#5a2420", "#ff8a80", "#6b7789",
        ("#6ea0ff", "#f0b04f", "#3fcfb0", "#d79bf0", "#52c7de", "#ff8fb0"),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """``steps`` and ``values`` side by side, in the order in which they are joined; NaN and infinities are gaps with a
    mark. ``quiet``: drawn thin and grey, behind the others."""

    name: str
    steps: Ints
    values: Floats
    quiet: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """``band`` is first and last step of what it is about, ``level`` a value with its name, ``note`` what stands at the
    upper right: the name of a run."""

    title: str
    traces: Sequence[Trace]
    band: tuple[int, int] | None = None
    level: tuple[str, float] | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the curves lie in the picture: ``x`` of steps, ``y`` of values; ``text`` px is the size of letters."""

    x: Scale
    y: Scale
    text: int

    @property
    def left(self) -> float:
        return self.x.start

    @property
    def right(self) -> float:
        return self.x.end

    @property
    def top(self) -> float:
        return self.y.end

    @property
    def bottom(self) -> float:
        return self.y.start


def png(
    picture: Picture, *, width: int = WIDTH, height: int = HEIGHT, theme: Theme = "light", most: int = BYTES
) -> bytes:
    """The picture, ``width`` × ``height`` px; of fewer colours where it would have more than ``most`` bytes."""
    colours = THEMES[theme]
    canvas = Canvas(width, height, colours.ground)
    at = frame(picture, width, height)
    _grounds(canvas, picture, at, colours)
    _axes(canvas, at, colours)
    _curves(canvas, picture, at, colours)
    _head(canvas, picture, at, colours, width)
    return canvas.png(most)


def frame(picture: Picture, width: int, height: int) -> Frame:
    """The same for every picture of a size but for what its axes say."""
    text = max(11, min(round(width / 50), round(height / 20)))
    finite = np.concatenate([np.zeros(0), *(one.values[np.isfinite(one.values)] for one in picture.traces)])
    if picture.level is not None and np.isfinite(picture.level[1]) and len(finite):
        finite = np.append(finite, picture.level[1])
    y = scale(finite, height - 2.0 * text, 4.0 * text, log=is_wide(finite))
    every = np.concatenate([np.zeros(0, np.int64), *(one.steps for one in picture.traces)])
    first, last = (int(every.min()), int(every.max())) if len(every) else picture.band or (0, 1)
    around = 0 if last > first else 1
    x = Scale(float(first - around), float(last + around), 4.5 * text, width - 1.0 * text)
    return Frame(x, y, text)


def _grounds(canvas: Canvas, picture: Picture, at: Frame, colours: Colours) -> None:
    """The band, and a shade at every step whose value is none."""
    band = [_band(picture.band, at)] if picture.band is not None else []
    for left, right in band:
        canvas.box(left, at.top, right, at.bottom, colours.band)
    for one in picture.traces:
        for x in np.unique(np.round(at.x.places(one.steps[~np.isfinite(one.values)].astype(np.float64)))).tolist():
            canvas.box(x - 1.5, at.top, x + 1.5, at.bottom, colours.shade)
    for edge in [one for left, right in band for one in (left, right - 1)]:
        canvas.box(edge, at.top, edge + 1, at.bottom, colours.edge)


def _band(band: tuple[int, int], at: Frame) -> tuple[float, float]:
    left, right = (min(at.right, max(at.left, at.x.place(one))) for one in band)
    wider = max(0.0, LEAST_BAND - (right - left)) / 2
    return left - wider, right + wider


def _axes(canvas: Canvas, at: Frame, colours: Colours) -> None:
    for tick in ticks(at.y, 6):
        y = at.y.place(tick.at)
        canvas.line([(at.left, y), (at.right, y)], colours.grid, 1)
        text = canvas.fitted(tick.text, at.text - 3, at.left - 0.6 * at.text)
        canvas.text((at.left - 0.5 * at.text, y), text, at.text - 3, colours.quiet, "right")
    canvas.line([(at.left, at.bottom), (at.right, at.bottom)], colours.ghost, 1)
    below = at.bottom + 1.1 * at.text
    canvas.text((at.left - 0.5 * at.text, below), "step", at.text - 3, colours.quiet, "right")
    for tick in steps(at.x, 6):
        x, half = at.x.place(tick.at), canvas.width(tick.text, at.text - 3) / 2
        canvas.line([(x, at.bottom), (x, at.bottom + 0.3 * at.text)], colours.ghost, 1)
        x = max(at.left + half, min(at.right - half, x))
        canvas.text((x, below), tick.text, at.text - 3, colours.quiet, "middle")


def _curves(canvas: Canvas, picture: Picture, at: Frame, colours: Colours) -> None:
    for one, colour in sorted(_coloured(picture, colours), key=lambda it: not it[0].quiet):
        _trace(canvas, one, at, colour)
    if picture.level is not None and np.isfinite(picture.level[1]):
        canvas.dashes(at.left, at.right, at.y.place(picture.level[1]), colours.ink, 1.5)
    for one in picture.traces:
        _strange(canvas, one, at, colours)
    if not any(len(one.steps) for one in picture.traces):
        middle = (at.left + at.right) / 2, (at.top + at.bottom) / 2
        canvas.text(middle, "no points", at.text, colours.quiet, "middle")


def _coloured(picture: Picture, colours: Colours) -> Sequence[tuple[Trace, str]]:
    """Each trace with its colour."""
    loud = [one for one in picture.traces if not one.quiet]
    return [
        (one, colours.ghost if one.quiet else colours.traces[loud.index(one) % len(colours.traces)])
        for one in picture.traces
    ]


def _trace(canvas: Canvas, one: Trace, at: Frame, colour: str) -> None:
    width = 1.5 if one.quiet else 2.0
    drawn = reduce(_curve(one), EACH * round(at.right - at.left)).curve
    dots = len(drawn) <= FEW
    for piece in _pieces(drawn.values):
        xs, ys = at.x.places(drawn.steps[piece].astype(np.float64)), at.y.places(drawn.values[piece])
        places = list(zip(xs.tolist(), ys.tolist(), strict=True))
        if len(places) > 1:
            canvas.line(places, colour, width)
        for place in places if dots or len(places) == 1 else ():
            canvas.dot(place, width * 1.75, colour)


def _curve(one: Trace) -> Curve:
    """As the rest of the program has curves."""
    none, zero = np.broadcast_to(np.nan, len(one.steps)), np.broadcast_to(np.int64(0), len(one.steps))
    return Curve(one.steps, none, one.values, np.broadcast_to(np.uint8(0), len(one.steps)), zero)


def _pieces(values: Floats) -> Iterator[slice]:
    """The stretches between NaN and infinities."""
    edges = np.flatnonzero(np.diff(np.isfinite(values).astype(np.int8), prepend=0, append=0)).tolist()
    yield from (slice(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True))


def _strange(canvas: Canvas, one: Trace, at: Frame, colours: Colours) -> None:
    """A line where each stretch of NaN or infinities begins, with its name at the longest of a kind."""
    kinds = np.isnan(one.values), np.isposinf(one.values), np.isneginf(one.values)
    for line, (kind, name) in enumerate(zip(kinds, ("NaN", "+Inf", "-Inf"), strict=True)):
        starts, longest = _stretches(kind)
        places = at.x.places(one.steps[starts].astype(np.float64))
        for x in np.unique(np.round(places)).tolist():
            canvas.box(x - 1, at.top, x + 1, at.bottom, colours.bad)
        if len(starts):
            _named(canvas, name, (float(places[longest]), line), at, colours)


def _stretches(kind: Flags) -> tuple[Ints, int]:
    """Where stretches of set flags begin, and which of them is the longest."""
    edges = np.flatnonzero(np.diff(kind.astype(np.int8), prepend=0, append=0))
    starts, ends = edges[::2], edges[1::2]
    return starts, int((ends - starts).argmax()) if len(starts) else 0


def _named(canvas: Canvas, name: str, place: tuple[float, int], at: Frame, colours: Colours) -> None:
    """``place``: pixel and line of text. To the left of the pixel where there is no room on the right."""
    size = at.text - 3
    x, y = place[0], at.top + (0.8 + 1.1 * place[1]) * size
    fits = x + 8 + canvas.width(name, size) < at.right
    canvas.text((x + 5, y) if fits else (x - 5, y), name, size, colours.bad, "left" if fits else "right")


def _head(canvas: Canvas, picture: Picture, at: Frame, colours: Colours, width: int) -> None:
    size, room = round(1.25 * at.text), width - 2.0 * at.text
    title = canvas.fitted(picture.title if drawable(picture.title) else "", size, room)
    canvas.text((at.text, 1.2 * at.text), title, size, colours.ink)
    room -= canvas.width(title, size) + at.text
    note = canvas.fitted(picture.note if drawable(picture.note) else "", at.text, room)
    canvas.text((width - at.text, 1.2 * at.text), note, at.text, colours.quiet, "right")
    _legend(canvas, picture, at, colours)


def _legend(canvas: Canvas, picture: Picture, at: Frame, colours: Colours) -> None:
    """What each line is, the level's value, and the band's steps; what there is no room for is left out."""
    x, y, size = float(at.text), 2.85 * at.text, at.text - 3
    for kind, text, colour in _entries(picture, colours):
        after = x + 1.6 * at.text + canvas.width(text, size)
        if after > at.right:
            return
        if kind == "dashes":
            canvas.dashes(x, x + 1.2 * at.text, y, colour, 1.5)
        else:
            half = 0.4 * size if kind == "band" else 1.5
            canvas.box(x, y - half, x + 1.2 * at.text, y + half, colour)
        canvas.text((x + 1.6 * at.text, y), text, size, colours.quiet)
        x = after + 1.4 * at.text


def _entries(picture: Picture, colours: Colours) -> Iterator[tuple[Literal["line", "dashes", "band"], str, str]]:
    for one, colour in _coloured(picture, colours):
        if drawable(one.name):
            yield "line", one.name, colour
    if picture.level is not None and drawable(picture.level[0]):
        yield "dashes", f"{picture.level[0]} {value(picture.level[1])}", colours.ink
    if picture.band is not None:
        first, last = (count(one) for one in picture.band)
        yield "band", f"step {first}" if first == last else f"steps {first} - {last}", colours.edge
