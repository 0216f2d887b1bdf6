"""Attempts: what opens one, and how the points of every file, rank and source find theirs."""

from __future__ import annotations

import numpy as np
import pytest

from app.series.assemble import Stored, assemble
from app.series.attempts import Timeline, number, timeline
from app.series.segments import cuts, segments
from collector.wire.records import SeriesMeta
from tests.support.curve_points import curve, meta, points
from tests.support.seed import straight

NAN = float("nan")
WHY = {("log/rank_0/info.log", 1): "start_announced", ("msrun_log/worker_0.log", 1): "truncated"}
INFO, WORKER = "log/rank_0/info.log", "msrun_log/worker_0.log"


def stored(described: SeriesMeta, given: list) -> Stored:
    return Stored(described, curve(given, described.source))


def known(series: list[Stored], why: dict | None = None) -> Timeline:
    return timeline([part for one in series for part in segments(one.meta, one.curve, WHY if why is None else why)])


def shifted(given: list, seconds: float) -> list:
    return [(step, wall + seconds, value) for step, wall, value in given]


FIRST = straight(range(1, 221), at=1000.0)
SECOND = straight(range(201, 301), at=4000.0, value=3.0)


@pytest.mark.parametrize(
    ("steps", "where"),
    [
        ([1, 2, 3, 4], []),
        ([1, 2, 3, 4, 2, 3], []),
        ([10, 20, 30, 40, 10, 20], []),
        ([10, 20, 30, 40, 50, 10, 20], [5]),
        ([1, 2, 3, 4, 5, 6, 1, 2], [6]),
        ([5, 5, 5], []),
        ([7], []),
        ([], []),
        ([1, 2, 3, 2**63 - 1, -(2**63), 4, 5], [4]),
    ],
)
def test_a_step_back_of_more_than_three_log_intervals_is_a_cut(steps: list[int], where: list[int]) -> None:
    assert cuts(np.array(steps, dtype=np.int64)).tolist() == where


def test_one_file_that_goes_back_has_two_attempts() -> None:
    found = known([stored(meta(), FIRST + SECOND)]).attempts
    assert [(one.attempt, one.reason, one.first_step, one.last_step, one.steps_redone) for one in found] == [
        (1, "first", 1, 220, 0),
        (2, "steps_back", 201, 300, 20),
    ]
    assert (found[0].started, found[0].ended, found[1].started) == (1000.0, 1219.0, 4000.0)


def test_an_announced_start_opens_an_attempt_though_no_step_goes_back() -> None:
    going_on = straight(range(221, 301), at=4000.0)
    found = known([stored(meta(), FIRST), stored(meta(generation=1), going_on)]).attempts
    assert [(one.reason, one.steps_redone) for one in found] == [("first", 0), ("start_announced", 0)]


def test_a_rotated_log_goes_on_in_the_same_attempt() -> None:
    rotated = straight(range(221, 301), at=1220.0)
    why = {(INFO, 1): "replaced"}
    assert len(known([stored(meta(), FIRST), stored(meta(generation=1), rotated)], why).attempts) == 1


def test_an_appended_log_and_a_truncated_twin_tell_of_the_same_two_attempts() -> None:
    series = [
        stored(meta(), FIRST),
        stored(meta(generation=1), SECOND),
        stored(meta(WORKER), FIRST),
        stored(meta(WORKER, generation=1), SECOND),
    ]
    time = known(series)
    assert [one.first_step for one in time.attempts] == [1, 201]
    assert points(assemble(series, time)) == FIRST + SECOND


def test_a_twin_that_holds_the_second_attempt_alone_is_put_into_the_second() -> None:
    series = [stored(meta(), FIRST + SECOND), stored(meta(WORKER), SECOND)]
    whole = assemble(series, known(series))
    assert points(whole) == FIRST + SECOND
    assert np.bincount(whole.attempts).tolist() == [0, 220, 100]


@pytest.mark.parametrize("first", [0, 1])
def test_a_log_without_a_clock_is_matched_by_the_steps_it_shares(first: int) -> None:
    timeless = [(step, NAN, value) for step, _, value in (FIRST, SECOND)[first]]
    series = [stored(meta(), FIRST + SECOND), stored(meta(WORKER), timeless)]
    assert points(assemble(series, known(series))) == FIRST + SECOND


