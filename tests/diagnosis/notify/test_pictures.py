"""The picture of a message: which curve, which stretch of it, and how it reaches a channel. Real Redis, real mail."""

from __future__ import annotations

import base64
import email
import hashlib
import io
import math
from collections.abc import Iterator, Sequence
from email import policy as mail_policy

import numpy as np
import pytest
import redis
from PIL import Image

from app.cluster_store import opened
from app.diagnosis.notify import album as albums
from app.diagnosis.notify.album import Album
from app.diagnosis.notify.box import Box
from app.diagnosis.notify.carrier import Carrier
from app.diagnosis.notify.excerpt import LEAST_AROUND, Stretch, excerpt, place
from app.diagnosis.notify.letter import Item, Letter, letter
from app.diagnosis.notify.message import Block, Message
from app.diagnosis.notify.notice import Notice
from app.diagnosis.notify.policy import Policy
from app.diagnosis.notify.sender import Sender
from app.diagnosis.notify.senders import sending
from app.diagnosis.notify.settings import Channel
from app.diagnosis.notify.subject import subject
from app.diagnosis.notify.target import target
from app.diagnosis.rules.custom import UserRule
from app.diagnosis.signal import Class, Evidence, Signal
from app.figures.picture import BYTES, Picture
from app.stored import RunStore
from collector.wire import schema
from tests.support.hook import hook, mailbox
from tests.support.redis_server import RedisServer
from tests.support.seed import RUN, Point, Seed
from tests.support.waiting import eventually

AT = 1_780_000_000.0
NEW = Signal("raise", "loss_spike", "S1", "warning", 503, 500, None, Evidence(5.0, 2.0))  # by no clock, so no history


def course(steps: Sequence[int], at: float = AT, value: float = 2.0) -> list[Point]:
    return [(step, at + number, value + step / 1e6) for number, step in enumerate(steps)]


def said(about: Class = "loss_spike", first: int = 500, step: int = 503, **more: object) -> Signal:
    wall: float | None = AT + 100_000
    return Signal("raise", about, "S1", "warning", step, first, wall, Evidence(5.0, 2.0), **more)  # type: ignore[arg-type]


def of(signal: Signal) -> Letter:
    return letter(RUN, [Item("begin", Notice("a", RUN, "opened", AT, signal), AT)], AT)


@pytest.fixture
def seed(redis_client: redis.Redis) -> Seed:
    return Seed(redis_client)


@pytest.fixture
def store(redis_url: str) -> Iterator[RunStore]:
    made = opened(redis_url)
    yield made
    made.close()


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Picture]:
    """What is handed over to be drawn."""
    found: list[Picture] = []
    real = albums.png

    def noting(picture: Picture) -> bytes:
        found.append(picture)
        return real(picture)

    monkeypatch.setattr(albums, "png", noting)
    return found


# ---- which stretch ----


def around(store: RunStore, seed: Seed, stretch: Stretch, sids: Sequence[str] = ()) -> list[int]:
    run = store.lean(seed.run)
    assert run is not None
    return [int(step) for one in excerpt(store, RUN, sids or list(run.series), stretch) for step in one.points["step"]]


def test_a_short_stretch_has_two_hundred_rows_on_each_side(seed: Seed, store: RunStore) -> None:
    seed.points(course(range(0, 20_000, 10)))
    found = around(store, seed, Stretch(10_000, 10_030))
    assert found == list(range(10_000 - 10 * LEAST_AROUND, 10_030 + 10 * LEAST_AROUND + 1, 10))


def test_a_long_one_has_three_times_its_rows(seed: Seed, store: RunStore) -> None:
    seed.points(course(range(10_000)))
    found = around(store, seed, Stretch(4_000, 4_499))
    assert (found[0], found[-1]) == (2_500, 5_999)


def test_the_rows_before_a_restart_come_from_the_file_before(seed: Seed, store: RunStore) -> None:
    seed.points(course(range(1_300)))
    seed.points(course(range(1_200, 1_250), AT + 5_000, 3.0), generation=1, reason="start_announced")
    found = around(store, seed, Stretch(1_220, 1_230))
    assert found == list(range(1_220 - LEAST_AROUND, 1_250))


