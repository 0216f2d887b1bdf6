"""Whether a run is alive: by its own cadence, by what its lines say, and never by a fixed time."""

from __future__ import annotations

import pytest

from app.series.cadence import Slow, cadence, slowness
from app.series.freshness import Cause, Evidence, Freshness, State, duration, freshness
from app.series.trouble import trouble
from app.series.underway import Doing
from app.stored import StoredRun
from collector.wire.records import Cursor, FileState, Heartbeat, RunEvent, RunId, RunRecord
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
    usual: dict[Doing, float] | None = None,
    trouble: str | None = None,
    slow: Slow | None = None,
) -> Freshness:
    rhythm = cadence(curve(straight(range(1, 65), every=every)), [], buffered=False)
    found = cursor(age=age) if files is None else files
    return freshness(
        Evidence(
            *(step, wall, found, total, rhythm, collected, events, read),
            unread=None if read is None else 800,
            usual=usual or {},
            trouble=trouble,
            slow=slow,
        ),
        NOW,
    )


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


def line(kind: str, ago: float, text: str = "", step: int | None = 100) -> RunEvent:
    """A line of the log, whose clock is eight hours off; the last point was printed 300 s ago."""
    return RunEvent(kind, step, NOW - 8 * 3600 - ago, text or kind, rank=0, file=INFO)


EVALUATION = line("eval", 299, "Starting Evaluate Model")
SAVING = line("checkpoint", 299, "Saving ckpt")
EARLIER = tuple(
    line("eval", 4000 - step, f"Eval result: x, eval time is 200.000000 s. {step}", step) for step in (25, 50, 75)
)
STARTS = (line("start", 290), line("compile", 280), line("train", 250))

CAUSES: dict[str, tuple[float, tuple[RunEvent, ...], dict[Doing, float], State, Cause | None]] = {
    "nothing said, and silent for longer than usual": (300, (), {}, "quiet", "not_growing"),
    "nothing said, and not silent": (20, (), {}, "live", None),
    "an evaluation began": (299, (EVALUATION,), {"evaluation": 200.0}, "live", "evaluation"),
    "it takes far longer than ever": (3000, (EVALUATION,), {"evaluation": 200.0}, "quiet", "evaluation"),
    "nobody knows how long it takes": (299, (EVALUATION,), {}, "quiet", "evaluation"),
    "its length is told by earlier lines": (299, (*EARLIER, EVALUATION), {}, "live", "evaluation"),
    "it is over": (90, (EVALUATION, line("eval", 90, "Evaluate Over!")), {"evaluation": 200.0}, "quiet", "not_growing"),
    "it is due at this step": (250, EARLIER, {}, "live", "evaluation"),
    "it is due, and no point is late": (12, EARLIER, {}, "live", None),
    "a checkpoint is being saved": (299, (SAVING,), {"checkpoint": 100.0}, "live", "checkpoint"),
    "the job starts again": (250, STARTS, {"startup": 600.0}, "live", "compiling"),
    "a start that came to nothing": (100, (*STARTS, line("traceback", 100)), {}, "failed", None),
}


@pytest.mark.parametrize("name", CAUSES)
def test_a_pause_has_a_cause(name: str) -> None:
    age, events, usual, state, cause = CAUSES[name]
    fresh = seen(age=age, events=events, usual=usual, wall=NOW - 8 * 3600 - 300)
    assert (fresh.state, fresh.cause) == (state, cause)
    assert fresh.sentence.endswith(".")
    assert (fresh.since is None) == (cause is None)


def test_what_is_under_way_began_with_its_line_and_may_be_overdue() -> None:
    fresh = seen(age=100.0, events=(EVALUATION, line("overflow", 199)), usual={"evaluation": 200.0}, wall=None)
    assert fresh.since == pytest.approx(NOW - 200.0)  # 100 s from its line to the newest sign, and 100 s since
    assert (fresh.usual, fresh.overdue, fresh.told) == (200.0, False, True)
    assert seen(age=3000.0, events=(EVALUATION,), usual={"evaluation": 200.0}, wall=None).overdue


def test_a_first_compilation_is_waited_for() -> None:
    fresh = seen(step=None, wall=None, age=4000.0, events=STARTS)
    assert (fresh.state, fresh.cause) == ("waiting", "compiling")


def test_storage_that_fails_is_said_before_all_else() -> None:
    fresh = seen(
        age=300.0, trouble="log/rank_0/info.log: Stale file handle", events=(EVALUATION,), usual={"evaluation": 9e9}
    )
    assert (fresh.state, fresh.cause, fresh.trouble) == ("quiet", "stale", "log/rank_0/info.log: Stale file handle")
    assert seen(age=1.0, trouble="x").cause is None  # points come all the same


