"""What the answers say of folded history."""

from __future__ import annotations

import json

from flask.testing import FlaskClient

from tests.app.test_folded import SID, put
from tests.support.folding import fold_oldest
from tests.support.seed import RUN, Seed


def test_the_answers_say_how_much_is_folded(client: FlaskClient, redis_url: str, seed: Seed) -> None:
    put(seed, 0, 1000)
    fold_oldest(redis_url, 640, SID)
    ask = f"/api/runs/{RUN}/series?metric=local_loss&rank=1&points=0"
    whole = client.get(ask).get_json()
    assert (whole["folded"], whole["total"]) == (640, 1000)
    assert whole["drawn"] == len(whole["points"]) < 500
    assert whole["hidden_nan"] + sum(one[2] == "NaN" for one in whole["points"]) == 11
    assert client.get(f"{ask}&start=640").get_json()["folded"] == 0
    assert client.get(f"{ask}&start=576&end=639").get_json()["folded"] == 64
    assert 30 <= client.get(f"{ask}&start=64&end=95").get_json()["folded"] <= 34


def test_curves_say_it_too_by_step_and_by_time(client: FlaskClient, redis_url: str, seed: Seed) -> None:
    put(seed, 0, 1000)
    fold_oldest(redis_url, 640, SID)

    def told(window: str) -> tuple[int, int, int]:
        body = client.get(f"/api/runs/{RUN}/curves?metric=r1:local_loss{window}").data
        (one,) = json.loads(body[4 : 4 + int.from_bytes(body[:4], "little")])["curves"]
        return one["folded"], one["total"], one["nan"]

    assert told("") == (640, 1000, 11)
    assert told("&start=640") == (0, 360, 4)
    assert told("&until=1000063") == (64, 64, 1)
    assert told("&since=1000576") == (64, 64 + 360, 5)
    half, total, _ = told("&until=1000095")
    assert 94 <= half <= 98
    assert 92 <= total <= 100
