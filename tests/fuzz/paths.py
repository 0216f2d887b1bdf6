"""Paths below a root, as people and schedulers name things."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence

from tests.fuzz.damage import damaged

PARTS = (
    b"rank_0", b"rank_", b"rank_99999999999999999999", b"rank_-1", b"worker_3.log", b"worker_x.log", b"info.log.5",
    b"info.log", b"log", b"msrun_log", b"tensorboard", b"..", b".", b"", b"a b", b"a=b:c", "运行".encode(),
    b"\xff\xfe", b"x" * 300, b"\x1f", b"events.out.tfevents.1.host", b"events.out.events.summary.1.0.h_MS",
    b"events.out.events.summary.1.0.h_lineage", b"\n", b"scheduler.log", b"error.log", b"mindformers.log",
    b"{run}", b"#", b"?", b"%2f", b"summary", b"ckpt_dir", b"0",
)  # fmt: skip


def mutated(rng: random.Random, seeds: Sequence[bytes]) -> bytes:
    """A path of parts of others; never absolute, without a NUL, as a directory listing gives them."""
    parts = rng.choice(seeds).split(b"/")
    for _ in range(rng.randrange(4)):
        at = rng.randrange(len(parts) + 1)
        parts[at : at + rng.randrange(2)] = [rng.choice(PARTS)] * rng.choice((1, 1, 1, 50))
    path = b"/".join(parts)
    if rng.random() < 0.4:
        path = damaged(rng, path)[:4096]
    path = path.replace(b"\0", b"")
    kept = [part for part in path.split(b"/") if part not in (b"", b".", b"..")]
    return os.fsencode("/").join(kept) or b"x"
