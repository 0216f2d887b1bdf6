"""Live cases after public bug reports (tests/data/live_cases), replayed while a real collector follows them."""

from __future__ import annotations

import json
import math
import os
import posixpath
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
import redis

from collector.wire.records import Heartbeat
from tests.support.growing import PROJECT
from tests.support.ledger import in_store
from tests.support.waiting import eventually

CASES = Path(__file__).parents[1] / "data" / "live_cases"
NAMES = sorted(path.name for path in CASES.iterdir())
HANDLES = 64  # half of what the case about them allows


@pytest.mark.parametrize("name", NAMES)
def test_a_reported_situation_ends_as_it_should(name: str, tmp_path: Path, redis_url: str) -> None:
    case = CASES / name
    steps = json.loads((case / "steps.json").read_text())
    expected = {check["after"]: check for check in json.loads((case / "expected.json").read_text())["checks"]}
    root = tmp_path / next((step["root"] for step in steps if "root" in step), "")
    root.mkdir(exist_ok=True)
    limits = [step for step in steps if step["op"] == "set_limit"]
    assert expected
    with _collector(root, redis_url, limits):
        for index, step in enumerate(steps):
            if step["op"] == "check":
                _check(expected[index], root, redis_url, step.get("within_seconds", 15))
            elif step["op"] != "set_limit":
                _perform(step, case, tmp_path)


@contextmanager
def _collector(root: Path, url: str, limits: Sequence[Mapping[str, Any]]) -> Iterator[None]:
    command = [sys.executable, "-m", "collector", "follow", str(root), "--redis", url]
    names = {limit["name"] for limit in limits}
    if "RLIMIT_NOFILE" in names:
        command = ["sh", "-c", f'ulimit -n {HANDLES}; exec "$@"', "sh", *command]
    environ = {**os.environ, "TZ": "UTC"}
    with no_inotify_left() if "fs.inotify.max_user_watches" in names else nullcontext():
        process = subprocess.Popen(command, cwd=PROJECT, env=environ, stderr=subprocess.PIPE)
        assert process.stderr is not None
        said = process.stderr.readline()
    try:
        assert b"Following" in said
        yield
    finally:
        process.terminate()
        _, said = process.communicate(timeout=15)
    assert process.returncode == 0
    assert b"Traceback" not in said


@contextmanager
def no_inotify_left() -> Iterator[None]:
    """This user can have no further inotify instance until the block ends: the limit that every system has, while that
    of watches can be lowered by nobody but its administrator."""
    command = [sys.executable, "-m", "tests.support.exhausted"]
    with subprocess.Popen(command, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"EMFILE")
        yield
        process.stdin.close()


def _perform(step: Mapping[str, Any], case: Path, root: Path) -> None:
    source, target = case / step.get("from", ""), root / step.get("file", step.get("to", ""))
    match step["op"]:
        case "create" | "append":
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("ab") as file:
                file.write(source.read_bytes())
        case "replace_by_rename":
            temporary = target.parent / ".events.tmp"
            temporary.write_bytes(source.read_bytes())
            temporary.rename(target)
        case "rename":
            (root / step["file"]).rename(root / step["to"])
        case "symlink":
            target.symlink_to(step["target"])
        case "copy_tree":
            shutil.copytree(source, target, dirs_exist_ok=True)
        case "repeat_create":
            for index in range(step["count"]):
                one = root / step["pattern"].format(i=index)
                one.parent.mkdir(parents=True, exist_ok=True)
                one.write_bytes(source.read_bytes())
        case unknown:
            raise AssertionError(unknown)


def _check(check: Mapping[str, Any], root: Path, url: str, seconds: float) -> None:
    client = redis.Redis.from_url(url)
    try:
        if "run_count" in check:
            eventually(lambda: client.scard("tw:runs") == check["run_count"], seconds=seconds)
        if "runs" in check:
            wanted = {
                (run, tag): [(step, _number(value)) for step, value in facts["points"]]
                for run, tags in check["runs"].items()
                for tag, facts in tags.items()
            }
            eventually(lambda: _is_like(_stored(root, url), wanted, check["runs"]), seconds=seconds, every=0.1)
        for warning in check.get("warnings", []):
            eventually(lambda code=warning["code"]: code in _complaints(client), seconds=seconds, every=0.1)
        if check.get("warnings") == []:
            assert _complaints(client) == ""
    finally:
        client.close()


Points = dict[tuple[str, str], list[tuple[int, float]]]


def _is_like(stored: Points, wanted: Points, runs: Mapping[str, Any]) -> bool:
    """The tags that the case speaks of hold these points and no others, and runs without a tag hold nothing; of fewer
    than a hundred runs there are no others."""
    silent = [key for key in stored if key[0] in runs and not runs[key[0]]]
    strange = {run for run, _ in stored} - runs.keys()
    if silent or (strange and len(strange) < 100):
        return False
    return all(_equal(stored.get(key, []), points) for key, points in wanted.items())


def _equal(some: list[tuple[int, float]], others: list[tuple[int, float]]) -> bool:
    return len(some) == len(others) and all(
        step == other_step and math.isclose(value, other, rel_tol=1e-6)
        for (step, value), (other_step, other) in zip(some, others, strict=True)
    )


def _stored(root: Path, url: str) -> Points:
    """By run as the cases name them: the directory of an event file, the name of a log with its rotated parts."""
    points: Points = {}
    for (file, tag), found in in_store(root, url).items():
        run = re.sub(r"\.\d+$", "", file) if ".log" in file else posixpath.dirname(file) or "."
        points.setdefault((run, tag), []).extend((step, float(value)) for step, _, value in found)
    return points


def _complaints(client: redis.Redis) -> str:
    texts = [client.get(key) for key in client.keys("tw:collector:*")]
    beats = [Heartbeat.decode(text) for text in texts if text]
    return " ".join(
        [*(p.reason for beat in beats for p in beat.problems), *(m for beat in beats for m in beat.messages)]
    )


def _number(value: float | str) -> float:
    return float(value)
