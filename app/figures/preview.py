"""A run in one picture, for link previews, terminals and mails: its name, how it is, and a few panels. Pure.

The first panel is as wide as the picture, the others stand below it; what there is no room for is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from app.figures.canvas import Canvas
from app.figures.plot import LEFT, THEMES, Box, Colours, Frame, Plot, Theme, coloured, draw, frame
from app.language import gettext as _

WIDTH, HEIGHT = 1200, 630  # what chats show of a link
BYTES, MORE = 200_000, 500_000  # of a picture of up to SMALL pixels, and of a larger one
SMALL = 1_000_000
LEAST_WIDTH, LEAST_HEIGHT, MOST_WIDTH, MOST_HEIGHT = 200, 120, 2400, 1600
BESIDE = 4  # panels side by side
NARROW, LOW = 14.0, 7.0  # letters that a panel is wide and high at least
HEAD, FOOT = 4.3, 1.7  # letters above and below the panels


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """``last`` is what stands at its upper right: the newest value."""

    title: str
    plot: Plot
    unit: str = ""
    last: str = ""


@dataclass(frozen=True, slots=True)
class Head:
    """``facts`` stand below the name, ``foot`` below everything; ``tone`` is good, warn, bad or "" and sets a colour
    beside the word of the state, which is never told by that alone."""

    name: str
    state: str = ""
    tone: str = ""
    facts: tuple[str, ...] = ()
    foot: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Preview:
    """What is drawn; ``why`` stands in the middle of a picture without panels."""

    head: Head
    panels: Sequence[Panel] = field(default_factory=tuple)
    why: str = ""


def most(width: int, height: int) -> int:
    """Bytes that a picture may have."""
    return BYTES if width * height <= SMALL else MORE


def preview(of: Preview, *, width: int = WIDTH, height: int = HEIGHT, theme: Theme = "light") -> bytes:
    """A PNG of ``width`` × ``height`` px; of fewer colours where it would have more than ``most`` bytes. Who calls has
    checked that the size is within the limits above: memory is taken for every pixel."""
    colours = THEMES[theme]
    canvas = Canvas(width, height, colours.ground)
    letter = letters(width, height)
    heading(canvas, of.head, colours, (width, height))
    for panel, box in zip(of.panels, boxes(len(of.panels), width, height), strict=False):
        _panel(canvas, panel, box, letter, colours)
    if not of.panels:
        canvas.text(
            (width / 2, height / 2),
            canvas.fitted(of.why, letter, width - 2.0 * letter),
            letter,
            colours.quiet,
            "middle",
        )
    return canvas.png(most(width, height))


def letters(width: int, height: int) -> int:
    """The size of a letter in px."""
    return max(10, min(round(width / 60), round(height / 31.5)))


def boxes(count: int, width: int, height: int) -> Sequence[Box]:
    """Where panels stand: as many as there is room for, from the first on."""
    letter = letters(width, height)
    inner = Box(0.6 * letter, HEAD * letter, width - 0.6 * letter, height - FOOT * letter)
    if count < 2 or inner.height < (2.2 * LOW) * letter:
        return [inner][:count]
    beside = max(1, min(BESIDE, count - 1, int(inner.width / (NARROW * letter))))
    rows = min(-(-(count - 1) // beside), max(1, int(inner.height * 0.6 / (LOW * letter))))
    share = 0.58 if rows == 1 else 0.42
    top = Box(inner.left, inner.top, inner.right, inner.top + share * inner.height)
    below = Box(inner.left, top.bottom, inner.right, inner.bottom)
    return [top, *(_cell(below, at, (rows, beside)) for at in range(min(count - 1, rows * beside)))]


def _cell(box: Box, at: int, shape: tuple[int, int]) -> Box:
    row, column = divmod(at, shape[1])
    wide, high = box.width / shape[1], box.height / shape[0]
    left, top = box.left + column * wide, box.top + row * high
    return Box(left, top, left + wide, top + high)


def framed(panel: Panel, box: Box, letter: int) -> Frame:
    """Where the curves of a panel lie."""
    text = round(0.85 * letter) + 1
    inner = Box(box.left + LEFT * text, box.top + 1.9 * letter, box.right - 0.8 * letter, box.bottom - 2.1 * letter)
    return frame(panel.plot, inner, text)


def _panel(canvas: Canvas, panel: Panel, box: Box, letter: int, colours: Colours) -> None:
    draw(canvas, panel.plot, framed(panel, box, letter), colours)
    y, left, right = box.top + 0.9 * letter, box.left + 0.6 * letter, box.right - 0.8 * letter
    last = canvas.fitted(panel.last, letter, 0.4 * box.width)
    canvas.text((right, y), last, letter, colours.ink, "right")
    right -= canvas.width(last, letter) + letter
    title = canvas.fitted(panel.title, letter, right - left)
    canvas.text((left, y), title, letter, colours.ink)
    left += canvas.width(title, letter) + 0.7 * letter
    _legend(canvas, panel, (left, right, y), letter, colours)


def _legend(canvas: Canvas, panel: Panel, place: tuple[float, float, float], letter: int, colours: Colours) -> None:
    """The unit, and which line is which where there are several; what there is no room for is left out."""
    left, right, y = place
    size = round(0.75 * letter)
    for text, colour in _entries(panel, colours):
        wide = canvas.width(text, size) + (1.4 * letter if colour else 0)
        if left + wide > right:
            return
        if colour:
            canvas.box(left, y - 1.5, left + letter, y + 1.5, colour)
        canvas.text((left + (1.4 * letter if colour else 0), y), text, size, colours.quiet)
        left += wide + letter


def _entries(panel: Panel, colours: Colours) -> Iterator[tuple[str, str]]:
    if panel.unit:
        yield panel.unit, ""
    if len(panel.plot.traces) > 1:
        yield from ((one.name, colour) for one, colour in coloured(panel.plot, colours))


def heading(canvas: Canvas, head: Head, colours: Colours, size: tuple[int, int]) -> None:
    """Name, state and facts above, the foot below."""
    width, height = size
    letter = letters(width, height)
    right = width - 1.2 * letter
    state = canvas.fitted(head.state, letter, width / 3)
    canvas.text((right, 1.5 * letter), state, letter, _toned(head.tone, colours), "right")
    right -= canvas.width(state, letter) + 0.8 * letter
    if state:
        canvas.dot((right + 0.2 * letter, 1.5 * letter), 0.3 * letter, _toned(head.tone, colours))
    large = round(1.5 * letter)
    name = canvas.fitted(head.name, large, right - 2.4 * letter)
    canvas.text((1.2 * letter, 1.5 * letter), name, large, colours.ink)
    small, room = round(0.85 * letter), width - 2.4 * letter
    canvas.text(
        (1.2 * letter, 3.3 * letter), canvas.fitted(_(" · ").join(head.facts), small, room), small, colours.quiet
    )
    foot = canvas.fitted(_(" · ").join(head.foot), small, room)
    canvas.text((1.2 * letter, height - 0.9 * letter), foot, small, colours.quiet)


def _toned(tone: str, colours: Colours) -> str:
    return {"good": colours.good, "warn": colours.warn, "bad": colours.bad}.get(tone, colours.quiet)
