"""Raw lines of a log: found without reading it whole, in the right attempt, cut and cleaned for people."""

from __future__ import annotations

import json
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from collector.ask import Desk, Named, named
from collector.follow.files import DiskFiles
from collector.lookup.excerpt import Log, excerpt
from collector.lookup.search import SEARCH_BYTES, search
from collector.lookup.volume import Part, Volume
from collector.wire.question import NOT_MINE, LogAsked, LogQuestion
from collector.wire.records import RunId
from collector.wire.schema import ANSWER_BYTES
from tests.support.growing import line, lines
from tests.support.memory import MemoryFiles
from tests.support.world import World

AT = 1.7e9  # where the clock of ``growing.line`` begins


@pytest.fixture(autouse=True)
def in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


def volume(*paths: Path) -> Volume:
    return Volume(DiskFiles(), [Part(path.name, str(path)) for path in paths])


def ask(log: Volume, wall: float | None = None, **asked: Any) -> dict[str, Any]:
    question = LogQuestion("q", RunId("gpt"), (LogAsked("a.log", wall),), **{"before": 1, "after": 1, **asked})
    found: dict[str, Any] = excerpt(question, [Log(log, wall)], lambda: False)  # type: ignore[assignment]
    assert set(found) == {"file", "lines", "first", "last", "found", "searched", "more_before", "more_after"}
    return found


def steps(found: dict[str, Any]) -> list[int | None]:
    return [one["step"] for one in found["lines"]]


def match(found: dict[str, Any]) -> dict[str, Any]:
    [one] = [one for one in found["lines"] if one["match"]]
    return dict(one)


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def test_a_step_is_found_with_the_lines_around_it(tmp_path: Path) -> None:
    path = written(tmp_path / "a.log", lines(range(1, 101)))
    found = ask(volume(path), AT + 50, step=50)
    assert steps(found) == [49, 50, 51]
    assert match(found)["number"] == 50
    assert path.read_bytes()[match(found)["offset"] :].startswith(line(50))
    assert (found["file"], found["more_before"], found["more_after"]) == ("a.log", True, True)
    assert found["found"].startswith("a.log@")


@pytest.mark.parametrize("wall", [None, AT + 47, AT - 1e6, AT + 1e6], ids=["no clock", "near", "early", "late"])
def test_of_steps_that_are_printed_now_and_then_the_nearest_is_the_match(tmp_path: Path, wall: float | None) -> None:
    log = volume(written(tmp_path / "a.log", lines(range(10, 5000, 10))))
    assert match(ask(log, wall, step=1234))["step"] == 1230
    assert match(ask(log, wall, step=1))["step"] == 10
    assert match(ask(log, wall, step=9_999_999))["step"] == 4990


def attempts(count: int) -> bytes:
    """Attempts of 2,000 steps each, the next one 500 steps back, an hour later."""
    parts = []
    for attempt in range(count):
        for step in range(1 + 1500 * attempt, 2001 + 1500 * attempt):
            clock = datetime.fromtimestamp(AT + 7200 * attempt + step, UTC).strftime("%Y-%m-%d %H:%M:%S,000")
            parts.append(f"{clock} - INFO - {{ step:[{step:5d}/99999], loss: {attempt}.5 }}\n".encode())
    return b"".join(parts)


def test_a_clock_tells_attempts_apart_and_without_one_the_newest_has_the_step(tmp_path: Path) -> None:
    log = volume(written(tmp_path / "a.log", attempts(3)))
    for attempt in (0, 1):
        found = match(ask(log, AT + 7200 * attempt + 1800, step=1800))
        assert (found["step"], f"loss: {attempt}.5" in found["text"]) == (1800, True)
    assert match(ask(log, AT + 7200 + 1800))["step"] == 1800  # a moment alone
    bare = written(
        tmp_path / "b.log", attempts(2).replace(b"2023-", b"x").replace(b":", b";").replace(b"step;", b"step:")
    )
    found = match(ask(volume(bare), step=1800))
    assert (found["step"], "loss; 1.5" in found["text"]) == (1800, True)


