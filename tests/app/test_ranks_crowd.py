"""What ranks died of: equal traces together whatever their numbers are, the fewest first."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.series.ranks.crowd import Fault, crowds, likeness

HCCL = (
    "Traceback (most recent call last):\n"
    '  File "/job/{0}/work/run_mindformer.py", line 263, in <module>\n'
    "    main(config_)\n"
    "RuntimeError: Call rtStreamSynchronize timeout, stream 0x7f3a{0:04x}bc, device id {0}, "
    "ranks [0, 1, {0}], group hccl_world_{0}, 2025-06-01 10:{0:02d}:00,123"
)
MEMORY = "MemoryError: Device({0}) memory is not enough, free {1} bytes"


def test_the_odd_one_comes_first_and_the_others_are_one_crowd() -> None:
    faults = [Fault(rank, "RuntimeError", HCCL.format(rank), 100) for rank in range(64) if rank != 37]
    faults.append(Fault(37, MEMORY.format(5, 123456), "", 99))
    odd, rest = crowds(faults)
    assert (odd.ranks, odd.count, odd.line) == ((37,), 1, MEMORY.format(5, 123456))
    assert (rest.count, rest.first.rank, rest.trace) == (63, 0, HCCL.format(0))


def test_of_crowds_of_one_size_the_lowest_step_comes_first_never_the_clock() -> None:
    faults = [Fault(0, "late", wall=1.0), Fault(1, "b", step=20, wall=2.0), Fault(2, "a", step=10, wall=3.0)]
    assert [one.line for one in crowds(faults)] == ["a", "b", "late"]


def test_of_a_rank_the_first_line_counts() -> None:
    (only,) = crowds([Fault(3, "first"), Fault(3, "second"), Fault(4, "first")])
    assert (only.ranks, only.line) == ((3, 4), "first")


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("rank 3 lost at step 1,200", "rank 14 lost at step 7", True),
        ("see /data/a/rank_3/info.log", "see /mnt/b/c/rank_12/info.log", True),
        ("at 0x7ffdeadbeef", "at 0x10", True),
        ("loss is 3.25e-04, norm 1", "loss is 17, norm 2.5", True),
        ("ranks [0, 1, 2]", "ranks [5]", True),
        ("id 9f8e7d6c5b4a0011", "id 0011223344556677", True),
        ("line   one\n  two", "line one two", True),
        ("loss is nan", "loss is inf", False),
        ("HcclAllReduce failed", "HcclBroadcast failed", False),
        ('File "/a/trainer.py"', 'File "/a/model.py"', False),
    ],
)
def test_what_is_alike(one: str, other: str, alike: bool) -> None:
    assert (likeness(one) == likeness(other)) == alike
    assert (len(crowds([Fault(0, one), Fault(1, other)])) == 1) == alike


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 30), st.sampled_from(["a 1", "a 2", "b/c", "/", ""])), max_size=30))
def test_every_rank_is_in_one_crowd(faults: list[tuple[int, str]]) -> None:
    found = crowds(Fault(*one) for one in faults)
    everyone = [rank for one in found for rank in one.ranks]
    assert sorted(everyone) == sorted({rank for rank, _ in faults})
    assert [one.count for one in found] == sorted(one.count for one in found)


def test_a_trace_of_ten_thousand_words_is_read_in_linear_time() -> None:
    assert len(crowds([Fault(0, "a/" * 10_000), Fault(1, "1" * 20_000), Fault(2, "a" * 20_000)])) == 3
