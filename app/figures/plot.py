"""Curves along steps within a part of a sheet: axes, lines, gaps, and what is marked. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.figures.canvas import Canvas
from app.figures.scale import Scale, is_wide, scale, steps, ticks
from app.language import gettext as _
from app.series.curve import Curve, Flags, Floats, Ints
from app.series.reduce import reduce

EACH = 4  # points a pixel at most: the highest, the lowest, and room for marks
FEW = 80  # points that are each drawn with a dot
LEAST_BAND = 10.0  # px: less is not seen where a picture is shown small
TICKS = 6  # on an axis, where there is room
LEFT = 4.5  # letters that the numbers beside the axis take
CURVES = ("loss", "eval", "lr", "grad", "scale", "speed")  # --curve-loss and so on

Theme = Literal["light", "dark"]


@dataclass(frozen=True, slots=True)
class Colours:
    """As assets/00-tokens.css has them; ``traces`` in their order, ``curves`` by what they show."""

    ground: str
    ink: str
    quiet: str
    grid: str
    band: str
    edge: str
    shade: str
    good: str
    warn: str
    bad: str
    ghost: str
    traces: tuple[str, ...]
    curves: Mapping[str, str]


THEMES: dict[Theme, Colours] = {
    "light": Colours(
        "#ffffff", "#101828", "#475467", "#e4e7ec", "#fef4e2", "#f5c26b", "#fbd9d6",
        "#067647", "#8a4b08", "#b42318", "#98a2b3",
        ("#2563d9", "#b45309", "#0b7f6e", "#8b3fa8", "#0e7490", "#a8214f"),
        dict(zip(CURVES, ("#2563d9", "#0b7f6e", "#6f4fd8", "#b45309", "#4b6282", "#0e7490"), strict=True)),
    ),
    "dark": Colours(
        "#151b23", "#eef2f7", "#b3bdca", "#2a323d", "#2d2210", "#7a5618", "#5a2420",
        "#56d394", "#f2b557", "#ff8a80", "#6b7789",
        ("#6ea0ff", "#f0b04f", "#3fcfb0", "#d79bf0", "#52c7de", "#ff8fb0"),
        dict(zip(CURVES, ("#6ea0ff", "#3fcfb0", "#b79bff", "#f0b04f", "#9fb4cf", "#52c7de"), strict=True)),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """``steps`` and ``values`` side by side, in the order in which they are joined; NaN and infinities are gaps with a
    mark. ``quiet``: drawn thin and grey, behind the others. ``hue`` is a name in ``Colours.curves``; one that is not
    there is drawn in the next of ``Colours.traces``."""

    name: str
    steps: Ints
    values: Floats
    quiet: bool = False
    hue: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Plot:
    """``band`` is first and last step of what it is about, ``level`` a value with its name; ``window`` the first and
    the last step that are shown, without it those of the traces; ``gaps`` first and last steps of stretches that have
    no number. ``log``: whether the axis is logarithmic, as far as values allow; None: where they are far apart."""

    traces: Sequence[Trace]
    band: tuple[int, int] | None = None
    level: tuple[str, float] | None = None
    window: tuple[int, int] | None = None
    gaps: Sequence[tuple[int, int]] = ()
    log: bool | None = None


@dataclass(frozen=True, slots=True)
class Box:
    """A part of a sheet, px from its upper left corner."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top


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


def frame(plot: Plot, box: Box, text: int) -> Frame:
    """The same for every plot in a box but for what its axes say; what stands beside the axes is outside of the box."""
    finite = np.concatenate([np.zeros(0), *(one.values[np.isfinite(one.values)] for one in plot.traces)])
    if plot.level is not None and np.isfinite(plot.level[1]) and len(finite):
        finite = np.append(finite, plot.level[1])
    log = is_wide(finite) if plot.log is None else plot.log and bool(len(finite)) and float(finite.min()) > 0
    y = scale(finite, box.bottom, box.top, log=log)
    first, last = plot.window or reach(plot.traces) or plot.band or (0, 1)
    around = 0 if last > first else 1
    return Frame(Scale(float(first - around), float(last + around), box.left, box.right), y, text)


def reach(traces: Sequence[Trace]) -> tuple[int, int] | None:
    """The lowest and the highest step; None without points."""
    every = [one.steps for one in traces if len(one.steps)]
    return (min(int(one.min()) for one in every), max(int(one.max()) for one in every)) if every else None


