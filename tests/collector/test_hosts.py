"""One run, many hosts: files that are called alike stay apart, storage that all see stays one, ranks are global."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import pytest
import redis

from collector.places import WHAT_TO_DO, Places
from collector.runs import Naming
from collector.store import Store
from collector.wire.records import Cursor, Heartbeat, RunId, unpack_points
from tests.support.following import Follower, following
from tests.support.growing import line, lines
from tests.support.memory import MemoryFiles, MemoryStore
from tests.support.waiting import eventually
from tests.support.world import World

WORKER = "/job/msrun_log/worker_0.log"
RUN = RunId("pangu")


@pytest.fixture
def store() -> MemoryStore:
    found = MemoryStore()
    found.living = {"a", "b"}
    return found


def host(name: str, store: MemoryStore, files: MemoryFiles | None = None, offset: int | None = None) -> World:
    return World(
        files or MemoryFiles(1000 * ord(name)), store=store, host=name, naming=Naming("pangu", rank_offset=offset)
    )


def losses(store: MemoryStore) -> dict[str, list[int]]:
    """By file, over its generations."""
    found: dict[str, list[int]] = {}
    for (_, sid), points in sorted(store.points.items()):
        file, _, tag = sid.split("\x1f")
        if tag == "loss":
            found.setdefault(file.rpartition("/")[2], []).extend(step for step, _, _ in unpack_points(points))
    return found


def settle(*worlds: World) -> None:
    for _ in range(6):
        for world in worlds:
            world.step()


def test_files_that_are_only_called_alike_stay_apart_through_restarts(store: MemoryStore) -> None:
    a, b = host("a", store), host("b", store)
    a.files.append(WORKER, lines(range(1, 6)))
    b.files.append(WORKER, lines(range(11, 14)))
    settle(a, b)
    assert losses(store) == {"worker_0.log": [1, 2, 3, 4, 5], "worker_0.log@b": [11, 12, 13]}
    for world, step in ((a, 6), (b, 14)):
        world.start()
        world.files.append(WORKER, line(step))
        settle(a, b)
    assert losses(store) == {"worker_0.log": [1, 2, 3, 4, 5, 6], "worker_0.log@b": [11, 12, 13, 14]}
    assert {reason for _, _, reason in store.generations} == {"first"}


def test_both_begin_at_once(store: MemoryStore) -> None:
    a, b = host("a", store), host("b", store)
    for step in range(1, 5):
        a.files.append(WORKER, line(step))
        b.files.append(WORKER, line(step + 10))
        settle(a, b)
    assert losses(store) == {"worker_0.log": [1, 2, 3, 4], "worker_0.log@b": [11, 12, 13, 14]}


def test_inodes_that_happen_to_be_equal_do_not_make_one_file_of_two(store: MemoryStore) -> None:
    a, b = host("a", store, MemoryFiles()), host("b", store, MemoryFiles())
    a.files.append(WORKER, lines(range(1, 6)))
    settle(a)
    b.files.append(WORKER, lines(range(11, 14)))
    settle(a, b)
    assert losses(store) == {"worker_0.log": [1, 2, 3, 4, 5], "worker_0.log@b": [11, 12, 13]}


def test_storage_that_both_see_stays_one_file(store: MemoryStore) -> None:
    files = MemoryFiles()
    a, b = host("a", store, files), host("b", store, files)
    for step in range(1, 8):
        files.append(WORKER, line(step))
        a.step()
        b.step()
        if step == 4:
            b.start()
    settle(a, b)
    assert losses(store) == {"worker_0.log": [1, 2, 3, 4, 5, 6, 7]}


def test_what_is_behind_on_one_host_is_waited_for(store: MemoryStore) -> None:
    a, b = host("a", store), host("b", store)
    a.files.append(WORKER, lines(range(1, 6)))
    settle(a)
    b.files.append(WORKER, lines(range(1, 3)))
    b.step(1)
    b.step(1)
    b.files.append(WORKER, lines(range(3, 8)))
    settle(b)
    assert losses(store) == {"worker_0.log": [1, 2, 3, 4, 5, 6, 7]}


def test_a_host_that_has_another_name_now_goes_on_with_its_file(store: MemoryStore) -> None:
    a = host("a", store)
    a.files.append(WORKER, lines(range(1, 6)))
    settle(a)
    store.living = {"c"}
    renamed = host("c", store, a.files)
    a.files.overwrite(WORKER, lines(range(21, 24)))
    settle(renamed)
    assert losses(store) == {"worker_0.log": [1, 2, 3, 4, 5, 21, 22, 23]}


def test_a_third_host_that_shares_the_second_ones_storage_is_no_third_file(store: MemoryStore) -> None:
    store.living = {"a", "b", "c"}
    a, b = host("a", store), host("b", store)
    c = host("c", store, b.files)
    a.files.append(WORKER, lines(range(1, 6)))
    b.files.append(WORKER, lines(range(11, 16)))
    settle(a, b, c)
    b.files.append(WORKER, line(16))
    settle(c, b)
    assert losses(store) == {"worker_0.log": [1, 2, 3, 4, 5], "worker_0.log@b": [11, 12, 13, 14, 15, 16]}


def ranks(world: World) -> dict[str, int | None]:
    return {one.cursor.file.rpartition("/")[2]: one.cursor.rank for one in world.service.roster}


def test_workers_of_a_host_take_its_rank_directories_in_order(store: MemoryStore) -> None:
    a, b = host("a", store), host("b", store)
    for world, first in ((a, 0), (b, 8)):
        for number in (0, 1):
            world.files.append(f"/job/msrun_log/worker_{number}.log", line(first + number + 1))
    settle(a, b)
    assert ranks(b) == {"worker_0.log@b": None, "worker_1.log@b": None}
    for world, first in ((a, 0), (b, 8)):
        for number in (0, 1):
            world.files.append(f"/job/output/log/rank_{first + number}/info.log", line(first + number + 1))
    settle(a, b)
    assert (ranks(a)["worker_1.log"], ranks(b)["worker_0.log@b"], ranks(b)["worker_1.log@b"]) == (1, 8, 9)
    assert b.service.roster.problems == ()


def test_what_is_not_known_is_told_with_what_to_do_and_an_offset_tells_it(store: MemoryStore) -> None:
    a, b = host("a", store), host("b", store)
    for world in (a, b):
        world.files.append(WORKER, line(ord(world.host)))
    settle(a, b)
    assert ranks(a) == {"worker_0.log": 0}
    assert ranks(b) == {"worker_0.log@b": None}
    assert [one.reason for one in store.beats[-1].problems] == [WHAT_TO_DO]
    told = host("b", store, b.files, offset=8)
    settle(told)
    assert ranks(told) == {"worker_0.log@b": 8}


@pytest.mark.parametrize(
    ("numbers", "directories", "offset", "rank"),
    [
        ([0, 1], [], None, None),
        ([0, 1], [], 16, 17),
        ([0, 1], [8, 9], 16, 9),
        ([8, 9], [8, 9], None, 9),
        ([0, 1], [8], None, None),
        ([0, 1], [8], 16, 17),
        ([0, 1], [1, 2], None, 2),
    ],
)
def test_places(numbers: Sequence[int], directories: Sequence[int], offset: int | None, rank: int | None) -> None:
    names = [f"worker_{one}.log" for one in numbers] + [f"log/rank_{one}/info.log" for one in directories]
    assert Places.of(names, offset).rank(f"worker_{numbers[-1]}.log", is_second=True) == rank


def test_workers_whose_names_tell_their_node_take_the_ranks_in_which_it_wrote_events() -> None:
    names = [f"msrun_log/worker_10.0.0.{node}_node{node}_{number}.log" for node in (1, 2) for number in (0, 1)]
    assert Places.of(names, None).rank(names[2], is_second=False) == 0  # nothing tells: as the name says
    events = [f"tensorboard/rank_{rank}/events.out.tfevents.1.node{1 + rank // 2}" for rank in range(4)]
    places = Places.of(names + events, None)
    assert [places.rank(name, is_second=False) for name in names] == [0, 1, 2, 3]
    over_all = [f"worker_10.0.0.{node}_node{node}_{node * 2 + number}.log" for node in (0, 1) for number in (0, 1)]
    assert [Places.of(over_all, None).rank(name, is_second=False) for name in over_all] == [0, 1, 2, 3]


def test_a_cursor_of_an_older_collector_is_ours(store: MemoryStore) -> None:
    old = Cursor("msrun_log/worker_0.log", "log", 0).encode().replace(',"host":""', "").replace('"host":"",', "")
    assert "host" not in old
    assert Cursor.decode(old) == Cursor("msrun_log/worker_0.log", "log", 0)


def stored(url: str) -> dict[str, tuple[int | None, list[int]]]:
    """By file: its rank, and the steps of its losses."""
    client = Store(url)
    try:
        metas = [meta for meta in client.series(RUN) if meta.tag == "loss"]
        blocks = client.points(RUN, [meta.sid for meta in metas])
    finally:
        client.close()
    found: dict[str, tuple[int | None, list[int]]] = {}
    for meta, block in zip(metas, blocks, strict=True):
        found.setdefault(meta.file, (meta.rank, []))[1].extend(step for step, _, _ in unpack_points(block))
    return found


def points(url: str) -> int:
    return sum(len(steps) for _, steps in stored(url).values())


def on(name: str) -> Sequence[str]:
    return ("env", f"TIDEWATCH_HOSTNAME={name}")


def append(root: Path, path: str, data: bytes) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab") as out:
        out.write(data)


def test_two_collectors_of_two_hosts_meet_in_one_run(tmp_path: Path, redis_url: str) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    for root, first in ((a, 0), (b, 8)):
        append(root, f"output/log/rank_{first}/info.log", line(1))
        append(root, "msrun_log/worker_0.log", lines(range(first + 1, first + 4)))
    with (
        following(a, redis_url, "--run", "pangu", within=on("a")),
        following(b, redis_url, "--run", "pangu", within=on("b")),
    ):
        eventually(lambda: {len(steps) for _, steps in stored(redis_url).values()} == {1, 3}, seconds=20, every=0.1)
        for root, first in ((a, 0), (b, 8)):
            append(root, "msrun_log/worker_0.log", line(first + 4))
        eventually(lambda: points(redis_url) == 10, seconds=20, every=0.1)
    workers = {file: one for file, one in stored(redis_url).items() if "worker" in file}
    assert sorted(workers.values()) == [(0, [1, 2, 3, 4]), (8, [9, 10, 11, 12])]
    for root, name in ((a, "a"), (b, "b"), (a, "a")):
        before = points(redis_url)
        with following(root, redis_url, "--run", "pangu", within=on(name)):
            append(root, f"output/log/rank_{8 * (name == 'b')}/info.log", line(2))
            eventually(lambda before=before: points(redis_url) == before + 1, seconds=20, every=0.1)
    assert {file: one for file, one in stored(redis_url).items() if "worker" in file} == workers


def test_a_directory_that_two_hosts_see_is_stored_once(tmp_path: Path, redis_url: str) -> None:
    append(tmp_path, "msrun_log/worker_0.log", lines(range(1, 4)))
    with (
        following(tmp_path, redis_url, "--run", "pangu", within=on("a")),
        following(tmp_path, redis_url, "--run", "pangu", "--poll-only", within=on("b")),
    ):
        for step in range(4, 40):
            append(tmp_path, "msrun_log/worker_0.log", line(step))
            eventually(lambda step=step: stored(redis_url)["msrun_log/worker_0.log"][1][-1:] >= [step - 3], seconds=20)
        eventually(lambda: stored(redis_url)["msrun_log/worker_0.log"][1][-1] == 39, seconds=20)
    assert stored(redis_url) == {"msrun_log/worker_0.log": (0, list(range(1, 40)))}


def test_the_layout_that_was_told_is_a_fact_of_every_run_and_comes_back_after_a_flush(
    tmp_path: Path, redis_url: str, redis_client: redis.Redis
) -> None:
    for job in ("one", "two"):
        append(tmp_path, f"{job}/msrun_log/worker_0.log", line(1))

    def told() -> bool:
        return [redis_client.hget(f"tw:{{{job}}}:facts", "layout") for job in ("one", "two")] == [b"dp=8,tp=4,pp=2"] * 2

    with following(tmp_path, redis_url, "--layout", "tp=4, dp=8,pp=2"):
        eventually(told, seconds=15)
        redis_client.flushall()
        eventually(told, seconds=15)


@pytest.mark.parametrize("text", ["dp=8,tp", "dp=0", "dp=8,dp=4", "", "x=1", "dp=8;tp=4"])
def test_a_layout_that_is_none_is_refused_at_the_start(tmp_path: Path, redis_url: str, text: str) -> None:
    follower = Follower(tmp_path, redis_url, "--layout", text)
    follower.start()
    assert follower.process is not None
    assert follower.process.wait(timeout=15) == 2
    assert follower.said.count("\n") == 1
    assert "dp=8,tp=4,pp=2" in follower.said
    follower.close()


def test_the_sign_of_life_tells_how_far_the_clock_is_off(redis_url: str) -> None:
    ahead = Store(redis_url, clock=lambda: time.time() + 42)
    found = ahead.skew()
    assert found is not None
    skew, within = found
    assert 0 <= within < 5
    assert abs(skew - 42) <= within + 0.01
    beat = Heartbeat("a:1", "a", 1, (), 1.0, 0, 0, 0, skew=found)
    assert Heartbeat.decode(beat.encode()) == beat
    assert Heartbeat.decode(beat.encode().replace('"skew"', '"other"')).skew is None
    ahead.close()
