"""``health_ckpts.json`` is followed as it is written: anew as a whole, met half-written, read again after a flush."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import redis

from collector.parse.health import MOST_ENTRIES, HealthRecord
from collector.parse.select import role_of
from collector.wire import schema
from collector.wire.records import Cursor, RunId
from tests.support.following import following
from tests.support.growing import Job, lines
from tests.support.waiting import eventually

RECORD = "output/health_ckpts.json"
Entries = list[tuple[str, int]]


def name(step: int) -> str:
    return f"llama_rank_0-1_{step}.ckpt"


def written(entries: Entries) -> bytes:
    """As CheckpointMonitor writes it."""
    told = [{"is_health": flag, "ckpt_name": one} for one, flag in entries]
    return json.dumps(told, indent=4).encode()


def facts_of(data: bytes, size: int) -> dict[str, str]:
    """What the parser tells when the file is offered ``size`` bytes at a time."""
    found: dict[str, str] = {}
    state: dict[str, object] = {}
    at, end = 0, min(size, len(data))
    while True:
        parsed = HealthRecord().parse(data[at:end], state)  # type: ignore[arg-type]
        found.update(parsed.facts)
        state, at = dict(parsed.state), at + parsed.consumed
        if end == len(data):
            return found
        end = min(end + size, len(data))


@pytest.mark.parametrize("size", [1, 7, 64, 100_000])
def test_every_cut_tells_the_same(size: int) -> None:
    data = written([(name(step), step % 2) for step in range(1, 6)])
    expected = {schema.HEALTH_FACT + name(step): str(step % 2) for step in range(1, 6)}
    assert facts_of(data, size) == expected


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"", {}),
        (b"null", {}),
        (b'{"epoch": {"7": 1}}', {}),
        (b'[{"is_health": 2, "ckpt_name": "a-1_1.ckpt"}, {"is_health": null, "ckpt_name": "b"}]', {}),
        (b'[{"is_health": 0}, {"ckpt_name": "a"}, {"is_health": 1, "ckpt_name": 5}, {,}, {"a" 1}]', {}),
        (b'[{"is_health": true, "ckpt_name": "/far/away/a-1_1.ckpt"}]', {"a-1_1.ckpt": "1"}),
        (b'[{"is_health": "0", "ckpt_name": "a-1_1.ckpt", "norm": NaN}]', {"a-1_1.ckpt": "0"}),
        (b'\xff\xfe[{"is_health": 0, "ckpt_name": "\\ud800-1_1"}]', {"?-1_1": "0"}),
        ('[{"is_health": 0, "ckpt_name": "观潮-1_1.ckpt"}]'.encode(), {"观潮-1_1.ckpt": "0"}),
        (b'[{"is_health": 1, "ckpt_name": "a"}, {"is_health": 0, "ckpt_name": "a"}]', {"a": "0"}),
        (b'[{"is_health": 0, "ckpt_name": "a"}, {"is_health": 1, "ckpt_na', {"a": "0"}),
    ],
)
def test_what_is_no_entry_is_passed_over(text: bytes, found: dict[str, str]) -> None:
    assert facts_of(text, 10_000) == {schema.HEALTH_FACT + one: flag for one, flag in found.items()}


def test_megabytes_without_an_entry_are_not_kept() -> None:
    assert HealthRecord().parse(b"x" * 2**20, {}).consumed == 2**20
    assert HealthRecord().parse(b"{" * 2**20, {}).consumed > 2**19


def test_more_entries_than_a_run_can_have_are_not_stored() -> None:
    data = written([(name(step), 0) for step in range(MOST_ENTRIES + 50)])
    assert len(facts_of(data, 2**20)) == MOST_ENTRIES


def test_it_belongs_to_the_run_whose_logs_lie_beside_it() -> None:
    role = role_of("job/output/health_ckpts.json")
    log = role_of("job/output/log/rank_0/info.log")
    assert role is not None and log is not None
    assert (role.run, role.source, role.rank) == (log.run, "health", None)


class Stored:
    """What Redis holds of the one run."""

    def __init__(self, client: redis.Redis, run: str) -> None:
        self._client, self._run = client, RunId(run)

    def flags(self) -> dict[str, str]:
        """Step (by the name) → flag."""
        found = self._client.hgetall(schema.facts(self._run))
        start = schema.HEALTH_FACT.encode()
        return {key.decode().rpartition("_")[2][:-5]: text.decode() for key, text in found.items() if key[:18] == start}

    def cursor(self) -> Cursor | None:
        text = self._client.hget(schema.cursors(self._run), RECORD)
        return None if text is None else Cursor.decode(text)

    def generations(self) -> list[str]:
        return [key.decode() for key in self._client.hkeys(schema.generations(self._run)) if RECORD.encode() in key]


def rewrite(path: Path, data: bytes) -> None:
    """``open(path, "w")`` and a write: the same inode."""
    with path.open("wb", buffering=0) as file:
        file.write(data)


def test_a_record_that_is_rewritten_loses_nothing_and_doubles_nothing(
    tmp_path: Path, redis_url: str, redis_client: redis.Redis
) -> None:
    root = tmp_path / "gpt"
    job = Job(root).prepare()
    job.log.write_bytes(lines(range(1, 9)))
    record, stored = root / RECORD, Stored(redis_client, "gpt")
    entries: Entries = [(name(1), 0), (name(2), 1)]
    with following(root, redis_url):
        rewrite(record, written(entries))
        eventually(lambda: stored.flags() == {"1": "0", "2": "1"})
        entries.append((name(3), 0))
        half = written(entries)[:40]
        rewrite(record, half)  # shorter than what was read: as if it were truncated, in the middle of an entry
        eventually(lambda: (cursor := stored.cursor()) is not None and cursor.offset < 40)
        assert stored.flags() == {"1": "0", "2": "1"}
        rewrite(record, written(entries))
        eventually(lambda: stored.flags() == {"1": "0", "2": "1", "3": "0"})
        redis_client.flushall()
        eventually(lambda: stored.flags() == {"1": "0", "2": "1", "3": "0"}, seconds=15)
        rewrite(record, written([(name(2), 0)]))  # saved again under its name, by a job that began a record of its own
        eventually(lambda: stored.flags()["2"] == "0")
        assert stored.flags() == {"1": "0", "2": "0", "3": "0"}
        record.replace(root / "output" / "old.json")
        rewrite(record, written([(name(4), 1)]))
        eventually(lambda: stored.flags().get("4") == "1")
    cursor = stored.cursor()
    assert cursor is not None and not cursor.counts  # a rewriting is no damage
    assert stored.generations() == [f"{RECORD}\x1f0"]


def test_a_collector_that_was_killed_goes_on_and_a_lone_record_is_no_run(
    tmp_path: Path, redis_url: str, redis_client: redis.Redis
) -> None:
    root = tmp_path / "gpt"
    job = Job(root / "a").prepare()
    job.log.write_bytes(lines(range(1, 9)))
    (root / "elsewhere").mkdir()
    rewrite(root / "elsewhere" / "health_ckpts.json", written([(name(9), 0)]))
    record, stored = root / "a" / RECORD, Stored(redis_client, "a")
    rewrite(record, written([(name(1), 0)]))
    with following(root, redis_url) as follower:
        eventually(lambda: stored.flags() == {"1": "0"}, seconds=10)
        assert follower.process is not None
        follower.process.kill()
        follower.process.wait()
        rewrite(record, written([(name(1), 0), (name(2), 1)]))
        follower.start()
        eventually(lambda: stored.flags() == {"1": "0", "2": "1"}, seconds=10)
        assert redis_client.smembers(schema.RUNS) == {b"a"}
