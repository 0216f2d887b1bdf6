"""Many packed strings read at once are what each of them is, read chunk by chunk."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from app.packed import unpacked
from collector.pack import CHUNK_BYTES, pack
from collector.wire.packed import KINDS, SIZES, kinds_of, size_of
from collector.wire.packed import unpacked as one_by_one
from collector.wire.records import pack_point


def chunk(kind: int, first: int) -> bytes:
    """Points that are packed as a chunk of that kind."""
    raw_steps, raw_walls, wide = kind & 4, kind & 2, kind & 1
    return b"".join(
        pack_point(
            first + at * 3 + (at > 50 if raw_steps else 0),
            1.79e9 + first + (at if at < 100 or not raw_walls else -at),
            math.nan if at == 5 else at * 0.1 if wide else at * 0.5,
        )
        for at in range(128)
    )


CHUNKS = [chunk(kind, 1000 * kind) for kind in range(KINDS)]
PACKED = pack(CHUNKS)


def test_there_is_a_chunk_of_every_kind() -> None:
    assert [list(one.kinds) for one in PACKED] == [[kind] for kind in range(KINDS)]
    assert [len(one.body) for one in PACKED] == list(SIZES)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(0, KINDS - 1), max_size=5).map(tuple), max_size=12))
def test_series_of_any_kinds_come_back_in_their_order(series: list[tuple[int, ...]]) -> None:
    kinds = [bytes(one) for one in series]
    bodies = [b"".join(PACKED[kind].body for kind in one) for one in series]
    found = [rows.tobytes() for rows in unpacked(kinds, bodies)]
    assert found == [b"".join(CHUNKS[kind] for kind in one) for one in series]
    assert found == [one_by_one(*both) for both in zip(kinds, bodies, strict=True)]
    assert [len(body) for body in bodies] == [size_of(one) for one in kinds]
    assert all(len(block) == CHUNK_BYTES * len(one) for block, one in zip(found, series, strict=True))


def test_no_front_is_of_no_kind() -> None:
    assert (kinds_of(b""), unpacked([], []), len(unpacked([b""], [b""])[0])) == (b"", [], 0)
