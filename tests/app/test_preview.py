"""A run in one picture: size, colours, words, what it costs the second time; nothing that a run holds breaks it."""

from __future__ import annotations

import io
import math
from dataclasses import replace
from urllib.parse import quote

import pytest
import redis
from flask.testing import FlaskClient
from PIL import Image

from app.alarms import Alarms
from app.api.ranks import Parts
from app.diagnosis.store import AlertStore
from app.faults import Faults
from app.figures.plot import THEMES, Plot, Trace
from app.figures.preview import Head, Panel, Preview, boxes, framed, letters, preview
from app.grids import Grids
from app.hosts import Hosts
from app.language import speaking
from app.pasts import Pasts
from app.previews import curves, glimpse
from app.previews.asked import Asked
from app.previews.previews import Previews
from app.reader import Reader, Wanted
from app.store import RedisRunStore
from app.surveys import Surveys
from collector.wire.packed import CHUNK_POINTS
from collector.wire.records import RunId
from tests.app.conftest import NOW
from tests.app.test_picture import RAMP, STEPS, near
from tests.support.folding import fold_oldest, pack_oldest
from tests.support.seed import RUN, Seed, straight

ASKED = Asked()
HEAD = Head("gpt", "Running", "good", ("step 1,399",), ("steps 1,000 to 1,399",))
PANEL = Panel("Loss", Plot([Trace("loss", STEPS, RAMP, hue="loss")]), last="3")


@pytest.fixture
def clock() -> list[float]:
    """Unix seconds; a test moves it."""
    return [NOW]


@pytest.fixture
def previews(store: RedisRunStore, clock: list[float]) -> Previews:
    return made(store, clock)


def made(store: RedisRunStore, clock: list[float]) -> Previews:
    reader = Reader(store)
    grids = Grids(store, reader)
    surveys = Surveys(grids)
    parts = Parts(store, reader, grids, surveys, Pasts(surveys, reader), Hosts(store), Faults(store, reader))
    return Previews(parts, Alarms(AlertStore(store.url), lambda: clock[0]), lambda: clock[0])


def opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def asked(client: FlaskClient, query: str = "", status: int = 200, **headers: str) -> bytes:
    answer = client.get(f"/api/runs/gpt/preview.png{query}", headers=headers)
    assert answer.status_code == status, answer.data[:300]
    return answer.data


def strokes(image: Image.Image, colour: str, box: tuple[float, float, float, float]) -> int:
    """How many pixels of a colour there are in a part of a picture."""
    wanted = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    part = image.crop(tuple(round(one) for one in box))  # type: ignore[arg-type]
    found = part.getcolors(part.width * part.height) or []
    return sum(count for count, one in found if all(abs(a - b) < 14 for a, b in zip(one, wanted, strict=True)))  # type: ignore[arg-type, call-overload]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1200, 630), (2400, 1600), (200, 120), (2400, 120), (200, 1600), (390, 800)])
def test_every_size_has_the_curve_where_its_values_are(size: tuple[int, int], theme: str) -> None:
    made = preview(Preview(HEAD, [PANEL]), width=size[0], height=size[1], theme=theme)  # type: ignore[arg-type]
    image = opened(made)
    assert image.size == size
    assert len(made) < 200_000
    at = framed(PANEL, boxes(1, *size)[0], letters(*size))
    colours = THEMES[theme]  # type: ignore[index]
    for place in range(5, 400, 40):
        x, y = at.x.place(float(STEPS[place])), at.y.place(float(RAMP[place]))
        assert near(image, colours.curves["loss"], x, y)
    assert near(image, colours.ground, 2, 2)


def test_each_panel_has_its_own_curve_in_its_own_place() -> None:
    hues = ("loss", "grad", "lr", "speed")
    panels = [Panel(one, Plot([Trace(one, STEPS, RAMP, hue=one)])) for one in hues]
    image = opened(preview(Preview(HEAD, panels)))
    places = boxes(4, 1200, 630)
    for at, box in enumerate(places):
        found = [
            strokes(image, THEMES["light"].curves[one], (box.left, box.top, box.right, box.bottom)) for one in hues
        ]
        assert found[at] > 150
        assert sum(found) == found[at]
    assert all(one.right <= 1200 and one.bottom < 630 for one in places)


