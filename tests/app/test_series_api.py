"""``/api/runs/<run>/series``: every point once, windows, attempts, columns, and the sentence for a bad question."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from flask.testing import FlaskClient

from tests.support.seed import Seed, straight

WORKER = "msrun_log/worker_0.log"
EVENTS = "tensorboard/rank_0/events.out.tfevents.1"
NAN, INF = float("nan"), float("inf")


def ask(client: FlaskClient, query: str, *, run: str = "gpt") -> dict[str, Any]:
    reply = client.get(f"/api/runs/{run}/series?{query}")
    assert reply.status_code == 200, reply.text
    return json.loads(reply.text, parse_constant=lambda word: pytest.fail(f"{word} is not strict JSON"))


def steps(answer: dict[str, Any]) -> list[int]:
    return [point[0] for point in answer["points"]]


def test_every_point_is_there_exactly_once_though_two_logs_hold_it(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(1, 501)))
    seed.points(straight(range(1, 490)), file=WORKER)
    answer = ask(client, "metric=loss&points=0")
    assert steps(answer) == list(range(1, 501))
    assert (answer["total"], answer["drawn"], answer["hidden_nan"], answer["rank"]) == (500, 500, 0, 0)
    assert answer["points"][0] == [1, 1_000_000.0, 9.999, "log"]


def test_the_exact_source_wins_and_each_source_can_be_asked_for_alone(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(1, 101)))
    seed.points(straight(range(1, 81), value=20.0), file=EVENTS, source="tensorboard")
    answer = ask(client, "metric=loss&points=0")
    assert [point[3] for point in answer["points"]] == ["tensorboard"] * 80 + ["log"] * 20
    assert ask(client, "metric=loss&points=0&source=log")["total"] == 100


def test_the_last_stages_loss_is_the_loss_and_files_without_a_rank_are_its(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(1, 11), value=0.0))
    seed.points(straight(range(1, 11)), file="log/rank_7/info.log", rank=7)
    seed.points(straight(range(11, 21)), file=EVENTS, rank=None, source="tensorboard")
    answer = ask(client, "metric=loss&points=0")
    assert (answer["rank"], answer["total"]) == (7, 20)
    assert ask(client, "metric=loss&points=0&rank=0")["total"] == 10


def test_attempts_are_all_or_one_or_the_latest_curve(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(1, 221)))
    seed.points(straight(range(201, 301), at=1_003_600.0), generation=1, reason="start_announced")
    assert steps(ask(client, "metric=loss&points=0")) == [*range(1, 221), *range(201, 301)]
    assert steps(ask(client, "metric=loss&points=0&attempt=latest")) == list(range(1, 301))
    assert steps(ask(client, "metric=loss&points=0&attempt=1")) == list(range(1, 221))
    assert steps(ask(client, "metric=loss&points=0&attempt=2")) == list(range(201, 301))


def test_an_evaluation_before_the_restart_survives_in_the_latest_curve(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(1, 221)))
    seed.points(straight(range(201, 240), at=1_003_600.0), generation=1, reason="start_announced")
    seed.points([(50, 1_000_049.5, 1.0), (200, 1_000_199.5, 2.0), (210, 1_000_209.5, 3.0)], metric="eval_loss")
    assert steps(ask(client, "metric=eval_loss&points=0&attempt=latest")) == [50, 200]


def test_a_window_is_inclusive_at_both_ends(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(1, 101)))
    assert steps(ask(client, "metric=loss&points=0&start=10&end=12")) == [10, 11, 12]
    assert steps(ask(client, "metric=loss&points=0&start=99")) == [99, 100]
    assert ask(client, "metric=loss&start=500")["total"] == 0


def test_nan_and_infinities_are_words_and_a_missing_clock_is_null(client: FlaskClient, seed: Seed) -> None:
    seed.points([(1, NAN, NAN), (2, NAN, INF), (3, NAN, -INF), (4, NAN, 1.5)])
    points = ask(client, "metric=loss&points=0")["points"]
    assert [point[1:3] for point in points] == [[None, "NaN"], [None, "Infinity"], [None, "-Infinity"], [None, 1.5]]


def test_a_reduced_answer_says_what_it_hides(client: FlaskClient, seed: Seed) -> None:
    seed.points([(step, 0.0, NAN if step % 2 else float(step)) for step in range(10_000)])
    answer = ask(client, "metric=loss&points=100")
    assert answer["total"] == 10_000
    assert answer["drawn"] == len(answer["points"]) <= 100
    drawn = sum(point[2] == "NaN" for point in answer["points"])
    assert drawn + answer["hidden_nan"] == 5000


def test_columns_hold_the_same_points_as_json(client: FlaskClient, seed: Seed) -> None:
    seed.points([*straight(range(1, 51)), (51, NAN, NAN), (52, NAN, INF)])
    seed.points(straight(range(1, 31)), file=EVENTS, source="tensorboard")
    rows = ask(client, "metric=loss&points=0")
    reply = client.get("/api/runs/gpt/series?metric=loss&points=0", headers={"Accept": "application/octet-stream"})
    meta = json.loads(reply.headers["X-Tidewatch-Meta"])
    count = meta.pop("n")
    assert reply.mimetype == "application/octet-stream"
    assert len(reply.data) == count * 25
    assert meta == {name: value for name, value in rows.items() if name != "points"}
    numbers = np.frombuffer(reply.data, "<f8", 3 * count).reshape(3, count)
    sources = np.frombuffer(reply.data, "u1", offset=24 * count)
    words = {"NaN": NAN, "Infinity": INF}
    np.testing.assert_array_equal(numbers[0], steps(rows))
    np.testing.assert_array_equal(numbers[2], [words.get(point[2], point[2]) for point in rows["points"]])
    assert np.isnan(numbers[1][-2:]).all()
    assert [("tensorboard", "mindspore", "log")[one] for one in sources] == [point[3] for point in rows["points"]]


def test_a_raw_tag_is_read_by_its_own_name(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(5)), metric=None, tag="local_norm/a b<img>", file=EVENTS, source="tensorboard")
    answer = ask(client, "tag=local_norm/a%20b%3Cimg%3E&points=0")
    assert (answer["total"], answer["metric"], answer["tag"]) == (5, None, "local_norm/a b<img>")


def test_the_stream_goes_on_where_the_answer_ends(client: FlaskClient, seed: Seed) -> None:
    newest = seed.points(straight(range(5)))
    assert ask(client, "metric=loss")["stream"] == newest


def test_points_that_arrive_are_in_the_next_answer(client: FlaskClient, seed: Seed) -> None:
    for end in range(100, 400, 100):
        seed.points(straight(range(end - 100, end), at=1_000_000.0 + end))
        assert steps(ask(client, "metric=loss&points=0")) == list(range(end))


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("", "metric="),
        ("metric=loss&tag=loss", "Exactly one"),
        ("metric=loss&points=many", "points='many'"),
        ("metric=loss&points=-1", "points='-1'"),
        ("metric=loss&points=1e3", "points='1e3'"),
        ("metric=loss&rank=x", "rank='x'"),
        ("metric=loss&rank=-1", "rank='-1'"),
        ("metric=loss&start=1.5", "start='1.5'"),
        ("metric=loss&end=99999999999999999999", "end="),
        ("metric=loss&start=%D9%A1", "start="),
        ("metric=loss&attempt=0", "attempt='0'"),
        ("metric=loss&attempt=newest", "attempt='newest'"),
        ("metric=loss&source=wandb", "source='wandb'"),
        ("metric=loss&step=3", "'step'"),
    ],
)
def test_a_malformed_question_is_400_and_named(client: FlaskClient, seed: Seed, query: str, words: str) -> None:
    seed.points(straight(range(5)))
    reply = client.get(f"/api/runs/gpt/series?{query}")
    assert reply.status_code == 400
    assert words in reply.json["error"]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("nobody/series?metric=loss", ["'nobody'", "known runs are gpt"]),
        ("gpt/series?metric=losss", ["'losss'", "known metrics are loss, lr"]),
        ("gpt/series?tag=x", ["tag 'x'", "known tags are"]),
        ("gpt/series?metric=loss&rank=5", ["rank 5", "known ranks are 0"]),
        ("gpt/series?metric=loss&source=tensorboard", ["from tensorboard"]),
        ("gpt/series?metric=loss&attempt=3", ["1 attempts", "attempt=3"]),
        ("..%2f..%2fetc%2fpasswd/series?metric=loss", ["There is no"]),
        ("*/series?metric=loss", ["'*'"]),
    ],
)
def test_what_does_not_exist_is_404_and_what_does_is_told(
    client: FlaskClient, seed: Seed, path: str, words: list[str]
) -> None:
    seed.points(straight(range(5)))
    seed.points(straight(range(5)), metric="lr")
    reply = client.get(f"/api/runs/{path}")
    assert reply.status_code == 404
    assert all(word in reply.json["error"] for word in words), reply.json
