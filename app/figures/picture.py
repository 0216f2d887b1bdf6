"""Curves as a PNG, for chats and mails and wherever no browser draws. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from app.figures.canvas import Canvas
from app.figures.letters import drawable
from app.figures.numbers import count, value
from app.figures.plot import LEFT, THEMES, Box, Colours, Frame, Plot, Theme, Trace, coloured, draw
from app.figures.plot import frame as framed

__all__ = ["BYTES", "HEIGHT", "THEMES", "WIDTH", "Frame", "Picture", "Theme", "Trace", "frame", "png"]

WIDTH, HEIGHT, BYTES = 1000, 420, 60_000


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """``band`` is first and last step of what it is about, ``level`` a value with its name, ``note`` what stands at the
    upper right: the name of a run."""

    title: str
    traces: Sequence[Trace]
    band: tuple[int, int] | None = None
    level: tuple[str, float] | None = None
    note: str = ""

    @property
    def plot(self) -> Plot:
        return Plot(self.traces, self.band, self.level)


def png(
    picture: Picture, *, width: int = WIDTH, height: int = HEIGHT, theme: Theme = "light", most: int = BYTES
) -> bytes:
    """The picture, ``width`` × ``height`` px; of fewer colours where it would have more than ``most`` bytes."""
    colours = THEMES[theme]
    canvas = Canvas(width, height, colours.ground)
    at = frame(picture, width, height)
    draw(canvas, picture.plot, at, colours)
    _head(canvas, picture, at, colours, width)
    return canvas.png(most)


def frame(picture: Picture, width: int, height: int) -> Frame:
    """The same for every picture of a size but for what its axes say."""
    text = max(11, min(round(width / 50), round(height / 20)))
    return framed(picture.plot, Box(LEFT * text, 4.0 * text, width - 1.0 * text, height - 2.0 * text), text)


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
    for one, colour in coloured(picture.plot, colours):
        if drawable(one.name):
            yield "line", one.name, colour
    if picture.level is not None and drawable(picture.level[0]):
        yield "dashes", f"{picture.level[0]} {value(picture.level[1])}", colours.ink
    if picture.band is not None:
        first, last = (count(one) for one in picture.band)
        yield "band", f"step {first}" if first == last else f"steps {first} - {last}", colours.edge