def test_up_to_nine_panels_have_room_at_the_usual_size() -> None:
    assert [len(boxes(count, 1200, 630)) for count in range(10)] == list(range(10))
    assert len(boxes(9, 200, 120)) == 1


def test_the_name_is_in_the_picture_whatever_its_letters() -> None:
    def named(name: str) -> bytes:
        return preview(Preview(Head(name), [PANEL]))

    plain = named("")
    for name in ("llama", "预训练", "é", "😀", "훈련", "a\n\tb", "‮abc", "x" * 100_000, "训" * 5_000):
        assert named(name) != plain, name
    assert named("\x00\u200b\u202e") == plain


def test_the_state_is_a_word_and_its_colour() -> None:
    image = opened(preview(Preview(HEAD, [PANEL])))
    assert strokes(image, THEMES["light"].good, (900, 0, 1200, 50)) > 60
    bad = opened(preview(Preview(Head("gpt", "Failed", "bad"), [PANEL])))
    assert strokes(bad, THEMES["light"].bad, (900, 0, 1200, 50)) > 60


def full(seed: Seed, steps: int = 500) -> None:
    seed.beat(1_000_199.0)
    seed.touched(1_000_199.0)
    seed.points(straight(range(steps), at=999_700.0))
    seed.points([(step, 999_700.0 + step, 1.0 + step % 7) for step in range(steps)], metric="grad_norm")
    seed.points([(step, 999_700.0 + step, 1e-4) for step in range(steps)], metric="lr")
    seed.points([(step, 999_700.0 + step, 3.0) for step in range(0, steps, 100)], metric="eval_loss")


def test_the_address_answers_with_a_picture_of_the_run(client: FlaskClient, seed: Seed) -> None:
    full(seed)
    answer = client.get("/api/runs/gpt/preview.png")
    assert answer.content_type == "image/png"
    assert answer.headers["Cache-Control"] == "private, max-age=10"
    image = opened(answer.data)
    assert image.size == (1200, 630)
    light = THEMES["light"]
    above, left, right = boxes(3, 1200, 630)
    for box, hue in ((above, "loss"), (above, "eval"), (left, "grad"), (right, "lr")):
        assert strokes(image, light.curves[hue], (box.left, box.top, box.right, box.bottom)) > 30, hue


def test_size_theme_window_and_metrics_are_as_asked(client: FlaskClient, seed: Seed) -> None:
    full(seed)
    assert opened(asked(client, "?width=640&height=320")).size == (640, 320)
    dark = opened(asked(client, "?theme=dark"))
    assert dark.getpixel((1, 1)) == (0x15, 0x1B, 0x23)
    pictures = {
        asked(client, query)
        for query in ("", "?start=100", "?end=100", "?metric=lr", "?metric=lr&metric=loss", "?tag=lr", "?lang=zh")
    }
    assert len(pictures) == 7
    alone = opened(asked(client, "?metric=grad_norm"))
    assert strokes(alone, THEMES["light"].curves["grad"], (0, 80, 1200, 600)) > 1_000
    assert strokes(alone, THEMES["light"].curves["loss"], (0, 80, 1200, 600)) == 0


