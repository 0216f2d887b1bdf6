"""The worker on a real store: alerts, each once, whatever it is cut into."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

import pytest

from app.diagnosis.alert import Alert
from app.diagnosis.followed import Followed
from app.diagnosis.notices import Changes
from app.diagnosis.row import Row
from app.diagnosis.signal import Signal
from app.diagnosis.store import AlertStore
from app.diagnosis.tuning import Tuned
from app.diagnosis.watch import Watch
from collector.wire import schema
from collector.wire.records import RunId
from tests.diagnosis.worker.conftest import Bench
from tests.diagnosis.worker.course import Course, commit
from tests.support.seed import RUN, Seed

FAULTY = Course(range(1, 601), nan=range(300, 304), spikes={450: 2.0, 451: 2.0, 452: 2.0})


def expected(bench: Bench, seed: Seed) -> dict[str, Alert]:
    """What is found when everything is there at once."""
    commit(seed, FAULTY.rows())
    bench.settle(bench.worker())
    found = bench.found()
    forget(bench, seed)
    return found


def forget(bench: Bench, seed: Seed) -> None:
    bench.client.flushall()
    Seed.__post_init__(seed)


def told(bench: Bench) -> list[tuple[str, str]]:
    return [(one.alert, one.change) for one in bench.notices()]


def test_nan_and_a_spike_are_found_where_they_are(bench: Bench, seed: Seed) -> None:
    found = expected(bench, seed)
    nan = found["nan_inf-a1-300"]
    assert (nan.severity, nan.is_open, nan.raised_step) == ("critical", False, 300)
    assert nan.evidence.value is not None
    assert math.isnan(nan.evidence.value)
    assert any(one.about in ("loss_spike", "grad_explode") and one.first_step == 450 for one in found.values())


@pytest.mark.parametrize("piece", [1, 7, 100])
def test_rows_in_pieces_make_the_same_alerts(bench: Bench, seed: Seed, piece: int) -> None:
    whole = expected(bench, seed)
    worker, rows = bench.worker(), FAULTY.rows()
    for start in range(0, len(rows), piece):
        commit(seed, rows[start : start + piece])
        if piece > 1 or start % 3 == 0:
            bench.settle(worker)
    bench.settle(worker)
    assert repr(bench.found()) == repr(whole)


def test_a_worker_that_was_killed_is_gone_on_from_and_nothing_is_told_twice(bench: Bench, seed: Seed) -> None:
    whole = expected(bench, seed)
    rows = FAULTY.rows()
    for start in range(0, len(rows), 50):  # each piece by a worker of its own that never ends in order
        commit(seed, rows[start : start + 50])
        bench.now = rows[min(start + 49, len(rows) - 1)]["loss"][1]
        bench.settle(bench.worker())
    assert repr(bench.found()) == repr(whole)
    assert len(told(bench)) == len(set(told(bench)))
    assert {alert for alert, change in told(bench) if change == "opened"} == {
        name for name, one in whole.items() if one.cause is None
    }


def test_a_killed_worker_goes_on_from_its_last_saving_not_from_the_beginning(bench: Bench, seed: Seed) -> None:
    rows = Course(range(1, 401)).rows()
    commit(seed, rows[:300])
    first = bench.worker()
    bench.settle(first)
    first.end()
    commit(seed, rows[300:])
    second = bench.worker()
    bench.settle(second)
    assert (first.judged, second.judged) == (300, 100)


def test_history_makes_alerts_and_no_messages(bench: Bench, seed: Seed) -> None:
    bench.now += 86_400
    commit(seed, FAULTY.rows())
    bench.settle(bench.worker())
    assert bench.found()
    assert [one for one in told(bench) if one[1] == "opened"] == []


def test_two_workers_tell_everything_once(bench: Bench, seed: Seed) -> None:
    whole = expected(bench, seed)
    workers, rows = (bench.worker(), bench.worker()), FAULTY.rows()
    for number, start in enumerate(range(0, len(rows), 30)):
        commit(seed, rows[start : start + 30])
        bench.now = rows[start]["loss"][1]
        for worker in workers[:: 1 if number % 2 else -1]:
            bench.settle(worker)
    assert repr(bench.found()) == repr(whole)
    assert len(told(bench)) == len(set(told(bench)))


def test_a_store_that_was_flushed_and_filled_again_is_judged_again(bench: Bench, seed: Seed) -> None:
    whole = expected(bench, seed)
    worker = bench.worker()
    commit(seed, FAULTY.rows()[:350])
    bench.settle(worker)
    forget(bench, seed)
    commit(seed, FAULTY.rows())
    bench.settle(worker)
    assert repr(bench.found()) == repr(whole)


def test_a_log_that_turns_up_later_is_listened_to_and_makes_the_same_alerts(bench: Bench, seed: Seed) -> None:
    whole = expected(bench, seed)
    worker, rows = bench.worker(), FAULTY.rows()
    commit(seed, rows[:310], source="tensorboard", file="tensorboard/rank_0/e")
    bench.settle(worker)
    before = told(bench)
    commit(seed, rows)
    bench.settle(worker)
    assert repr(bench.found()) == repr(whole)
    assert [one for one in told(bench) if told(bench).count(one) > 1] == []
    assert before == told(bench)[: len(before)]


def test_attempts_are_counted_and_a_restart_is_told(bench: Bench, seed: Seed) -> None:
    commit(seed, Course(range(1, 201)).rows())
    again = Course(range(100, 301), nan=range(150, 152), at=2_000_000.0).rows()
    commit(seed, again, generation=1, reason="start_announced")
    bench.settle(bench.worker())
    assert "nan_inf-a2-150" in bench.found()
    back = bench.found()["step_regress-a2-100"]
    assert (back.severity, back.is_open) == ("info", False)


def test_silence_is_found_by_the_clock_and_ends_with_the_next_row(bench: Bench, seed: Seed) -> None:
    worker, rows = bench.worker(), Course(range(1, 120)).rows()
    commit(seed, rows[:100])
    bench.now = rows[99]["loss"][1]
    seed.touched(bench.now)
    for after in (1.0, 55.0, 62.0, 90.0):
        bench.now = rows[99]["loss"][1] + after
        seed.beat(bench.now)
        bench.settle(worker)
        assert ("stall-a1-100" in bench.found()) == (after > 60), after
    assert bench.found()["stall-a1-100"].is_open
    later = Course(range(101, 130), at=bench.now + 1).rows()
    commit(seed, later)
    bench.settle(worker)
    assert not bench.found()["stall-a1-100"].is_open
    assert told(bench) == [("stall-a1-100", "opened"), ("stall-a1-100", "ended")]


@pytest.mark.parametrize("why", ["ended", "no collector", "evaluation", "history"])
def test_silence_with_a_reason_is_no_stall(bench: Bench, seed: Seed, why: str) -> None:
    worker, rows = bench.worker(), Course(range(1, 101)).rows()
    commit(seed, rows)
    at = rows[-1]["loss"][1]
    seed.touched(at)
    if why == "ended":
        seed.event("end", step=100, wall=at + 1)
    if why == "evaluation":
        seed.event("eval", step=100, wall=at + 1, text="Starting Evaluate Model")
    bench.now = at + (200_000 if why == "history" else 90)
    if why != "no collector":
        seed.beat(bench.now)
    bench.settle(worker)
    bench.settle(worker)
    assert bench.found() == {}


def test_evaluations_that_rise_while_the_loss_falls_are_told_of(bench: Bench, seed: Seed) -> None:
    worker, rows = bench.worker(), Course(range(1, 1001)).rows()
    for number, start in enumerate(range(0, 1000, 100)):
        commit(seed, rows[start : start + 100])
        loss = 2.0 - 0.1 * number if number < 4 else 1.7 + 0.12 * (number - 3)
        seed.points([(start + 100, rows[start + 99]["loss"][1] + 0.5, loss)], metric="eval_loss")
        bench.settle(worker)
    over = [one for one in bench.found().values() if one.about == "overfit"]
    assert [one.first_step for one in over] == [400]
    piecewise = repr(bench.found())
    bench.client.delete(schema.diagnosis(RUN), schema.alerts(RUN))
    bench.settle(bench.worker())
    assert repr(bench.found()) == piecewise


def test_a_log_without_the_summaries_that_were_to_be_written_is_told_of(bench: Bench, seed: Seed) -> None:
    settings = {"configuration:tensorboard": '{"tensorboard_dir": "./output/tensorboard"}'}
    seed.client.hset(schema.facts(RUN), mapping=settings)
    commit(seed, Course(range(1, 101), every=5.0).rows())
    worker = bench.worker()
    bench.settle(worker)
    (missing,) = (one for one in bench.found().values() if one.about == "tb_missing")
    assert missing.is_open
    seed.points([(1, 1_000_000.0, 5.0)], metric=None, tag="x", source="tensorboard", file="tensorboard/rank_0/e")
    commit(seed, Course(range(101, 105), at=1_000_600.0, every=5.0).rows())
    bench.settle(worker)
    assert not bench.found()[missing.id].is_open


def test_a_run_whose_history_is_being_read_is_left_to_its_collector_for_a_while(bench: Bench, seed: Seed) -> None:
    commit(seed, FAULTY.rows())
    seed.beat(bench.now, behind={"gpt": (10, 100)})
    worker = bench.worker()
    follower = bench.store.follow()
    for _ in range(3):
        worker.step(follower)
    assert worker.judged == 0
    bench.now += 20.0
    for _ in range(50):
        worker.step(follower)
    follower.close()
    assert worker.judged == 600


def test_open_pages_learn_of_an_alert(bench: Bench, seed: Seed) -> None:
    worker = bench.worker()
    commit(seed, FAULTY.rows()[:299])
    bench.settle(worker)
    position = bench.store.run(RUN).position  # type: ignore[union-attr]
    commit(seed, FAULTY.rows()[299:301])
    bench.settle(worker)
    entries = bench.store.live_after(RUN, position) or ()
    assert [one.alerts for one in entries if one.alerts] == [1]


def test_a_run_that_is_gone_is_followed_no_more(bench: Bench, seed: Seed) -> None:
    worker = bench.worker()
    commit(seed, FAULTY.rows()[:20])
    bench.settle(worker)
    bench.client.flushall()
    worker.due.clear()
    follower = bench.store.follow()
    worker.step(follower)
    follower.close()
    assert not worker.places


def test_nothing_is_written_for_a_run_that_is_gone(bench: Bench, seed: Seed) -> None:
    commit(seed, FAULTY.rows())
    bench.settle(bench.worker())
    bench.client.delete(schema.run(RUN))
    store: AlertStore = bench.alerts
    kept = store.kept(RUN)
    assert store.commit(RUN, kept.version, {}, Changes((), (), ())) is None


@pytest.mark.parametrize("rows", [700, 2_500, 4_000])
def test_history_that_is_cut_anywhere_is_judged_to_its_end(bench: Bench, seed: Seed, rows: int) -> None:
    """Every other turn ends after so many rows, as it does when its time is up; the one after it has time enough."""
    commit(seed, Course(range(1, 6_001)).rows())
    run = Followed(bench.store, bench.alerts, RUN, lambda: bench.now)
    while run.behind:
        left = iter(range(rows))
        run.advance(is_over=partial(_is_out, left))
        run.advance(60.0)
    assert run.judged == 6_000


def _is_out(left: Iterator[int]) -> bool:
    return next(left, None) is None


def test_a_run_at_which_a_rule_fails_silences_no_other(
    bench: Bench, seed: Seed, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Seed(bench.client, RunId("other"), "/data/other")
    for one in (seed, other):
        commit(one, FAULTY.rows())
    whole = Watch.take

    def fails(self: Watch, row: Row) -> Sequence[Signal]:
        if self.course.plan.total_steps:  # which the other run does not tell
            raise ValueError("no rule for this")
        return whole(self, row)

    monkeypatch.setattr(Watch, "take", fails)
    worker = bench.worker()
    bench.settle_but(worker, RUN)
    assert bench.found() == {}
    assert "nan_inf-a1-300" in bench.alerts.alerts(RunId("other"))
    assert worker.messages[RUN] == "Run gpt cannot be judged now (ValueError: no rule for this)."
    monkeypatch.undo()
    bench.now += 61.0
    bench.settle(worker)
    assert "nan_inf-a1-300" in bench.found()
    assert worker.messages == {}


def test_the_sign_of_life_says_how_much_was_judged(bench: Bench, seed: Seed) -> None:
    worker = bench.worker()
    commit(seed, FAULTY.rows()[:20])
    bench.settle(worker)
    bench.settle(worker)
    (sign,) = bench.alerts.vitals()
    assert (sign.runs, sign.rows, sign.behind) == (1, 20, ())
    worker.end()
    assert bench.alerts.vitals() == []


def test_a_class_that_is_muted_by_the_file_of_alerts_is_no_alert_any_more(bench: Bench, seed: Seed) -> None:
    rows = Course(range(1, 201), nan=range(150, 153)).rows()
    commit(seed, rows)
    bench.settle(bench.worker())
    assert [*bench.found()] == ["nan_inf-a1-150"]
    worker = bench.worker()
    worker.tuning = {"nan_inf": Tuned(mute=True)}
    commit(seed, Course(range(201, 203)).rows())
    bench.settle(worker)
    assert bench.found() == {}
    commit(seed, Course(range(203, 205)).rows())
    bench.settle(bench.worker())
    assert [*bench.found()] == ["nan_inf-a1-150"]
