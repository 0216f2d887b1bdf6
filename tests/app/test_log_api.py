"""``/api/runs/<run>/log``: asked of a real collector, which alone sees the files."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import redis
from flask.testing import FlaskClient

from app.series.curve import from_block
from app.series.family import clock_at, logs_of, whole_log
from app.store import RedisRunStore
from collector.post import RedisPost
from collector.wire import schema
from collector.wire.question import NOT_MINE, LogQuestion, encode_answer
from collector.wire.records import Cursor, RunId, pack_point
from tests.support.following import following
from tests.support.growing import Job, line, lines
from tests.support.seed import Seed, straight
from tests.support.waiting import eventually

INFO, WORKER = "output/log/rank_0/info.log", "msrun_log/worker_0.log"


def ask(client: FlaskClient, query: str = "", *, status: int = 200) -> dict[str, Any]:
    reply = client.get(f"/api/runs/gpt/log?{query}")
    assert reply.status_code == status, reply.text
    found: dict[str, Any] = reply.json
    return found


def match(found: dict[str, Any]) -> dict[str, Any]:
    [one] = [one for one in found["lines"] if one["match"]]
    return dict(one)


def points(client: FlaskClient) -> int:
    reply = client.get("/api/runs/gpt/series?metric=loss&points=8")
    return int(reply.json["total"]) if reply.status_code == 200 else 0


def test_lines_come_from_the_collector_and_none_when_it_was_killed(
    tmp_path: Path, client: FlaskClient, redis_url: str, redis_client: redis.Redis
) -> None:
    job = Job(tmp_path / "gpt").prepare()
    job.log.write_bytes(lines(range(1, 301)))
    job.log.with_name("info.log.1").write_bytes(b"older words\n")
    crash = b"Traceback (most recent call last):\n  File 'x'\nValueError: no\n"
    job.worker.write_bytes(lines(range(201, 301)) + crash)
    described = client.get("/api/openapi.json").json
    form = {"$ref": "#/components/schemas/Log", "components": described["components"]}
    with following(tmp_path / "gpt", redis_url) as follower:
        eventually(lambda: points(client) == 300 and "msrun_log" in client.get("/api/runs/gpt").text)
        found = ask(client, "around=250&before=2&after=3")
        jsonschema_rs.validate(form, found)
        assert [one["step"] for one in found["lines"]] == [248, 249, 250, 251, 252, 253]
        assert (match(found)["step"], found["rank"], found["file"]) == (250, 0, WORKER)  # what holds tracebacks too
        assert ask(client, "around=100")["file"] == INFO  # the console's log begins later
        assert len(ask(client, "around=100")["lines"]) == 20 + 1 + 40
        named = ask(client, f"file={INFO}.1&around=100&rank=0")
        assert (named["file"], match(named)["number"]) == (INFO, 100)
        found = ask(client, "find=VALUEerror&before=1&after=0")
        assert [one["text"] for one in found["lines"]] == ["  File 'x'", "ValueError: no"]
        jsonschema_rs.validate(form, found)
        older = ask(client, f"file={INFO}&from={found['first']}&direction=previous")
        assert older["lines"]
        page = ask(client, f"from={ask(client, 'around=250&after=0')['last']}&after=2")
        assert [one["step"] for one in page["lines"]] == [251, 252]
        assert [one["text"] for one in ask(client, "before=1&after=0")["lines"]] == ["ValueError: no"]
        jsonschema_rs.validate(form, ask(client, "find=nothing+of+the+kind"))
        keys = redis_client.dbsize()
        ask(client, "around=10")
        assert redis_client.dbsize() == keys  # a question stores nothing
        _refused(client)
        assert follower.process is not None
        follower.process.kill()
        follower.process.wait()
        told = ask(client, "around=10", status=503)["error"]
        assert "rank 0" in told and "'gpt'" in told and "collector follow" in told
        follower.start()
        eventually(lambda: client.get("/api/runs/gpt/log?around=10").status_code == 200, seconds=15)


def _refused(client: FlaskClient) -> None:
    for query in ("file=../../../etc/passwd", "file=/etc/passwd", "file=tensorboard/rank_0/x", "rank=7"):
        assert "its logs are" in (told := ask(client, query, status=404)["error"]) or "ranks with one are 0" in told
    assert ask(client, "from=../../../etc/passwd@1-0")["file"] in (INFO, WORKER)


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("near=5", "near"),
        ("around=abc", "around"),
        ("wall=soon", "wall"),
        ("wall=nan", "wall"),
        ("before=-1", "before"),
        ("after=501", "at most 500"),
        ("direction=up", "next, previous"),
        ("from=12", "position"),
        ("find=" + "x" * 201, "find"),
        ("find=a%0Ab", "find"),
        ("rank=-1", "rank"),
    ],
)
def test_what_makes_no_sense_is_refused(client: FlaskClient, seed: Seed, query: str, word: str) -> None:
    seed.points(straight(range(3)))
    assert word in ask(client, query, status=400)["error"]


def test_without_a_collector_the_answer_comes_at_once_and_says_whose_is_missing(
    client: FlaskClient, seed: Seed
) -> None:
    seed.points(straight(range(3)))
    assert "has no log" in ask(client, "", status=404)["error"]
    seed.touched(5.0)
    assert "rank 0 of run 'gpt'" in ask(client, "around=1", status=503)["error"]
    assert client.get("/api/runs/nobody/log").status_code == 404


class Clerk:
    """Collectors that answer as they are told, in a thread of their own."""

    def __init__(self, url: str, *answers: str) -> None:
        self._posts = [(RedisPost(url), answer) for answer in answers]
        self.questions: list[LogQuestion] = []
        for post, _ in self._posts:
            assert post.take(0.01) is None  # listens from now on
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def _work(self) -> None:
        for post, answer in self._posts:
            text = None
            while text is None:
                text = post.take(1.0)
            question = LogQuestion.decode(text)
            self.questions.append(question)
            if post.is_awaited(question.id):
                post.reply(question.id, answer)

    def close(self) -> None:
        self._thread.join()
        for post, _ in self._posts:
            post.close()


def test_of_several_collectors_the_one_that_follows_the_log_answers(redis_url: str, store: RedisRunStore) -> None:
    question = LogQuestion("q", RunId("gpt"), ())
    body = encode_answer({"file": "a.log"})
    clerk = Clerk(redis_url, NOT_MINE, body)
    assert store.ask(question, 5.0) == body.encode()
    clerk.close()
    assert clerk.questions == [question, question]
    clerk = Clerk(redis_url, NOT_MINE, NOT_MINE)
    assert store.ask(question, 60.0) is None  # both said no: nothing more is waited for
    clerk.close()


def test_who_does_not_wait_any_more_is_not_answered(redis_url: str, store: RedisRunStore) -> None:
    deaf = RedisPost(redis_url)
    assert deaf.take(0.01) is None
    assert store.ask(LogQuestion("q", RunId("gpt"), ()), 0.05) is None
    text = deaf.take(1.0)
    assert text is not None and json.loads(text)["id"] == "q"
    assert not deaf.is_awaited("q")
    deaf.close()


def test_new_points_come_while_a_log_is_searched(tmp_path: Path, client: FlaskClient, redis_url: str) -> None:
    job = Job(tmp_path / "gpt").prepare()
    with job.log.open("wb") as file:
        file.write(lines(range(1, 11)))
        for _ in range(70):
            file.write((b"y" * 1023 + b"\n") * 1024)
        file.write(line(11))
    with following(tmp_path / "gpt", redis_url):
        eventually(lambda: points(client) == 11, seconds=15)
        answers: list[int] = []
        query = "/api/runs/gpt/log?find=never"
        asking = [threading.Thread(target=lambda: answers.append(client.get(query).status_code)) for _ in range(3)]
        for thread in asking:
            thread.start()
        for step in range(12, 40):
            with job.log.open("ab") as file:
                file.write(line(step))
            eventually(lambda wanted=step: points(client) == wanted)
        for thread in asking:
            thread.join()
        assert set(answers) <= {200, 503}
        found = ask(client, "find=step:[+++39/&direction=previous&before=0&after=0")
        assert match(found)["step"] == 39


def cursors(*files: tuple[str, int | None]) -> dict[str, Cursor]:
    return {file: Cursor(file, "log", rank) for file, rank in files}


def test_the_logs_of_a_rank_are_named_by_their_newest_part_those_that_hold_more_first() -> None:
    held = cursors(
        ("log/rank_0/info.log", 0), ("log/rank_0/info.log.2", 0), ("msrun_log/worker_0.log", 0), ("my.log", None)
    )
    assert logs_of(held, 0, speaks=False) == ["msrun_log/worker_0.log", "log/rank_0/info.log"]
    assert logs_of(held, 0, speaks=True) == ["msrun_log/worker_0.log", "my.log", "log/rank_0/info.log"]
    assert logs_of(held, 1, speaks=False) == []
    assert (whole_log("a.log.12"), whole_log("a.log"), whole_log("a.1")) == ("a.log", "a.log", "a.1")


def test_the_clock_of_a_step_is_that_of_the_attempt_that_is_meant() -> None:
    nan = float("nan")
    rows = [(1, 10.0), (5, 50.0), (9, 90.0), (5, 150.0), (9, nan)]
    curve = from_block(b"".join(pack_point(step, wall, 0.0) for step, wall in rows), "log")
    assert clock_at([curve], 5, None) == 150.0  # the newest
    assert clock_at([curve], 6, 60.0) == 50.0
    assert clock_at([curve], 100, None) == 90.0
    assert clock_at([], 5, None) is None
    assert clock_at([from_block(pack_point(5, nan, 1.0), "log")], 5, None) is None


def test_channels_are_spelled_in_one_place() -> None:
    assert schema.answer("abc") == "tw:answer:abc"
    assert schema.ASKS == "tw:asks"
