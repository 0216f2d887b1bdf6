"""``python -m app status``: the real process before a real Redis, and its pure parts."""

from __future__ import annotations

import io
import json
import math
import os
import pty
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from app.language import speaking
from app.launch.options import BadUse
from app.status import plain, screen
from app.status.command import run
from app.status.options import parse
from app.status.sparkline import DOWN, LEVELS, NAN, UP, sparkline
from app.status.summary import Summaries, Summary
from app.store import RedisRunStore
from collector.wire import schema
from collector.wire.records import RunId
from tests.support.dashboard import ROOT
from tests.support.seed import Seed, straight
from tests.support.waiting import eventually

CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")


def status(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """The command as a script calls it."""
    return subprocess.run(
        [sys.executable, "-m", "app", "status", *arguments],
        cwd=ROOT,
        env={**os.environ, "REDIS_URL": "", "LC_ALL": "C.UTF-8", **environ},
        capture_output=True,
        text=True,
        timeout=30,
    )


def train(client: redis.Redis, name: str = "gpt", *, bad: bool = False, steps: int = 500) -> Seed:
    """A run that is going on: its newest point is a second old."""
    seed = Seed(client, RunId(name), f"/data/{name}", {"total_steps": "1000"})
    client.hset(schema.run(seed.run), "name", name)
    points = straight(range(1, steps + 1), at=time.time() - steps)
    seed.points([*points[:-2], (steps - 1, points[-2][1], math.nan), points[-1]] if bad else points)
    seed.points([(step, wall, 3e-5) for step, wall, _ in points], metric="lr")
    seed.points([(step, wall, 1.25) for step, wall, _ in points], metric="grad_norm")
    seed.points([(step, wall, 1000.0) for step, wall, _ in points], metric="step_time")
    seed.points([(step, wall, 6120.0) for step, wall, _ in points], metric="tokens_per_second")
    seed.touched(time.time())
    seed.beat()
    return seed


def test_each_run_is_one_plain_line_for_a_pipe(redis_url: str, redis_client: redis.Redis) -> None:
    train(redis_client)
    train(redis_client, "odd\nname\x1b[31m")
    done = status("--redis", redis_url)
    assert (done.returncode, done.stderr) == (0, "")
    assert CONTROL.search(done.stdout.replace("\n", "")) is None
    assert len(done.stdout.splitlines()) == 2
    line = next(one for one in done.stdout.splitlines() if one.startswith("gpt"))
    name, state, step, *values = line.split(" | ")
    assert (name, state, step) == ("gpt", "Running", "step 500 / 1,000")
    assert values[:3] == ["Loss 9.5", "Learning rate 3.00e-5", "Gradient norm 1.25"]
    assert values[3:6] == ["1,000 ms per step", "6,120 tokens/s", "8 min remaining"]
    assert re.fullmatch(
        r"Last point \d+ s ago, one expected every 1 s\. Training is going on\.", values[6].replace("1.0", "1")
    )
    assert values[7].startswith("█") and values[7].endswith("▁")


def test_what_needs_attention_is_said_and_is_the_exit_code(redis_url: str, redis_client: redis.Redis) -> None:
    train(redis_client)
    train(redis_client, "spoilt", bad=True)
    done = status(REDIS_URL=redis_url)
    assert done.returncode == 1
    spoilt = next(one for one in done.stdout.splitlines() if one.startswith("spoilt"))
    assert "| 1 NaN or Inf |" in spoilt
    assert NAN in spoilt.split(" | ")[-1]


def test_the_document_is_strict_json_with_the_names_of_the_api(redis_url: str, redis_client: redis.Redis) -> None:
    seed = train(redis_client)
    seed.points([(501, time.time(), math.nan)])
    done = status("--redis", redis_url, "--format", "json")
    body = json.loads(done.stdout, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    (run,) = body["runs"]
    assert (body["known"], body["attention"], done.returncode) == (1, 1, 1)
    assert (run["id"], run["step"], run["loss"], run["lr"]) == ("gpt", 501, "NaN", 3e-5)
    assert run["alerts"] == ["1 NaN or Inf"]


def test_a_server_that_is_away_is_said_in_one_sentence_without_its_password(tmp_path: Path) -> None:
    done = status("--redis", "redis://user:secret@127.0.0.1:1/0")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        "Redis at redis://127.0.0.1:1/0 does not answer: start it, or name another one with --redis URL.\n"
    )
    nobody = status("--lang", "zh", REDIS_URL=f"unix://{tmp_path}/none?db=0")
    assert nobody.returncode == 3
    assert "没有应答" in nobody.stderr


def test_an_empty_store_says_what_will_fill_it(redis_url: str) -> None:
    done = status("--redis", redis_url)
    assert (done.returncode, done.stdout.count("\n")) == (0, 1)
    assert "No run yet" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--redis", "http://example"], "--redis must begin with"),
        (["--redis", "redis://host:port"], "cannot be used"),
        (["--watch", "0"], "--watch 0 is no time"),
        (["--watch", "soon"], "--watch"),
        (["--lang", "fr"], "--lang"),
        (["output"], "output"),
    ],
)
def test_wrong_use_is_one_sentence(arguments: list[str], said: str) -> None:
    with pytest.raises(BadUse, match=re.escape(said)):
        run(arguments, {}, io.StringIO())


