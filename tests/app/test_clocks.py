"""Clocks of training hosts that are off Redis' own: measured by collectors, told, and never used for an order."""

from __future__ import annotations

import time

import pytest
from flask.testing import FlaskClient

from app.language import speaking
from app.pages.clocks import clock_line
from app.pages.ranks import CLOCKS
from app.pages.site import page
from app.pages.source import Source
from app.reader import Reader
from app.series.clocks import HostClock, host_clocks
from app.store import RedisRunStore
from collector.wire.records import Heartbeat
from tests.support.seed import Seed


def beat(host: str, skew: tuple[float, float] | None, root: str = "/data", pid: int = 1) -> Heartbeat:
    return Heartbeat(f"{host}:{pid}", host, pid, (root,), 0.0, 1, 1, 0, skew=skew)


def test_a_run_has_the_clocks_of_those_who_read_it() -> None:
    beats = [beat("b", (3.2, 0.1)), beat("a", (0.0, 0.1)), beat("c", None), beat("d", (9.0, 0.1), root="/elsewhere")]
    assert host_clocks(beats, "/data/gpt") == [HostClock("a", 0.0, 0.1), HostClock("b", 3.2, 0.1)]


def test_of_two_collectors_of_a_host_the_more_certain_counts() -> None:
    beats = [beat("a", (3.0, 0.5)), beat("a", (3.4, 0.001), pid=2), beat("a", (9.0, 6.0), pid=3)]
    assert host_clocks(beats, "/data") == [HostClock("a", 3.4, 0.001)]


@pytest.mark.parametrize(
    ("ahead", "within", "is_off"),
    [(0.4, 0.0, False), (1.2, 0.1, True), (-1.2, 0.1, True), (1.2, 0.3, False), (60.0, 30.0, True), (3.0, 2.5, False)],
)
def test_only_what_is_certain_is_told(ahead: float, within: float, is_off: bool) -> None:
    clock = HostClock("a", ahead, within)
    assert (clock.is_off, bool(clock_line([clock]))) == (is_off, is_off)


def test_the_farthest_are_named_and_all_are_counted() -> None:
    said = clock_line([HostClock(f"n{k}", float(k), 0.0) for k in range(8)] + [HostClock("late", -90.0, 0.0)])
    assert said.startswith("The clock of late is 90 s behind Redis'. The clock of n7 is 7 s ahead of Redis'. ")
    assert "n5 " not in said
    assert said.endswith(
        "4 more hosts are off too. Times written there are off by as much; nothing is put in order by them."
    )


def test_it_is_said_in_chinese_too() -> None:
    with speaking("zh"):
        assert clock_line([HostClock("node-07", 3.2, 0.0)]).startswith("node-07 的时钟比 Redis 快 3.2 秒。")


def test_the_details_of_a_run_have_every_clock(client: FlaskClient, seed: Seed) -> None:
    seed.points([(1, 1.0, 2.0)])
    seed.beat(host="node-07", skew=(3.2, 0.01))
    seed.beat(host="node-08", skew=(-0.002, 0.01))
    assert client.get("/api/runs/gpt").json["clocks"] == [
        {"host": "node-07", "ahead": 3.2, "within": 0.01},
        {"host": "node-08", "ahead": -0.002, "within": 0.01},
    ]


def test_the_page_of_ranks_names_the_host(store: RedisRunStore, seed: Seed) -> None:
    source = Source(store, time.time, Reader(store))
    for rank in (0, 1):
        seed.points([(1, 1.0, 2.0)], rank=rank, file=f"log/rank_{rank}/info.log")
    seed.beat(host="node-07", skew=(0.2, 0.01))
    assert page(source, "/", "run/gpt/ranks").parts == {CLOCKS: ""}
    seed.beat(host="node-07", skew=(3.2, 0.01))
    assert "node-07 is 3.2 s ahead" in str(page(source, "/", "run/gpt/ranks").parts[CLOCKS])