def test_logs_without_any_clock_are_cut_by_order() -> None:
    timeless = [(step, NAN, value) for step, _, value in FIRST + SECOND]
    series = [stored(meta(), timeless), stored(meta(WORKER), timeless)]
    whole = assemble(series, known(series))
    assert len(whole) == 320
    assert np.bincount(whole.attempts).tolist() == [0, 220, 100]


def test_a_new_event_file_that_starts_lower_is_a_new_attempt() -> None:
    files = [meta(f"tensorboard/rank_0/events.{number}", source="tensorboard") for number in (1, 2)]
    series = [stored(files[0], FIRST), stored(files[1], SECOND)]
    assert [one.reason for one in known(series).attempts] == ["first", "steps_back"]


def test_a_new_event_file_that_goes_on_is_none() -> None:
    files = [meta(f"tensorboard/rank_0/events.{number}", source="tensorboard") for number in (1, 2)]
    series = [stored(files[0], FIRST), stored(files[1], straight(range(221, 300), at=1300.0))]
    time = known(series)
    assert len(time.attempts) == 1
    assert assemble(series, time).steps.tolist() == list(range(1, 300))


def test_clocks_of_sources_are_not_compared() -> None:
    events = [meta(f"tensorboard/rank_0/events.{number}", source="tensorboard") for number in (1, 2)]
    series = [
        stored(meta(), FIRST),
        stored(meta(generation=1), SECOND),
        stored(events[0], shifted(FIRST[:215], -8 * 3600)),
        stored(events[1], shifted(SECOND[:90], -8 * 3600)),
    ]
    time = known(series)
    whole = assemble(series, time)
    assert len(time.attempts) == 2
    assert whole.steps.tolist() == [*range(1, 221), *range(201, 301)]
    assert np.bincount(whole.sources).tolist() == [305, 0, 15]


def test_an_event_file_of_the_second_attempt_alone_is_put_into_the_second() -> None:
    series = [
        stored(meta(), FIRST + SECOND),
        stored(meta("events.2", source="tensorboard"), shifted(SECOND, 28800)),
    ]
    whole = assemble(series, known(series))
    assert np.bincount(whole.attempts).tolist() == [0, 220, 100]
    assert set(whole.sources[whole.attempts == 2].tolist()) == {0}


def test_another_rank_that_stopped_earlier_and_started_later_follows_the_owners_attempts() -> None:
    time = known([stored(meta(rank=7), FIRST + SECOND)])
    other = straight(range(1, 219), at=1001.5) + straight(range(201, 299), at=4002.5)
    assert np.bincount(number(meta("log/rank_0/info.log"), curve(other), time)).tolist() == [0, 218, 98]


def test_a_clock_that_went_back_leaves_order_to_decide() -> None:
    series = [stored(meta(), FIRST + shifted(SECOND, -3500.0))]
    whole = assemble(series, known(series))
    assert np.bincount(whole.attempts).tolist() == [0, 220, 100]
    assert points(whole) == FIRST + shifted(SECOND, -3500.0)


def test_a_run_without_any_point_has_no_attempts() -> None:
    assert known([]).attempts == ()
    assert len(assemble([], known([]))) == 0


def test_two_tags_with_one_meaning_are_one_curve() -> None:
    twice = [stored(meta("a_MS", source="mindspore", tag=tag), FIRST) for tag in ("loss", "loss/auto")]
    assert points(assemble(twice, known(twice))) == FIRST


def test_files_are_read_in_the_order_that_a_person_counts_in() -> None:
    named = [meta(f"log/rank_0/part.{number}", source="mindspore") for number in (10, 9)]
    timeless = [[(step, NAN, 1.0) for step in steps] for steps in (range(11, 20), range(1, 11))]
    series = [stored(one, given) for one, given in zip(named, timeless, strict=True)]
    assert assemble(series, known(series)).steps.tolist() == list(range(1, 20))


def test_a_file_whose_clock_went_back_is_not_put_into_attempts_by_that_clock() -> None:
    wrong = FIRST + shifted(SECOND, -3500.0)
    series = [stored(meta(), FIRST + SECOND), stored(meta(WORKER), wrong)]
    whole = assemble(series, known(series))
    assert np.bincount(whole.attempts).tolist() == [0, 220, 200]  # another clock, so no twin: kept, in its attempt
