"""``/api/runs/<run>/tags``: every name without a point read, and of a few names all there is to say."""

from __future__ import annotations

import math
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.support.seed import Seed, straight

NAMES = {"metric": None, "unit": "", "scope": "rank", "points": None, "last": None}


@pytest.fixture
def many_ranks(seed: Seed) -> Seed:
    """A loss, a tag that ranks 0 to 3 and 7 have, and a tag of no rank whose name is odd."""
    seed.points(straight(range(1, 11)))
    for rank in (7, 0, 1, 2, 3):
        points = [(1, 1_000_000.0, 0.5), (2, 1_000_001.0, float(rank))]
        seed.points(points, metric=None, tag="norm/a", rank=rank, file=f"rank_{rank}/info.log")
    odd = [(5, 1_000_000.0, math.nan)]
    seed.points(odd, metric=None, tag="层 &a=b,#1", rank=None, file="e.tfevents", source="tensorboard")
    return seed


def ask(client: FlaskClient, query: str = "") -> list[dict[str, Any]]:
    reply = client.get(f"/api/runs/gpt/tags{query}")
    assert reply.status_code == 200, reply.text
    found: list[dict[str, Any]] = reply.json
    return found


def test_all_names_come_with_their_ranks_and_sources_and_without_values(client: FlaskClient, many_ranks: Seed) -> None:
    assert ask(client) == [
        {**NAMES, "metric": "loss", "tag": "loss", "scope": "run", "ranks": [[0, 0]], "sources": ["log"]},
        {**NAMES, "tag": "norm/a", "ranks": [[0, 3], [7, 7]], "sources": ["log"]},
        {**NAMES, "tag": "层 &a=b,#1", "ranks": [], "sources": ["tensorboard"]},
    ]


def test_a_name_is_told_in_full_of_the_rank_that_speaks(client: FlaskClient, many_ranks: Seed) -> None:
    loss, norm = ask(client, "?metric=loss&tag=norm/a")
    assert (loss["points"], loss["last"][:1]) == (10, [10])
    assert (norm["points"], norm["last"]) == (2, [2, 1_000_001.0, 0.0, "log"])  # of rank 0, as the loss


def test_what_log_and_event_file_both_hold_is_counted_once(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(1, 11)))
    seed.points(straight(range(1, 12)), file="msrun_log/worker_0.log")
    seed.points(straight(range(12, 16)), file="msrun_log/worker_0.log", generation=1)
    assert ask(client, "?metric=loss")[0]["points"] == 15
    for number in (0, 1):
        exact = straight(range(10 * number + 1, 10 * number + 11))
        seed.points(exact, file=f"events.{number}", source="tensorboard", rank=None)
    assert ask(client, "?metric=loss")[0]["points"] == 20


def test_another_rank_has_its_own_points(client: FlaskClient, many_ranks: Seed) -> None:
    (three,) = ask(client, "?tag=norm/a&rank=3")
    assert (three["points"], three["last"][2]) == (2, 3.0)
    (none,) = ask(client, "?tag=norm/a&rank=5")
    assert (none["points"], none["last"]) == (0, None)


def test_an_odd_name_is_found_as_it_is(client: FlaskClient, many_ranks: Seed) -> None:
    (odd,) = client.get("/api/runs/gpt/tags", query_string={"tag": "层 &a=b,#1"}).json
    assert odd["last"] == [5, 1_000_000.0, "NaN", "tensorboard"]


def test_a_name_that_the_run_has_not_is_left_out(client: FlaskClient, many_ranks: Seed) -> None:
    assert ask(client, "?tag=loss&metric=nothing") == []


@pytest.mark.parametrize(
    "query", ["?match=a", "?rank=-1", "?rank=x", "?rank=1&" + "&".join(f"tag={n}" for n in range(101))]
)
def test_an_argument_without_sense_is_refused_in_a_sentence(client: FlaskClient, many_ranks: Seed, query: str) -> None:
    reply = client.get(f"/api/runs/gpt/tags{query}")
    assert reply.status_code == 400
    assert reply.json["error"].endswith(".")


def test_a_run_that_is_not_there_is_not_found(client: FlaskClient, seed: Seed) -> None:
    assert client.get("/api/runs/none/tags").status_code == 404
