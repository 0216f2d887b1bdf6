"""A notice comes out of the outbox as it went in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.diagnosis.notify.notice import Notice
from app.diagnosis.signal import Evidence, Signal
from collector.wire.records import RunId

NUMBERS = st.none() | st.floats(allow_nan=False)


@given(NUMBERS, NUMBERS, st.lists(st.tuples(st.text(), st.floats(allow_nan=False)), max_size=3), st.none() | st.text())
def test_a_notice_is_the_same_after_json(value, ratio, beside, by) -> None:
    evidence = Evidence(value, ratio=ratio, points=3, beside=tuple(beside))
    signal = Signal("raise", "rank_outlier", "frozen", "critical", 40, 38, 1e9, evidence, rank=3)
    notice = Notice("e1", RunId("a/b"), "opened", 1e9 + 1, signal, by or "", None if by is None else 1e9)
    assert Notice.decode(notice.encode()) == notice
