"""Points of a series to buckets that take a thirteenth of the room. Pure; wire.folded tells the form."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from collector.wire.folded import BUCKET_POINTS, CHUNK, HEAD, head_of
from collector.wire.records import POINT_BYTES
from collector.wire.schema import FOLDED_FIELD

_POINT = np.dtype([("step", "<i8"), ("wall", "<f8"), ("value", "<f8")])
_BUCKET = np.dtype([("count", "<u2"), ("kept", "<u2"), ("nan", "<u2"), ("up", "<u2"), ("down", "<u2"), ("mean", "<f8")])
_FINITE, _NAN, _UP, _DOWN = range(4)
WORTH = 0.5  # of its bytes at most a fold keeps, or it is left alone

Points = NDArray[np.void]
Flags = NDArray[np.bool_]
Kinds = NDArray[np.int8]


# KEYS points folded run. ARGV head before ("" = nothing is folded), bytes to fold, their SHA-1, head after, chunk,
# field that says so of the run.
# Nothing changes unless the series still begins with the very bytes that were folded, at the very place: so neither
# another collector, an APPEND meanwhile, a flush nor a roll-back can lose or double a point.
SCRIPT = """
local folded = redis.call('GET', KEYS[2]) or ''
local cut, head = tonumber(ARGV[2]), #ARGV[4]
local front = redis.call('GETRANGE', KEYS[1], 0, cut - 1)
if string.sub(folded, 1, head) ~= ARGV[1] or #front ~= cut or redis.sha1hex(front) ~= ARGV[3] then return 0 end
redis.call('SET', KEYS[2], ARGV[4] .. string.sub(folded, head + 1) .. ARGV[5])
redis.call('SET', KEYS[1], redis.call('GETRANGE', KEYS[1], cut, -1))
redis.call('HSET', KEYS[3], ARGV[6], '1')
return 1
"""


@dataclass(frozen=True, slots=True)
class Front:
    """The oldest exact points of a series, whole buckets of them; the head of what is folded of it (b"" without), and
    its bytes."""

    sid: str
    before: bytes
    folded: int
    block: bytes


def arguments(front: Front, chunk: bytes) -> tuple[bytes | int | str, ...]:
    """What SCRIPT is told to put ``chunk`` in the place of ``front``."""
    (count, kept), (_, more) = head_of(front.before), CHUNK.unpack_from(chunk)
    after = HEAD.pack(count + len(front.block) // POINT_BYTES, kept + more)
    digest = hashlib.sha1(front.block, usedforsecurity=False).hexdigest()
    return front.before, len(front.block), digest, after, chunk, FOLDED_FIELD


def whole_buckets(points: int) -> int:
    """How many of so many points make whole buckets."""
    return points - points % BUCKET_POINTS


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


def is_worth(block: bytes, chunk: bytes) -> bool:
    """Whether folding gives room back: not where clocks are missing, and every point is kept."""
    return len(chunk) <= WORTH * len(block)


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
