"""The map of ranks as a picture: as many rows as ranks, colours of what cells hold, and few bytes of many ranks."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from flask.testing import FlaskClient

from app.figures.plot import THEMES
from app.figures.preview import BYTES, Head, most
from app.figures.rank_map import RankMap, Row, Shade, labelled, place, png, shade, shades
from app.series.ranks.grid import MISSING, NAN, OK
from tests.app.test_preview import opened, strokes
from tests.support.seed import Seed


def of(numbers: np.ndarray, kinds: np.ndarray | None = None, *, compares: bool = True) -> RankMap:
    rows = [Row(f"Rank {one}") for one in range(len(numbers))]
    steps = np.arange(numbers.shape[1], dtype=np.int64)
    found = np.full(numbers.shape, OK, np.uint8) if kinds is None else kinds
    return RankMap(Head("gpt"), "local_loss", rows, steps, numbers.astype(np.float32), found, compares)


def test_the_map_has_as_many_rows_as_ranks_and_each_its_colour() -> None:
    numbers = np.where(np.arange(16)[:, None] % 2 == 0, -20.0, 20.0) * np.ones((16, 10))
    image = opened(png(of(numbers)))
    box = place(1200, 630)
    column = [
        image.getpixel((round(box.left + 40), round(box.top + (row + 0.5) * box.height / 16))) for row in range(16)
    ]
    palette = shades("light")
    for row, seen in enumerate(column):
        wanted = palette[-1 if row % 2 else 0]
        assert max(abs(int(a) - int(b)) for a, b in zip(seen, wanted, strict=True)) < 16, row  # type: ignore[arg-type]
    changes = 0
    before = None
    for y in range(math.ceil(box.top) + 1, math.floor(box.bottom) - 1):
        blue = image.getpixel((round(box.left + 40), y))[2] > 60  # type: ignore[index]
        changes += before is not None and blue is not before
        before = blue
    assert changes == 15


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nan_and_nothing_are_no_colour_of_the_scale(theme: str) -> None:
    kinds = np.full((4, 10), OK, np.uint8)
    kinds[1], kinds[2] = NAN, MISSING
    numbers = np.where(kinds == OK, 8.0, np.nan)
    image = opened(png(of(numbers, kinds), theme=theme))  # type: ignore[arg-type]
    box, colours = place(1200, 630), THEMES[theme]  # type: ignore[index]
    quarter = box.height / 4
    for row, colour in ((1, colours.ink), (2, colours.ground)):
        part = (box.left + 10, box.top + row * quarter + 5, box.right - 10, box.top + (row + 1) * quarter - 5)
        area = (part[2] - part[0]) * (part[3] - part[1])
        assert strokes(image, colour, part) > 0.95 * area


def test_noise_of_many_ranks_has_few_bytes() -> None:
    numbers = np.random.default_rng(3).normal(0, 1.2, (600, 250))
    for size in ((1200, 630), (2400, 1600)):
        assert len(png(of(numbers), width=size[0], height=size[1])) <= most(*size)
    assert most(1200, 630) == BYTES


@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (3, 0), (1, 500)])
def test_no_shape_is_too_small(shape: tuple[int, int]) -> None:
    for size in ((200, 120), (1200, 630)):
        assert opened(png(of(np.zeros(shape)), width=size[0], height=size[1])).size == size


@pytest.mark.parametrize("number", [0.0, math.nan, math.inf, 1e308, -1e308, 5e-324])
def test_no_number_is_too_odd(number: float) -> None:
    with np.errstate(over="ignore"):
        for compares in (True, False):
            assert png(of(np.full((4, 4), number), compares=compares)).startswith(b"\x89PNG")


def test_a_scale_is_as_wide_as_all_but_the_farthest() -> None:
    numbers = np.concatenate([np.linspace(1, 2, 999), [1e9]])
    found = shade(numbers, compares=False)
    assert (round(found.low, 1), round(found.high, 1), found.log) == (1.0, 2.0, False)
    assert shade(np.geomspace(1e-3, 1e3, 100), compares=False).log
    away = shade(np.array([0.5, -0.5, 40.0]), compares=True)
    assert away.places(np.array([0.0]))[0] == 0.5
    assert abs(away.places(np.array([0.5]))[0] - 0.5) < 0.1
    assert away.places(np.array([away.high, -away.high])).tolist() == [1.0, 0.0]
    assert Shade(0.0, 1.0).places(np.array([-5.0, 7.0])).tolist() == [0.0, 1.0]


def test_odd_rows_are_labelled_first_and_no_label_lies_on_another() -> None:
    heights = [float(row) for row in range(100)]
    odd = [row in (50, 51, 77) for row in range(100)]
    found = labelled(odd, heights, 10.0)
    assert {50, 77} <= set(found)
    assert 51 not in found
    assert all(b - a >= 10 for a, b in pairwise(found))
    assert labelled([], [], 10.0) == []


def seeded(seed: Seed, ranks: int, steps: int) -> None:
    for rank in range(ranks):
        values = [
            2.0 + (rank * 7 + step * 3) % 11 / 1000 + (3.0 if rank == 5 and step > steps // 2 else 0)
            for step in range(steps)
        ]
        points = [(step, 1_000_000.0 + step, value) for step, value in enumerate(values)]
        seed.points(
            points,
            metric="local_loss",
            file=f"tensorboard/rank_{rank}/events.out.tfevents.1",
            rank=rank,
            source="tensorboard",
        )


def test_the_address_answers_with_the_map_of_ranks(client: FlaskClient, seed: Seed) -> None:
    seeded(seed, 16, 60)
    answer = client.get("/api/runs/gpt/preview.png?page=ranks")
    assert answer.content_type == "image/png"
    image = opened(answer.data)
    box = place(1200, 630)
    row = box.height / 16
    part = ((box.left + box.right) / 2 + 20, box.top + 5 * row + 4, box.right - 5, box.top + 6 * row - 4)
    hot = "#" + "".join(f"{one:02x}" for one in shades("light")[-1])
    assert strokes(image, hot, part) > 0.8 * (part[2] - part[0]) * (part[3] - part[1])
    assert strokes(image, THEMES["light"].bad, (0, box.top + 5 * row - 4, box.left, box.top + 6 * row + 4)) > 30
    pictures = {
        client.get(f"/api/runs/gpt/preview.png?page=ranks{one}").data
        for one in ("", "&end=20", "&theme=dark", "&lang=zh")
    }
    assert len(pictures) == 4


def test_a_map_of_what_there_is_not_is_refused(client: FlaskClient, seed: Seed) -> None:
    seed.points([(1, 1_000_000.0, 1.0)], metric=None, tag="a")
    told = client.get("/api/runs/gpt/preview.png?page=ranks&metric=local_loss")
    assert told.status_code == 404
    assert client.get("/api/runs/gpt/preview.png?page=ranks&tag=a&start=99").status_code == 200