def test_what_was_begun_later_is_no_part_of_it(seed: Seed, store: RunStore) -> None:
    seed.points(course(range(1_300)))
    seed.points(course(range(1_200, 1_250), AT + 5_000, 3.0), generation=1, reason="start_announced")
    found = around(store, seed, Stretch(1_290, 1_299, AT + 2_000))
    assert found == list(range(1_290 - LEAST_AROUND, 1_300))


def test_the_same_lines_in_two_files_are_drawn_once(seed: Seed, store: RunStore) -> None:
    seed.points(course(range(1_000)))
    seed.points(course(range(1_000)), file="log/rank_0/copy.log")
    assert around(store, seed, Stretch(700, 700)) == list(range(500, 901))


@pytest.mark.parametrize("length", [0, 1, 2, 64, 65, 66, 5_000])
def test_a_step_is_found_in_a_long_series(length: int, seed: Seed, store: RunStore) -> None:
    steps = list(range(100, 100 + 7 * length, 7))
    sid = "log/rank_0/info.log\x1f0\x1floss"
    seed.points(course(steps))
    for step in {0, 99, 100, 101, 107, 100 + 7 * (length // 2), 100 + 7 * length - 8, 100 + 7 * length, 10**9}:
        assert place(store, RUN, sid, length, step) == sum(one < step for one in steps)


def test_a_run_that_started_a_hundred_times_is_read_in_part(seed: Seed, store: RunStore) -> None:
    for number in range(100):
        seed.points(course(range(10 * number, 10 * number + 5), AT + 100 * number), generation=number, reason="first")
    found = around(store, seed, Stretch(990, 993))
    assert found == [10 * number + by for number in range(92, 100) for by in range(5)]


# ---- which curve ----


@pytest.mark.parametrize(
    ("about", "title"),
    [
        ("nan_inf", "loss"),
        ("divergence", "loss"),
        ("jitter", "loss"),
        ("plateau", "loss"),
        ("tb_missing", "loss"),
        ("step_regress", "loss"),
        ("grad_explode", "grad_norm"),
        ("grad_vanish", "grad_norm"),
        ("loss_scale", "loss_scale"),
        ("lr_anomaly", "lr"),
        ("throughput", "step_time (ms)"),
        ("stall", "step_time (ms)"),
        ("overfit", "eval_loss"),
    ],
)
def test_each_class_shows_its_metric(about: Class, title: str, seed: Seed, store: RunStore) -> None:
    for metric in ("loss", "grad_norm", "lr", "loss_scale", "step_time"):
        seed.points(course(range(1_000)), metric=metric)
    seed.points(course(range(0, 1_000, 50)), metric="eval_loss")
    run = store.lean(RUN)
    assert run is not None
    found = subject(said(about), run, ())
    assert found is not None
    assert found.title == title
    assert (found.level is not None) == (about in ("divergence", "grad_explode", "grad_vanish"))


def test_a_run_without_the_metric_shows_what_it_has(seed: Seed, store: RunStore, shown: list[Picture]) -> None:
    seed.points(course(range(1_000)), metric="lm_loss")
    assert Album(store).picture(of(said("grad_explode")))
    assert shown[0].title == "lm_loss"


def test_the_picture_holds_curve_band_and_baseline(seed: Seed, store: RunStore, shown: list[Picture]) -> None:
    points = course(range(1_000))
    points[501] = (501, AT + 501, 5.0)
    seed.points(points)
    made = Album(store).picture(of(said()))
    assert Image.open(io.BytesIO(made)).size == (1000, 420)
    assert len(made) <= BYTES
    (picture,) = shown
    (trace,) = picture.traces
    assert (picture.band, picture.level, picture.note) == ((500, 503), ("median", 2.0), "gpt")
    assert trace.steps.tolist() == list(range(300, 704))
    assert trace.values.max() == 5.0


def test_evaluations_are_drawn_before_the_loss(seed: Seed, store: RunStore, shown: list[Picture]) -> None:
    seed.points(course(range(2_000)))
    seed.points(course(range(0, 2_000, 50), value=4.0), metric="eval_loss")
    assert Album(store).picture(of(said("overfit", 1_000, 1_300)))
    evaluated, trained = shown[0].traces
    assert (evaluated.name, trained.name, trained.quiet) == ("eval_loss", "loss", True)
    assert evaluated.steps.tolist() == list(range(100, 2_000, 50))


def test_a_rule_of_people_shows_its_own_metric_and_threshold(seed: Seed, store: RunStore, shown: list[Picture]) -> None:
    seed.points(course(range(1_000)))
    seed.points(course(range(1_000), value=7.0), metric=None, tag="moe/aux")
    rules = UserRule("S1", "above", 6.5, tag="moe/aux"), UserRule("other", "below", 1.0, metric="loss")
    assert Album(store, rules).picture(of(said("custom")))
    assert (shown[0].title, shown[0].level) == ("moe/aux", ("threshold", 6.5))


def rank_file(rank: int) -> str:
    return f"tensorboard/rank_{rank}/events"


def test_a_rank_is_drawn_beside_the_median_of_those_like_it(seed: Seed, store: RunStore, shown: list[Picture]) -> None:
    seed.points(course(range(1_000)))
    for rank in range(80):
        points = [(step, AT + step, 2.0 + rank / 100 + (step >= 500) * (rank == 7)) for step in range(1_000)]
        if rank == 3:
            points[600] = 600, AT + 600, math.nan
        seed.points(points, metric="local_loss", file=rank_file(rank), rank=rank, source="tensorboard", live=False)
    assert Album(store).picture(of(said("rank_outlier", 500, 510, rank=7)))
    mine, others = shown[0].traces
    assert (shown[0].title, mine.name, others.name) == ("local_loss", "rank 7", "median of 63 ranks")
    assert mine.values[mine.steps == 499] == pytest.approx(2.07)
    assert mine.values[mine.steps == 500] == pytest.approx(3.07)
    assert others.steps.tolist() == mine.steps.tolist()
    assert np.all(np.abs(others.values - 2.4) < 0.03)


def test_a_slow_rank_shows_its_own_time(seed: Seed, store: RunStore, shown: list[Picture]) -> None:
    tag = "model-flops-throughput-per-npu"
    seed.points(course(range(1_000)))
    for rank in range(8):
        seed.points(
            course(range(1_000), value=700.0 + rank),
            metric=None, tag="data_time", file=rank_file(rank), rank=rank, source="tensorboard",
        )  # fmt: skip
        seed.points(
            course(range(1_000)), metric="tflops", tag=tag, file=rank_file(rank), rank=rank, source="tensorboard"
        )
    assert Album(store).picture(of(said("throughput", rank=5)))
    assert (shown[0].title, shown[0].traces[0].name) == ("data_time", "rank 5")


# ---- that it harms nothing ----


def test_nothing_to_draw_is_no_picture(seed: Seed, store: RunStore) -> None:
    assert Album(store).picture(of(said())) == b""
    seed.points(course(range(10)), metric=None, tag="anything")
    assert Album(store).picture(of(said())) == b""
    assert Album(store).picture(of(said("custom"))) == b""


def test_redis_away_is_no_picture_and_one_line(own_redis: RedisServer, caplog: pytest.LogCaptureFixture) -> None:
    store = opened(own_redis.url)
    own_redis.stop()
    assert Album(store).picture(of(said())) == b""
    store.close()
    assert [one.message.startswith("No picture could be drawn") for one in caplog.records] == [True]
    assert "StoreAway" in caplog.text


def test_whatever_goes_wrong_the_message_is_sent(
    redis_url: str, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: object) -> bytes:
        raise MemoryError("no room")

    Seed(redis_client).points(course(range(1_000)))
    monkeypatch.setattr(albums, "png", broken)
    with hook() as chat:
        channel = Channel("team", target(f"wecom+{chat.url}/x"), allow_internal=True, policy=Policy(wait=0.0))
        with sending([channel], redis_url, "", "me"):
            eventually(lambda: redis_client.exists(schema.sender("team")), seconds=10)
            tell(redis_client, NEW)
            eventually(lambda: redis_client.llen(schema.deliveries("team")), seconds=10)
    assert [one.json["msgtype"] for one in chat.posted] == ["markdown"]
    assert caplog.text.count("No picture could be drawn") == 1


def tell(client: redis.Redis, signal: Signal) -> None:
    client.xadd(schema.outbox(RUN), {schema.OUTBOX_FIELD: Notice("a", RUN, "opened", AT, signal).encode()})


# ---- how it arrives ----


def sent(redis_url: str, client: redis.Redis, address: str) -> None:
    """One message of one channel, as the worker's threads send it."""
    seed = Seed(client)
    seed.points(course(range(1_000)))
    channel = Channel("team", target(address), allow_internal=True, policy=Policy(wait=0.0))
    with sending([channel], redis_url, "", "me"):
        eventually(lambda: client.exists(schema.sender("team")), seconds=20)
        tell(client, NEW)
        eventually(lambda: client.llen(schema.deliveries("team")), seconds=20)


def test_a_mail_has_the_picture_attached(redis_url: str, redis_client: redis.Redis) -> None:
    with mailbox() as (port, mails):
        sent(redis_url, redis_client, f"mailto://127.0.0.1:{port}/?from=a@a.example&to=b@b.example&mode=insecure")
    (mail,) = [email.message_from_string(one, policy=mail_policy.default) for one in mails]
    (picture,) = [part for part in mail.walk() if part.get_content_type() == "image/png"]
    assert picture.get_filename() == "curve.png"
    assert Image.open(io.BytesIO(picture.get_content())).size == (1000, 420)


def test_wecom_gets_it_after_the_words(redis_url: str, redis_client: redis.Redis) -> None:
    with hook() as chat:
        sent(redis_url, redis_client, f"wecom+{chat.url}/cgi-bin/webhook/send?key=k")
    words, picture = [one.json for one in chat.posted]
    assert (words["msgtype"], picture["msgtype"]) == ("markdown", "image")
    made = base64.b64decode(picture["image"]["base64"], validate=True)
    assert picture["image"]["md5"] == hashlib.md5(made).hexdigest()
    assert Image.open(io.BytesIO(made)).size == (1000, 420)


@pytest.mark.parametrize("kind", ["feishu", "dingtalk", "json"])
def test_channels_that_take_none_have_nothing_drawn(
    kind: str, redis_url: str, redis_client: redis.Redis, shown: list[Picture]
) -> None:
    with hook() as chat:
        sent(redis_url, redis_client, f"{kind}+{chat.url}/abcdefgh")
    assert len(chat.posted) == 1
    assert shown == []


@pytest.mark.parametrize(
    ("address", "takes"),
    [
        ("wecombot://key", True),
        ("mailtos://me:secret@mail.example", True),
        ("slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ", False),
        ("slack://xoxb-1234-1234-abc124/#team", True),
        ("tgram://123456789:abcdefg_hijklmnop/lead2gold", True),
        ("pigeon://roof", False),
    ],
)
def test_it_is_known_who_takes_pictures(address: str, takes: bool) -> None:
    assert Carrier(target(address)).takes_pictures is takes


def test_a_picture_that_wecom_refuses_is_told_and_the_message_counts_as_sent() -> None:
    message = Message("id", "r", "loss", "warning", (Block("Loss spike"),), foot="id", picture=b"\x89PNG")
    with hook() as chat:
        chat.replies = [b'{"errcode": 0}', b'{"errcode": 40009, "errmsg": "invalid image size"}']
        told = Carrier(target(f"wecom+{chat.url}/x"), allow_internal=True).send(message)
    assert len(chat.posted) == 2
    assert told.taken
    assert "without its picture" in told.said
    assert "invalid image size" in told.said


def test_what_was_refused_is_sent_again_without_its_picture(redis_url: str, redis_client: redis.Redis) -> None:
    Seed(redis_client).points(course(range(1_000)))
    box, now = Box(redis_url, "team", "a"), [AT]
    with hook() as chat:
        channel = Channel("team", target(f"wecom+{chat.url}/x"), allow_internal=True, policy=Policy(wait=0.0))
        drawn: list[Letter] = []
        sender = Sender(
            channel, box, Carrier(channel.target, allow_internal=True), "", lambda: now[0],
            picture=lambda one: bool(drawn.append(one)) * b"" or b"PNG",
        )  # fmt: skip
        sender.turn()
        tell(redis_client, NEW)
        chat.status = 500
        sender.turn()
        chat.status = 200
        now[0] += 60
        sender.turn()
    box.close()
    assert [one.json["msgtype"] for one in chat.posted] == ["markdown", "markdown"]
    assert len(drawn) == 1
