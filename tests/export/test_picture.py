"""``python -m app export RUN --format png``: the real process, and the picture that it leaves."""

from __future__ import annotations

import io
import subprocess
from pathlib import Path

import pytest
import redis
from PIL import Image

from app.figures.plot import THEMES
from collector.wire.records import RunId
from tests.app.test_preview import strokes
from tests.export.test_command import command, environment, export, left
from tests.support.seed import Seed, straight


@pytest.fixture
def seed(redis_client: redis.Redis) -> Seed:
    seed = Seed(redis_client)
    seed.points(straight(range(1, 200)))
    seed.points(straight(range(1, 200)), metric="grad_norm")
    for rank in range(8):
        file = f"tensorboard/rank_{rank}/events.out.tfevents.1"
        seed.points(straight(range(1, 50)), metric="local_loss", file=file, rank=rank, source="tensorboard")
    return seed


def image_of(file: Path) -> Image.Image:
    return Image.open(file).convert("RGB")


def test_a_picture_has_the_size_theme_and_panels_that_are_asked_for(seed: Seed, redis_url: str, tmp_path: Path) -> None:
    size = "--width", "800", "--height", "400", "--theme", "dark"
    done = export(
        "gpt", "--format", "png", "--metric", "loss", *size, "--out", "a.png", cwd=tmp_path, REDIS_URL=redis_url
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert "800 × 400 pixels" in done.stderr
    image = image_of(tmp_path / "a.png")
    assert image.size == (800, 400)
    assert strokes(image, THEMES["dark"].curves["loss"], (40, 60, 800, 380)) > 300
    assert strokes(image, THEMES["dark"].curves["grad"], (40, 60, 800, 380)) == 0


def test_the_ending_of_the_file_says_what_it_is(seed: Seed, redis_url: str, tmp_path: Path) -> None:
    for name, more in (("b.png", ()), ("map.PNG", ("--page", "ranks"))):
        assert export("gpt", "--out", name, *more, "--quiet", cwd=tmp_path, REDIS_URL=redis_url).returncode == 0
    assert image_of(tmp_path / "b.png").size == image_of(tmp_path / "map.PNG").size == (1200, 630)
    assert (tmp_path / "b.png").read_bytes() != (tmp_path / "map.PNG").read_bytes()


def test_without_a_file_it_is_named_after_the_run(redis_client: redis.Redis, redis_url: str, tmp_path: Path) -> None:
    Seed(redis_client, run=RunId("训练 a:b")).points(straight(range(9)))
    assert export("训练 a:b", "--format", "png", cwd=tmp_path, REDIS_URL=redis_url).returncode == 0
    assert left(tmp_path) == ["训练 a_b.png"]


def test_a_picture_goes_down_a_pipe(seed: Seed, redis_url: str, tmp_path: Path) -> None:
    line = command("gpt", "--format", "png", "--out", "-")
    done = subprocess.run(line, capture_output=True, timeout=50, cwd=tmp_path, env=environment(REDIS_URL=redis_url))
    assert done.returncode == 0, done.stderr
    assert Image.open(io.BytesIO(done.stdout)).size == (1200, 630)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--width", "9999"), "200 to 2400"),
        (("--height", "x"), "not a whole number"),
        (("--metric", "nothing"), "no metric"),
        (("--start", "9", "--end", "3"), "lies behind"),
        (("--all",), "nothing for a picture"),
        (("--layout", "long"), "nothing for a picture"),
    ],
)
def test_what_makes_no_sense_is_wrong_use(
    seed: Seed, redis_url: str, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = export("gpt", "--format", "png", *arguments, cwd=tmp_path, REDIS_URL=redis_url)
    assert done.returncode == 2
    assert said in done.stderr
    assert left(tmp_path) == []


def test_a_size_is_for_pictures_alone_and_no_file_is_overwritten(seed: Seed, redis_url: str, tmp_path: Path) -> None:
    assert export("gpt", "--width", "400", cwd=tmp_path, REDIS_URL=redis_url).returncode == 2
    (tmp_path / "gpt.png").write_bytes(b"mine")
    assert export("gpt", "--format", "png", cwd=tmp_path, REDIS_URL=redis_url).returncode == 1
    assert (tmp_path / "gpt.png").read_bytes() == b"mine"
