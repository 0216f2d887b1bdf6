"""``python -m app export``: the real process before a real Redis."""

from __future__ import annotations

import csv
import io
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import redis

from collector.wire import schema
from collector.wire.records import RunId
from tests.support.redis_server import RedisServer
from tests.support.seed import RUN, Seed, straight
from tests.support.waiting import eventually

ROOT = Path(__file__).resolve().parents[2]
POINTS = 300_000


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "app", "export", *arguments]


def environment(**environ: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8", "REDIS_URL": "", **environ}


def export(*arguments: str, cwd: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, timeout=50, cwd=cwd, env=environment(**environ)
    )


def left(directory: Path) -> list[str]:
    return sorted(one.name for one in directory.iterdir())


@pytest.fixture
def small(seed: Seed) -> Seed:
    seed.points(straight(range(1, 6)), metric="loss")
    seed.points(straight(range(1, 6)), metric="lr")
    return seed


@pytest.fixture
def seed(redis_client: redis.Redis) -> Seed:
    return Seed(redis_client)


def large(seed: Seed) -> None:
    """A run that takes a moment to be written."""
    for metric in ("loss", "lr", "grad_norm"):
        seed.points(straight(range(POINTS)), metric=metric, live=False)


def test_a_file_is_named_after_the_run(small: Seed, redis_url: str, tmp_path: Path) -> None:
    done = export(RUN, "--redis", redis_url, cwd=tmp_path)
    assert (done.returncode, done.stdout, left(tmp_path)) == (0, "", [f"{RUN}.csv"])
    assert done.stderr.strip() == f"5 rows of 2 series (0.0 MB) are in {RUN}.csv."
    rows = list(csv.DictReader(io.StringIO((tmp_path / f"{RUN}.csv").read_text())))
    assert [one["step"] for one in rows] == list("12345")


@pytest.mark.parametrize(
    ("name", "arguments"), [("a.parquet", ()), ("b.jsonl", ()), ("c", ("--format", "parquet")), ("d.txt", ())]
)
def test_the_form_is_that_of_the_ending(
    small: Seed, redis_url: str, tmp_path: Path, name: str, arguments: Sequence[str]
) -> None:
    assert export(RUN, "--redis", redis_url, "--out", name, *arguments, cwd=tmp_path).returncode == 0
    head = (tmp_path / name).read_bytes()[:4]
    assert head == (
        b"PAR1" if "parquet" in (name.partition(".")[2], *arguments) else b'{"st' if "jsonl" in name else b"step"
    )
    if head == b"PAR1":
        assert pq.read_table(tmp_path / name)["loss"].to_pylist() == [10 - step / 1000 for step in range(1, 6)]


def test_standard_output_and_a_narrow_question(small: Seed, redis_url: str, tmp_path: Path) -> None:
    narrow = ("--metric", "loss", "--start", "2", "--end", "3", "--layout", "long", "--attempt", "1", "--source", "log")
    done = export(RUN, "--out", "-", *narrow, cwd=tmp_path, REDIS_URL=redis_url)
    assert (done.returncode, done.stderr, left(tmp_path)) == (0, "", [])
    assert [one["value"] for one in csv.DictReader(io.StringIO(done.stdout))] == ["9.998", "9.997"]


def test_a_run_is_found_by_its_name(small: Seed, redis_url: str, redis_client: redis.Redis, tmp_path: Path) -> None:
    other = Seed(redis_client, RunId("other"))
    other.points(straight(range(3)))
    redis_client.hset(schema.run(other.run), "name", "pretrain 观潮")
    assert export("pretrain 观潮", "--redis", redis_url, cwd=tmp_path).returncode == 0
    assert left(tmp_path) == ["other.csv"]
    third = Seed(redis_client, RunId("third"))
    third.points(straight(range(3)))
    redis_client.hset(schema.run(third.run), "name", "pretrain 观潮")
    done = export("pretrain 观潮", "--redis", redis_url, cwd=tmp_path)
    assert (done.returncode, "other, third" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("gtp",), 2, "did you mean gpt?"),
        (("nothing-like-it",), 2, "there are gpt"),
        ((RUN, "--metric", "none"), 2, "nothing of 'none'; it has "),
        ((RUN, "--metric", "los"), 2, "nothing of 'los'; did you mean loss?"),
        ((RUN, "--metrik", "los"), 2, "(python -m app export --help shows what can be given)"),
        ((RUN, "--attempt", "9"), 2, "attempt"),
        ((RUN, "--start", "x"), 2, "not a whole number"),
        ((RUN, "--format", "xlsx"), 2, "invalid choice"),
        ((RUN, "--out", "no/such/place.csv"), 1, "cannot be written"),
        ((RUN, "--out", "/dev/null", "--force"), 1, "is no file"),
        ((RUN, "--redis", "http://x"), 2, "must begin with"),
        ((), 2, "RUN"),
    ],
)
def test_what_makes_no_sense_is_a_sentence(
    small: Seed, redis_url: str, tmp_path: Path, arguments: Sequence[str], code: int, said: str
) -> None:
    done = export(*arguments, cwd=tmp_path, REDIS_URL=redis_url)
    assert (done.returncode, done.stdout, left(tmp_path)) == (code, "", [])
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_chinese_is_spoken(small: Seed, redis_url: str, tmp_path: Path) -> None:
    done = export(RUN, "--redis", redis_url, "--lang", "zh", cwd=tmp_path)
    assert done.stderr.strip() == f"2 条曲线的 5 行（0.0 MB）已写入 {RUN}.csv。"