def test_the_collector_behind_says_how_far() -> None:
    fresh = seen(read=0.2)
    assert (fresh.cause, fresh.unread, fresh.read) == ("behind", 800, 0.2)


def test_slow_training_is_told_by_the_runs_own_pace() -> None:
    quick, slow = straight(range(1, 57)), straight(range(57, 66), at=1_000_057.0, every=2.1)
    found = slowness(curve(quick + slow))
    assert found is not None
    assert found.factor == pytest.approx(2.1)
    assert found.seconds == pytest.approx(8 * 2.1, abs=2.2)
    fresh = seen(slow=found)
    assert (fresh.state, fresh.cause, fresh.factor) == ("live", "slow", found.factor)
    assert slowness(curve(straight(range(1, 66)))) is None
    assert slowness(curve(straight(range(1, 66), every=2.0)), usual_ms=1000.0) == Slow(2.0, 128.0)
    assert slowness(curve(quick[:10])) is None


def test_a_pause_or_two_among_the_newest_are_not_slow_training() -> None:
    walls = [
        (step, 1e6 + step + (400.0 if step > 60 else 0.0) + (300.0 if step > 62 else 0.0), 1.0) for step in range(66)
    ]
    assert slowness(curve(walls)) is None


def run_with(files: dict[str, Cursor], path: str = "/data/gpt") -> StoredRun:
    return StoredRun(RunRecord(RunId("gpt"), "gpt", path), None, None, "0-0", {}, files, (), {}, ())


def beat(*problems: FileState) -> Heartbeat:
    return Heartbeat("n:1", "n", 1, ("/data",), NOW, 1, 1, 0, problems)


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (FileState(INFO, "broken", "Permission denied", 300, 100), True),
        (FileState(INFO, "broken", "of another run: it is read further", 300, 200), False),
        (FileState("other.log", "broken", "of another run", 300, 100), False),
        (FileState("/data", "gone", "No such file"), True),
        (FileState("/dat", "gone", "No such file"), False),
    ],
)
def test_trouble_at_a_file_is_the_runs_whose_file_it_is(problem: FileState, said: bool) -> None:
    files = {INFO: Cursor(INFO, "log", 0, offset=100, mtime=NOW)}
    assert (trouble(run_with(files), [beat(problem)], None) is not None) == said


def test_a_file_that_was_left_long_ago_is_no_trouble_and_times_that_lie_behind_are() -> None:
    files = {INFO: Cursor(INFO, "log", 0, offset=100, mtime=NOW - 4000), WORKER: Cursor(WORKER, "log", 0, mtime=NOW)}
    assert trouble(run_with(files), [beat(FileState(INFO, "gone", "gone", 0, 100))], None) is None
    assert trouble(run_with(files), [], NOW + 600) == ""
    assert trouble(run_with(files), [], NOW + 30) is None


def test_a_history_replayed_second_by_second_never_raises_a_false_alarm() -> None:
    """Twelve seconds a step, an evaluation of 200 s every fifth step and a checkpoint of 90 s every eighth; then the
    job hangs. Each moment is judged by what had been written by then."""
    points: list[tuple[int, float, float]] = []
    lines: list[RunEvent] = []
    at = NOW
    for step in range(1, 81):
        at += 12
        points.append((step, at, 1.0))
        if step % 5 == 0:
            at += 200
            lines.append(RunEvent("eval", step, at, f"Eval result: x, eval time is 200.0 s. {step}", 0, INFO))
        if step % 8 == 0:
            lines.append(RunEvent("checkpoint", step, at, f"Saving ckpt {step}", 0, INFO))
            at += 90
            text = f"Finish saving ckpt of epoch 1 step {step} using 90.0 seconds"
            lines.append(RunEvent("checkpoint", step, at, text, 0, INFO))
    judged = [judge(points, lines, second) for second in range(int(points[30][1]), int(at), 7)]
    assert {one.state for one in judged} == {"live"}
    assert {one.cause for one in judged} >= {None, "evaluation", "checkpoint"}
    hung = judge(points, lines, int(at) + 4000)
    assert (hung.state, hung.cause) == ("quiet", "not_growing")  # both were done, and the next is not due


def judge(points: list[tuple[int, float, float]], lines: list[RunEvent], now: float) -> Freshness:
    past = [one for one in points if one[1] <= now]
    told = [one for one in lines if one.wall is not None and one.wall <= now]
    touched = max([past[-1][1], *(one.wall or 0.0 for one in told)])
    rhythm = cadence(curve(past[-64:]), [], buffered=False)
    files = {INFO: Cursor(INFO, "log", 0, mtime=touched)}
    return freshness(Evidence(past[-1][0], past[-1][1], files, None, rhythm, True, told), now)
