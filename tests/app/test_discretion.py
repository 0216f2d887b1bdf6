"""Names of hosts and places on the training machines are told in other words, and nothing else is."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.discreet.discretion import Discretion, discretion

KNOWN = discretion(["node-07", "host-a", "worker1.cluster.example", "10.0.0.7"], ["/data/llama team/runs/llama"])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/data/llama team/runs/llama/log/rank_0/info.log:12", "…/log/rank_0/info.log:12"),
        ("at /data/llama team/runs/llama.", "at …/llama."),
        ("at /data/llama team/runs/llama", "at …"),
        ("at /data/llama team/other/x", "at …/other/x"),
        ("/home/li/x", "…/x"),
        ("/home/li/project/output/rank_0/info.log", "…/rank_0/info.log"),
        ("open '/home/li/a b/some c/d e/f'", "open '…/d e/f'"),
        (
            'File "/opt/c/lib/python3.11/site-packages/mindspore/nn/cell.py", line 5',
            'File "…/mindspore/nn/cell.py", line 5',
        ),
        ("PATH=/usr/bin:/home/li/bin", "PATH=…:…/bin"),
        ("obs://bucket/li/run/a/b", "obs://…/a/b"),
        ("file:///home/li/x", "file://…/x"),
        ("~/x/y and ~li/z", "…/y and …/z"),
        ("C:\\Users\\li\\x", "…/x"),
        ("\\\\server\\share\\li\\x", "…/x"),
        ("node-07 and NODE-07.cluster.local: up", "host-1 and host-1: up"),
        ("worker1.cluster.example x", "host-3 x"),
        ("log_node-07.txt of rank_node-07_3", "log_host-1.txt of rank_host-1_3"),
        ("10.0.0.7:8118 asks 10.0.0.12:8118", "host-4:8118 asks host:8118"),
        ("events.out.tfevents.1700000000.node-9.4711.0", "events.out.tfevents.1700000000.host.4711.0"),
        ("events.out.events.summary.1700000000.0.node-07_MS", "events.out.events.summary.1700000000.0.host-1_MS"),
        ("fe80::1", "host"),
        ("redis://node-9:6379/0 and http://node-9/x", "redis://host:6379/0 and http://host/x"),
        ("rediss://•••@cache.example/0", "rediss://•••@host/0"),
        ("HOSTNAME=xyz USER=li MASTER_ADDR=node-9", "HOSTNAME=host USER=host MASTER_ADDR=host"),
    ],
)
def test_hosts_and_paths_are_told_in_other_words(text: str, shown: str) -> None:
    assert KNOWN.text(text) == shown
    assert KNOWN.text(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        *("4/8 and </s> tokens/s /s", "https://gitee.com/a/b", "node-070 xnode-07", "v2.10.0 1.2.3.4.5", "127.0.0.1:1"),
        *("std::vector a::b 12:34:56", "address: 0x7f12", "host: 0", "[1/100]", "loss 1.5e-3", "rank_0/info.log"),
        "[mindspore/ccsrc/x.cc:12] DISTRIBUTED(1,ffff,python):2026-01-01-12:00:00.123.456",
    ],
)
def test_other_things_stay(text: str) -> None:
    assert KNOWN.text(text) == text


def test_hosts_and_paths_by_themselves() -> None:
    assert [KNOWN.host(name) for name in ("node-07", "HOST-A", "unknown", "", "localhost")] == [
        *("host-1", "host-2", "host", "", "localhost")
    ]
    assert [KNOWN.path(path) for path in ("/data/llama team/runs/llama/a/b/c", "/home/li/a", "a/b", "~li/a")] == [
        *("…/a/b/c", "…/a", "a/b", "…/a")
    ]


def test_whose_home_a_run_lies_in_is_not_told() -> None:
    assert discretion([], ["/home/opslead7/runs"]).text("opslead7 runs /home/opslead7/x/y as opslead7.") == (
        "user runs …/x/y as user."
    )


def test_a_host_that_is_called_as_others_are_told_is_told_once() -> None:
    known = discretion(["host", "host-a", "user"], [])
    assert known.text("host: host-a user host-1 is up") == "host-1: host-2 host-3 host-1 is up"
    assert known.text("host-1: host-2 host-3 host-1 is up") == "host-1: host-2 host-3 host-1 is up"


def test_a_thousand_hosts_take_no_longer_than_one() -> None:
    known = discretion([f"npu-node-{number:04d}.cluster.example" for number in range(1_000)], [])
    line = (
        "2026-11-28 10:00:00 - INFO - npu-node-0417.cluster.example: step 5, loss 2.3, lr 1e-05, per_step_time 716 ms\n"
    )
    begun = time.process_time()
    told = known.text(line * 20_000)
    assert time.process_time() - begun < 60
    assert told.count("host-418: step") == 20_000


def test_one_who_knows_nothing_still_keeps_paths_back() -> None:
    assert Discretion({}, ()).text("/home/li/run at 10.1.2.3") == "…/run at host"


PIECES = st.sampled_from(
    [
        *(
            "/",
            "a",
            "li",
            "node-07",
            ".",
            ":",
            " ",
            "'",
            '"',
            "~",
            "\\",
            "C:",
            "//",
            "1",
            "10.0.0.7",
            "host=",
            "::",
            "…",
        ),
        *("obs://", "/data/llama team", "/runs/llama", "events.out.tfevents.1.", "_MS", "-", "\n", "site-packages/"),
        "/home/li/a/b/c/d",
    ]
)


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=24).map("".join) | st.text(max_size=80))
def test_a_second_time_changes_nothing(text: str) -> None:
    once = KNOWN.text(text)
    assert KNOWN.text(once) == once
    assert once.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    "piece", ["a", "/", "/a", "~", "C:\\", "1.", "host=", "obs://", "'/a ", "node-07.", "::1 ", "a_"]
)
def test_a_megabyte_of_anything_takes_no_time_to_speak_of(piece: str) -> None:
    begun = time.process_time()
    KNOWN.text(piece * (2**20 // len(piece)))
    assert time.process_time() - begun < 60