def test_nothing_is_overwritten_unless_it_is_said(small: Seed, redis_url: str, tmp_path: Path) -> None:
    target = tmp_path / "a.csv"
    target.write_text("mine")
    done = export(RUN, "--redis", redis_url, "--out", str(target), cwd=tmp_path)
    assert (done.returncode, target.read_text(), left(tmp_path)) == (1, "mine", ["a.csv"])
    assert "--force" in done.stderr
    assert export(RUN, "--redis", redis_url, "--out", str(target), "--force", cwd=tmp_path).returncode == 0
    assert target.read_text().startswith("step,")


def test_a_redis_that_is_away_is_told(tmp_path: Path) -> None:
    done = export(RUN, "--redis", f"unix://{tmp_path}/none", cwd=tmp_path)
    assert (done.returncode, left(tmp_path), done.stderr.count("\n")) == (3, [], 1)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_what_is_ended_leaves_nothing(seed: Seed, redis_url: str, tmp_path: Path, number: int, code: int) -> None:
    large(seed)
    with subprocess.Popen(
        command(RUN, "--redis", redis_url), cwd=tmp_path, env=environment(), stderr=subprocess.PIPE
    ) as process:
        eventually(lambda: any(one.endswith(".part") for one in left(tmp_path)), seconds=30)
        process.send_signal(number)
        assert process.wait(30) == code
    assert left(tmp_path) == []


def test_a_redis_that_dies_on_the_way_leaves_nothing(own_redis: RedisServer, tmp_path: Path) -> None:
    client = redis.Redis.from_url(own_redis.url)
    large(Seed(client))
    client.close()
    with subprocess.Popen(
        command(RUN, "--redis", own_redis.url), cwd=tmp_path, env=environment(), stderr=subprocess.PIPE, text=True
    ) as process:
        eventually(lambda: any(one.endswith(".part") for one in left(tmp_path)), seconds=30)
        own_redis.stop(kill=True)
        assert process.stderr is not None
        said = process.stderr.read()
        assert process.wait(30) == 3
    assert (left(tmp_path), said.count("\n")) == ([], 1)


def test_a_reader_that_has_enough_is_no_error(seed: Seed, redis_url: str, tmp_path: Path) -> None:
    large(seed)
    done = subprocess.run(
        ["bash", "-c", f"'{sys.executable}' -m app export {RUN} --redis '{redis_url}' --out - | head -n 1"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=50,
    )
    assert (done.stdout, done.stderr) == ("step,attempt,source,time,wall,loss,lr,grad_norm\n", "")


def test_progress_is_shown_on_a_terminal(seed: Seed, redis_url: str, tmp_path: Path) -> None:
    large(seed)
    ours, theirs = pty.openpty()
    environ = environment(TERM="xterm-256color", COLUMNS="100")
    with subprocess.Popen(command(RUN, "--redis", redis_url), cwd=tmp_path, env=environ, stderr=theirs) as process:
        os.close(theirs)
        said = b""
        while True:
            try:
                some = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            said += some
            if not some:
                break
        assert process.wait(30) == 0
    os.close(ours)
    assert b"%" in said
    assert b" MB" in said
    assert f"{POINTS:,} rows".encode() in said
