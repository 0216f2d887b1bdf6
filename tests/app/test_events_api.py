"""``/api/runs/<run>/events``: what lines and curves tell of a run, once, as names and numbers."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jsonschema_rs
import numpy as np
import pytest
import redis
from flask.testing import FlaskClient
from numpy.typing import NDArray

from app.api.openapi import description
from app.event_cache import EventCache
from app.series.curve import Curve, from_block
from app.series.happenings import MOST, overflows, scale_changes
from app.series.lr_phases import phases
from app.store import RedisRunStore
from collector.wire import schema
from collector.wire.records import RunEvent, RunId, pack_point
from tests.conftest import SHARED
from tests.support.following import following
from tests.support.seed import RUN, Seed, straight
from tests.support.waiting import eventually

AT = 1_000_000.0  # where the seeds' clocks begin
LOGS = SHARED / "fixtures" / "logs"
Floats = NDArray[np.float64]


FORM = {"$ref": "#/components/schemas/Events", "components": description("/")["components"]}


def read(client: FlaskClient, query: str = "", run: str = "gpt") -> dict[str, Any]:
    reply = client.get(f"/api/runs/{run}/events?{query}")
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json
    return found


def ask(client: FlaskClient, query: str = "", run: str = "gpt") -> dict[str, Any]:
    found = read(client, query, run)
    jsonschema_rs.validate(FORM, found)
    return found


def told(client: FlaskClient, kind: str = "", run: str = "gpt") -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = ask(client, f"kind={kind}", run)["events"]
    return events


def say(
    seed: Seed, kind: str, step: int | None = None, wall: float | None = None, text: str = "", **where: Any
) -> None:
    """One line of a log as the collector stores it."""
    event = RunEvent(kind, step, wall, text or kind, **{"rank": 0, "file": "msrun_log/worker_0.log", **where})
    seed.client.rpush(schema.events(seed.run), event.encode())


# -- lines ------------------------------------------------------------------------------------------------------------


def test_what_several_ranks_and_files_tell_is_told_once_newest_last(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(1, 101)))
    for rank in (0, 1, 2):
        say(seed, "checkpoint", 50, AT + 49.5, "Saving ckpt", rank=rank, file=f"log/rank_{rank}/info.log")
        say(seed, "checkpoint", 50, AT + 51, "Finish saving ckpt of epoch 1 step 50 using 1.500 seconds", rank=rank)
    say(seed, "start", None, AT - 5)
    [start, saved] = ask(client)["events"]
    assert (start["kind"], start["step"], start["wall"]) == ("start", None, AT - 5)
    assert (saved["step"], saved["ranks"], saved["wall"], saved["times"]) == (50, [0, 1, 2], AT + 49.5, 1)
    assert saved["detail"] == {"seconds": 1.5}
    assert (saved["file"], saved["text"][:13]) == ("msrun_log/worker_0.log", "Finish saving")


def test_the_same_step_of_two_attempts_is_two_events_and_the_restart_says_why(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(1, 101)))
    seed.points(straight(range(81, 121), at=AT + 1000), generation=1, reason="start_announced")
    seed.points(straight(range(110, 121), at=AT + 2000), generation=2, reason="start_announced")
    say(seed, "error", 10, AT + 10, "Error saving checkpoint: no space")
    for wall in (AT + 90, AT + 1010):
        say(seed, "checkpoint", 90, wall, "Saving ckpt")
    say(seed, "traceback", 100, None, "ValueError: There is nan in loss, terminate training.", generation=0)
    say(seed, "nan_stop", 100, None, "ValueError: There is nan in loss, terminate training.", generation=0)
    assert [one["wall"] for one in told(client, "checkpoint")] == [AT + 90, AT + 1010]
    # A traceback has no clock: it has that of its step, in the attempt of the line before it.
    assert [one["wall"] for one in told(client, "traceback")] == [AT + 1019]
    first, second = told(client, "restart")
    assert first["detail"] == {
        "attempt": 2,
        "reason": "start_announced",
        "ended": "unknown",
        "last_step": 100,
        "steps_redone": 20,
        "down_seconds": 901.0,
    }
    assert (first["step"], first["wall"], second["detail"]["attempt"]) == (81, AT + 1000, 3)


@pytest.mark.parametrize(
    ("kinds", "ended"),
    [
        (["traceback", "nan_stop", "error"], "nan_stop"),
        (["traceback", "norm_stop"], "norm_stop"),
        (["error", "traceback"], "traceback"),
        (["end"], "end"),
        (["checkpoint"], "unknown"),
        ([], "unknown"),
    ],
)
def test_a_restart_tells_how_the_attempt_before_it_ended(
    client: FlaskClient, seed: Seed, kinds: Sequence[str], ended: str
) -> None:
    seed.points(straight(range(1, 101)))
    seed.points(straight(range(81, 121), at=AT + 1000), generation=1, reason="start_announced")
    say(seed, "error", 5, AT + 5)  # after which training went on
    for kind in kinds:
        say(seed, kind, 100, AT + 100)
    [restart] = told(client, "restart")
    assert restart["detail"]["ended"] == ended


STARTED = [range(1, 101), range(81, 121), range(101, 131)]


@pytest.mark.parametrize("clocks", [True, False])
@pytest.mark.parametrize("told_apart", ["start_announced", ""])  # or only by steps that go back
def test_a_traceback_without_a_clock_ends_the_attempt_that_its_file_was_in(
    client: FlaskClient, seed: Seed, told_apart: str, clocks: bool
) -> None:
    for number, steps in enumerate(STARTED):
        generation, reason = (number, told_apart if number else "") if told_apart else (0, "")
        points = straight(steps, at=AT + 1000 * number)
        points = points if clocks else [(step, float("nan"), value) for step, _, value in points]
        seed.points(points, generation=generation, reason=reason)
        where = {"file": "log/rank_0/info.log", "generation": generation}
        if number < 2:
            say(seed, "traceback", steps[-1], None, f"ValueError: {number}", **where)
    assert [one["detail"]["ended"] for one in told(client, "restart")] == ["traceback", "traceback"]
    walls = [one["wall"] for one in told(client, "traceback")]
    assert walls == ([AT + 99, AT + 1039] if clocks else [None, None])


def test_an_evaluation_tells_its_loss_and_a_number_that_is_none_is_a_word(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(1, 11)))
    say(seed, "eval", 5, AT + 5, "Starting Evaluate Model")
    say(
        seed,
        "eval",
        5,
        AT + 6,
        "Eval result: {'PerplexityMetric': {'loss': 4.25, 'PPL': inf}}, eval time is 1.500000 s.",
    )
    say(seed, "eval", 8, AT + 8, "Eval result: {'loss': nan}, eval")
    first, second = told(client, "eval")
    assert first["detail"] == {"loss": 4.25, "PPL": "Infinity", "seconds": 1.5}
    assert second["detail"] == {"loss": "NaN"}


def test_a_skipped_batch_tells_its_norm_and_threshold(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(1, 11)))
    say(seed, "skip", 5, AT + 5, "opt_global_step: 5, skip_data_grad_norm_threshold: 10.0, is_skip: [ True]")
    spike = "Current global norm [183.2] of step 5 has been 1 consecutive times greater than threshold: 10.0"
    say(seed, "norm_spike", 5, AT + 5, spike)
    say(seed, "error", 7, AT + 7, "No space left on device")
    skipped, spiked, failed = told(client)
    assert skipped["detail"] == {"says": "skip_norm_above", "norm": 183.2, "threshold": 10.0}
    assert (spiked["text"], spiked["detail"]["times"], failed["detail"]) == (spike, 1.0, {})


def test_a_run_without_clocks_or_points_has_its_events_in_order_of_steps(client: FlaskClient, seed: Seed) -> None:
    for step in (3, 1, 2):
        say(seed, "checkpoint", step)
    assert [one["step"] for one in told(client)] == [1, 2, 3]
    seed.points([(step, float("nan"), 1.0) for step in range(1, 9)])
    assert [one["step"] for one in told(client)] == [1, 2, 3]


def test_the_lines_of_one_start_are_one_event(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(1, 101)))
    lines = [("resume", "Start load resume context"), ("start", "Build Callbacks"), ("start", "Starting Init")]
    lines += [("resume", "Start resume training"), ("compile", "Compiling"), ("train", "Starting Training")]
    seed.points(straight(range(101, 121), at=AT + 1000), generation=1, reason="start_announced")
    for again in (-100, 950):
        for number, (kind, text) in enumerate(lines):
            say(seed, kind, None, AT + again + number / 10, f"{text} Model")
    whole = ["resume", "start", "compile", "train"]
    assert [one["kind"] for one in ask(client)["events"] if one["kind"] != "restart"] == [*whole, *whole]


# -- checkpoints' health ----------------------------------------------------------------------------------------------


def judge(seed: Seed, flags: Mapping[str, str]) -> None:
    named = {schema.HEALTH_FACT + name: flag for name, flag in flags.items()}
    seed.client.hset(schema.facts(seed.run), mapping=named)


def test_a_checkpoint_carries_its_health(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(1, 301)))
    seed.client.hset(schema.facts(seed.run), "steps_per_epoch", "100")
    say(seed, "checkpoint", 100, AT + 100, "Finish saving ckpt of epoch 1 step 100 using 1.0 seconds")
    say(seed, "checkpoint", 250, AT + 249, "Saving ckpt")
    say(seed, "checkpoint", 50, AT + 250, "Finish saving ckpt of epoch 3 step 50 using 1.0 seconds")
    judge(seed, {"llama_rank_0-1_100.ckpt": "0", "llama_rank_0-3_50.ckpt": "1", "llama_rank_0-2_7.ckpt": "0"})
    judge(seed, {"odd name": "1", "llama_rank_0-1_1.ckpt": "maybe"})
    found = {one["step"]: one["detail"] for one in told(client, "checkpoint")}
    assert found[100] == {"seconds": 1.0, "health": "healthy", "name": "llama_rank_0-1_100.ckpt"}
    assert found[250]["health"] == "unhealthy"  # epoch 3, step 50 of 100
    assert found[107] == {"health": "healthy", "name": "llama_rank_0-2_7.ckpt"}  # of which no line tells
    assert found[None] == {"health": "unhealthy", "name": "odd name"}
    assert len(found) == 4
    assert "checkpoint_health" not in client.get("/api/runs/gpt").text


def test_steps_that_were_sunk_into_one_do_not_move_a_checkpoint(client: FlaskClient, seed: Seed) -> None:
    """With sink_size 1 every step is an epoch to MindSpore: ``epoch 300 step 1`` is step 300 of the records."""
    seed.points(straight(range(1, 301)))
    say(seed, "checkpoint", 300, AT + 299, "Saving ckpt")
    say(seed, "checkpoint", 1, AT + 300, "Finish saving ckpt of epoch 300 step 1 using 2.0 seconds")
    judge(seed, {"llama_rank_0-300_1.ckpt": "1"})
    [saved] = told(client, "checkpoint")
    assert (saved["step"], saved["detail"]["health"]) == (300, "unhealthy")


def test_checkpoints_of_a_resumed_attempt_are_told_at_the_steps_of_the_run(client: FlaskClient, seed: Seed) -> None:
    """After a resume MindFormers counts the steps of savings from there, but the epochs of names as the run does."""
    seed.client.hset(schema.facts(seed.run), "steps_per_epoch", "100")
    seed.points(straight(range(1, 101)))
    seed.points(straight(range(81, 171), at=AT + 1000), generation=1, reason="start_announced")
    saved = "Finish saving ckpt of epoch 1 step 40 using 1.0 seconds"
    for step, wall, said in ((40, 40, 40), (80, 80, 80), (120, 1040, 40)):
        say(seed, "checkpoint", step, AT + wall, "Saving ckpt")
        say(seed, "checkpoint", said, AT + wall + 1, saved.replace("step 40", f"step {said}"))
    say(seed, "checkpoint", 160, AT + 1080, "Saving ckpt")
    judge(seed, {"llama_rank_0-1_40.ckpt": "1", "llama_rank_0-1_80.ckpt": "0", "llama_rank_0-2_40.ckpt": "0"})
    judge(seed, {"llama_rank_0-2_80.ckpt": "1"})  # of the saving that is not through yet
    found = [(one["step"], one["detail"].get("health")) for one in told(client, "checkpoint")]
    assert found == [(40, "unhealthy"), (80, "healthy"), (120, "healthy"), (160, "unhealthy")]


def test_savings_beside_each_other_keep_their_steps(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(1, 301)))
    say(seed, "checkpoint", 100, AT + 100, "Saving ckpt")
    say(seed, "checkpoint", 200, AT + 200, "Saving ckpt")
    for step in (100, 200):
        text = f"Finish saving ckpt of epoch 1 step {step} using 150.0 seconds"
        say(seed, "checkpoint", step, AT + step + 150, text)
    assert [(one["step"], one["detail"]["seconds"]) for one in told(client, "checkpoint")] == [(100, 150), (200, 150)]


def test_a_checkpoint_saved_again_has_the_health_of_the_newest_alone(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(1, 101)))
    seed.points(straight(range(81, 121), at=AT + 1000), generation=1, reason="start_announced")
    for wall in (AT + 90, AT + 1010):
        say(seed, "checkpoint", 90, wall, "Finish saving ckpt of epoch 1 step 90 using 1.0 seconds")
    judge(seed, {"llama_rank_0-1_90.ckpt": "0"})
    old, new = told(client, "checkpoint")
    assert ("health" in old["detail"], new["detail"]["health"]) == (False, "healthy")


# -- curves -----------------------------------------------------------------------------------------------------------


def curve(values: Floats, *, every: int = 1, attempts: Sequence[int] | None = None) -> Curve:
    steps = range(every, every * len(values) + 1, every)
    made = from_block(b"".join(pack_point(step, AT + step, v) for step, v in zip(steps, values, strict=True)), "log")
    return made.of_attempts(np.array(attempts if attempts is not None else [1] * len(values)))


def test_the_loss_scale_halves_and_doubles_in_bursts() -> None:
    scale = np.full(200, 65536.0)
    scale[50:], scale[51:], scale[52:] = 32768.0, 16384.0, 8192.0
    scale[150:] = 16384.0
    scale[180] = float("nan")
    first, second = scale_changes(curve(scale))
    assert (first.step, first.last_step, first.times) == (51, 53, 3)
    assert first.detail == {"change": "halved", "from": 65536.0, "to": 8192.0}
    assert (second.step, second.detail["change"], second.wall) == (151, "doubled", AT + 151)
    odd = scale_changes(curve(np.array([100.0, 100.0, 70.0])))
    assert [one.detail["change"] for one in odd] == ["lowered"]
    assert scale_changes(curve(np.array([4.0, 4.0, 8.0, 8.0]), attempts=[1, 1, 2, 2])) == []  # a restart is no change
    assert scale_changes(curve(np.array([np.nan, 0.0, np.inf]))) == []


def test_overflows_are_counted_exactly_in_bursts() -> None:
    flags = np.zeros(1000)
    flags[[10, 11, 12, 14, 500, 900, 901]] = 1
    found = overflows(curve(flags, every=5))
    assert [(one.step, one.last_step, one.times) for one in found] == [(55, 75, 4), (2505, 2505, 1), (4505, 4510, 2)]
    assert sum(one.times for one in found) == 7
    assert overflows(curve(np.zeros(50))) == []
    assert [one.times for one in overflows(curve(np.ones(50)))] == [50]
    every_tenth = np.tile(np.eye(1, 10)[0], 30_000)
    assert len(overflows(curve(every_tenth))) == MOST


def test_a_line_that_tells_of_the_same_overflow_lends_its_words(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(1, 101)))
    seed.points([(step, AT + step, float(step in (7, 8))) for step in range(1, 101)], metric="overflow")
    say(seed, "overflow", 7, AT + 7, "overflow, still update")
    say(seed, "overflow", 60, AT + 60, "OVERFLOW! Skipping step")
    first, second = told(client, "overflow")
    assert (first["step"], first["times"], first["text"], first["detail"]) == (
        7,
        2,
        "overflow, still update",
        {"flags": 2},
    )
    assert (second["step"], second["text"]) == (60, "OVERFLOW! Skipping step")


def cosine(count: int, warm: int, *, floor: float = 0.0, peak: float = 1e-4) -> Floats:
    step = np.arange(1, count + 1)
    fall = floor + (peak - floor) * 0.5 * (1 + np.cos(np.pi * np.clip((step - warm) / (count - warm), 0, 1)))
    return np.asarray(np.where(step <= warm, peak * step / warm, fall), dtype=np.float64)


def stable(count: int, warm: int, decay: int) -> Floats:
    """Warm-up, a long stay, a decay to a tenth."""
    step = np.arange(1, count + 1)
    fall = 1e-4 - 9e-5 * (step - decay) / (count - decay)
    return np.asarray(np.where(step <= warm, 1e-4 * step / warm, np.where(step < decay, 1e-4, fall)), dtype=np.float64)


def digits(values: Floats, count: int) -> Floats:
    return np.array([float(f"{one:.{count}g}") for one in values])


RANDOM = np.random.default_rng(4)


@pytest.mark.parametrize(
    ("rates", "expected"),
    [
        (cosine(10_000, 500), [("warmup_end", 500)]),
        (cosine(1_000_000, 2000), [("warmup_end", 2000)]),
        (digits(cosine(10_000, 500), 3), [("warmup_end", 500)]),
        (stable(2000, 100, 1500), [("warmup_end", 100), ("decay_start", 1500)]),
        (stable(10, 3, 8), [("warmup_end", 3), ("decay_start", 8)]),
        (np.r_[cosine(4000, 200, floor=1e-5), np.full(1000, 1e-5)], [("warmup_end", 200), ("constant", 3999)]),
        (np.repeat([0.1, 0.01, 0.001], 1000), [("drop", 1001), ("drop", 2001)]),
        (np.tile(cosine(1000, 1), 3), [("restart", 1001), ("restart", 2001)]),
        (np.linspace(1e-4, 0, 3000), []),
        (np.linspace(0, 1e-4, 300), []),
        (np.full(1000, 1e-4), []),
        (np.round(cosine(10_000, 500, peak=1e-3), 3), []),  # 0.000 and 0.001 are no schedule
        (RANDOM.random(5000), []),
        (1e-4 * (1 + 0.01 * RANDOM.standard_normal(5000)), []),
        (np.cumsum(RANDOM.standard_normal(5000)), []),
        (np.r_[np.nan, cosine(1000, 50), np.inf], [("warmup_end", 51)]),
        (np.full(50, np.nan), []),
        (np.zeros(50), []),
        (np.array([1e-4]), []),
        (np.array([]), []),
    ],
)
def test_phases_of_a_learning_rate(rates: Floats, expected: list[tuple[str, int]]) -> None:
    found = phases(np.arange(1, len(rates) + 1), np.asarray(rates, dtype=np.float64))
    assert [one.phase for one in found] == [phase for phase, _ in expected]
    for one, (_, step) in zip(found, expected, strict=True):
        assert abs(one.step - step) <= max(2, len(rates) // 500)
        assert one.lr == rates[one.at]


def test_a_rate_of_several_attempts_is_read_as_it_was_trained_in_the_end(client: FlaskClient, seed: Seed) -> None:
    rate = stable(400, 40, 300)
    rows = [(step, AT + step, float(rate[step - 1])) for step in range(1, 201)]
    again = [(step, AT + 1000 + step, float(rate[step - 1])) for step in range(151, 401)]
    for metric, value in (("loss", None), ("lr", "own")):
        seed.points([(s, w, v if value else 1.0) for s, w, v in rows], metric=metric)
        seed.points(
            [(s, w, v if value else 1.0) for s, w, v in again], metric=metric, generation=1, reason="start_announced"
        )
    found = told(client, "lr_phase")
    assert [(one["detail"]["phase"], one["step"]) for one in found] == [("warmup_end", 40), ("decay_start", 300)]
    assert found[1]["detail"] == {"phase": "decay_start", "before": "constant", "after": "falling", "lr": 1e-4}
    assert [one["kind"] for one in told(client)] == ["lr_phase", "restart", "lr_phase"]


# -- the question -----------------------------------------------------------------------------------------------------


def test_kinds_steps_and_a_limit_choose(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(1, 101)))
    say(seed, "start", None, AT)
    for step in range(10, 100, 10):
        say(seed, "checkpoint" if step % 20 else "skip", step, AT + step)
    assert [one["step"] for one in ask(client, "kind=skip,start")["events"]] == [None, 20, 40, 60, 80]
    assert [one["step"] for one in ask(client, "start=30&end=60")["events"]] == [30, 40, 50, 60]
    newest = ask(client, "limit=2")
    assert ([one["step"] for one in newest["events"]], newest["total"], newest["more"]) == ([80, 90], 10, True)
    assert ask(client)["more"] is False


@pytest.mark.parametrize(
    ("query", "word"), [("kind=party", "party"), ("since=1", "since"), ("start=x", "start"), ("limit=0", "limit")]
)
def test_what_makes_no_sense_is_refused(client: FlaskClient, seed: Seed, query: str, word: str) -> None:
    seed.points(straight(range(3)))
    reply = client.get(f"/api/runs/gpt/events?{query}")
    assert (reply.status_code, word in reply.json["error"]) == (400, True)
    assert client.get("/api/runs/nobody/events").status_code == 404


# -- the store --------------------------------------------------------------------------------------------------------


def test_only_what_was_added_is_read_again(store: RedisRunStore, seed: Seed, redis_client: redis.Redis) -> None:
    for step in range(1, 1001):
        say(seed, "checkpoint", step, float(step))
    first = store.events(RUN)
    assert (len(first.events), first.total) == (1000, 1000)
    redis_client.config_resetstat()
    assert store.events(RUN) is first
    say(seed, "end", 1001, 1001.0)
    grown = store.events(RUN)
    assert (grown.total, grown.events[-1].kind, len(grown.events)) == (1001, "end", 1001)
    sent = redis_client.info("stats")["total_net_output_bytes"]
    assert sent < 20_000, f"{sent} bytes were sent for one new event"


def test_a_store_that_was_flushed_and_filled_anew_is_read_anew(store: RedisRunStore, seed: Seed) -> None:
    for step in range(1, 11):
        say(seed, "checkpoint", step, float(step))
    assert store.events(RUN).total == 10
    seed.client.delete(schema.events(RUN))
    assert store.events(RUN).total == 0
    for step in range(1, 16):
        say(seed, "skip", step, float(step))
    assert {one.kind for one in store.events(RUN).events} == {"skip"}
    assert store.events(RunId("nobody")).total == 0


def test_of_very_many_events_the_newest_are_told_and_that_there_are_more(client: FlaskClient, seed: Seed) -> None:
    texts = [RunEvent("skip", step, AT + step, "s", 0).encode().encode() for step in range(150)]
    cache = EventCache(most=100)
    assert [one.step for one in cache.read("k", lambda start: (120, texts[:120][start:])).events] == [*range(20, 120)]
    grown = cache.read("k", lambda start: (150, texts[start:]))
    assert ([one.step for one in grown.events], grown.total) == ([*range(50, 150)], 150)
    seed.client.rpush(schema.events(RUN), *texts)
    found = ask(client, "limit=100")
    assert (found["more"], found["total"], found["events"][0]["step"]) == (True, 150, 50)


@pytest.mark.skipif(not LOGS.exists(), reason="the real logs lie beside the project")
def test_real_logs_tell_how_their_runs_went(tmp_path: Path, client: FlaskClient, redis_url: str) -> None:
    names = {
        "resume": "mf1.3.2_eval_nan_resume",
        "crash": "mf2.1.0_graph_moe_nan_crash",
        "overflow": "mf1.0.2_overflow",
    }
    for short, name in names.items():
        shutil.copytree(LOGS / name, tmp_path / short)
    with following(tmp_path, redis_url):
        last = {"resume": "end", "crash": "nan_stop", "overflow": "end"}
        for short, kind in last.items():
            eventually(
                lambda short=short, kind=kind: (
                    client.get(f"/api/runs/{short}/events").status_code == 200
                    and [one["kind"] for one in told(client, run=short)][-1:] == [kind]
                ),
                seconds=15,
            )
    [restart] = told(client, "restart", "resume")
    assert (restart["step"], restart["detail"]["ended"], restart["detail"]["steps_redone"]) == (201, "end", 20)
    losses = [one["detail"]["loss"] for one in told(client, "eval", "resume")]
    assert losses == [7.155732, 4.874674, "NaN", 2.958037, 2.653243, 2.453116]
    burst, lone = told(client, "overflow", "overflow")
    assert (burst["step"], burst["last_step"], burst["times"], lone["step"]) == (101, 104, 4, 180)
    assert [one["detail"]["to"] for one in told(client, "loss_scale", "overflow")] == [4096.0, 2048.0]
    [phase] = told(client, "lr_phase", "crash")
    assert (phase["step"], phase["detail"]["phase"]) == (40, "warmup_end")
