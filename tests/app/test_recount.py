"""Tags that count their steps anew after a resume lie at the run's steps, in curves as in everything made of them."""

from __future__ import annotations

import pytest

from app.reader import Reader, Wanted
from app.series.recount import counts_anew
from app.store import RedisRunStore
from app.stored import StoredRun
from tests.support.curve_points import meta
from tests.support.seed import RUN, Point, Seed, straight

OLD, NEW = (f"tensorboard/rank_0/events.out.tfevents.{second}.node0" for second in (1_000_000, 1_003_600))
LATER = 1_003_600.0


def resumed(seed: Seed, *, every: int = 1, redone: int = 42) -> None:
    """Some steps, then from the checkpoint of step 1600 on, as TrainingStateMonitor and MFLossMonitor write it."""
    stop = 1600 + redone
    both(seed, OLD, straight(range(every, stop + 1, every)), straight(range(every, stop + 1, every)))
    counted = straight(range(every, 201, every), at=LATER, value=20.0)
    both(seed, NEW, straight(range(1600 + every, 1801, every), at=LATER, value=20.0), counted)


def both(seed: Seed, file: str, loss: list[Point], local: list[Point]) -> None:
    seed.points(loss, file=file, source="tensorboard")
    seed.points(local, file=file, source="tensorboard", metric="local_loss", tag="local_lm_loss")


def run_of(store: RedisRunStore) -> StoredRun:
    run = store.run(RUN)
    assert run is not None
    return run


def steps(store: RedisRunStore, reader: Reader, metric: str = "local_loss") -> list[int]:
    run = run_of(store)
    found: list[int] = (
        reader.line(run, Wanted(metric, False, 0), reader.timeline(run), attempt="latest").curve().steps.tolist()
    )
    return found


@pytest.mark.parametrize(("every", "redone"), [(1, 42), (1, 0), (10, 80), (10, 20), (10, 0)])
def test_a_monitors_steps_go_on_where_the_resumed_job_began(
    store: RedisRunStore, seed: Seed, every: int, redone: int
) -> None:
    resumed(seed, every=every, redone=redone)
    assert steps(store, Reader(store)) == list(range(every, 1801, every))
    assert steps(store, Reader(store), "loss") == list(range(every, 1801, every))


def test_they_go_on_there_while_points_come(store: RedisRunStore, seed: Seed) -> None:
    reader = Reader(store)
    both(seed, OLD, straight(range(10, 1641, 10)), straight(range(10, 1641, 10)))
    assert steps(store, reader)[-1] == 1640
    for number in range(1, 8):  # nothing but the first point tells how often the resumed job logs
        one = straight([10 * number], at=LATER + number)
        both(seed, NEW, straight([1600 + 10 * number], at=LATER + number), one)
        assert steps(store, reader) == list(range(10, max(1641, 1601 + 10 * number), 10))


def test_one_that_writes_the_runs_own_steps_is_left_alone(store: RedisRunStore, seed: Seed) -> None:
    both(seed, OLD, straight(range(1, 1643)), straight(range(1, 1643)))
    goes_on = straight(range(1601, 1701), at=LATER)
    both(seed, NEW, goes_on, goes_on)
    assert steps(store, Reader(store)) == list(range(1, 1701))


def test_one_that_is_written_more_often_than_the_loss_does_not_tell_of_attempts(
    store: RedisRunStore, seed: Seed
) -> None:
    both(seed, OLD, straight(range(10, 1691, 10)), straight(range(1, 1693)))
    both(seed, NEW, straight(range(1610, 1701, 10), at=LATER), straight(range(1, 101), at=LATER))
    reader = Reader(store)
    assert reader.timeline(run_of(store)).first_steps == (10, 1610)
    assert steps(store, reader) == list(range(1, 1701))


def test_where_nothing_else_tells_how_steps_went_they_are_left_alone(store: RedisRunStore, seed: Seed) -> None:
    for rank, first in ((0, 1), (1, 5)):  # the owner's begin at 5
        file = f"tensorboard/rank_{rank}/events.out.tfevents.1000000.node0"
        points = straight(range(first, 9))
        seed.points(points, file=file, rank=rank, source="tensorboard", metric="local_loss", tag="local_lm_loss")
    assert steps(store, Reader(store)) == list(range(1, 9))


@pytest.mark.parametrize(
    ("tag", "anew"),
    [
        ("local_lm_loss", True),
        ("device_accum_local_lm_loss", True),
        ("device_local_norm", True),
        ("local_norm/model.layers.0.weight", True),
        ("weight_norm", True),
        ("max_attention_logit/max", True),
        ("loss", False),
        ("local_loss", False),  # PyNative, which counts on
        ("grad-norm", False),
        ("weight_norms", False),
    ],
)
def test_which_tags_count_anew(tag: str, anew: bool) -> None:
    assert counts_anew(meta("e", source="tensorboard", tag=tag)) is anew
    assert not counts_anew(meta("l", source="log", tag=tag))
