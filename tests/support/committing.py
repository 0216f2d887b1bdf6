"""Commits of many ranks of one run, as a collector makes them, into one store or several alike."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from collector.batch import Batch, Committed, Progress
from collector.normalise import Block
from collector.store import Store
from collector.wire.records import Cursor, Generation, RunEvent, RunId, RunRecord, SeriesMeta, pack_point

RUN = RunId("gpt")
RECORD = RunRecord(RUN, "gpt", "/data/gpt")
RANKS = 24


def file(rank: int) -> str:
    return f"log/rank_{rank}/info.log"


def meta(rank: int, generation: int = 0, metric: str = "loss") -> SeriesMeta:
    return SeriesMeta(file(rank), generation, metric, metric, rank, "log")


@dataclass
class Writer:
    """Commits of one rank after the other, each to all of the stores; its clock goes on by a second with each."""

    stores: Sequence[Store]
    clock: float = 1_000_000.0

    def __post_init__(self) -> None:
        self.cursors: dict[int, Cursor] = {}
        for store in self.stores:
            store.check()

    def write(self, rank: int, steps: range, generation: int = 0) -> None:
        before, self.clock = self.cursors.get(rank), self.clock + 1
        start = before or Cursor(file(rank), "log", rank, host=f"host-{rank % 3}")
        self.cursors[rank] = replace(start, offset=start.offset + len(steps), generation=generation)
        points = b"".join(pack_point(step, self.clock + step / 1000, step / (rank + 1)) for step in steps)
        batch = Batch(
            RECORD,
            (Progress(before.encode() if before else None, self.cursors[rank]),),
            tuple(Block(meta(rank, generation, metric), points) for metric in ("loss", "lr")),
            {"total_steps": "9000", f"checkpoint_health/{rank}.ckpt": "0"},
            (RunEvent("checkpoint", steps[0], self.clock, f"saved by {rank}", rank, file(rank), generation),),
            (Generation(file(rank), generation, "first" if not generation else "truncated", self.clock, rank),),
        )
        for store in self.stores:
            assert isinstance(store.commit(batch, self.clock), Committed)


def history(writer: Writer, seed: int) -> None:
    """Commits of many ranks in any order."""
    dice = random.Random(seed)
    done = [0] * RANKS
    for _ in range(6 * RANKS):
        rank, count = dice.randrange(RANKS), dice.choice((1, 2, 70))
        writer.write(rank, range(done[rank], done[rank] + count), generation=int(done[rank] > 100))
        done[rank] += count
