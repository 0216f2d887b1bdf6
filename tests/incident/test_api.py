"""``GET /api/runs/<run>/bundle``."""

from __future__ import annotations

import io
import json
import threading
import time
import zipfile

import pytest
import redis
from flask.testing import FlaskClient

from app.api import bundle as view
from tests.app.conftest import client, seed, server, store  # noqa: F401 (fixtures: an application of this process)
from tests.support.seed import Seed, straight


@pytest.fixture
def run(seed: Seed) -> Seed:  # noqa: F811
    seed.points(straight(range(1, 301), at=time.time() - 300))
    return seed


def test_it_is_an_archive_to_be_saved(client: FlaskClient, run: Seed) -> None:  # noqa: F811
    reply = client.get("/api/runs/gpt/bundle?from=10&to=20")
    assert reply.status_code == 200
    assert reply.headers["Content-Type"] == "application/zip"
    assert reply.headers["Content-Disposition"] == 'attachment; filename="incident-gpt_10-20.zip"'
    assert int(reply.headers["Content-Length"]) == len(reply.data)
    with zipfile.ZipFile(io.BytesIO(reply.data)) as archive:
        assert archive.testzip() is None
        told = json.loads(archive.read("manifest.json"))
        assert (told["steps"], told["secrets_masked"], told["names_kept"]) == ({"first": 10, "last": 20}, True, False)
        assert archive.read("points.csv").count(b"\n") == 12


def test_the_page_alone_speaks_the_language_of_who_asks(client: FlaskClient, run: Seed) -> None:  # noqa: F811
    reply = client.get("/api/runs/gpt/bundle?form=html&lang=zh")
    assert reply.status_code == 400  # the language is no argument but of the address of a page
    reply = client.get("/api/runs/gpt/bundle?form=html", headers={"Accept-Language": "zh-CN"})
    assert reply.headers["Content-Disposition"].startswith("attachment")
    assert "关于此文件" in reply.text


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ("from=x", 400, "from='x'"),
        ("from=9&to=3", 400, "The first step, 9, is behind the last, 3."),
        ("form=pdf", 400, "form='pdf' is not one of zip, html."),
        ("mask=0", 400, "Unknown argument 'mask'"),
        ("names=1", 400, "Unknown argument 'names'"),
        ("from=5000", 404, "it goes from step 1 to 300."),
    ],
)
def test_what_makes_no_sense_is_refused(client: FlaskClient, run: Seed, query: str, status: int, said: str) -> None:  # noqa: F811
    reply = client.get(f"/api/runs/gpt/bundle?{query}")
    assert (reply.status_code, said in reply.json["error"]) == (status, True), reply.json


def test_a_run_that_is_not_there_or_has_no_points(client: FlaskClient, redis_client: redis.Redis) -> None:  # noqa: F811
    assert client.get("/api/runs/nosuch/bundle").status_code == 404
    Seed(redis_client)
    reply = client.get("/api/runs/gpt/bundle")
    assert (reply.status_code, reply.json["error"]) == (404, "Run 'gpt' has no points yet.")


def test_a_third_at_once_waits_for_nobody(client: FlaskClient, run: Seed) -> None:  # noqa: F811
    for _ in range(view.AT_ONCE):
        assert view._TURNS.acquire(blocking=False)
    try:
        assert client.get("/api/runs/gpt/bundle").status_code == 429
    finally:
        for _ in range(view.AT_ONCE):
            view._TURNS.release()
    assert client.get("/api/runs/gpt/bundle?form=html").status_code == 200


def test_turns_are_given_back_whatever_happens(client: FlaskClient, run: Seed) -> None:  # noqa: F811
    for _ in range(2 * view.AT_ONCE):
        assert client.get("/api/runs/gpt/bundle?from=9&to=3").status_code == 400
    found: list[int] = []
    several = [
        threading.Thread(
            target=lambda: found.append(client.application.test_client().get("/api/runs/gpt/bundle?to=9").status_code)
        )
        for _ in range(view.AT_ONCE)
    ]
    for one in several:
        one.start()
    for one in several:
        one.join()
    assert found == [200] * view.AT_ONCE


def test_a_file_that_would_be_too_large_is_refused() -> None:
    from app.api.answers import Refused

    file = view.Bounded(io.BytesIO(), 10)
    assert file.write(b"12345") == 5
    with pytest.raises(Refused, match="fewer steps"):
        file.write(b"123456")


@pytest.mark.parametrize(
    "run_id", ["..", "%2e%2e%2f", "a%2Fb", "CON", "x%0d%0aSet-Cookie:a", "%E8%AE%AD%E7%BB%83", "a%20b%23c"]
)
def test_odd_names_of_runs_lead_nowhere(client: FlaskClient, redis_client: redis.Redis, run_id: str) -> None:  # noqa: F811
    reply = client.get(f"/api/runs/{run_id}/bundle")
    assert reply.status_code == 404
    assert "Set-Cookie" not in reply.headers
