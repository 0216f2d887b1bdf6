"""The body of ``/api/runs/<run>/curves`` taken apart again, as a page does it."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Drawn:
    steps: NDArray[np.float64]
    walls: NDArray[np.float64]
    values: NDArray[np.float64]
    attempts: NDArray[np.int32]
    sources: NDArray[np.uint8]


@dataclass(frozen=True)
class Columns:
    told: dict[str, Any]
    curves: dict[str, Drawn]
    ghosts: list[Drawn]


def unpack(body: bytes) -> Columns:
    """Fails where a byte is missing or left over, or a number in the JSON is none."""
    (length,) = struct.unpack_from("<I", body)
    told = json.loads(body[4 : 4 + length], parse_constant=_refuse)
    at = _even(4 + length)
    found = []
    for one in [*told["curves"], *told["ghosts"]]:
        drawn, at = _drawn(body, at, one["n"])
        found.append(drawn)
    assert at == len(body)
    count = len(told["curves"])
    names = [one["name"] for one in told["curves"]]
    return Columns(told, dict(zip(names, found[:count], strict=True)), found[count:])


def _drawn(body: bytes, at: int, count: int) -> tuple[Drawn, int]:
    assert at % 8 == 0
    numbers = np.frombuffer(body, "<f8", 3 * count, at).reshape(3, count)
    attempts = np.frombuffer(body, "<i4", count, at + 24 * count)
    sources = np.frombuffer(body, "u1", count, at + 28 * count)
    return Drawn(*numbers, attempts, sources), _even(at + 29 * count)


def _even(at: int) -> int:
    return -(-at // 8) * 8


def _refuse(word: str) -> float:
    raise AssertionError(f"{word} is not strict JSON")
