"""A grid of all ranks is what each rank's curve says, whichever way its points were read, and while they come."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
import redis

from app.grids import Grids, Shown
from app.hosts import of_name, told
from app.reader import Reader, Wanted
from app.series.ranks.grid import Grid, assembled
from app.series.splice import latest
from app.store import RedisRunStore
from app.stored import LeanRun, StoreAway
from collector.wire import schema
from collector.wire.records import SeriesMeta, Source
from tests.support.redis_server import RedisServer
from tests.support.seed import RUN, Point, Seed, straight

LOCAL = Shown("local_loss", False)
LOSS = Shown("loss", False)
NAN, INF = float("nan"), float("inf")


def run_of(store: RedisRunStore) -> LeanRun:
    run = store.lean(RUN)
    assert run is not None
    return run


def exact(store: RedisRunStore, shown: Shown) -> Grid:
    """Rank by rank, each as its curve."""
    run, reader = run_of(store), Reader(store)
    known = reader.timeline(run)
    metas = [one for one in run.series.values() if (one.tag if shown.is_tag else one.metric) == shown.name]
    curves = {}
    for rank in {one.rank for one in metas if one.rank is not None}:
        curve = reader.curve(run, Wanted(shown.name, shown.is_tag, rank), known)
        if shown.attempt is None:
            curves[rank] = latest(curve, known.first_steps)
        else:
            curves[rank] = latest(curve.take(curve.attempts == shown.attempt), ())
    return assembled(curves)


def check(found: Grid, wanted: Grid, *, walls: bool = True) -> None:
    assert found.ranks.tolist() == wanted.ranks.tolist()
    assert found.steps.tolist() == wanted.steps.tolist()
    np.testing.assert_array_equal(found.there, wanted.there)
    np.testing.assert_array_equal(found.values, wanted.values)
    if walls:
        np.testing.assert_array_equal(found.walls, wanted.walls)


def of(store: RedisRunStore, grids: Grids, shown: Shown = LOCAL) -> Grid:
    return grids.of(run_of(store), shown).grid


def file(rank: int, start: int = 1, node: int | None = None) -> str:
    return f"tensorboard/rank_{rank}/events.out.tfevents.{start}.node-{rank // 8 if node is None else node}"


def local(seed: Seed, rank: int, points: Sequence[Point], start: int = 1) -> None:
    seed.points(
        points, metric="local_loss", tag="local_lm_loss", file=file(rank, start), rank=rank, source="tensorboard"
    )


@pytest.fixture
def grids(store: RedisRunStore) -> Grids:
    return Grids(store, Reader(store))


def test_ranks_of_equal_steps_lie_side_by_side(store: RedisRunStore, grids: Grids, seed: Seed) -> None:
    for rank in range(20):
        local(seed, rank, straight(range(1, 51), value=rank))
    found = of(store, grids)
    assert found.shape == (20, 50)
    check(found, exact(store, LOCAL))


def test_what_one_rank_lacks_is_missing_and_what_is_no_number_is_there(
    store: RedisRunStore, grids: Grids, seed: Seed
) -> None:
    local(seed, 0, straight(range(1, 9)))
    local(seed, 1, [(2, 5.0, NAN), (4, 7.0, INF), (12, 9.0, -INF)])
    local(seed, 7, straight(range(5, 8)))
    found = of(store, grids)
    check(found, exact(store, LOCAL))
    assert (found.ranks.tolist(), found.steps.tolist()[-1]) == ([0, 1, 7], 12)
    assert found.there[1].nonzero()[0].tolist() == [1, 3, 8]


def scattered(seed: Seed, dice: random.Random) -> None:
    """One commit of a run as it may be: several ranks, files of both sources, twins, restarts, gaps, no numbers."""
    attempt = dice.choice([0, 0, 1, 2])
    rank = dice.randrange(5)
    first = dice.randrange(1, 40)
    steps = [first + number * dice.choice([1, 1, 2]) for number in range(dice.randrange(1, 12))]
    wall = 1_000_000.0 + 10_000 * attempt
    source: Source = dice.choice(["tensorboard", "log"])
    names = {"log": [f"log/rank_{rank}/info.log", f"msrun_log/worker_{rank}.log"], "tensorboard": [file(rank, attempt)]}
    values = {step: (NAN if step % 17 == 0 else step + rank / 8 + attempt) for step in steps}
    rounded = {step: round(value, 1) if source == "log" else value for step, value in values.items()}
    seed.points(
        [(step, wall + step, rounded[step]) for step in sorted(set(steps))],
        metric="loss",
        file=dice.choice(names[source]),
        rank=rank,
        source=source,
        generation=attempt if source == "log" else 0,
        reason="start_announced" if attempt and source == "log" else "",
    )


@pytest.mark.parametrize("number", range(12))
def test_it_is_what_each_curve_says_at_every_moment(store: RedisRunStore, seed: Seed, number: int) -> None:
    dice = random.Random(number)
    growing = Grids(store, Reader(store))
    for _ in range(14):
        scattered(seed, dice)
        wanted = exact(store, LOSS)
        # A log's clock has no time zone; beside event files its moments are not the column's.
        check(of(store, growing, LOSS), wanted, walls=False)
        check(of(store, Grids(store, Reader(store)), LOSS), wanted, walls=False)


@pytest.mark.parametrize("number", range(4))
def test_one_attempt_alone_is_what_each_curve_says(store: RedisRunStore, seed: Seed, number: int) -> None:
    dice = random.Random(100 + number)
    for _ in range(25):
        scattered(seed, dice)
    for attempt in range(1, len(Reader(store).timeline(run_of(store)).attempts) + 1):
        shown = Shown("loss", False, attempt)
        check(of(store, Grids(store, Reader(store)), shown), exact(store, shown), walls=False)


def test_columns_come_one_by_one_and_some_ranks_late(store: RedisRunStore, grids: Grids, seed: Seed) -> None:
    for step in range(1, 30):
        for rank in range(6):
            if rank != 3 or step % 5 == 0:
                late = range(step - 4, step + 1) if rank == 3 else [step]
                local(seed, rank, [(one, 1_000_000.0 + one, one / 2 + rank) for one in late])
        check(of(store, grids), exact(store, LOCAL))


def test_a_monitors_steps_go_on_after_a_resume_in_every_rank(store: RedisRunStore, grids: Grids, seed: Seed) -> None:
    later = 1_003_600.0
    for rank in range(9):
        seed.points(straight(range(1, 143)), file=file(rank), rank=rank, source="tensorboard")
        local(seed, rank, straight(range(1, 143), value=rank))
        of(store, grids)
        resumed = straight(range(101, 131), at=later + rank / 100)
        seed.points(resumed, file=file(rank, 2), rank=rank, source="tensorboard")
        local(seed, rank, straight(range(1, 31), at=later + rank / 100, value=20 + rank), start=2)
    found = of(store, grids)
    check(found, exact(store, LOCAL))
    assert found.steps.tolist() == list(range(1, 131))
    assert found.values[4, 99] == pytest.approx(4 - 0.1)
    assert found.values[4, 100] == pytest.approx(24 - 0.001)


def test_a_store_that_was_filled_anew_is_read_anew(store: RedisRunStore, grids: Grids, seed: Seed) -> None:
    for rank in range(4):
        local(seed, rank, straight(range(1, 21)))
    of(store, grids)
    seed.flush()
    again = Seed(seed.client)
    for rank in range(4):
        local(again, rank, straight(range(1, 21), value=3.0))
    check(of(store, grids), exact(store, LOCAL))


def test_a_rank_that_comes_later_has_a_row(store: RedisRunStore, grids: Grids, seed: Seed) -> None:
    for rank in (0, 2):
        local(seed, rank, straight(range(1, 21)))
    of(store, grids)
    local(seed, 1, straight(range(11, 21)))
    check(of(store, grids), exact(store, LOCAL))


def test_files_without_a_rank_are_the_owners(store: RedisRunStore, grids: Grids, seed: Seed) -> None:
    seed.points(straight(range(1, 9)), metric="local_loss", file="log/rank_0/info.log", rank=0)
    seed.points(straight(range(1, 9)), metric="local_loss", file="log/rank_1/info.log", rank=1)
    seed.points(
        straight(range(5, 12), value=3.0), metric="local_loss", file="events.1", rank=None, source="tensorboard"
    )
    found = of(store, grids)
    assert found.ranks.tolist() == [0, 1]
    assert found.values[1, 4:].tolist() == [3 - step / 1000 for step in range(5, 12)]


def test_a_run_without_ranks_is_one_row(store: RedisRunStore, grids: Grids, seed: Seed) -> None:
    seed.points(straight(range(1, 9)), metric="local_loss", file="events.1", rank=None, source="tensorboard")
    assert of(store, grids).shape == (1, 8)


def test_of_more_cells_than_are_kept_the_newest_columns_stay(store: RedisRunStore, seed: Seed) -> None:
    grids = Grids(store, Reader(store), kept_bytes=20_000)
    for rank in range(8):
        local(seed, rank, straight(range(1, 1_001), value=rank))
    seen = grids.of(run_of(store), LOCAL)
    assert seen.floor is not None
    assert seen.grid.steps.tolist() == list(range(seen.floor, 1_001))
    assert seen.since == seen.floor
    check(seen.grid, exact(store, LOCAL).window(seen.floor, None))
    for step in range(1_001, 1_200):
        for rank in range(8):
            local(seed, rank, [(step, 1e6 + step, rank)])
        seen = grids.of(run_of(store), LOCAL)
    assert seen.grid.steps.tolist() == list(range(seen.floor or 0, 1_200))
    check(seen.grid, exact(store, LOCAL).window(seen.floor, None))
    assert grids.held <= 20_000


@pytest.mark.parametrize(("start", "end"), [(1, 40), (17, 90), (95, 1_000), (1, None), (250, 260), (700, 760)])
def test_older_columns_are_read_when_they_are_asked_for(
    store: RedisRunStore, seed: Seed, start: int, end: int | None
) -> None:
    grids = Grids(store, Reader(store), kept_bytes=20_000)
    for rank in range(8):  # one that began late, one that was slow, one that lacks some, one that was begun again
        first, every = 200 if rank == 3 else 1, 7 if rank == 4 else 1
        steps = [one for one in range(first, 801, every) if not (rank == 5 and one % 3 == 0)]
        local(seed, rank, straight(steps, value=rank))
    for rank in range(8):
        seed.points(straight(range(1, 801)), file=file(rank), rank=rank, source="tensorboard")
        seed.points(straight(range(701, 901), at=1_010_000.0), file=file(rank, 2), rank=rank, source="tensorboard")
        local(seed, rank, straight(range(1, 201), at=1_010_000.0, value=rank + 50), start=2)
    seen = grids.of(run_of(store), LOCAL, start=start, end=end)
    assert seen.floor is not None
    assert (seen.first, seen.last) == (1, 900)
    wanted = exact(store, LOCAL).window(start, end)
    most = 20_000 // 15 // 8
    check(seen.grid, wanted.window(int(seen.grid.steps[0]), None))
    assert len(seen.grid.steps) >= min(len(wanted.steps), most // 2)
    is_cut = len(seen.grid.steps) < len(wanted.steps)
    assert seen.since == (int(seen.grid.steps[0]) if is_cut else None)


def test_a_window_is_some_of_the_columns(store: RedisRunStore, grids: Grids, seed: Seed) -> None:
    for rank in range(3):
        local(seed, rank, straight(range(10, 200, 10)))
    seen = grids.of(run_of(store), LOCAL, start=35, end=70)
    assert seen.grid.steps.tolist() == [40, 50, 60, 70]
    assert (seen.first, seen.last, seen.columns) == (10, 190, 19)


def test_only_what_is_new_is_read(store: RedisRunStore, seed: Seed, monkeypatch: pytest.MonkeyPatch) -> None:
    grids, read = Grids(store, Reader(store)), list[int]()
    ends = store.ends

    def counted(run_id: object, places: Sequence[tuple[str, int]]) -> Sequence[bytes]:
        found = ends(RUN, places)
        read.append(sum(map(len, found)) // 24)
        return found

    monkeypatch.setattr(store, "ends", counted)
    for rank in range(4):
        local(seed, rank, straight(range(1, 101)))
    of(store, grids)
    of(store, grids)
    assert read == [400]
    for rank in range(4):
        local(seed, rank, straight(range(101, 103)))
    of(store, grids)
    assert read == [400, 12]  # the last known point of each once more


def test_a_store_that_goes_away_in_the_middle_loses_nothing(own_redis: RedisServer) -> None:
    store = RedisRunStore(own_redis.url)
    seed = Seed(redis.Redis.from_url(own_redis.url))
    for rank in range(4):
        local(seed, rank, straight(range(1, 21)))
    grids, run = Grids(store, Reader(store)), run_of(store)
    grids.of(run, LOCAL)
    local(seed, 2, straight(range(21, 31)))
    run = run_of(store)
    seed.client.close()
    own_redis.stop()
    with pytest.raises(StoreAway):
        grids.of(run, LOCAL)
    own_redis.start()
    check(of(store, grids), exact(store, LOCAL))
    store.close()


@pytest.mark.parametrize(
    ("name", "host"),
    [
        ("tensorboard/rank_3/events.out.tfevents.1795961307.node-07", "node-07"),
        ("events.out.tfevents.1795961307.a.b.example.4711.0", "a.b.example"),
        ("summary/rank_0/mf.events.out.events.summary.1700000000.0.node-7_MS", "node-7"),
        ("log/rank_0/info.log", ""),
    ],
)
def test_a_host_is_read_from_the_name_of_an_event_file(name: str, host: str) -> None:
    assert of_name(name) == host


def test_hosts_of_collectors_count_where_no_name_tells() -> None:
    metas = [SeriesMeta(f"msrun_log/worker_{rank}.log", 0, "loss", "loss", rank, "log") for rank in range(4)]
    series = {one.sid: one for one in metas}
    readers = {one.file: f"host-{(one.rank or 0) // 2}" for one in metas}
    assert told(series, readers) == {0: "host-0", 1: "host-0", 2: "host-1", 3: "host-1"}
    assert told(series, dict.fromkeys(readers, "one")) == {}


def test_hosts_are_told_by_cursors_that_have_one(store: RedisRunStore, seed: Seed) -> None:
    seed.client.hset(schema.cursors(RUN), "a.log", '{"file":"a.log","host":"node-1"}')
    seed.client.hset(schema.cursors(RUN), "b.log", '{"file":"b.log","host":""}')
    seed.client.hset(schema.cursors(RUN), "c.log", '{"file":"c.log"}')
    assert store.hosts(RUN) == {"a.log": "node-1"}
