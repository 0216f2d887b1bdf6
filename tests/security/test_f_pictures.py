"""F3: pictures are made by the server, so their size, their count and what they are made of have limits."""

from __future__ import annotations

import io
import resource
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis
from flask.testing import FlaskClient
from PIL import Image

from app.figures.preview import MOST_HEIGHT, MOST_WIDTH
from collector.wire import schema
from tests.app.conftest import client, seed, server, store  # noqa: F401 - fixtures
from tests.support.seed import RUN, Seed, straight

EVERY = f"width={MOST_WIDTH}&height={MOST_HEIGHT}"


def peak() -> float:
    """MB that this process has had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@pytest.mark.parametrize("size", ["99999", "4294967296", "9" * 18, "9" * 4_000, "-1", "0", "1e9", "0x7fffffff", "NaN"])
def test_f3_a_picture_of_an_enormous_size_is_refused_before_any_memory_is_taken(
    client: FlaskClient,  # noqa: F811
    seed: Seed,  # noqa: F811
    size: str,
) -> None:
    seed.points(straight(range(50)))
    before = peak()
    for name in ("width", "height"):
        answer = client.get(f"/api/runs/{RUN}/preview.png?{name}={size}")
        assert answer.status_code == 400
        assert len(answer.data) < 6_000
    assert peak() - before < 20


def test_f3_many_large_pictures_at_once_are_drawn_two_at_a_time(client: FlaskClient, seed: Seed) -> None:  # noqa: F811
    seed.points(straight(range(50)))
    assert client.get(f"/api/runs/{RUN}/preview.png?{EVERY}").status_code == 200
    before = peak()

    def ask(start: int) -> int:
        mine = client.application.test_client()
        return mine.get(f"/api/runs/{RUN}/preview.png?{EVERY}&start={start}").status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(ask, range(8))) == {200}
    assert peak() - before < 220, "eight at once would take 600 MB"


def test_f3_a_name_as_long_as_a_book_and_a_thousand_tags_are_a_picture(
    client: FlaskClient,  # noqa: F811
    seed: Seed,  # noqa: F811
    redis_client: redis.Redis,
) -> None:
    redis_client.hset(schema.run(RUN), "name", "训\u202e<svg>" * 200_000)
    for number in range(1_000):
        seed.points([(1, 1_000_000.0, 1.0)], metric=None, tag=f"{number}/" + "t" * 2_000)
    png = client.get(f"/api/runs/{RUN}/preview.png").data
    assert Image.open(io.BytesIO(png)).size == (1200, 630)
    assert len(png) <= 200_000
