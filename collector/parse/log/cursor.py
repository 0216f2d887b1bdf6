"""Prove and decode: a cursor that walks through thousands of lines of one shape at once.

It stands at one offset in each line. Each step of the walk proves something of all lines (here stands this text, here
stands a number) and moves on; a line of which it is not true leaves the walk and is read by itself, so nothing is
guessed. Numbers are decoded eight digits at a time: eight bytes are one 64-bit word, and a few multiplications of whole
columns of words make numbers of them. A number that does not fit exactly (more than 2**53, or a power of ten beyond
10**22) is read by ``float``, so that values are the same to the last bit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from collector.parse.log.prefix import CLOCK, hour_of

Words = NDArray[np.uint64]
Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

MARGIN = 512  # bytes behind its line that a cursor may look at; no literal is longer
_U = np.uint64
_ONES = 0x0101010101010101
_LOW, _HIGH = _U(0x7F * _ONES), _U(0x80 * _ONES)
_ZEROS, _BLANKS = _U(0x30 * _ONES), _U(0x20 * _ONES)
_ABOVE_NINE, _ABOVE_NULL = _U(0x76 * _ONES), _U(0x7F * _ONES)
_TENS = 10.0 ** np.arange(23)  # each is exact
_WHOLE_TENS = 10 ** np.arange(17, dtype=np.int64)
_EXACT = 1 << 53
_CLOCK = 23  # bytes
_FULL = "█".encode()


def _leading(differs: Words) -> Words:
    """Eight times how many of a word's first bytes are unmarked; ``differs`` has the high bit of every other byte."""
    first = differs & (~differs + _U(1))
    return np.bitwise_count(first - _U(1)) & _U(0x78)


def _digits(words: Words) -> tuple[Integers, Integers]:
    """The number that a word's leading digits spell, and how many they are (0 to 8)."""
    values = words ^ _ZEROS
    bits = _leading((((values & _LOW) + _ABOVE_NINE) | values) & _HIGH)
    values = values << (_U(64) - bits)  # as if zeros stood before them
    values = (values * _U(10) + (values >> _U(8))) & _U(0x00FF00FF00FF00FF)
    values = (values * _U(100) + (values >> _U(16))) & _U(0x0000FFFF0000FFFF)
    values = (values * _U(10000) + (values >> _U(32))) & _U(0xFFFFFFFF)
    return values.view(np.int64), (bits >> _U(3)).view(np.int64)


