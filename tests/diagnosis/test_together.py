"""Signals of many ranks are told as few findings."""

from __future__ import annotations

from app.diagnosis.signal import Act, Class, Severity, Signal
from app.diagnosis.together import together


def signal(
    rank: int | None,
    first: int,
    rule: str = "K1",
    about: Class = "rank_outlier",
    severity: Severity = "critical",
    act: Act = "raise",
) -> Signal:
    return Signal(act, about, rule, severity, first + 3, first, None, rank=rank)


def test_a_thousand_ranks_that_fail_together_are_one_finding_with_the_first_one_first() -> None:
    signals = [signal(rank, 100 + (rank != 700)) for rank in range(1_024) if rank != 5]
    (found,) = together(signals)
    assert (found.count, found.spans, found.first.rank) == (1_023, ((0, 4), (6, 1_023)), 700)
    assert found.order[:3] == (700, 0, 1)
    assert (found.severity, found.last_step) == ("critical", 104)


def test_what_is_of_another_kind_or_another_time_is_another_finding() -> None:
    signals = [
        signal(1, 100),
        signal(2, 130),
        signal(3, 102, rule="K4", severity="warning"),
        signal(4, 101, about="throughput", rule="K5", severity="warning"),
        signal(5, 115),
    ]
    assert [(one.rule, one.order) for one in together(signals)] == [("K1", (1, 5, 2)), ("K5", (4,)), ("K4", (3,))]
    apart = together([signal(1, 100), signal(2, 130)])
    assert [one.order for one in apart] == [(1,), (2,)]
    assert [one.order for one in together([signal(1, 100), signal(2, 130)], interval=10.0)] == [(1, 2)]


def test_the_end_of_one_and_what_names_no_rank_are_left_out() -> None:
    assert together([signal(1, 100, act="clear"), signal(None, 100)]) == []


def test_a_rank_that_grew_worse_counts_once_and_the_gravest_counts() -> None:
    (found,) = together([signal(1, 100, severity="warning"), signal(1, 100, act="update")])
    assert (found.order, found.severity) == ((1,), "critical")
