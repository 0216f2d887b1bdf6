"""What an open page is sent: one metric, one step, one point, and ``reload`` when its history is no longer right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from app.api.joining import Batch, Join
from app.stored import START, LiveEntry, LivePoint, StoredRun
from collector.wire.records import RunRecord, SeriesMeta
from tests.support.curve_points import meta
from tests.support.seed import RUN

NAN = float("nan")


def run(*series: SeriesMeta, facts: Mapping[str, str] | None = None) -> StoredRun:
    record = RunRecord(RUN, "gpt", "/data/gpt")
    return StoredRun(record, 0.0, 0.0, START, {f"{one.sid}{one.rank}": one for one in series}, {}, [], facts or {}, [])


def point(
    step: int, *, metric: str = "loss", rank: int | None = 0, source: str = "log", generation: int = 0
) -> LivePoint:
    return LivePoint(metric, rank, source, generation, step, 100.0 + step, 1.0 / (step + 1))


def entry(*points: LivePoint, events: int = 0, reload: bool = False) -> LiveEntry:
    return LiveEntry("1-0", points, events, reload)


def steps(batch: Batch, metric: str = "loss") -> list[int]:
    assert not batch.reload
    return [one.step for one in batch.points.get(metric, ())]


def offer(join: Join, numbers: Iterable[int], **kind: object) -> Batch:
    return join.batch([entry(point(step, **kind)) for step in numbers])  # type: ignore[arg-type]  # a test's short hand


def test_each_step_is_sent_once_though_two_files_announce_it() -> None:
    join = Join(run(meta()))
    assert steps(join.batch([entry(point(1), point(1)), entry(point(2)), entry(point(1), point(2))])) == [1, 2]


def test_a_twin_that_lags_far_behind_is_neither_sent_nor_taken_for_a_restart() -> None:
    join = Join(run(meta()))
    assert steps(offer(join, range(1, 100))) == list(range(1, 100))
    assert steps(offer(join, range(1, 100))) == []


def test_a_twin_of_nan_values_is_known_too() -> None:
    join = Join(run(meta()))
    broken = [LivePoint("loss", 0, "log", 0, step, NAN, NAN) for step in range(1, 20)]
    assert steps(join.batch([entry(*broken)])) == list(range(1, 20))
    assert steps(join.batch([entry(*broken)])) == []


def test_only_the_owner_and_files_without_a_rank_are_sent() -> None:
    join = Join(run(meta(rank=0), meta(rank=7)))
    assert steps(offer(join, [1, 2], rank=0)) == []
    assert steps(offer(join, [1, 2], rank=7)) == [1, 2]
    assert steps(offer(join, [3], rank=None)) == [3]


def test_with_zero_bubble_the_owner_is_rank_zero() -> None:
    join = Join(run(meta(rank=0), meta(rank=7), facts={"zero_bubble_v": "true"}))
    assert steps(offer(join, [1], rank=7)) == []
    assert steps(offer(join, [1], rank=0)) == [1]


def test_a_rank_that_takes_the_metric_over_means_reload() -> None:
    join = Join(run(meta(rank=0)))
    assert steps(offer(join, [1], rank=0)) == [1]
    assert offer(join, [1], rank=7).reload
    assert steps(offer(join, [2], rank=7)) == [2]
    assert steps(offer(join, [3], rank=0)) == []


def test_the_first_points_of_a_new_run_are_sent_without_reload() -> None:
    assert steps(offer(Join(run()), [1, 2])) == [1, 2]


def test_metrics_of_single_ranks_and_unknown_ones_are_not_sent() -> None:
    join = Join(run(meta()))
    assert not join.batch([entry(point(1, metric="local_loss"), point(1, metric="nonsense"))])


def test_exact_values_that_arrive_late_are_left_to_the_next_reading() -> None:
    join = Join(run(meta(), meta("e", source="tensorboard")))
    assert steps(offer(join, range(1, 101))) == list(range(1, 101))
    assert steps(offer(join, range(1, 91), source="tensorboard")) == []
    assert steps(offer(join, [101])) == [101]


def test_a_step_that_goes_back_means_reload_and_a_little_does_not() -> None:
    join = Join(run(meta()))
    offer(join, range(1, 100))
    other = LivePoint("loss", 0, "log", 0, 97, 9999.0, 5.0)
    assert steps(join.batch([entry(other)])) == []
    restarted = LivePoint("loss", 0, "log", 0, 50, 9999.0, 5.0)
    assert join.batch([entry(restarted)]).reload


def test_log_intervals_are_learnt_from_the_steps() -> None:
    join = Join(run(meta()))
    offer(join, range(10, 200, 10))
    assert not join.batch([entry(LivePoint("loss", 0, "log", 0, 160, 9999.0, 5.0))]).reload
    assert join.batch([entry(LivePoint("loss", 0, "log", 0, 150, 9999.0, 5.0))]).reload


def test_a_new_generation_means_reload_once() -> None:
    join = Join(run(meta()))
    offer(join, range(1, 50))
    assert offer(join, [50], generation=1).reload
    assert not offer(join, [51], generation=1).reload


def test_generations_that_are_stored_already_are_no_news() -> None:
    join = Join(run(meta(generation=1), meta("msrun_log/worker_0.log")))
    assert steps(offer(join, [5], generation=1)) == [5]
    assert steps(offer(join, [6], generation=0)) == [6]


def test_a_bulk_commit_means_reload_and_its_points_are_dropped() -> None:
    batch = Join(run(meta())).batch([entry(point(1)), entry(reload=True)])
    assert (batch.reload, batch.points) == (True, {})


def test_events_are_counted() -> None:
    batch = Join(run(meta())).batch([entry(events=1), entry(point(1), events=2)])
    assert batch.events == 3
    assert steps(batch) == [1]
