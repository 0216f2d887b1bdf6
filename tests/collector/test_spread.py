"""Where the files of a run lie in a cluster, and what is told of a commit there; the rules need no Redis."""

from __future__ import annotations

from collections import Counter

import pytest
from redis.crc import key_slot

from collector.commits import is_behind
from collector.wire import schema
from collector.wire.address import Slots, host_of, node_url, nodes_of
from collector.wire.records import Cursor, RunId, SeriesMeta
from collector.wire.shards import SHARDS, by_home, home, home_of, homes, number

RUN = RunId("job_a")
URL = "rediss+cluster://me:secret@a:1,b:2/?ssl_ca_certs=/x"


def test_the_shard_of_a_file_stays_the_same() -> None:
    """What was stored by an older program must be found by a newer one."""
    assert [number(f"output/log/rank_{rank}/info.log", 16) for rank in range(6)] == FIRST_SIX
    assert home(RUN, 16, "output/log/rank_0/info.log") == f"job_a:{FIRST_SIX[0]:02d}"


FIRST_SIX = [10, 14, 4, 7, 11, 4]


@pytest.mark.parametrize("other", ["info.log.1", "info.log.12", "info.log@host-b", "info.log.3@host-b"])
def test_rotated_parts_and_seconds_of_a_log_lie_with_it(other: str) -> None:
    for rank in range(64):
        assert number(f"log/rank_{rank}/{other}", SHARDS) == number(f"log/rank_{rank}/info.log", SHARDS)


def test_event_files_are_no_parts_of_one_another() -> None:
    names = [f"events.out.tfevents.1748772000.node0.4711.{one}" for one in range(64)]
    assert len({number(name, SHARDS) for name in names}) > SHARDS // 2


def test_files_of_many_ranks_are_spread_evenly() -> None:
    counts = Counter(number(f"msrun_log/worker_{rank}.log", SHARDS) for rank in range(4096))
    assert len(counts) == SHARDS
    assert max(counts.values()) < 1.25 * 4096 / SHARDS


def test_without_shards_a_run_is_its_own_home() -> None:
    assert homes(RUN, 0) == [RUN]
    assert home(RUN, 0, "info.log") == RUN
    assert by_home(RUN, 0, ["a\x1f0\x1floss", "b\x1f0\x1floss"]) == {RUN: [0, 1]}


def test_series_are_put_together_by_the_home_of_their_file() -> None:
    sids = [SeriesMeta(f"log/rank_{rank}/info.log", 0, "loss", "loss", rank, "log").sid for rank in range(64)]
    found = by_home(RUN, SHARDS, sids)
    assert sorted(place for places in found.values() for place in places) == list(range(64))
    assert all(home_of(RUN, SHARDS, sids[place]) == one for one, places in found.items() for place in places)
    assert set(found) <= set(homes(RUN, SHARDS))


def test_every_key_of_a_shard_is_in_one_slot_and_shards_are_not() -> None:
    slots = set()
    for one in homes(RUN, SHARDS):
        keys = [
            schema.run(one),
            schema.cursors(one),
            schema.series(one),
            schema.live(one),
            schema.points(one, "s{x}"),
            schema.packed(one, "s{x}"),
            schema.folded(one, "s{x}"),
        ]
        slots |= {key_slot(key.encode()) for key in keys}
    assert len(slots) == SHARDS


def test_a_cluster_tells_which_node_holds_which_slot() -> None:
    answer = [
        [5461, 16383, [b"10.0.0.2", 7001, b"id", []]],
        [0, 5459, [b"", 7000, b"id", []], [b"10.0.0.3", 7002, b"id", []]],
    ]
    slots = Slots.told(answer, URL, "rediss://me:secret@a:1/?ssl_ca_certs=/x")
    assert slots.primary(0) == slots.primary(5459) == "rediss://me:secret@a:7000/?ssl_ca_certs=/x"
    assert slots.primary(16383) == "rediss://me:secret@10.0.0.2:7001/?ssl_ca_certs=/x"
    assert slots.primary(5460) is None
    assert [host_of(one) for one in slots.nodes] == ["a", "10.0.0.3", "10.0.0.2"]


def test_an_address_of_six_parts_is_put_into_brackets() -> None:
    assert host_of(node_url(URL, "fe80::1", 7000)) == "fe80::1"
    assert host_of(nodes_of("redis+cluster://[fe80::1]:7000")[0]) == "fe80::1"


def test_a_cursor_that_went_back_is_told_from_one_that_another_collector_moved() -> None:
    known = Cursor("info.log", "log", 0, offset=100, generation=1)
    text = known.encode()
    assert is_behind(None, text)
    assert is_behind(Cursor("info.log", "log", 0, offset=50, generation=1).encode(), text)
    assert is_behind(Cursor("info.log", "log", 0, offset=500, generation=0).encode(), text)
    assert not is_behind(Cursor("info.log", "log", 0, offset=200, generation=1).encode(), text)
    assert not is_behind(text, None)
