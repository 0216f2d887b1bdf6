"""``python -m app bundle`` before a real Redis and a real collector: what is in the files, and what must not be."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from collector.wire.records import RunId
from tests.support.dashboard import ROOT
from tests.support.following import following
from tests.support.incident import LAST, NAN_AT, OWNER, RUN, SECRETS, Incident, bundle, incident, write
from tests.support.redis_cluster import RedisCluster
from tests.support.redis_server import RedisServer
from tests.support.seed import Seed, straight
from tests.support.waiting import eventually

LOG = "logs/rank_3.log"  # the last rank speaks for the run


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Incident]:
    server = RedisServer().start()
    with (
        redis.Redis.from_url(server.url) as client,
        incident(client, server.url, tmp_path_factory.mktemp("job")) as one,
    ):
        yield one
    server.close()


@pytest.fixture(scope="module")
def made(there: Incident, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory into which a bundle with every default was written."""
    out = tmp_path_factory.mktemp("out")
    done = bundle(str(RUN), "--redis", there.url, "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.split()) == sorted(str(one) for one in out.iterdir())
    assert "Reading curves" in done.stderr
    return out


@pytest.fixture(scope="module")
def archive(made: Path) -> Iterator[zipfile.ZipFile]:
    with zipfile.ZipFile(next(made.glob("*.zip"))) as opened:
        yield opened


def test_the_archive_holds_everything_and_says_so(archive: zipfile.ZipFile) -> None:
    names = archive.namelist()
    assert names == [
        *("report.html", "curves.png", "points.csv", "findings.json", "notes.json", "configuration.json"),
        *("logs/rank_3.log", "logs/rank_2.log", "manifest.json"),
    ]
    told = json.loads(archive.read("manifest.json"))
    for one in told["files"]:
        body = archive.read(one["name"])
        assert (len(body), hashlib.sha256(body).hexdigest()) == (one["bytes"], one["sha256"])
    assert [one["name"] for one in told["files"]] == names[:-1]
    assert (told["run"], told["secrets_masked"], told["names_kept"], told["left_out"]) == ("llama", True, False, [])
    assert told["steps"] == {"first": 1, "last": LAST}


def test_nothing_secret_and_no_name_is_anywhere_in_it(there: Incident, archive: zipfile.ZipFile) -> None:
    for name in archive.namelist():
        body = archive.read(name).decode(errors="replace")
        decoded = "".join(_decoded(one) for one in re.findall(r"[A-Za-z0-9+/]{40,}={0,2}", body))
        found = [one for one in there.untold if one in body or one in decoded]
        assert (name, found) == (name, [])
        assert name == "report.html" or os.uname().nodename not in body
    raw = Path(str(archive.filename)).read_bytes()
    assert [one for one in SECRETS if one.encode() in raw] == []


def _decoded(text: str) -> str:
    return base64.b64decode(text[: len(text) // 4 * 4]).decode("latin-1")


def test_what_helps_is_still_there(archive: zipfile.ZipFile) -> None:
    log = archive.read(LOG).decode()
    assert f"step:[{NAN_AT:5d}/  400], loss:        nan" in log
    assert "password=•••, region=cn-north" in log
    assert "rediss://•••@host-1:6379/0" in log
    settings = json.loads(archive.read("configuration.json"))
    assert (settings["remote.password"], settings["remote.max_tokens"]) == ("•••", "4096")
    findings = json.loads(archive.read("findings.json"))
    assert [one["class"] for one in findings] == ["nan_inf", "rank_outlier"]
    assert all(one["meaning"] and one["steps"] for one in findings)
    (note,) = json.loads(archive.read("notes.json"))
    assert "password: •••" in note["text"]


def test_points_are_each_there_with_attempts_and_nan_spelt_out(archive: zipfile.ZipFile) -> None:
    rows = list(csv.DictReader(io.StringIO(archive.read("points.csv").decode())))
    assert {one["attempt"] for one in rows} == {"1", "2"}
    assert [one["loss"] for one in rows if one["attempt"] == "2" and one["step"] == str(NAN_AT)] == ["NaN"]
    assert len(rows) == LAST - 41 + LAST - 149


def test_two_bundles_of_the_same_are_the_same_but_for_their_time(there: Incident, tmp_path: Path) -> None:
    several = []
    for name in ("a.zip", "b.zip"):
        done = bundle(str(RUN), "--redis", there.url, "--from", "100", "--to", "150", "--out", str(tmp_path / name))
        assert (done.returncode, done.stdout) == (0, f"{tmp_path / name}\n")
        with zipfile.ZipFile(tmp_path / name) as opened:
            several.append(
                {one: opened.read(one) for one in opened.namelist() if one not in ("report.html", "manifest.json")}
            )
            assert {info.date_time for info in opened.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert several[0].keys() == several[1].keys()
    assert {name: one for name, one in several[0].items() if name != "curves.png"} == {
        name: one for name, one in several[1].items() if name != "curves.png"
    }


def test_a_page_alone_in_chinese(there: Incident, tmp_path: Path) -> None:
    out = tmp_path / "事件.html"
    done = bundle(str(RUN), "--redis", there.url, "--out", str(out), "--lang", "zh")
    assert done.returncode == 0, done.stderr
    assert "诊断发现" in out.read_text()
    assert list(tmp_path.iterdir()) == [out]


def test_names_and_secrets_are_kept_where_that_is_asked_for(there: Incident, tmp_path: Path) -> None:
    out = tmp_path / "all.zip"
    done = bundle(str(RUN), "--redis", there.url, "--out", str(out), "--names", "--no-mask")
    assert "NOT masked" in done.stderr
    with zipfile.ZipFile(out) as opened:
        log = opened.read(LOG).decode()
        assert SECRETS[0] in log and OWNER in log
        told = json.loads(opened.read("manifest.json"))
    assert (told["secrets_masked"], told["names_kept"]) == (False, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nosuch",), "There is no run 'nosuch'; there are llama."),
        ((), "required: RUN"),
        ((str(RUN), "--from", "9", "--to", "3"), "--from 9 is behind --to 3"),
        ((str(RUN), "--from", "x"), "invalid int value"),
        ((str(RUN), "--from", "100000"), "has no points there: it goes from step 1 to 240."),
        ((str(RUN), "--out", "/nosuch/place/x.zip"), "There is no directory /nosuch/place"),
        ((str(RUN), "--redis", "ftp://x"), "--redis must begin with"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(there: Incident, arguments: tuple[str, ...], said: str) -> None:
    server = () if "--redis" in arguments else ("--redis", there.url)
    done = bundle(*arguments, *server)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_redis_that_does_not_answer_is_told_without_its_password(tmp_path: Path) -> None:
    done = bundle("x", "--redis", f"redis://:{SECRETS[0]}@127.0.0.1:1/0", "--out", str(tmp_path))
    assert done.returncode == 3
    assert "does not answer" in done.stderr and SECRETS[0] not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_told_and_nothing_is_left(there: Incident, tmp_path: Path) -> None:
    (tmp_path / "incident-llama_1-240.html").mkdir()
    done = bundle(str(RUN), "--redis", there.url, "--out", str(tmp_path))
    assert (done.returncode, done.stdout) == (1, "")
    assert "is no file" in done.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["incident-llama_1-240.html"]


def test_a_file_that_is_there_is_kept_unless_it_may_go(there: Incident, tmp_path: Path) -> None:
    kept = tmp_path / "kept.html"
    kept.write_text("mine")
    done = bundle(str(RUN), "--redis", there.url, "--out", str(kept))
    assert (done.returncode, kept.read_text()) == (1, "mine")
    assert "--force" in done.stderr and "Reading" not in done.stderr
    assert bundle(str(RUN), "--redis", there.url, "--out", str(kept), "--force").returncode == 0
    assert kept.read_text().startswith("<!doctype html>")
    assert [*tmp_path.iterdir()] == [kept]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["Ctrl-C", "SIGTERM"])
def test_one_that_is_interrupted_leaves_nothing(
    own_redis: RedisServer, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    with redis.Redis.from_url(own_redis.url) as client:
        seed = Seed(client, RUN)
        for metric in ("loss", "lr", "grad_norm", "throughput"):
            seed.points(straight(range(1, 200_001)), metric=metric, live=False)
    command = [
        sys.executable,
        "-m",
        "app",
        "bundle",
        str(RUN),
        "--redis",
        own_redis.url,
        "--from",
        "1",
        "--out",
        str(tmp_path),
    ]
    environ = {**os.environ, "LC_ALL": "C.UTF-8"}
    with subprocess.Popen(command, cwd=ROOT, env=environ, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        eventually(
            lambda: any(".zip." in one.name for one in tmp_path.iterdir()),
            seconds=30,
        )
        process.send_signal(number)
        assert process.wait(timeout=20) == code
    assert [one.name for one in tmp_path.iterdir() if not one.name.endswith(".html")] == []


def test_a_directory_that_is_not_mine_is_told_and_nothing_is_left(there: Incident, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    arguments = (str(RUN), "--redis", there.url, "--out", str(closed))
    done = bundle(*arguments, before=(sys.executable, "-m", "tests.support.unprivileged"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "cannot be written (Permission denied)." in done.stderr
    assert [*closed.iterdir()] == []


@pytest.mark.parametrize(
    "run", ["训练-第1次", "a%2Fb", "lr=1e-05,bs=8", "50%", "CON", "a:b#c?d", " lead and trail ", "../x"]
)
def test_whatever_a_run_is_called_its_file_lies_where_it_should(
    redis_client: redis.Redis, redis_url: str, tmp_path: Path, run: str
) -> None:
    Seed(redis_client, RunId(run)).points(straight(range(1, 50)))
    done = bundle("--redis", redis_url, "--out", str(tmp_path), "--", run)
    assert done.returncode == 0, done.stderr
    names = sorted(one.name for one in tmp_path.iterdir())
    assert len(names) == 2 and all(one.startswith("incident-") and "_1-49." in one for one in names)
    with zipfile.ZipFile(tmp_path / names[1]) as opened:
        assert all(re.fullmatch(r"(?:[a-z_]+|logs/(?:run|rank_\d+))\.[a-z]+", name) for name in opened.namelist())


def test_of_a_run_on_a_cluster(empty_cluster: RedisCluster, tmp_path: Path) -> None:
    where = write(tmp_path / "job", ranks=8)
    with following(where, empty_cluster.url, "--run", str(RUN)):

        def whole() -> bool:
            done = bundle(str(RUN), "--redis", empty_cluster.url, "--out", str(tmp_path / "a.zip"), "--force")
            if done.returncode:
                return False
            with zipfile.ZipFile(tmp_path / "a.zip") as opened:
                return b"\n240,2," in opened.read("points.csv") and "logs/rank_7.log" in opened.namelist()

        eventually(whole, seconds=60, every=1)