@pytest.mark.parametrize(
    "query",
    [
        "?width=2401", "?width=199", "?height=1601", "?height=119", "?width=1e3", "?width=-1", "?width=" + "9" * 18,
        "?theme=neon", "?page=moon", "?start=5&end=4", "?start=x", "?metric=", "?metric=" + "a" * 501, "?colour=red",
        "?" + "&".join(f"metric=m{one}" for one in range(10)), "?lang=fr", "?page=ranks&metric=a&metric=b",
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_with_a_sentence(client: FlaskClient, seed: Seed, query: str) -> None:
    full(seed, 10)
    told = client.get(f"/api/runs/gpt/preview.png{query}")
    assert told.status_code == 400
    assert told.json["error"].endswith(".")


def test_unknown_runs_and_metrics_are_not_found(client: FlaskClient, seed: Seed) -> None:
    full(seed, 10)
    assert client.get("/api/runs/nobody/preview.png").status_code == 404
    assert client.get("/api/runs/..%2f..%2fetc%2fpasswd/preview.png").status_code == 404
    assert client.get("/api/runs/gpt/preview.png?metric=nothing").status_code == 404
    assert client.get("/api/runs/gpt/preview.png?metric=r7:loss").status_code == 404
    assert client.get("/api/runs/gpt/preview.png?tag=nothing").status_code == 404


def test_a_run_without_points_is_a_picture_that_says_so(client: FlaskClient, seed: Seed) -> None:
    seed.beat()
    empty = asked(client)
    assert opened(empty).size == (1200, 630)
    assert asked(client, "?lang=zh") != empty
    full(seed)
    assert strokes(opened(asked(client, "?start=9999")), THEMES["light"].quiet, (300, 290, 900, 340)) > 100


def test_who_has_the_picture_is_told_so(client: FlaskClient, seed: Seed) -> None:
    full(seed)
    first = client.get("/api/runs/gpt/preview.png")
    again = client.get("/api/runs/gpt/preview.png", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    other = client.get("/api/runs/gpt/preview.png?theme=dark", headers={"If-None-Match": first.headers["ETag"]})
    assert other.status_code == 200


def test_the_second_question_draws_nothing(seed: Seed, previews: Previews) -> None:
    full(seed)
    first = previews.of("gpt", ASKED)
    assert previews.of("gpt", ASKED) is first
    assert previews.drawn == 1
    assert previews.of("gpt", replace(ASKED, theme="dark")).tag != first.tag
    with speaking("zh"):
        assert previews.of("gpt", ASKED).tag != first.tag
    assert previews.drawn == 3


def test_new_points_are_drawn_when_the_picture_is_no_longer_fresh(
    seed: Seed, previews: Previews, clock: list[float]
) -> None:
    seed.points(straight(range(50), at=NOW - 50 * 60, every=60.0))
    first = previews.of("gpt", ASKED)
    clock[0] += 11
    assert previews.of("gpt", ASKED) is first
    assert previews.drawn == 1, "nothing has come, so nothing is drawn"
    seed.points([(50, NOW, 20.0)])
    clock[0] += 11
    assert previews.of("gpt", ASKED).tag != first.tag
    assert previews.drawn == 2


def test_attempts_before_are_grey_and_gaps_are_marked(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(300), at=999_000.0))
    seed.points([(step, 999_400.0 + step, 8.0) for step in range(100, 400)])
    seed.points([(step, 999_900.0 + step, math.nan) for step in range(400, 450)])
    seed.points([(450, 999_990.0, 8.0)])
    image = opened(asked(client))
    light = THEMES["light"]
    assert strokes(image, light.ghost, (100, 120, 1200, 590)) > 200
    assert strokes(image, light.shade, (100, 120, 1200, 590)) > 20_000
    assert strokes(image, light.bad, (100, 120, 1200, 590)) > 300


def test_a_run_without_known_metrics_shows_its_first_tags(client: FlaskClient, seed: Seed) -> None:
    for tag in ("b", "a", "<svg onload=1>", "训练/损失"):
        seed.points(straight(range(50)), metric=None, tag=tag)
    image = opened(asked(client))
    assert strokes(image, THEMES["light"].traces[0], (0, 80, 1200, 600)) > 500


def test_odd_names_of_runs_have_pictures(client: FlaskClient, redis_client: redis.Redis) -> None:
    for name in ("a b:c#d?e%f", "a%2Fb", "训练"):
        seed = Seed(redis_client, run=RunId(name))
        seed.points(straight(range(20)))
        answer = client.get(f"/api/runs/{quote(name, safe='')}/preview.png")
        assert answer.status_code == 200, name


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 0.0, 1.7e308, -5e-324])
def test_no_value_breaks_a_picture(client: FlaskClient, seed: Seed, value: float) -> None:
    seed.points([(step, 1_000_000.0, value) for step in range(30)])
    opened(asked(client))


