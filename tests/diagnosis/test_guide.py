"""The five questions that people who train with MindFormers are taught to ask, each from the files of a job to the
finding and what to do about it: by ``report``, and through collector, Redis and worker to the API.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.config import AppConfig
from app.diagnosis.store import AlertStore
from app.diagnosis.worker import CROSS_SECONDS
from app.factory import close, create_app
from app.store import RedisRunStore
from tests.generate.fault import Fault
from tests.generate.plan import Part, Plan, Shape
from tests.generate.writer import Writer
from tests.support.collecting import collector
from tests.support.diagnosing import diagnosis
from tests.support.reporting import reported
from tests.support.waiting import eventually

TAGS = ("loss", "learning-rate", "grad-norm", "iteration-time", "local_lm_loss", "device_accum_local_lm_loss")
LOGS: tuple[Part, ...] = ("info", "worker")
PAIR, RANKS = Plan(Shape(dp=2), TAGS, 420), Plan(Shape(dp=4, tp=2), TAGS, 320)
UNPRIVILEGED = (sys.executable, "-m", "tests.support.unprivileged")  # a user whom file modes bind

Files = Callable[[Path], None]
# <ul class="badges"><li>…</li></ul>
BADGES = re.compile(r'<ul class="badges">(.*?)</ul>', re.DOTALL)
# data-alert="nan_inf-a1-303"
OPENS = re.compile(r'data-alert="([^"]+)"')


def written(plan: Plan) -> Files:
    return lambda job: Writer(plan, job).history()


def elsewhere(job: Path) -> None:
    """Event files beside the directory that is followed."""
    other = job.parents[1] / "other"
    Writer(replace(PAIR, parts=LOGS, told=str(other / "tensorboard")), job).history()
    Writer(replace(PAIR, parts=("events",)), other).history()


def sealed(job: Path) -> None:
    """Event files that nobody else may read."""
    Writer(replace(PAIR, told="./tensorboard"), job).history()
    for one in job.glob("tensorboard/*/*tfevents*"):
        one.chmod(0)


def of_another_host(job: Path) -> None:
    """PyNative mode: the last rank writes, and its host's directory is not here."""
    plan = Plan(Shape(dp=16), (), 420, pynative=True, parts=LOGS, told="./tensorboard", apart=True)
    Writer(plan, job.parents[1] / "both" / job.name).history()
    (job.parents[1] / "both" / "node0" / job.name).rename(job)


@dataclass(frozen=True)
class Question:
    """``expected`` are (class, part of the rule, severity, rank) of all findings; ``cause`` and ``copied`` are words of
    what the remedy says first, and of one thing to copy; ``signs`` are classes that may be found before."""

    files: Files
    expected: tuple[tuple[str, str, str, int | None], ...]
    cause: str = ""
    copied: str = ""
    signs: tuple[str, ...] = ()


QUESTIONS = {
    "a loss runs away": Question(
        written(replace(PAIR, faults=(Fault("nan", (), 300, spread=1),))),
        (("nan_inf", "N1", "critical", None),),
        "exploding gradients",
        "check_for_nan_in_loss_and_grad: True",
    ),
    "an Inf of one rank spreads": Question(
        written(replace(RANKS, faults=(Fault("inf", (5,), 250, spread=6),))),
        (("rank_outlier", "K1", "critical", 5), ("nan_inf", "N1", "critical", None)),
        "its batch",
        "MS_ASCEND_CHECK_OVERFLOW_MODE=INFNAN_MODE",
    ),
    "a loss jitters violently": Question(
        written(replace(PAIR, faults=(Fault("jitter", (), 250, by=0.15),))),
        (("jitter", "J1", "warning", None),),
        "a global batch that is too small",
        "learning_rate",
        ("loss_spike",),
    ),
    "a healthy loss": Question(written(PAIR), ()),
    "summaries are only not flushed yet": Question(written(replace(PAIR, steps=280, empty=True)), ()),
    "summaries go to another directory": Question(
        elsewhere,
        (("tb_missing", "B2", "warning", None),),
        "the summary directory is another one",
        "Set tensorboard path to",
    ),
    "no summary was configured": Question(
        written(replace(PAIR, parts=LOGS)),
        (("tb_missing", "B3", "info", None),),
        "no summary is configured",
        "tensorboard_dir: ",
    ),
    "summaries may not be read": Question(
        sealed, (("tb_missing", "B4", "warning", None),), "the directory is not writable", "chmod"
    ),
    "summaries stay empty": Question(
        written(replace(PAIR, empty=True)),
        (("tb_missing", "B5", "warning", None),),
        "just not flushed yet",
        "tensorboard_queue_size",
    ),
    "losses of tensor-parallel ranks are not reduced": Question(written(RANKS), ()),
    "a rank has a bad shard": Question(
        written(replace(RANKS, faults=(Fault("off", (5,), 150, by=0.15),))),
        (("rank_outlier", "K4", "warning", 5),),
        "its shard of the data: see that num_shards and shard_id are right",
        "device_local_loss_format",
    ),
    "evaluations rise while training falls": Question(
        written(replace(PAIR, steps=700, evaluated=50, faults=(Fault("overfit", (), 350, by=0.02),))),
        (("overfit", "E1", "critical", None),),
        "too many epochs",
        "eval_step_interval",
    ),
    "evaluations fall with training": Question(written(replace(PAIR, steps=700, evaluated=50)), ()),
}


