"""A sheet to draw on, at twice the size and then made smaller, so that lines are smooth: the adapter of Pillow.

Places are pixels of the finished picture, from its upper left corner; colours are ``#rrggbb``.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from app.figures.letters import pieces, spelled

FINE = 2  # drawn so many times as large
COLOURS = (64, 32, 16, 8)  # tried in turn while the picture is too large
SMALL = 1_000_000  # pixels of a picture that is packed as tightly as can be, which takes long
LONGEST = 120  # letters of a text that has to be cut
BASE = 0.36  # of its size a line of letters lies below its middle
DASH = 6.0  # px, and as long a gap

Anchor = Literal["left", "middle", "right"]
Place = tuple[float, float]
Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


@cache
def _han() -> bytes:
    """The Chinese typeface, a part of the program."""
    return (files("app.figures") / "typeface" / "han.woff").read_bytes()


class Canvas:
    """Of one picture; of one thread."""

    def __init__(self, width: int, height: int, ground: str) -> None:
        """``width`` and ``height`` of the finished picture."""
        self._image = Image.new("RGB", (width * FINE, height * FINE), ground)
        self._draw = ImageDraw.Draw(self._image)
        self._fonts: dict[tuple[int, bool], Font] = {}

    def box(self, left: float, top: float, right: float, bottom: float, colour: str) -> None:
        """A filled rectangle, without its right and lower edge."""
        corners = round(left * FINE), round(top * FINE), round(right * FINE) - 1, round(bottom * FINE) - 1
        self._draw.rectangle((corners[0], corners[1], max(corners[0], corners[2]), max(corners[1], corners[3])), colour)

    def line(self, places: Sequence[Place], colour: str, width: float) -> None:
        """Through all of the places."""
        self._draw.line([(x * FINE, y * FINE) for x, y in places], colour, max(1, round(width * FINE)))

    def dashes(self, left: float, right: float, y: float, colour: str, width: float) -> None:
        """A dashed level line."""
        while left < right:
            self.line([(left, y), (min(right, left + DASH), y)], colour, width)
            left += 2 * DASH

    def dot(self, at: Place, radius: float, colour: str) -> None:
        """A filled circle."""
        x, y, size = at[0] * FINE, at[1] * FINE, radius * FINE
        self._draw.ellipse((x - size, y - size, x + size, y + size), colour)

    def text(self, at: Place, text: str, size: int, colour: str, anchor: Anchor = "left") -> None:
        """One line, its middle at the height of ``at``, in the letters that there are (see letters.py)."""
        before = {"left": 0.0, "middle": 0.5, "right": 1.0}[anchor] * self.width(text, size)
        x, base = (at[0] - before) * FINE, (at[1] + BASE * size) * FINE
        for han, piece in pieces(spelled(text)):
            font = self._font(size, han=han)
            self._draw.text((x, base), piece, colour, font, "ls")
            x += self._draw.textlength(piece, font)

    def width(self, text: str, size: int) -> float:
        """Of a text."""
        found = (self._draw.textlength(one, self._font(size, han=han)) for han, one in pieces(spelled(text)))
        return float(sum(found)) / FINE

    def fitted(self, text: str, size: int, room: float) -> str:
        """As much of a text as there is room for."""
        text = spelled(text)
        if self.width(text, size) <= room:
            return text
        kept = text[:LONGEST]
        while kept and self.width(kept + "…", size) > room:
            kept = kept[:-1]
        return kept + "…" if kept else ""

    def _font(self, size: int, *, han: bool) -> Font:
        # one for each canvas: a typeface of FreeType must not be used by two threads at the same time
        if (size, han) not in self._fonts:
            made = ImageFont.truetype(io.BytesIO(_han()), size * FINE) if han else ImageFont.load_default(size * FINE)
            self._fonts[size, han] = made
        return self._fonts[size, han]

    def cells(self, corners: tuple[float, float, float, float], colours: NDArray[np.uint8]) -> None:
        """A matrix of colours (n, m, 3) in a rectangle (left, top, right, bottom), all of one size."""
        left, top, right, bottom = (round(one * FINE) for one in corners)
        size = max(1, right - left), max(1, bottom - top)
        made = Image.fromarray(np.ascontiguousarray(colours), "RGB").resize(size, Image.Resampling.NEAREST)
        self._image.paste(made, (left, top))

    def png(self, most: int, colours: Sequence[int] = COLOURS, *, rare: bool = False) -> bytes:
        """The picture, of as many colours as ``most`` bytes allow, of the fewest where even these are too many. With
        ``rare`` a colour of few pixels counts as much as one of many. The sheet is gone afterwards."""
        method = Image.Quantize.MAXCOVERAGE if rare else Image.Quantize.MEDIANCUT
        small = self._image.reduce(FINE)
        del self._image, self._draw  # at once: they hold one another, and 60 MB of a large picture
        made = b""
        for few in colours:
            out = io.BytesIO()
            tight = {"optimize": True} if small.width * small.height <= SMALL else {"compress_level": 7}
            small.quantize(few, method=method, dither=Image.Dither.NONE).save(out, "PNG", **tight)
            made = out.getvalue()
            if len(made) <= most:
                break
        return made