def test_wrong_use_is_told_on_standard_error() -> None:
    done = status("--watch", "0")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({"LC_ALL": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"}, "zh"),
        ({"LC_ALL": "", "LC_MESSAGES": "", "LANG": "zh_TW"}, "zh"),
        ({"LC_MESSAGES": "en_GB", "LANG": "zh_CN"}, "en"),
        ({}, "en"),
    ],
)
def test_the_terminal_chooses_the_language(environ: dict[str, str], language: str) -> None:
    assert parse([], environ).language == language
    assert parse(["--lang", "en"], environ).language == "en"


def test_an_unknown_scheme_in_the_environment_is_named() -> None:
    with pytest.raises(BadUse, match="REDIS_URL must begin"):
        parse([], {"REDIS_URL": "localhost"})


class Terminal:
    """The command in a terminal of 80 columns; what it writes is read as it comes."""

    def __init__(self, *arguments: str, **environ: str) -> None:
        self.leader, follower = pty.openpty()
        settings = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "40", "REDIS_URL": "", **environ}
        command = [sys.executable, "-m", "app", "status", *arguments]
        self.process = subprocess.Popen(command, cwd=ROOT, env=settings, stdout=follower, stderr=follower)
        os.close(follower)
        os.set_blocking(self.leader, False)
        self.text = ""

    def read(self) -> str:
        """Everything so far."""
        try:
            while piece := os.read(self.leader, 65536):
                self.text += piece.decode(errors="replace")
        except OSError:
            pass  # nothing there now, or the other end is closed
        return self.text

    def until(self, condition: Callable[[str], object]) -> None:
        eventually(lambda: condition(self.read()), seconds=20)

    def end(self, *, interrupt: bool = False) -> int:
        if interrupt:
            self.process.send_signal(2)
        code = self.process.wait(timeout=20)
        self.read()
        os.close(self.leader)
        return code


def test_watching_redraws_in_place_until_it_is_enough(redis_url: str, redis_client: redis.Redis) -> None:
    seed = train(redis_client)
    terminal = Terminal("--redis", redis_url, "--watch", "0.1")
    terminal.until(lambda text: "step 500 / 1,000" in text)
    seed.points([(600, time.time(), 4.0)])
    terminal.until(lambda text: "step 600 / 1,000" in text)
    assert terminal.end(interrupt=True) == 0
    assert "\x1b[1A" in terminal.text  # back up, over what was there
    assert "Traceback" not in terminal.text


def test_a_person_who_wants_no_colour_gets_none(redis_url: str, redis_client: redis.Redis) -> None:
    train(redis_client, bad=True)
    coloured, grey = Terminal("--redis", redis_url), Terminal("--redis", redis_url, NO_COLOR="1")
    assert (coloured.end(), grey.end()) == (1, 1)
    shade = re.compile(r"\x1b\[[0-9;]*3[0-7]m")
    assert shade.search(coloured.text)
    assert not shade.search(grey.text)
    assert "1 needs attention" in grey.text


