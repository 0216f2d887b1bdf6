"""Records of event files, many at once: each is made of one that event_writer wrote, with other bytes where step,
wall time and value stand, and with the checksum that these make.

A CRC is linear: that of a record differs from that of the record with zeros in these places by one number for each
byte, which depends on the byte and on how far from the end it stands, and on nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from google_crc32c import value as crc32c
from numpy.typing import NDArray

from tests.support import event_writer

Raw = NDArray[np.uint8]
Sums = NDArray[np.uint32]

HEAD = 12  # length and its checksum
WALL = HEAD + 1
STEP = WALL + 9
TAIL = 4  # checksum of the data, behind them


class Pattern:
    """Records of one tag whose step takes ``width`` bytes."""

    def __init__(self, tag: str, width: int) -> None:
        self._zero = np.frombuffer(event_writer.scalar(1 << 7 * (width - 1), 0.0, tag, 0.0), np.uint8).copy()
        self._zero[STEP : STEP + width] = 0
        self.length = len(self._zero)
        self._width, self._value = width, self.length - TAIL - 4
        self._sum = np.uint32(crc32c(self._zero[HEAD:-TAIL].tobytes()))

    def begun(self, steps: NDArray[np.int64], walls: NDArray[np.float64]) -> tuple[Raw, Sums]:
        """Records (n × length) without a value, and their checksums so far."""
        rows = np.tile(self._zero, (len(steps), 1))
        rows[:, WALL : WALL + 8] = walls.astype("<f8").view(np.uint8).reshape(-1, 8)
        rows[:, STEP : STEP + self._width] = varints(steps, self._width)
        filled = [*range(WALL, WALL + 8), *range(STEP, STEP + self._width)]
        return rows, self._sum ^ self._effect(rows, filled)

    def finished(self, rows: Raw, sums: Sums, values: NDArray[np.float32]) -> None:
        """Write values (… × n) and checksums into copies (… × n × length) of the begun records."""
        rows[..., self._value : self._value + 4] = as_bytes(values.astype("<f4"))
        sums = sums ^ self._effect(rows, range(self._value, self._value + 4))
        masked = ((sums >> np.uint32(15)) | (sums << np.uint32(17))) + np.uint32(0xA282EAD8)
        rows[..., -TAIL:] = as_bytes(masked.astype("<u4"))

    def _effect(self, rows: Raw, places: Sequence[int]) -> Sums:
        found = np.zeros(rows.shape[:-1], np.uint32)
        for place in places:
            found ^= table(self.length - TAIL - 1 - place)[rows[..., place]]
        return found


pattern_of = lru_cache(maxsize=256)(Pattern)


class Cycle:
    """One record a tag, step after step; all steps of a tag take equally many bytes."""

    def __init__(self, tags: Sequence[str], steps: NDArray[np.int64], walls: NDArray[np.float64]) -> None:
        """``steps``: tags × n."""
        self._patterns = [pattern_of(tag, width_of(int(own[0]))) for tag, own in zip(tags, steps, strict=True)]
        begun = [one.begun(own, walls) for one, own in zip(self._patterns, steps, strict=True)]
        self._rows = np.concatenate([rows for rows, _ in begun], axis=1)
        self._sums = [sums for _, sums in begun]

    def filled(self, values: Sequence[NDArray[np.float32]]) -> Raw:
        """The bytes (ranks × n × bytes a step) of values, an array of ranks × n a tag."""
        found = np.repeat(self._rows[None], len(values[0]), axis=0)
        at = 0
        for pattern, sums, own in zip(self._patterns, self._sums, values, strict=True):
            pattern.finished(found[..., at : at + pattern.length], sums, own)
            at += pattern.length
        return found


def as_bytes(numbers: NDArray[np.generic]) -> Raw:
    """The bytes of each number, in a further axis."""
    return np.ascontiguousarray(numbers)[..., None].view(np.uint8)


def width_of(step: int) -> int:
    """Bytes that a step takes."""
    return max(1, -(-step.bit_length() // 7))


def varints(steps: NDArray[np.int64], width: int) -> Raw:
    """The steps as protobuf spells them."""
    groups = (steps[:, None] >> (7 * np.arange(width))) & 0x7F
    groups[:, :-1] |= 0x80
    return groups.astype(np.uint8)


@lru_cache(maxsize=1_024)
def table(distance: int) -> Sums:
    """What each byte does to the checksum when so many bytes follow it."""
    rest = bytes(distance)
    none = crc32c(b"\0" + rest)
    return np.array([crc32c(bytes([byte]) + rest) ^ none for byte in range(256)], np.uint32)
