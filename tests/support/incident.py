"""A job whose files hold secrets, and a run of them as a real collector reads it: resumed, with NaN, alerts, a note."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import redis

from app.diagnosis.alert import Alert
from app.diagnosis.signal import Evidence
from app.notes.note import Note
from app.notes.store import NoteStore
from collector.wire import schema
from collector.wire.records import RunId
from tests.support import event_writer
from tests.support.alarmed import raise_at
from tests.support.dashboard import ROOT
from tests.support.following import following
from tests.support.waiting import eventually

RUN = RunId("llama")
HOST = "npu-node-0417"
OWNER = "opslead7"
NAN_AT, LAST, BACK = 180, 240, 150
SECRETS = (  # each put together here, so that no scanner takes this file for a leak
    "Zk9xQ2vT7mPw",
    "correct-horse-battery",
    "hf_" + "AbCdEfGhIjKlMnOpQrStUvWx",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn",
    "redis-pass-4711",
)
BAD = "<img src=x onerror=alert(1)>\"'</script><script>alert(2)</script>\u2028\u202eevil"
LINES = {  # step → what a program printed there
    170: f"connecting to rediss://opslead7:{SECRETS[5]}@{HOST}:6379/0",
    172: f"uploading with password={SECRETS[0]}, region=cn-north",
    174: f"Authorization: Bearer {SECRETS[1]}",
    176: f"environ: {{'HF_TOKEN': '{SECRETS[2]}', 'RANK_ID': '0'}}",
    178: f"ak {SECRETS[3]} accepted by /home/{OWNER}/private/tool.py on 10.20.30.40",
    182: f"-----BEGIN RSA PRIVATE KEY-----\n{SECRETS[4]}\n-----END RSA PRIVATE KEY-----",
    184: BAD.replace("\u2028", " "),
}
CONFIG = {
    "password": SECRETS[0],
    "hub_token": SECRETS[2],
    "url": f"redis://u:{SECRETS[5]}@{HOST}:1/0",
    "max_tokens": 4096,
}
NAN = Alert(
    f"nan_inf-a2-{NAN_AT}", "nan_inf", "N1", "critical", True, 2, NAN_AT, NAN_AT, NAN_AT + 4,
    Evidence(float("nan"), points=5),
)  # fmt: skip
OUTLIER = Alert(
    f"rank_outlier-a2-{NAN_AT - 10}-r2", "rank_outlier", "K4", "warning", True, 2, NAN_AT - 10, NAN_AT, NAN_AT + 10,
    Evidence(2.3, 2.2, 0.01, 11.0, 1.05, 32), rank=2, ranks=((2, 2),),
)  # fmt: skip


def line(step: int, rank: int, again: bool) -> str:
    """As PyNative's LossCallback prints it; the second attempt's numbers are others."""
    clock = datetime.fromtimestamp(1.7e9 + step + 1000 * again, UTC).strftime("%Y-%m-%d %H:%M:%S,000")
    loss = "nan" if again and NAN_AT <= step < NAN_AT + 5 else f"{8 - step / 50 + rank / 1000 + again / 10:.6f}"
    head = f"{clock} - mindformers[mindformers/pynative/callback/loss_callback.py:132] - INFO - "
    said = head + (
        f"{{ step:[{step:5d}/  400], loss: {loss:>10}, per_step_time:    716ms, lr: 9.999780e-05, "
        f"grad_norm:   1.287336, throughput: 715.78T }}\n"
    )
    return said + (head + LINES[step] + "\n" if again and step in LINES else "")


def write(root: Path, ranks: int = 4) -> Path:
    """The files of the job, below a directory that tells whose it is."""
    where = root / OWNER / "secret project" / str(RUN)
    for rank in range(ranks):
        log = where / "output" / "log" / f"rank_{rank}" / "info.log"
        log.parent.mkdir(parents=True)
        first = [line(step, rank, False) for step in range(1, LAST - 40)]
        log.write_text("".join(first + [line(step, rank, True) for step in range(BACK, LAST + 1)]))
    events = where / "tensorboard" / "rank_0" / f"events.out.tfevents.1700000000.{HOST}.7.0"
    events.parent.mkdir(parents=True)
    events.write_bytes(event_writer.scalars(range(1, 11), ("something/else",)))
    return where


@dataclass(frozen=True)
class Incident:
    """Where it lies and what must not be told of it."""

    url: str
    place: Path

    @property
    def untold(self) -> tuple[str, ...]:
        return (*SECRETS, HOST, OWNER, "secret project", str(self.place), "10.20.30.40")


@contextmanager
def incident(client: redis.Redis, url: str, root: Path) -> Iterator[Incident]:
    """The run, with its collector alive until the block ends."""
    where = write(root)
    with following(where, url, "--run", str(RUN)):
        eventually(lambda: _points(client) >= 4 * (LAST - 41 + LAST - BACK + 1), seconds=30)
        client.hset(schema.facts(RUN), "configuration:remote", json.dumps({k: str(v) for k, v in CONFIG.items()}))
        raise_at(url, RUN, (NAN, OUTLIER))
        note(url, f"{BAD} password: {SECRETS[0]} at /home/{OWNER}/x/y on {HOST}")
        yield Incident(url, where)


def note(url: str, text: str) -> None:
    """One about the steps around the NaN."""
    store = NoteStore(url)
    try:
        assert store.add(RUN, Note("0123456789ab", NAN_AT, NAN_AT + 4, text, f"{BAD[:28]}夜班", 1.7e9)) == "written"
    finally:
        store.close()


def _points(client: redis.Redis) -> int:
    sids = [sid.decode() for sid, text in client.hgetall(schema.series(RUN)).items() if b'"loss"' in text]
    return sum(client.strlen(schema.points(RUN, sid)) // 24 for sid in sids)


def bundle(*arguments: str, before: tuple[str, ...] = (), **environ: str) -> subprocess.CompletedProcess[str]:
    """The command as a script calls it; ``before`` is a command that runs it."""
    return subprocess.run(
        [*before, sys.executable, "-m", "app", "bundle", *arguments],
        cwd=ROOT,
        env={**os.environ, "REDIS_URL": "", "LC_ALL": "C.UTF-8", **environ},
        capture_output=True,
        text=True,
        timeout=60,
    )