def draw(canvas: Canvas, plot: Plot, at: Frame, colours: Colours) -> None:
    """Everything within the frame, and the numbers beside its axes."""
    _grounds(canvas, plot, at, colours)
    _axes(canvas, at, colours)
    _curves(canvas, plot, at, colours)


def _grounds(canvas: Canvas, plot: Plot, at: Frame, colours: Colours) -> None:
    """The band, and a shade at every step whose value is none."""
    band = [_band(plot.band, at)] if plot.band is not None else []
    for left, right in band:
        canvas.box(left, at.top, right, at.bottom, colours.band)
    for first, last in plot.gaps:
        canvas.box(at.x.place(first) - 1.5, at.top, at.x.place(last) + 1.5, at.bottom, colours.shade)
    for one in plot.traces:
        for x in np.unique(np.round(at.x.places(one.steps[~np.isfinite(one.values)].astype(np.float64)))).tolist():
            canvas.box(x - 1.5, at.top, x + 1.5, at.bottom, colours.shade)
    for edge in [one for left, right in band for one in (left, right - 1)]:
        canvas.box(edge, at.top, edge + 1, at.bottom, colours.edge)


def _band(band: tuple[int, int], at: Frame) -> tuple[float, float]:
    left, right = (min(at.right, max(at.left, at.x.place(one))) for one in band)
    wider = max(0.0, LEAST_BAND - (right - left)) / 2
    return left - wider, right + wider


def _axes(canvas: Canvas, at: Frame, colours: Colours) -> None:
    size = at.text - 3
    room = min(at.left, LEFT * at.text) - 0.6 * at.text
    for tick in ticks(at.y, _wanted(at.bottom - at.top, 2 * at.text)):
        y = at.y.place(tick.at)
        canvas.line([(at.left, y), (at.right, y)], colours.grid, 1)
        canvas.text((at.left - 0.5 * at.text, y), canvas.fitted(tick.text, size, room), size, colours.quiet, "right")
    canvas.line([(at.left, at.bottom), (at.right, at.bottom)], colours.ghost, 1)
    below = at.bottom + 1.1 * at.text
    canvas.text((at.left - 0.5 * at.text, below), _("step"), size, colours.quiet, "right")
    for tick in steps(at.x, _wanted(at.right - at.left, 6 * at.text)):
        x, half = at.x.place(tick.at), canvas.width(tick.text, size) / 2
        canvas.line([(x, at.bottom), (x, at.bottom + 0.3 * at.text)], colours.ghost, 1)
        x = max(at.left + half, min(at.right - half, x))
        canvas.text((x, below), tick.text, size, colours.quiet, "middle")


def _wanted(room: float, each: float) -> int:
    """How many ticks there is room for."""
    return max(2, min(TICKS, round(room / each)))


def _curves(canvas: Canvas, plot: Plot, at: Frame, colours: Colours) -> None:
    for one, colour in sorted(coloured(plot, colours), key=lambda it: not it[0].quiet):
        _trace(canvas, one, at, colour)
    if plot.level is not None and np.isfinite(plot.level[1]):
        canvas.dashes(at.left, at.right, at.y.place(plot.level[1]), colours.ink, 1.5)
    for one in plot.traces:
        _strange(canvas, one, at, colours)
    if not any(len(one.steps) for one in plot.traces):
        middle = (at.left + at.right) / 2, (at.top + at.bottom) / 2
        canvas.text(middle, _("No points"), at.text, colours.quiet, "middle")


def coloured(plot: Plot, colours: Colours) -> Sequence[tuple[Trace, str]]:
    """Each trace with its colour."""
    loud = [one for one in plot.traces if not one.quiet]
    return [(one, colours.ghost if one.quiet else _hue(one, loud.index(one), colours)) for one in plot.traces]


def _hue(one: Trace, place: int, colours: Colours) -> str:
    return colours.curves.get(one.hue) or colours.traces[place % len(colours.traces)]


def _trace(canvas: Canvas, one: Trace, at: Frame, colour: str) -> None:
    width = 1.5 if one.quiet else 2.0
    drawn = reduce(_curve(one), EACH * round(at.right - at.left)).curve
    dots = len(drawn) <= FEW and not one.quiet
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
