"""Older points of a series to chunks that take a third to a half of their bytes and lose nothing. Pure; wire.packed
tells the form."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from collector.wire.packed import CHUNK_POINTS, RAW_STEPS, RAW_WALLS, WIDE_VALUES, front_of, kinds_of, unpacked
from collector.wire.records import POINT_BYTES
from collector.wire.schema import PACKED_FIELD

_POINT = np.dtype([("step", "<i8"), ("wall", "<i8"), ("value", "<f8")])  # the wall's bits
_BASE = np.dtype([("step", "<i8"), ("stride", "<i8"), ("wall", "<i8")])
_STRIDE = 2**40  # the widest that is taken for one: no sum of so many goes beyond 64 bits unseen
_FAR = 2**32
CHUNK_BYTES = CHUNK_POINTS * POINT_BYTES

Arguments = Sequence[bytes | int | str]
"""What a script is told."""
Bits = NDArray[np.int64]
Flags = NDArray[np.bool_]

# KEYS points packed run. ARGV front before ("" = nothing is packed), bytes to pack, their SHA-1, front after, chunks,
# field of the run that says so, a new word for it: readers know by it that something lies otherwise than before.
# Nothing changes unless the series still begins with the very bytes that were packed, behind the very chunks: so
# neither another collector, an APPEND meanwhile, a flush nor a roll-back can lose or double a point. SET leaves no room
# for more behind either string, as APPEND does.
SCRIPT = """
local packed, before, cut = redis.call('GET', KEYS[2]) or '', #ARGV[1], tonumber(ARGV[2])
local front = redis.call('GETRANGE', KEYS[1], 0, cut - 1)
if (before == 0 and packed ~= '') or string.sub(packed, 1, before) ~= ARGV[1] then return 0 end
if #front ~= cut or redis.sha1hex(front) ~= ARGV[3] then return 0 end
redis.call('SET', KEYS[2], ARGV[4] .. string.sub(packed, before + 1) .. ARGV[5])
redis.call('SET', KEYS[1], redis.call('GETRANGE', KEYS[1], cut, -1))
redis.call('HSET', KEYS[3], ARGV[6], ARGV[7])
return 1
"""


@dataclass(frozen=True, slots=True)
class Loose:
    """The oldest points of a series that are not packed, whole chunks of them, and the front of those that are (b""
    without)."""

    sid: str
    before: bytes
    block: bytes


@dataclass(frozen=True, slots=True)
class Packed:
    """Chunks, oldest first, and what kind each is of."""

    kinds: bytes
    body: bytes


def arguments(loose: Loose, packed: Packed, word: str) -> Arguments:
    """What SCRIPT is told to put ``packed`` in the place of ``loose``; ``word`` is one that was never used."""
    after = front_of(kinds_of(loose.before) + packed.kinds)
    digest = hashlib.sha1(loose.block, usedforsecurity=False).hexdigest()
    return loose.before, len(loose.block), digest, after, packed.body, PACKED_FIELD, word


def whole_chunks(points: int) -> int:
    """How many of so many points make whole chunks."""
    return points - points % CHUNK_POINTS


def pack(blocks: Sequence[bytes]) -> list[Packed]:
    """Each of some blocks, of whole chunks."""
    kinds, chunks = _chunks(b"".join(blocks))
    found, at = list[Packed](), 0
    for block in blocks:
        end = at + len(block) // CHUNK_BYTES
        found.append(_proved(Packed(kinds[at:end], b"".join(chunks[at:end])), block))
        at = end
    return found


def _proved(packed: Packed, block: bytes) -> Packed:
    """What comes back as the very same bytes; columns as they are always do."""
    if unpacked(packed.kinds, packed.body) == block:
        return packed
    kinds, chunks = _chunks(block, plain=True)
    return Packed(kinds, b"".join(chunks))


def _chunks(block: bytes, *, plain: bool = False) -> tuple[bytes, list[bytes]]:
    """The kind of each chunk, and the chunks; ``plain``: every column as it is."""
    points = np.frombuffer(block, _POINT).reshape(-1, CHUNK_POINTS)
    steps, walls, values = (np.ascontiguousarray(points[name]) for name in ("step", "wall", "value"))
    with np.errstate(over="ignore", invalid="ignore"):
        short = values.astype("<f4")
        wide = (short.astype("<f8").view("<i8") != values.view("<i8")).any(axis=1) | plain
    raw, odd = ~_rises(walls) | plain, ~_is_even(steps) | plain
    kinds = (wide * WIDE_VALUES + raw * RAW_WALLS + odd * RAW_STEPS).astype(np.uint8)
    more = np.diff(walls, axis=1, prepend=walls[:, :1]).astype("<u4")
    heads = _heads(steps, walls)
    chunks = [
        heads[at].tobytes()
        + (steps[at].tobytes() if odd[at] else b"")
        + (walls[at] if raw[at] else more[at]).tobytes()
        + (values[at] if wide[at] else short[at]).tobytes()
        for at in range(len(points))
    ]
    return kinds.tobytes(), chunks


def _heads(steps: Bits, walls: Bits) -> NDArray[np.void]:
    heads = np.zeros(len(steps), _BASE)
    heads["step"], heads["stride"], heads["wall"] = steps[:, 0], steps[:, 1] - steps[:, 0], walls[:, 0]
    return heads


def _rises(walls: Bits) -> Flags:
    """Of each chunk whether no wall's bits are less than those before, nor 32 bits more."""
    more = np.diff(walls, axis=1)
    small: Flags = ((more >= 0) & (more < _FAR)).all(axis=1) & (walls[:, -1] >= walls[:, 0])
    return small


def _is_even(steps: Bits) -> Flags:
    """Of each chunk whether its steps have one stride."""
    stride = np.diff(steps, axis=1)
    same: Flags = (stride == stride[:, :1]).all(axis=1) & (np.abs(stride[:, 0]) < _STRIDE)
    same &= (steps[:, -1] >= steps[:, 0]) == (stride[:, 0] >= 0)
    return same
