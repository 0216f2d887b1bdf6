"""Packed points of a series to buckets that take a fifth of their room. Pure; wire.folded tells the form."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from collector.pack import Arguments
from collector.wire.folded import BUCKET_POINTS, CHUNK, HEAD, head_of
from collector.wire.packed import CHUNK_POINTS, front_of, kinds_of, unpacked
from collector.wire.records import POINT_BYTES
from collector.wire.schema import FOLDED_FIELD, PACKED_FIELD

_POINT = np.dtype([("step", "<i8"), ("wall", "<f8"), ("value", "<f8")])
_BUCKET = np.dtype([("count", "<u2"), ("kept", "<u2"), ("nan", "<u2"), ("up", "<u2"), ("down", "<u2"), ("mean", "<f8")])
_FINITE, _NAN, _UP, _DOWN = range(4)
WORTH = 0.5  # of its bytes at most a fold keeps, or it is left alone

Points = NDArray[np.void]
Flags = NDArray[np.bool_]
Kinds = NDArray[np.int8]


# KEYS packed folded run pins. ARGV front of what is packed, bytes behind it to fold, their SHA-1, front after ("" =
# nothing is left), head before ("" = nothing is folded), head after, chunk, the two fields of the run that say so, a
# new word for the second.
# Nothing changes unless the packed points still begin with the very chunks that were folded, at the very place: so
# neither another collector, more packed meanwhile, a flush nor a roll-back can lose or double a point. Nor
# does it while a snapshot is open that shows these points, by the server's own clock.
SCRIPT = """
local packed, folded = redis.call('GET', KEYS[1]) or '', redis.call('GET', KEYS[2]) or ''
local last = redis.call('ZRANGE', KEYS[4], -1, -1, 'WITHSCORES')[2]
if last and tonumber(last) > tonumber(redis.call('TIME')[1]) then return 0 end
local front, cut, head = #ARGV[1], tonumber(ARGV[2]), #ARGV[6]
if string.sub(packed, 1, front) ~= ARGV[1] or string.sub(folded, 1, head) ~= ARGV[5] then return 0 end
if redis.sha1hex(string.sub(packed, front + 1, front + cut)) ~= ARGV[3] then return 0 end
redis.call('SET', KEYS[2], ARGV[6] .. string.sub(folded, head + 1) .. ARGV[7])
if ARGV[4] == '' then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], ARGV[4] .. string.sub(packed, front + cut + 1))
end
redis.call('HSET', KEYS[3], ARGV[8], '1', ARGV[9], ARGV[10])
return 1
"""


# KEYS pins. Whether a snapshot is open.
PINNED = """
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2]
return last and tonumber(last) > tonumber(redis.call('TIME')[1]) and 1 or 0
"""


@dataclass(frozen=True, slots=True)
class Front:
    """The oldest packed points of a series: the head of what is folded of it (b"" without), the front of all that is
    packed, and the first chunks behind that with their kinds."""

    sid: str
    before: bytes
    packed: bytes
    chunks: bytes
    kinds: bytes

    @property
    def count(self) -> int:
        """Points of the chunks."""
        return len(self.kinds) * CHUNK_POINTS

    @property
    def block(self) -> bytes:
        """These points."""
        return unpacked(self.kinds, self.chunks)


def arguments(front: Front, chunk: bytes, word: str) -> Arguments:
    """What SCRIPT is told to put ``chunk`` in the place of the chunks of ``front``; ``word`` was never used before."""
    (count, kept), (_, more) = head_of(front.before), CHUNK.unpack_from(chunk)
    after = HEAD.pack(count + front.count, kept + more)
    left = front_of(kinds_of(front.packed)[len(front.kinds) :])
    digest = hashlib.sha1(front.chunks, usedforsecurity=False).hexdigest()
    fields = FOLDED_FIELD, PACKED_FIELD
    return front.packed, len(front.chunks), digest, left, front.before, after, chunk, *fields, word


def fold(block: bytes) -> bytes:
    """One chunk (wire.folded) of points that make whole buckets."""
    points = np.frombuffer(block, _POINT).reshape(-1, BUCKET_POINTS)
    kinds = _kinds(points["value"])
    kept = _kept(points, kinds)
    heads = np.zeros(len(points), _BUCKET)
    heads["count"], heads["kept"], heads["mean"] = BUCKET_POINTS, kept.sum(axis=1), _means(points["value"])
    for name, kind in (("nan", _NAN), ("up", _UP), ("down", _DOWN)):
        heads[name] = ((kinds == kind) & ~kept).sum(axis=1)
    return CHUNK.pack(len(points), int(kept.sum())) + heads.tobytes() + points[kept].tobytes()


def is_worth(packed: bytes, chunk: bytes) -> bool:
    """Whether folding gives room back: not where clocks are missing, and every point is kept."""
    return len(chunk) <= WORTH * len(packed)


def folded_bytes(points: int) -> int:
    """About so many bytes are left of so many points."""
    return points * (_BUCKET.itemsize + 4 * POINT_BYTES) // BUCKET_POINTS


def _kinds(values: NDArray[np.float64]) -> Kinds:
    kinds = np.where(np.isnan(values), _NAN, np.where(values > 0, _UP, _DOWN))
    return np.where(np.isfinite(values), _FINITE, kinds).astype(np.int8)


def _kept(points: Points, kinds: Kinds) -> Flags:
    """Ends, extremes, and the points on both sides of a change between number, NaN and infinity."""
    kept = np.zeros(points.shape, np.bool_)
    kept[:, [0, -1]] = True
    rows = np.arange(len(points))
    finite = kinds == _FINITE
    kept[rows, np.where(finite, points["value"], np.inf).argmin(axis=1)] = True
    kept[rows, np.where(finite, points["value"], -np.inf).argmax(axis=1)] = True
    changes = kinds[:, 1:] != kinds[:, :-1]
    kept[:, 1:] |= changes
    kept[:, :-1] |= changes
    kept[~_is_orderly(points)] = True
    return kept


def _is_orderly(points: Points) -> Flags:
    """Of each bucket whether steps rise and every point has a clock that does not go back."""
    steps, walls = points["step"], points["wall"]
    rises = (steps[:, 1:] > steps[:, :-1]).all(axis=1)
    timed: Flags = np.isfinite(walls).all(axis=1) & (walls[:, 1:] >= walls[:, :-1]).all(axis=1)
    return rises & timed


def _means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of finite values; each is divided before they are added up, since the sum of large ones may overflow."""
    finite = np.isfinite(values)
    counts = finite.sum(axis=1)
    shares = np.where(finite, values, 0.0) / np.maximum(counts, 1)[:, None]
    return np.where(counts > 0, shares.sum(axis=1), np.nan)
