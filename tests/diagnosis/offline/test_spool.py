"""Points of many series in one file are read as if each had one of its own."""

from __future__ import annotations

import random

from app.diagnosis.offline.spool import Extents, Spool
from collector.wire.records import POINT_BYTES, pack_point


def test_any_part_of_any_series_is_what_was_added() -> None:
    chance = random.Random(5)
    with Spool() as spool:
        series = [(Extents(), bytearray()) for _ in range(3)]
        for number in range(400):
            extents, whole = chance.choice(series)
            points = b"".join(pack_point(number, one, chance.random()) for one in range(chance.randrange(4)))
            spool.add(extents, points)
            whole += points
            extents, whole = chance.choice(series)
            at, count = chance.randrange(len(whole) // POINT_BYTES + 2), chance.choice([0, 1, 7, 2**40])
            assert spool.read(extents, at, count) == whole[at * POINT_BYTES : (at + count) * POINT_BYTES]
        assert [one.length for one, _ in series] == [len(whole) // POINT_BYTES for _, whole in series]


def test_pieces_that_lie_side_by_side_are_one() -> None:
    with Spool() as spool:
        extents = Extents()
        for number in range(50):
            spool.add(extents, pack_point(number, 0.0, 1.0))
        assert (extents.ends, extents.places) == ([50], [0])