class Text:
    """A text seen as bytes and as the 64-bit word that begins at each. It is not copied, so a cursor must not come
    nearer to its end than ``MARGIN``."""

    def __init__(self, text: bytes) -> None:
        self.raw = text
        self.bytes = np.frombuffer(self.raw, np.uint8)
        self.words: Words = np.ndarray((len(self.raw) - 7,), "<u8", self.raw, 0, (1,))

    def holds(self, at: Integers, text: bytes) -> Flags:
        """Where a text of at least one byte stands: compared eight bytes at a time, the last eight but for those that
        are not the text's."""
        words = -(-len(text) // 8)
        pieces = np.ndarray((len(self.raw) - 8 * words + 1,), f"V{8 * words}", self.raw, 0, (1,))[at]
        found = pieces.view("<u8").reshape(len(at), words)
        wanted = np.frombuffer(text.ljust(8 * words, b"\0"), "<u8")
        differs = found[:, 0] ^ wanted[0] if words > 1 else np.zeros(len(at), np.uint64)
        for word in range(1, words - 1):
            differs |= found[:, word] ^ wanted[word]
        unused = _U(64 - 8 * (len(text) - 8 * (words - 1)))
        same: Flags = (differs | ((found[:, -1] ^ wanted[-1]) << unused)) == 0
        return same


class Cursor:
    """``rows`` numbers the lines that are still in the walk; ``at`` is where it stands in each."""

    def __init__(self, text: Text, rows: Integers, at: Integers) -> None:
        self.text, self.rows, self.at = text, rows, at
        self.columns: list[NDArray[np.int64] | NDArray[np.float64]] = []

    def keep(self, good: Flags) -> None:
        """Go on with some of the lines."""
        if not good.all():
            self.rows, self.at = self.rows[good], self.at[good]
            self.columns = [column[good] for column in self.columns]

    def literal(self, text: bytes) -> None:
        """Keep the lines in which this text stands here, and move behind it."""
        if text:
            self.keep(self.text.holds(self.at, text))
            self.at = self.at + len(text)

    def ends(self, stops: Integers) -> None:
        """Keep the lines that end here."""
        self.keep(self.at == stops[self.rows])

    def integer(self) -> None:
        """A column of whole numbers of 16 digits at most, with blanks before them."""
        self._blanks()
        values, count = self._run()
        self.columns.append(values)
        self.at = self.at + count
        self.keep(count > 0)

    def number(self) -> None:
        """A column of numbers: ``  752``, ``-1.4925e-06``."""
        self._blanks()
        start = self.at
        negative = self._here() == 0x2D
        if negative.any():
            self.at = self.at + negative
        mantissa, whole = self._run()
        self.at = self.at + whole
        mantissa, decimals = self._decimals(mantissa, whole)
        exponent, good = self._exponent()
        values = _scaled(mantissa, -decimals if exponent is None else exponent - decimals)
        if negative.any():
            values = np.where(negative, -values, values)
        good &= whole > 0
        for row in np.flatnonzero(np.isnan(values) & good).tolist():
            values[row] = float(self.text.raw[start[row] : self.at[row]])
        self.columns.append(values)
        self.keep(good)

    def clock(self, behind: bytes) -> None:
        """A column of Unix seconds, ``2025-06-01 10:00:30,099``, and the text behind it, which is proved first: it
        tells most lines apart at the least price."""
        self.at = self.at + _CLOCK
        self.literal(behind)
        self.at = self.at - len(behind) - _CLOCK
        day, hour, rest = self._word(0), self._word(8), self._word(16)
        minutes, pair = _digits(hour >> _U(48))
        hour = hour << _U(16)  # without the minutes
        changed = np.flatnonzero((day[1:] != day[:-1]) | (hour[1:] != hour[:-1])) + 1
        starts = np.concatenate([[0], changed]) if len(day) else changed
        hours = np.array([self._hour(int(at)) for at in self.at[starts]], dtype=np.float64)
        walls = np.repeat(hours, np.diff(np.append(starts, len(day))))
        seconds, two = _digits(rest >> _U(8))
        thousandths, three = _digits(rest >> _U(32))
        comma = (rest >> _U(24)) & _U(0xFF)
        colon = (rest & _U(0xFF)) == _U(0x3A)
        good = colon & (two == 2) & (three == 3) & ((comma == _U(0x2C)) | (comma == _U(0x2E)))
        good &= (pair == 2) & (minutes < 60) & (walls != np.inf)
        self.columns.append(walls + minutes * 60 + seconds + thousandths / 1000.0)
        self.at = self.at + _CLOCK + len(behind)
        self.keep(good)

    def _hour(self, at: int) -> float:
        """Unix seconds of the hour that stands at an offset; infinity when that is no clock."""
        match = CLOCK.fullmatch(self.text.raw[at : at + 14] + b"00:00")
        return hour_of(match[1], match[2]) if match and len(match[1]) == 10 else np.inf

    def bar(self) -> None:
        """Move over a bar of fifty columns, of which the percentage before it, the last column, tells how many are
        full; it is printed rounded, so there may be one less."""
        full = np.clip(self.columns[-1] / 2, 0, 50).astype(np.int64)
        width = np.zeros(len(self.at), dtype=np.int64)
        for guess in (full, full - 1):
            for blocks in np.unique(guess[(width == 0) & (guess >= 0)]).tolist():
                text = b"|" + _FULL * blocks + b" " * (50 - blocks) + b"|"
                rows = np.flatnonzero((guess == blocks) & (width == 0))
                width[rows[self.text.holds(self.at[rows], text)]] = len(text)
        self.at = self.at + width
        self.keep(width > 0)

    def _word(self, offset: int) -> Words:
        return self.text.words[self.at + offset]

    def _here(self) -> NDArray[np.uint8]:
        return self.text.bytes[self.at]

    def _blanks(self) -> None:
        """Move over eight blanks at most."""
        if ((self._here() == 0x20) & (self.text.bytes[self.at + 1] != 0x20)).all():
            self.at = self.at + 1
            return
        differs = self._word(0) ^ _BLANKS
        bits = _leading((((differs & _LOW) + _ABOVE_NULL) | differs) & _HIGH)
        self.at = self.at + (bits >> _U(3)).view(np.int64)

    def _decimals(self, mantissa: Integers, whole: Integers) -> tuple[Integers, Integers]:
        """The mantissa with the digits behind a point that stands here, and how many those are; a mantissa of more
        than 16 digits is told as one that is not exact."""
        point = self._here() == 0x2E
        count = np.zeros_like(whole)
        if point.any():
            self.at = self.at + point
            fraction, count = self._run()
            if not point.all():
                fraction, count = np.where(point, fraction, 0), np.where(point, count, 0)
            self.at = self.at + count
            few = np.minimum(count, 16)
            mantissa = mantissa * _WHOLE_TENS[few] + fraction
        digits = whole + count
        return (np.where(digits > 16, _EXACT, mantissa) if digits.max(initial=0) > 16 else mantissa), count

    def _run(self) -> tuple[Integers, Integers]:
        """The digits that stand here: 16 at most are a number, of more only the count is told."""
        values, count = _digits(self._word(0))
        full = count == 8
        if full.any():
            more, further = _digits(self._word(8))
            further = np.where(full, further, 0)
            values = np.where(full, values * _WHOLE_TENS[further] + more, values)
            count = count + further
            for row in np.flatnonzero(count == 16).tolist():  # rare: a seventeenth digit makes it another number
                count[row] = self._longer(int(self.at[row]))
        return values, count

    def _longer(self, at: int) -> int:
        """How many digits stand at an offset, 40 at most."""
        digits = self.text.raw[at : at + 40]
        return len(digits) - len(digits.lstrip(b"0123456789"))

    def _exponent(self) -> tuple[Integers | None, Flags]:
        """The power of ten that stands here, None where none does, and where what stands here is well formed."""
        marked = (self._here() | 0x20) == 0x65
        if not marked.any():
            return None, np.ones(len(self.at), dtype=np.bool_)
        sign = self.text.bytes[self.at + 1]
        signed = (sign == 0x2D) | (sign == 0x2B)
        value, count = _digits(self.text.words[self.at + 1 + signed])
        self.at = self.at + np.where(marked, 1 + signed + count, 0)
        exponent = np.where(marked, np.where(sign == 0x2D, -value, value), 0)
        return exponent, ~marked | ((count > 0) & (count < 4))


def _scaled(mantissa: Integers, power: Integers) -> Floats:
    """``mantissa`` times ten to ``power``, NaN where one rounding would not give the nearest number."""
    size = np.abs(power)
    exact = (mantissa < _EXACT) & (size < len(_TENS))
    fine = bool(exact.all())
    tens = _TENS[size if fine else np.where(exact, size, 0)]
    values = mantissa / tens
    if (power > 0).any():
        values = np.where(power > 0, mantissa * tens, values)
    return values if fine else np.where(exact, values, np.nan)
