"""A run with alerts of every kind: open, seen to, over, explained by another, of ranks; and checkpoints before
and after them, some healthy."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import redis

from app.diagnosis.alert import Alert
from app.diagnosis.handling import Ack, Handling
from app.diagnosis.notices import Changes
from app.diagnosis.signal import Evidence
from app.diagnosis.store import AlertStore
from collector.wire import schema
from collector.wire.records import RunId
from tests.support import gallery
from tests.support.gallery import STEPS, fallen
from tests.support.seed import Seed

RUN = RunId("alarmed")
SPIKE_AT, NAN_AT = 520, 430
HEALTH = {200: "0", 400: "0", 460: "1"}  # step of a checkpoint → as health_ckpts.json says it
SPOILT = {NAN_AT: math.nan, NAN_AT + 1: math.nan} | {SPIKE_AT + k: fallen(SPIKE_AT) * 2.4 for k in range(4)}

SPIKE = Alert(
    f"loss_spike-a1-{SPIKE_AT}",
    "loss_spike",
    "S1",
    "warning",
    True,
    1,
    SPIKE_AT,
    SPIKE_AT + 1,
    SPIKE_AT + 3,
    Evidence(5.31, 2.21, 0.05, 62.0, 2.4, 128, (("gradient_ratio", 14.0), ("rho", 0.31))),
)
JITTER = replace(
    SPIKE,
    id=f"jitter-a1-{SPIKE_AT + 4}",
    about="jitter",
    rule="J1",
    raised_step=SPIKE_AT + 20,
    last_step=SPIKE_AT + 20,
    cause=SPIKE.id,
    evidence=Evidence(2.4, None, 0.14, None, 3.1, 128, (("usual_sigma", 0.045),)),
)
NAN = replace(
    SPIKE,
    id=f"nan_inf-a1-{NAN_AT}",
    about="nan_inf",
    rule="N1",
    severity="critical",
    is_open=False,
    first_step=NAN_AT,
    raised_step=NAN_AT,
    last_step=NAN_AT + 1,
    evidence=Evidence(math.nan, points=2),
)
NORM = replace(
    SPIKE,
    id="grad_explode-a1-560",
    about="grad_explode",
    rule="G1",
    severity="critical",
    first_step=560,
    raised_step=561,
    last_step=565,
    evidence=Evidence(40.2, 0.81, 0.1, 39.0, 49.6, 3),
)
RANKS = replace(
    SPIKE,
    id="rank_outlier-a1-480-r4",
    about="rank_outlier",
    rule="K4",
    rank=4,
    ranks=((4, 6),),
    first_step=480,
    raised_step=488,
    last_step=590,
    evidence=Evidence(2.31, 2.20, 0.01, 11.0, 1.05, 32, (("ranks", 3.0),)),
)
SLOW = replace(
    SPIKE,
    id="throughput-a1-300",
    about="throughput",
    rule="T1",
    first_step=300,
    raised_step=330,
    last_step=580,
    evidence=Evidence(1_320.0, 1_000.0, None, 8.0, 1.32, 64),
)
BACK = replace(
    SPIKE,
    id="lr_anomaly-a1-250",
    about="lr_anomaly",
    rule="L1",
    severity="info",
    is_open=False,
    first_step=250,
    raised_step=250,
    last_step=260,
    evidence=Evidence(1e-4, 3e-4, ratio=0.33),
)
ALERTS = (SPIKE, JITTER, NAN, NORM, RANKS, SLOW, BACK)


OF_RANKS = (  # of a run of 120 steps
    replace(
        RANKS, id="rank_outlier-a1-60-r45", rank=45, ranks=((45, 45),), first_step=60, raised_step=66, last_step=119
    ),
    replace(
        RANKS,
        id="rank_outlier-a1-90-r36",
        rule="K1",
        severity="critical",
        rank=36,
        ranks=((36, 36),),
        first_step=90,
        raised_step=90,
        last_step=119,
        evidence=Evidence(points=30),
    ),
)


def fill(client: redis.Redis, url: str, run: RunId = RUN) -> Seed:
    """The run as it stands now, on the Redis of ``client`` at ``url``."""
    seed = gallery.training(client, run, spoil=SPOILT)
    seed.event("checkpoint", step=460, wall=time.time() - STEPS + 460, text="Save checkpoint of step 460.")
    for step, health in HEALTH.items():
        client.hset(schema.facts(run), f"{schema.HEALTH_FACT}llm_rank_0-1_{step}.ckpt", health)
    raise_at(url, run, tuple(map(clocked, ALERTS)))
    store = AlertStore(url)
    try:
        said = Handling(Ack("夜班", None, "data team looks at it", time.time()), count=1)
        assert store.handle(run, SLOW.id, said, None)
    finally:
        store.close()
    return seed


def raise_at(url: str, run: RunId, alerts: tuple[Alert, ...]) -> None:
    """Alerts of a run that has none yet."""
    store = AlertStore(url)
    try:
        assert store.commit(run, "", {}, Changes(alerts, (), ()))
    finally:
        store.close()


def clocked(one: Alert) -> Alert:
    """With the times at which its steps were done."""
    began = time.time() - STEPS - 1
    ended = None if one.is_open else began + one.last_step + 10
    return replace(one, raised_wall=began + one.raised_step, ended_wall=ended)
