"""What one program hands another: whole, or said to be cut off."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from collector.wire.delivery import Commit, CutOff, End, deliveries
from collector.wire.records import (
    POINT_BYTES,
    Cursor,
    FileState,
    Generation,
    RunEvent,
    RunId,
    RunRecord,
    SeriesMeta,
    pack_point,
)

META = SeriesMeta("log/rank_0/info.log", 0, "loss", "loss", 0, "log")
TOLD = Commit(
    RunRecord(RunId("job"), "job\udcff", "/data/作业", True),
    (Cursor("log/rank_0/info.log", "log", 0, 12, state={"epoch": 1, "unit": None}),),
    ((META, pack_point(1, 2.0, float("nan")) + b'\n"}{\x00'.ljust(POINT_BYTES)), (replace(META, tag="lr"), b"")),
    {"layout": "dp=8"},
    (RunEvent("start", None, 1.5, "…\n{", 0),),
    (Generation("log/rank_0/info.log", 0, "first", None, 0),),
    5,
    10,
)
LAST = End(3, (FileState("a.log", "broken", "permission denied", 4, 0),))


def stream(*told: Commit | End) -> bytes:
    out = io.BytesIO()
    for one in told:
        one.write(out)
    return out.getvalue()


def test_what_was_written_comes_back() -> None:
    assert list(deliveries(io.BytesIO(stream(TOLD, TOLD, LAST)))) == [TOLD, TOLD, LAST]


def test_a_stream_that_is_cut_anywhere_says_so() -> None:
    whole = stream(TOLD, LAST)
    for cut in range(len(whole) - 1):
        with pytest.raises(CutOff):
            list(deliveries(io.BytesIO(whole[:cut])))
