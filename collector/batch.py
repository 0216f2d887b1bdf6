"""What one commit holds: the progress of some files of one run, and everything that was read on the way. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from collector.normalise import Block
from collector.wire import schema
from collector.wire.metrics import METRICS
from collector.wire.records import POINT_BYTES, Cursor, Generation, RunEvent, RunRecord, unpack_points


@dataclass(frozen=True, slots=True)
class Progress:
    """One file moved from the cursor that is stored, as text (None: none is), to a new one."""

    expected: str | None
    cursor: Cursor
    text: str = field(init=False)  # the cursor as it is to be stored

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", self.cursor.encode())


@dataclass(frozen=True, slots=True)
class Batch:
    """One commit; ``facts`` of later files win. All of it is applied, or nothing."""

    run: RunRecord
    progress: tuple[Progress, ...]
    blocks: tuple[Block, ...] = ()
    facts: Mapping[str, str] | None = None
    events: tuple[RunEvent, ...] = ()
    generations: tuple[Generation, ...] = ()

    @property
    def points(self) -> int:
        """How many points it adds."""
        return sum(len(block.points) for block in self.blocks) // POINT_BYTES


@dataclass(frozen=True, slots=True)
class Committed:
    """Stored. ``version`` is what the run's record says from now on and ``before`` what it said until then, so that a
    flush, a roll-back or another collector can be noticed."""

    version: str
    before: str | None


@dataclass(frozen=True, slots=True)
class Conflict:
    """Nothing was stored, because the store is not where the points were read from: ``stored`` has the cursor of
    each file of the batch as text, None where there is none. Go on from these."""

    stored: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Full:
    """Nothing was stored, because a series of ``file`` (its name in the store) would be longer than a string of Redis
    may be: go on in the file's next generation."""

    file: str


def live_entry(batch: Batch, *, reload: bool = False) -> str:
    """The batch for pages that are open (wire.schema.encode_live): the points that speak for the run, no more of them
    than are needed to see that they are too many. ``reload``: an earlier commit may not have been told."""
    shown = [] if reload else list(islice(_live_points(batch), schema.LIVE_POINTS + 1))
    return schema.encode_live(shown, total=batch.points, events=len(batch.events), reload=reload)


def _live_points(batch: Batch) -> Iterator[schema.LivePoint]:
    for block in batch.blocks:
        meta = block.meta
        metric = METRICS.get(meta.metric) if meta.metric else None
        if metric is None or metric.scope != "run":
            continue
        for step, wall, value in unpack_points(block.points):
            yield metric.name, meta.rank, meta.source, meta.generation, step, wall, value