def test_a_dumb_terminal_gets_plain_lines(redis_url: str, redis_client: redis.Redis) -> None:
    train(redis_client)
    terminal = Terminal("--redis", redis_url, TERM="dumb")
    assert terminal.end() == 0
    assert "\x1b" not in terminal.text
    assert terminal.text.startswith("gpt | Running")


@pytest.fixture
def summary(redis_url: str, redis_client: redis.Redis) -> Callable[[], list[Summary]]:
    """Reads every run of the store."""

    def read() -> list[Summary]:
        store = RedisRunStore(redis_url)
        try:
            return Summaries(store, time.time).newest(None)[0]
        finally:
            store.close()

    return read


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_is_wider_than_eighty_columns(
    language: str, redis_client: redis.Redis, summary: Callable[[], list[Summary]]
) -> None:
    train(redis_client, "观潮-预训练-" * 12, bad=True)
    to = Console(file=io.StringIO(), width=80, color_system=None, force_terminal=True)
    with speaking(language):
        to.print(screen.screen(summary(), 40, 0.0, 80))
    printed = to.file.getvalue()  # type: ignore[attr-defined]  # the file is the StringIO above
    assert max(cell_len(line) for line in printed.splitlines()) <= 80
    assert ("学习率" in printed) == (language == "zh")
    assert ("Learning rate" in printed) == (language == "en")
    assert "40" in printed  # how many there are besides those that are shown


def test_old_silence_is_history_and_new_silence_is_news(
    redis_client: redis.Redis, summary: Callable[[], list[Summary]]
) -> None:
    for name, age in (("today", 3600.0), ("last-week", 7 * 86_400.0)):
        seed = Seed(redis_client, RunId(name), f"/data/{name}")
        seed.points(straight(range(1, 50), at=time.time() - age - 50))
        seed.touched(time.time() - age)
    found = {one.run.id: one.needs_attention for one in summary()}
    assert found == {"today": True, "last-week": False}


def test_a_run_without_any_canonical_metric_is_a_line_too(
    redis_client: redis.Redis, summary: Callable[[], list[Summary]]
) -> None:
    Seed(redis_client, RunId("tags")).points(straight([1, 2]), metric=None, tag="mine/α")
    Seed(redis_client, RunId("empty"))
    assert sorted(plain.line(one).split(" | ")[2] for one in summary()) == ["step 2", "step –"]


def test_the_terminal_does_without_dash() -> None:
    code = "import sys, app.status.command; print([m for m in ('dash', 'plotly') if m in sys.modules])"
    printed = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"


def test_the_servers_of_this_machines_dashboards_are_found(tmp_path: Path) -> None:
    from app.launch import embedded

    (tmp_path / "job").mkdir()
    with embedded.held(embedded.data_directory(tmp_path, tmp_path / "job"), embedded.find_program(os.environ["PATH"])):
        done = status(TIDEWATCH_DATA_DIR=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert "No run yet" in done.stdout


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=400), st.integers(2, 90))
def test_no_peak_and_no_dip_is_lost(values: list[float], width: int) -> None:
    drawn = sparkline(np.array(values), width)
    assert len(drawn) <= width
    if min(values) / 2 < max(values) / 2:
        assert LEVELS[0] in drawn
        assert LEVELS[-1] in drawn


@given(st.lists(st.floats(width=32), min_size=1, max_size=400), st.integers(2, 90))
def test_every_kind_of_what_is_no_number_is_marked(values: list[float], width: int) -> None:
    drawn = sparkline(np.array(values, dtype=float), width)
    assert (set(drawn) & {NAN, UP, DOWN} != set()) == any(not math.isfinite(one) for one in values)


def test_an_empty_curve_is_no_line() -> None:
    assert sparkline(np.empty(0), 20) == ""