def test_steps_of_an_epoch_are_counted_over_all_epochs(tmp_path: Path) -> None:
    place = [(1 + minute // 10, 1 + minute % 10) for minute in range(60)]
    text = "".join(f"{{ Epoch:[{epoch:3d}/  6], step:[{step:5d}/   10], loss: 1.000\n" for epoch, step in place)
    log = volume(written(tmp_path / "a.log", text.encode()))
    assert "Epoch:[  3/  6], step:[    5/" in match(ask(log, step=25))["text"]


def test_fifty_megabytes_are_not_read_for_a_step_or_a_moment(tmp_path: Path) -> None:
    path, filler = tmp_path / "a.log", (b" " * 30 + b"quiet words of some library\n") * 420_000
    with path.open("wb") as file:
        for first in (1, 10_001):
            file.write(lines(range(first, first + 10_000)))
            file.write(filler)
        file.write(lines(range(20_001, 25_001)))
    assert path.stat().st_size > 50e6
    for step in (1, 3_210, 10_000, 12_345, 20_000, 20_001, 25_000):
        for wall in (AT + step, None):
            log = volume(path)
            assert match(ask(log, wall, step=step))["step"] == step
            assert log.read_bytes < 6e6, f"{log.read_bytes} bytes were read for step {step}, clock {wall}"


def test_a_hole_of_gigabytes_is_passed_over(tmp_path: Path) -> None:
    path = written(tmp_path / "a.log", lines(range(1, 101)))
    with path.open("r+b") as file:  # cut off by another while a writer holds its old offset
        file.seek(3 * 2**30)
        file.write(lines(range(101, 20_001)))
    for step in (50, 101, 15_000):
        log = volume(path)
        found = ask(log, AT + step, step=step)
        assert match(found)["step"] == step
        assert log.read_bytes < 6e6
    found = ask(volume(path), AT + 101, step=101)
    assert all("\0" not in one["text"] for one in found["lines"])
    log = volume(path)
    assert ask(log, find="step:[19999/")["lines"][1]["step"] == 19_999
    assert log.read_bytes < 12e6


def test_rotated_parts_are_one_log_and_positions_outlive_a_rotation(tmp_path: Path) -> None:
    paths = [tmp_path / "info.log.2", tmp_path / "info.log.1", tmp_path / "info.log"]
    for number, path in enumerate(paths):
        path.write_bytes(lines(range(1 + 100 * number, 101 + 100 * number)))
    found = ask(volume(*paths), AT + 100, step=100)
    assert (steps(found), found["file"]) == ([99, 100, 101], "info.log.2")
    assert match(ask(volume(*paths), AT + 250, step=250))["number"] == 50
    paths[0].rename(tmp_path / "info.log.3")
    paths[1].rename(tmp_path / "info.log.2")
    moved = volume(tmp_path / "info.log.3", tmp_path / "info.log.2", paths[2])
    assert steps(ask(moved, start=found["last"], after=3)) == [102, 103, 104]
    assert steps(ask(moved, start=found["first"], direction="previous", before=2)) == [97, 98]


def test_pages_follow_each_other_without_a_gap_to_both_ends(tmp_path: Path) -> None:
    log = volume(written(tmp_path / "a.log", lines(range(1, 101)) + b"no newline yet"))
    found = ask(log, AT + 50, step=50, before=7, after=7)
    below, above = steps(found), []
    at = found
    while at["more_before"]:
        at = ask(log, start=at["first"], direction="previous", before=9)
        above = [*steps(at), *above]
    at = found
    while at["more_after"]:
        at = ask(log, start=at["last"], after=9)
        below += steps(at)
    assert [*above, *below] == [*range(1, 101), None]
    assert at["lines"][-1]["text"] == "no newline yet"


def test_without_a_place_the_newest_lines_come(tmp_path: Path) -> None:
    found = ask(volume(written(tmp_path / "a.log", lines(range(1, 101)))), before=2, after=1)
    assert (steps(found), found["found"], found["more_after"]) == ([98, 99, 100], None, False)


def test_lines_are_shown_as_a_terminal_would_without_its_colours(tmp_path: Path) -> None:
    text = (
        b"\x1b[1;31mred\x1b[0m words\r\n"
        b"10%|#   |\r50%|##  |\r100%|####|\n"
        b"\n"
        b"\0\0\0\0after a hole\n"
        b"torn \xff\xfe bytes \xe8\xa7\x82\xe6\xbd\xae\n" + b"x" * 9000 + b"\n"
    )
    found = ask(volume(written(tmp_path / "a.log", text)), before=50, after=0)
    told = [one["text"] for one in found["lines"]]
    assert told[:7] == ["red words", "10%|#   |", "50%|##  |", "100%|####|", "", "after a hole", "torn �� bytes 观潮"]
    assert [one["number"] for one in found["lines"]] == [1, 2, 2, 2, 3, 4, 5, 6]
    assert told[7] == "x" * 4096


def test_a_text_is_found_in_both_directions_and_in_any_case(tmp_path: Path) -> None:
    text = lines(range(1, 4000)) + b"Traceback (most recent call last):\n" + lines(range(4000, 9000))
    text += b"\x1b[31mTrace\x1b[0mback again\n" + lines(range(9000, 9100))
    log = volume(written(tmp_path / "a.log", text))
    first = ask(log, find="traceBACK")
    assert [one["step"] for one in first["lines"]] == [3999, None, 4000]
    second = ask(log, find="traceback", start=first["found"])
    assert match(second)["text"] == "Traceback again"
    assert ask(log, find="traceback", start=second["found"])["lines"] == []
    back = ask(log, find="traceback", start=second["found"], direction="previous")
    assert back["found"] == first["found"]
    assert match(ask(log, find="traceback", direction="previous"))["text"] == "Traceback again"
    assert match(ask(log, AT + 5000, step=5000, find="traceback"))["text"] == "Traceback again"
    nothing = ask(log, find="no such words")
    assert (nothing["lines"], nothing["found"], nothing["searched"]) == ([], None, None)


@pytest.mark.parametrize("direction", ["next", "previous"])
def test_a_search_ends_after_its_bound_and_goes_on_where_it_ended(tmp_path: Path, direction: Any) -> None:
    path, needle = tmp_path / "a.log", b"here is the needle\n"
    with path.open("wb") as file:
        file.write(needle if direction == "previous" else b"")
        for _ in range(SEARCH_BYTES // 2**20 + 8):
            file.write((b"y" * 1023 + b"\n") * 1024)
        file.write(needle if direction == "next" else b"")
    log = volume(path)
    found = ask(log, find="needle", direction=direction)
    assert (found["lines"], found["found"]) == ([], None)
    assert SEARCH_BYTES <= log.read_bytes < SEARCH_BYTES + 2**20
    found = ask(log, find="needle", direction=direction, start=found["searched"])
    assert match(found)["text"] == "here is the needle"


def test_a_search_that_comes_too_late_tells_how_far_it_came(tmp_path: Path) -> None:
    log = volume(written(tmp_path / "a.log", lines(range(1, 20_000))))
    found = search(log, "step:[19999/", 0, forward=True, late=lambda: True)
    assert found.line is None and found.until is not None
    again = search(log, "step:[19999/", found.until, forward=True, late=lambda: False)
    assert again.line is not None and again.line.step == 19_999


def test_an_answer_is_bounded_and_keeps_what_is_nearest(tmp_path: Path) -> None:
    long = b"".join(b"step:[%5d/ 999] " % step + "观".encode() * 1500 + b"\n" for step in range(1, 400))
    found = ask(volume(written(tmp_path / "a.log", long)), step=200, before=300, after=300)
    assert len(json.dumps(found)) < ANSWER_BYTES
    assert match(found)["step"] == 200
    assert steps(found) == list(range(steps(found)[0], steps(found)[-1] + 1))  # type: ignore[arg-type]
    assert found["more_before"] and found["more_after"]


@pytest.mark.parametrize("content", [b"", b"\n", b"\0" * 100_000, b"x" * 3_000_000, b"\r\r\r", b"\n" * 100_000])
@pytest.mark.parametrize("asked", [{}, {"step": 5}, {"find": "loss"}, {"find": "loss", "direction": "previous"}])
def test_a_log_without_a_line_of_use_has_an_answer(tmp_path: Path, content: bytes, asked: dict[str, Any]) -> None:
    log = volume(written(tmp_path / "a.log", b"z" + content))
    for wall in (None, AT):
        found = ask(log, wall, **asked)
        assert found["found"] is None
        assert len(found["lines"]) <= 2


@pytest.mark.parametrize("position", ["a.log@zz-99999999999", "b.log@1-5", "@", "a.log@1--4", "a.log@1-" + "9" * 30])
def test_a_position_of_another_log_is_no_position(tmp_path: Path, position: str) -> None:
    found = ask(volume(written(tmp_path / "a.log", lines(range(1, 9)))), start=position)
    assert found["file"] == "a.log"


def question(*files: str, run: str = "gpt") -> LogQuestion:
    return LogQuestion("q", RunId(run), tuple(LogAsked(file) for file in files), step=3)


def test_only_logs_that_are_followed_for_the_run_can_be_named() -> None:
    files = MemoryFiles()
    files.append("/job/gpt/log/rank_0/info.log", lines(range(1, 9)))
    files.append("/job/gpt/log/rank_0/info.log.1", lines(range(9, 12)))
    files.append("/job/gpt/log/rank_0/events.out.tfevents.1.n", b"")
    files.append("/job/other/log/rank_0/info.log", lines(range(1, 9)))
    files.append("/etc/passwd", b"root")
    world = World(files)
    world.settle()

    def paths(*names: str, run: str = "gpt") -> list[list[str]]:
        found = named(question(*names, run=run), world.service.roster)
        return [[part.path for part in parts] for parts, _ in found.logs]

    whole = ["/job/gpt/log/rank_0/info.log.1", "/job/gpt/log/rank_0/info.log"]
    assert paths("log/rank_0/info.log") == [whole]
    wrong = (
        "../../etc/passwd",
        "/etc/passwd",
        "../other/log/rank_0/info.log",
        "log/rank_0/events.out.tfevents.1.n",
        "",
    )
    assert paths(*wrong) == [[]] * len(wrong)
    assert paths("log/rank_0/info.log", run="nobody") == [[]]


class Letters:
    """A post without Redis: what is asked and what was answered."""

    def __init__(self, *texts: bytes) -> None:
        self.texts, self.answers = list(texts), dict[str, str]()
        self.answered = threading.Event()

    def take(self, seconds: float) -> bytes | None:
        return self.texts.pop(0) if self.texts else None

    def is_awaited(self, question_id: str) -> bool:
        return question_id != "gone"

    def reply(self, question_id: str, text: str) -> None:
        self.answers[question_id] = text
        self.answered.set()

    def close(self) -> None:
        pass


def test_the_desk_answers_what_it_can_and_survives_what_it_cannot(tmp_path: Path) -> None:
    gone = LogQuestion("gone", RunId("gpt"), (LogAsked("a.log"),)).encode().encode()
    asked = LogQuestion("q", RunId("gpt"), (LogAsked("a.log"),)).encode().encode()
    post = Letters(b"\xff", b"{}", b"[1]", b"null", asked.replace(b'"before":20', b'"before":99999999'), gone, asked)
    files = MemoryFiles()
    world = World(files)
    rung = threading.Event()
    with Desk(post, DiskFiles(), "node0", rung.set) as desk:
        deadline = time.monotonic() + 10
        while not post.answered.is_set() and time.monotonic() < deadline:
            rung.wait(0.05)
            rung.clear()
            desk.introduce(world.service.roster)
    assert post.answers == {"q": NOT_MINE}
    path = written(tmp_path / "a.log", lines(range(1, 9)))
    found = Named(LogQuestion("q", RunId("gpt"), (LogAsked("a.log"),), step=5), (((Part("a.log", str(path)),), None),))
    told = json.loads(desk.answer(found))
    assert (told["host"], match(told)["step"]) == ("node0", 5)