def long_run(seed: Seed, pieces: int) -> None:
    """Two attempts in two files, the second from the middle of the first on; NaN at the very end."""
    half = pieces * 500
    seed.points([(step, 1_000.0 + step, 5.0) for step in range(2 * half)])
    again = [(step, 900_000.0 + step, 3.0) for step in range(half, 3 * half)]
    seed.points([*again, (3 * half, 999_999.0, math.nan)], generation=1, reason="start_announced")


def test_of_a_very_long_run_stretches_are_read_and_attempts_are_stitched(
    seed: Seed, store: RedisRunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(glimpse, "WHOLE", 1_000)
    monkeypatch.setattr(glimpse, "STRETCHES", 20)
    long_run(seed, 20)
    run = store.lean(RUN)
    assert run is not None
    steps, values, wholly = glimpse.glimpse(store, run, Wanted("loss", False, 0), None, None)
    assert not wholly
    assert len(steps) < 2_000
    assert (steps[1:] > steps[:-1]).all()
    assert (int(steps[0]), int(steps[-1])) == (0, 30_000)
    assert set(values[steps < 9_000].tolist()) == {5.0}
    assert set(values[(steps >= 11_000) & (steps < 30_000)].tolist()) == {3.0}
    inside, found, wholly = glimpse.glimpse(store, run, Wanted("loss", False, 0), 9_900, 10_100)
    assert wholly
    assert inside.tolist() == list(range(9_900, 10_101))
    assert found.tolist() == [5.0] * 100 + [3.0] * 101


def test_a_picture_of_a_very_long_run_says_that_it_is_a_sample(
    seed: Seed, store: RedisRunStore, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    long_run(seed, 2)
    previews = made(store, clock)
    exact = previews.of("gpt", ASKED)
    monkeypatch.setattr(curves, "LONG", 100)
    assert previews.of("gpt", replace(ASKED, theme="dark")).png, "it is held, so it is drawn of all points"
    monkeypatch.setattr(glimpse, "WHOLE", 1_000)
    sampled = made(store, clock).of("gpt", ASKED)
    assert sampled.tag != exact.tag
    light = THEMES["light"].curves["loss"]
    assert strokes(opened(sampled.png), light, (90, 120, 1200, 560)) > 1_000


def test_a_glimpse_of_packed_and_folded_history_is_of_the_same_points(
    seed: Seed, store: RedisRunStore, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(glimpse, "WHOLE", 1_000)
    monkeypatch.setattr(glimpse, "STRETCHES", 20)
    count = 40 * CHUNK_POINTS
    seed.points([(step, 1_000.0 + step, float(step % 97)) for step in range(count)], live=False)
    (sid,) = store.lean(RUN).series  # type: ignore[union-attr]
    before = _glimpsed(store)
    assert pack_oldest(redis_url, 20 * CHUNK_POINTS, sid) == 1
    seed.announce([])
    packed = _glimpsed(RedisRunStore(redis_url))
    assert packed == before
    assert fold_oldest(redis_url, 10 * CHUNK_POINTS, sid) == 1
    seed.announce([])
    folded = _glimpsed(RedisRunStore(redis_url))
    assert (folded[0], folded[-1]) == (before[0], before[-1])
    assert all(value == step % 97 for step, value in folded)


def _glimpsed(store: RedisRunStore) -> list[tuple[int, float]]:
    run = store.lean(RUN)
    assert run is not None
    steps, values, wholly = glimpse.glimpse(store, run, Wanted("loss", False, 0), None, None)
    assert not wholly
    store.close()
    return list(zip(steps.tolist(), values.tolist(), strict=True))
