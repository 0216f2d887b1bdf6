"""``/api/runs/<run>/curves``: many curves of one window in one body of columns, and the sentence for a bad question."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from tests.support.columns import Columns, unpack
from tests.support.seed import Seed, same, straight

WORKER = "msrun_log/worker_0.log"
EVENTS = "tensorboard/rank_0/events.out.tfevents.1"
NAN, INF = float("nan"), float("inf")


def ask(client: FlaskClient, query: str) -> Columns:
    reply = client.get(f"/api/runs/gpt/curves?{query}")
    assert reply.status_code == 200, reply.text
    assert reply.mimetype == "application/octet-stream"
    return unpack(reply.data)


def restarted(seed: Seed) -> None:
    seed.points(straight(range(1, 221)))
    seed.points(straight(range(201, 301), at=1_003_600.0, value=20.0), generation=1, reason="start_announced")


def test_several_curves_come_in_the_order_in_which_they_are_asked_for(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(1, 501)))
    seed.points(straight(range(1, 490)), file=WORKER)
    seed.points(straight(range(1, 400), value=20.0), file=EVENTS, source="tensorboard")
    seed.points(straight(range(7)), metric="lr")
    newest = seed.points(straight(range(3)), metric=None, tag="导数/a b<img>", file="e", source="mindspore", rank=None)
    found = ask(client, "tag=导数/a b<img>&metric=lr&metric=nothing&metric=loss&tag=no")
    assert [one["name"] for one in found.told["curves"]] == ["lr", "loss", "导数/a b<img>"]
    assert found.told["missing"] == ["nothing", "no"]
    assert (found.told["run"], found.told["stream"]) == ("gpt", newest)
    loss = found.curves["loss"]
    assert loss.steps.tolist() == list(range(1, 501))
    assert loss.sources.tolist() == [0] * 399 + [2] * 101
    assert loss.walls[0] == 1_000_000.0
    assert found.curves["lr"].values[0] == 10.0
    assert found.curves["导数/a b<img>"].sources.tolist() == [1, 1, 1]
    assert found.told["axes"] == {"samples_per_step": None, "tokens_per_step": None}


def test_points_0_is_what_the_series_holds(client: FlaskClient, seed: Seed) -> None:
    restarted(seed)
    seed.points([(301, NAN, NAN), (302, NAN, INF), (303, 1_003_800.0, -INF)], generation=1)
    for attempt in ("latest", "all", "1", "2"):
        found = ask(client, f"metric=loss&points=0&attempt={attempt}").curves["loss"]
        rows = client.get(f"/api/runs/gpt/series?metric=loss&points=0&attempt={attempt}").json["points"]
        words = {"NaN": NAN, "Infinity": INF, "-Infinity": -INF}
        assert found.steps.tolist() == [row[0] for row in rows]
        assert same(found.walls.tolist(), [NAN if row[1] is None else row[1] for row in rows])
        assert same(found.values.tolist(), [words.get(row[2], row[2]) for row in rows])


def test_attempts_are_told_point_by_point_and_as_a_list(client: FlaskClient, seed: Seed) -> None:
    restarted(seed)
    stitched = ask(client, "metric=loss")
    assert stitched.curves["loss"].attempts.tolist() == [1] * 200 + [2] * 100
    assert ask(client, "metric=loss&attempt=all").curves["loss"].attempts.tolist() == [1] * 220 + [2] * 100
    assert [(one["attempt"], one["reason"], one["steps_redone"]) for one in stitched.told["attempts"]] == [
        (1, "first", 0),
        (2, "start_announced", 20),
    ]
    assert (stitched.told["step"], stitched.told["first_step"], stitched.told["began"]) == (300, 1, 1_000_000.0)


def test_ghosts_are_the_tails_that_earlier_attempts_lost(client: FlaskClient, seed: Seed) -> None:
    restarted(seed)
    seed.points(straight(range(250, 400), at=1_007_200.0), generation=2, reason="start_announced")
    found = ask(client, "metric=loss&ghosts=1")
    assert found.told["ghosts"] == [
        {"name": "loss", "attempt": 1, "n": 20},
        {"name": "loss", "attempt": 2, "n": 51},
    ]
    assert found.ghosts[0].steps.tolist() == list(range(201, 221))
    assert found.ghosts[1].steps.tolist() == list(range(250, 301))
    assert set(found.ghosts[1].attempts.tolist()) == {2}
    assert ask(client, "metric=loss").ghosts == []
    assert [len(one.steps) for one in ask(client, "metric=loss&ghosts=1&start=290&end=295").ghosts] == [6]


def test_a_window_is_of_steps_or_of_time_and_inclusive(client: FlaskClient, seed: Seed) -> None:
    restarted(seed)
    assert ask(client, "metric=loss&start=10&end=12").curves["loss"].steps.tolist() == [10, 11, 12]
    assert ask(client, "metric=loss&since=1000010&until=1000012.0").curves["loss"].steps.tolist() == [11, 12, 13]
    assert ask(client, "metric=loss&since=1003690").curves["loss"].steps.tolist() == list(range(291, 301))
    empty = ask(client, "metric=loss&start=900")
    assert (empty.told["curves"][0]["total"], empty.told["curves"][0]["first_step"]) == (0, None)
    assert empty.curves["loss"].steps.tolist() == []


def test_a_rank_is_asked_for_by_a_prefix_or_for_all(client: FlaskClient, seed: Seed) -> None:
    for rank in (0, 3, 7):
        seed.points(straight(range(rank + 1)), tag="local_loss", metric="local_loss", file=f"r{rank}", rank=rank)
    seed.points(straight(range(3)), metric=None, tag="r3:odd", file="r7", rank=7)
    found = ask(client, "tag=local_loss&tag=r3:local_loss&metric=r0:local_loss&tag=r5:local_loss&tag=r3:odd")
    assert {name: len(one.steps) for name, one in found.curves.items()} == {
        "local_loss": 8,
        "r3:local_loss": 4,
        "r0:local_loss": 1,
        "r3:odd": 3,
    }
    assert [one["rank"] for one in found.told["curves"]] == [0, 7, 3, 7]
    assert found.told["missing"] == ["r5:local_loss"]
    assert len(ask(client, "tag=local_loss&rank=3").curves["local_loss"].steps) == 4


def test_nothing_is_hidden_of_a_curve_with_gaps(client: FlaskClient, seed: Seed) -> None:
    points = [(step, 1_000_000.0 + step, 5.0) for step in range(20_000)]
    for step in (*range(300, 310), *range(311, 320), 4000):
        points[step] = (step, 1_000_000.0 + step, NAN)
    points[9000] = (9000, NAN, INF)
    points[9001] = (9001, 1_009_001.0, -INF)
    seed.points(points)
    found = ask(client, "metric=loss&points=100")
    told = found.told["curves"][0]
    assert (told["n"], told["drawn"]) == (len(found.curves["loss"].steps),) * 2
    assert told["drawn"] <= 100
    assert [told[name] for name in ("total", "nan", "inf", "lone_hidden", "spans_hidden")] == [20_000, 20, 2, 0, 0]
    assert told["spans"] == [
        ["nan", 300, 309, 1_000_300.0, 1_000_309.0],
        ["nan", 311, 319, 1_000_311.0, 1_000_319.0],
        ["nan", 4000, 4000, 1_004_000.0, 1_004_000.0],
        ["up", 9000, 9000, None, None],
        ["down", 9001, 9001, 1_009_001.0, 1_009_001.0],
    ]
    assert {299, 310, 320, 8999, 9002} <= set(found.curves["loss"].steps.tolist())


def test_every_flag_is_drawn_before_anything_else(client: FlaskClient, seed: Seed) -> None:
    flags = set(range(13, 20_000, 113))
    seed.points([(step, NAN, float(step in flags)) for step in range(20_000)], metric="overflow")
    drawn = ask(client, "metric=overflow&points=200").curves["overflow"]
    assert flags <= set(drawn.steps.tolist())
    assert len(drawn.steps) <= 200


def test_a_step_is_worth_samples_and_tokens_where_the_run_says_so(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(3)))
    seed.client.hset("tw:{gpt}:facts", mapping={"global_batch_size": "64", "seq_length": "4096"})
    assert ask(client, "metric=loss").told["axes"] == {"samples_per_step": 64, "tokens_per_step": 64 * 4096}


def test_a_run_that_has_nothing_yet_has_nothing_to_draw(client: FlaskClient, seed: Seed) -> None:
    told = ask(client, "metric=loss&ghosts=1").told
    assert (told["curves"], told["ghosts"], told["missing"]) == ([], [], ["loss"])
    assert (told["step"], told["first_step"], told["began"], told["attempts"]) == (None, None, None, [])


def test_points_that_arrive_are_in_the_next_answer(client: FlaskClient, seed: Seed) -> None:
    for end in range(100, 400, 100):
        seed.points(straight(range(end - 100, end), at=1_000_000.0 + end))
        assert ask(client, "metric=loss&points=0").curves["loss"].steps.tolist() == list(range(end))


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("", "metric="),
        ("&".join(["metric=loss"] * 201), "200"),
        ("metric=loss&points=many", "points='many'"),
        ("metric=loss&rank=x", "rank='x'"),
        ("metric=loss&start=1.5", "start='1.5'"),
        ("metric=loss&since=yesterday", "since='yesterday'"),
        ("metric=loss&until=nan", "until='nan'"),
        ("metric=loss&since=1&end=3", "either"),
        ("metric=loss&ghosts=yes", "ghosts='yes'"),
        ("metric=loss&attempt=0", "attempt='0'"),
        ("metric=loss&source=wandb", "source='wandb'"),
        ("metric=loss&step=3", "'step'"),
    ],
)
def test_a_malformed_question_is_400_and_named(client: FlaskClient, seed: Seed, query: str, words: str) -> None:
    seed.points(straight(range(5)))
    reply = client.get(f"/api/runs/gpt/curves?{query}")
    assert reply.status_code == 400
    assert words in reply.json["error"]


def test_an_unknown_run_or_attempt_is_404(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(5)))
    assert client.get("/api/runs/nobody/curves?metric=loss").status_code == 404
    assert client.get("/api/runs/gpt/curves?metric=loss&attempt=2").status_code == 404