@pytest.fixture
def client(redis_url: str) -> Iterator[FlaskClient]:
    store = RedisRunStore(redis_url)
    server = create_app(AppConfig(), store).server
    yield server.test_client()
    close(server)
    store.close()


@pytest.fixture(params=[*QUESTIONS.values()], ids=[*QUESTIONS])
def question(request: pytest.FixtureRequest, tmp_path: Path) -> Question:
    asked: Question = request.param
    (tmp_path / "followed").mkdir()
    asked.files(tmp_path / "followed" / "job")
    return asked


def told(found: Iterable[Mapping[str, Any]], question: Question) -> set[tuple[str, str, str, int | None]]:
    """What was found, without consequences and signs."""
    return {
        (one["class"], one["rule"], one["severity"], one["rank"])
        for one in found
        if one["cause"] is None and one["class"] not in question.signs
    }


def test_files_alone_give_the_finding_and_the_remedy(question: Question, tmp_path: Path) -> None:
    found = reported(tmp_path / "followed", before=UNPRIVILEGED)["alerts"]
    assert told(found, question) == set(question.expected)
    if question.expected:
        first = next(one for one in found if one["class"] == question.expected[0][0])
        assert first["causes"][0].startswith(question.cause)
        assert any(question.copied in one["text"] for one in first["copies"])


def test_a_followed_job_has_the_same_findings_in_the_api(
    question: Question, tmp_path: Path, redis_url: str, client: FlaskClient
) -> None:
    run = reported(tmp_path / "followed", before=UNPRIVILEGED)
    expected = sorted(one["id"] for one in run["alerts"])
    with collector(tmp_path / "followed", redis_url, before=UNPRIVILEGED):
        wait_for_files(redis_url)
        with diagnosis(redis_url):
            wait_for_rows(redis_url, run["rows"])
            with suppress(AssertionError):
                eventually(lambda: [one["id"] for one in served(client)] == expected, seconds=20)
            assert [one["id"] for one in served(client)] == expected
    for one in question.expected[:1]:
        first = next(it for it in served(client) if it["class"] == one[0])
        detail: Any = client.get(f"/api/runs/job/alerts/{first['id']}").json
        assert detail["causes"][0].startswith(question.cause)
        assert any(question.copied in it["text"] for it in detail["copies"])
    assert told(served(client), question) == set(question.expected)
    assert badges(client) == standing(client)


def badges(client: FlaskClient) -> set[str]:
    """The classes of alerts that have a badge on the run's page."""
    (row,) = BADGES.findall(client.get("/run/job").text)
    return {one.partition("-")[0] for one in OPENS.findall(row)}


def standing(client: FlaskClient) -> set[str]:
    """The classes of alerts that should have one: those that are open, and nobody's consequence."""
    return {one["class"] for one in served(client) if one["state"] == "open" and one["cause"] is None}


def served(client: FlaskClient) -> list[dict[str, Any]]:
    """The alerts of the job, by id."""
    reply: Any = client.get("/api/runs/job/alerts")
    return sorted(reply.json["alerts"], key=itemgetter("id")) if reply.status_code == 200 else []


def wait_for_files(redis_url: str) -> None:
    """Until a collector has read what it can of all that there is."""
    store = RedisRunStore(redis_url)
    try:
        eventually(lambda: any(one.points and not one.behind for one in store.heartbeats()), seconds=40)
    finally:
        store.close()


def wait_for_rows(redis_url: str, rows: int) -> None:
    """Until a worker has judged so many, and had time to look at the ranks."""
    alerts = AlertStore(redis_url)
    try:
        beat = eventually(
            lambda: next((it for it in alerts.vitals() if it.rows >= rows and not it.behind), None), seconds=40
        )
        eventually(lambda: any(it.wall > beat.wall + CROSS_SECONDS for it in alerts.vitals()), seconds=20)
    finally:
        alerts.close()
