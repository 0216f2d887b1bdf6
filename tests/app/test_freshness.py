"""Whether a run is alive: by its own cadence, by what its lines say, and never by a fixed time."""

from __future__ import annotations

import pytest

from app.series.cadence import cadence
from app.series.freshness import Evidence, Freshness, duration, freshness
from collector.wire.records import Cursor, RunEvent
from tests.support.curve_points import curve
from tests.support.seed import straight

NOW = 2_000_000.0
INFO, WORKER = "log/rank_0/info.log", "msrun_log/worker_0.log"


def cursor(file: str = INFO, *, age: float, generation: int = 0) -> dict[str, Cursor]:
    return {file: Cursor(file, "log", 0, generation=generation, mtime=NOW - age)}


def seen(
    *,
    age: float = 1.0,
    every: float = 12.0,
    events: tuple[RunEvent, ...] = (),
    step: int | None = 100,
    wall: float | None = NOW - 1,
    total: int | None = 1000,
    collected: bool = True,
    files: dict[str, Cursor] | None = None,
    read: float | None = None,
) -> Freshness:
    rhythm = cadence(curve(straight(range(1, 65), every=every)), [], buffered=False)
    found = cursor(age=age) if files is None else files
    return freshness(Evidence(step, wall, found, total, rhythm, collected, events, read), NOW)


@pytest.mark.parametrize(
    ("every", "age", "state"), [(12, 40, "live"), (12, 90, "quiet"), (600, 1800, "live"), (0.1, 20, "quiet")]
)
def test_silence_is_measured_by_the_runs_own_cadence(every: float, age: float, state: str) -> None:
    fresh = seen(every=every, age=age)
    assert fresh.state == state
    assert fresh.expected == pytest.approx(every)
    assert fresh.age == pytest.approx(age)


def test_a_recent_long_pause_makes_the_next_one_less_alarming() -> None:
    pauses = straight(range(1, 40)) + straight(range(40, 65), at=1_000_539.0)  # one pause of 500 s
    rhythm = cadence(curve(pauses), [], buffered=False)
    assert rhythm is not None
    assert rhythm.expected == 1.0
    assert 700 < rhythm.patience < 800


def test_without_a_clock_the_printed_step_times_tell() -> None:
    timeless = curve([(step, float("nan"), 1.0) for step in range(10, 110, 10)])
    rhythm = cadence(timeless, [700.0, 720.0, 740.0], buffered=False)
    assert rhythm is not None
    assert (rhythm.expected, rhythm.step_seconds) == pytest.approx((7.2, 0.72))
    assert cadence(timeless, [], buffered=False) is None


def test_event_files_alone_are_given_the_time_that_their_writers_buffer() -> None:
    recent = curve(straight(range(1, 65)), "tensorboard")
    plain, buffered = cadence(recent, [], buffered=False), cadence(recent, [], buffered=True)
    assert plain is not None
    assert buffered is not None
    assert buffered.patience == plain.patience + 120


def test_a_restart_does_not_count_as_a_pause() -> None:
    rhythm = cadence(curve(straight(range(1, 30)) + straight(range(5, 20), at=1_009_000.0)), [], buffered=False)
    assert rhythm is not None
    assert rhythm.patience < 20


def test_old_files_are_never_live_however_they_ended() -> None:
    assert seen(age=30 * 86400, wall=NOW - 30 * 86400).state == "quiet"


def test_a_copy_of_old_files_is_not_live_though_the_copy_is_new() -> None:
    fresh = seen(age=1.0, wall=NOW - 30 * 86400)
    assert fresh.state == "quiet"
    assert fresh.age == pytest.approx(30 * 86400)


def test_a_log_clock_in_another_time_zone_does_not_matter() -> None:
    assert seen(age=2.0, wall=NOW - 8 * 3600).state == "live"
    assert seen(age=2.0, wall=NOW + 8 * 3600).state == "live"


def test_no_collector_no_points_and_no_files_have_words_of_their_own() -> None:
    assert seen(collected=False).state == "collector_away"
    assert seen(step=None, wall=None).state == "waiting"
    assert seen(step=None, wall=None, files={}).age is None


def test_reaching_the_last_step_or_saying_the_end_is_finished() -> None:
    assert seen(step=1000, age=9000).state == "finished"
    assert seen(events=(RunEvent("end", 100, NOW, "over", file=INFO),)).state == "finished"
    assert seen(collected=False, step=1000).state == "finished"


def test_a_traceback_after_the_last_point_is_failed() -> None:
    assert seen(events=(RunEvent("traceback", 100, None, "ValueError", file=WORKER),)).state == "failed"
    assert seen(events=(RunEvent("nan_stop", 100, NOW, "NaN", file=INFO),)).state == "failed"


def test_an_error_line_is_failed_only_when_nothing_follows() -> None:
    error = (RunEvent("error", 100, NOW, "device", file=INFO),)
    assert seen(events=error, age=1).state == "live"
    assert seen(events=error, age=1000).state == "failed"


@pytest.mark.parametrize("kind", ["traceback", "end"])
def test_what_a_later_start_or_later_points_have_overtaken_does_not_count(kind: str) -> None:
    by_clock = RunEvent(kind, 50, NOW - 500, "x", file=INFO)
    by_step = RunEvent(kind, 50, None, "x", file=INFO)
    restarted = (RunEvent(kind, 220, None, "x", file=INFO), RunEvent("start", None, None, "again", file=INFO))
    truncated = (RunEvent(kind, 220, None, "x", file=INFO, generation=0),)
    assert seen(events=(by_clock,)).state == "live"
    assert seen(events=(by_step,)).state == "live"
    assert seen(events=restarted).state == "live"
    assert seen(events=truncated, files=cursor(age=1, generation=1)).state == "live"


def test_files_are_judged_each_by_its_own_order() -> None:
    worker_first = (
        RunEvent("traceback", 220, None, "ValueError", file=WORKER),
        RunEvent("start", None, NOW - 900, "start", file=INFO),
    )
    files = {**cursor(age=1), **cursor(WORKER, age=1)}
    assert seen(events=worker_first, step=220, files=files).state == "failed"


def test_a_file_that_was_left_behind_long_ago_does_not_end_the_run() -> None:
    files = {**cursor(age=1), **cursor(WORKER, age=3600)}
    crashed = (RunEvent("traceback", 220, None, "ValueError", file=WORKER),)
    assert seen(events=crashed, step=205, files=files).state == "live"


def test_sentences_are_whole() -> None:
    for fresh in (seen(), seen(age=900), seen(collected=False), seen(step=None, files={}), seen(step=1000)):
        assert fresh.sentence[0].isupper()
        assert fresh.sentence.endswith(".")
        assert "  " not in fresh.sentence
    assert seen(age=3.0).sentence == "Last point 3.0 s ago, one is expected every 12 s."


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.02, "20 ms"), (0.4, "0.4 s"), (12, "12 s"), (180, "3 min"), (18000, "5 h"), (2e6, "23 d")]
)
def test_time_spans_are_said_as_a_person_says_them(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_what_is_not_read_yet_is_not_judged() -> None:
    fresh = seen(read=0.4299, events=(RunEvent("end", 100, NOW - 1, "Training over", file=INFO),))
    assert fresh.state == "catching_up"
    assert fresh.sentence == "The collector is behind: 42 % of this run's files is read."
    assert seen(read=0.43, collected=False).state == "collector_away"
