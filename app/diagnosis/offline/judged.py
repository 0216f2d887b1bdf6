"""One run that was handed over, judged to its end by the code that the worker follows runs with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from app.diagnosis.alert import Alert
from app.diagnosis.crew import PATIENCE
from app.diagnosis.crews import Crews
from app.diagnosis.followed import SETTLED_SECONDS, Followed
from app.diagnosis.handling import Mute
from app.diagnosis.memory import Saved
from app.diagnosis.notices import Changes
from app.diagnosis.notify.settings import Settings
from app.diagnosis.offline.held import Held, HeldStore
from app.diagnosis.store import Kept
from app.diagnosis.wishes import of_run
from app.diagnosis.worker import KEPT_BYTES
from app.grids import Grids
from app.happened import Happened
from app.ledgers import Ledgers
from app.look import look
from app.reader import Reader
from app.rollbacks import Rollbacks
from app.series.freshness import State
from app.series.rollback import Rollback
from app.stored import StoredRun
from collector.wire.records import RunId, Source, unpack_points

SLICE_SECONDS = 0.5  # between two signs that it goes on
USUAL = Settings()
MOST_BEGINNINGS = 100  # nothing changes meanwhile, so a run that is begun anew so often never ends


@dataclass(slots=True)
class Nobody:
    """Keeps nothing (app.diagnosis.followed.Keeper): what is found stays in the run that is followed."""

    def kept(self, run_id: RunId) -> Kept:
        """Nothing was known before."""
        return Kept()

    def alerts(self, run_id: RunId) -> dict[str, Alert]:
        """Nothing was found before."""
        return {}

    def mutes(self) -> Sequence[Mute]:
        """Nobody muted anything."""
        return ()

    def commit(
        self, run_id: RunId, version: str, state: Saved, news: Changes, ranks: bytes | None = None
    ) -> str | None:
        """It always succeeds."""
        return "0"


@dataclass(slots=True)
class Hand:
    """A clock that is set by hand."""

    now: float = 1.0

    def __call__(self) -> float:
        """What it shows."""
        return self.now


@dataclass(frozen=True, slots=True)
class Judged:
    """``state`` is how the files say that the run ended; steps are global ones, None without a point. ``ranks`` are
    those that files were read of, ``sources`` kinds of file with points; ``ways`` back by the id of an alert."""

    id: RunId
    name: str
    path: str
    state: State
    first_step: int | None
    last_step: int | None
    total_steps: int | None
    attempts: int
    rows: int
    evaluations: int
    points: int
    files: int
    ranks: int
    sources: tuple[Source, ...]
    alerts: tuple[Alert, ...] = field(default=())
    ways: Mapping[str, Rollback] = field(default_factory=dict)


def judge(store: HeldStore, run_id: RunId, settings: Settings = USUAL) -> Iterator[int | Judged]:
    """How many rows are judged, every half second; the verdict last."""
    clock, reader = Hand(), Reader(store, kept_bytes=KEPT_BYTES)
    crews = Crews(Grids(store, reader, kept_bytes=KEPT_BYTES), reader)
    run = Followed(store, Nobody(), run_id, clock, of_run(settings.rules, run_id), settings.classes, crews)
    while run.behind:
        run.advance(SLICE_SECONDS)
        yield run.judged
        if run.anew > MOST_BEGINNINGS:
            raise RuntimeError(f"Run {run_id} has no beginning")
    clock.now += SETTLED_SECONDS + 1
    run.settle()
    while not run.look_across(SLICE_SECONDS) or crews.waits:
        clock.now += PATIENCE  # who is behind in a finished run will not come any more
        yield run.judged
    yield verdict(store, run, Rollbacks(store, reader, Ledgers(store, reader), Happened(store, reader)))


def verdict(store: HeldStore, run: Followed, rollbacks: Rollbacks) -> Judged:
    """What is known of a run that was judged to its end."""
    held, known = store.held[run.id], run.known
    stored = store.run(run.id)
    if stored is None or known is None:
        raise RuntimeError(f"Run {run.id} is gone")
    ended = max((one.mtime for one in held.cursors.values()), default=0.0)
    seen = look(store, stored, (), ended)
    return Judged(
        run.id,
        held.record.name,
        held.record.path,
        seen.freshness.state,
        _first_step(store, run),
        seen.step,
        seen.total_steps,
        known.attempt,
        known.taken,
        _evaluations(store, run),
        held.points,
        len(held.cursors),
        len(_ranks(held)),
        tuple(sorted({one.source for one in held.series.values()})),
        tuple(run.found.values()),
        dict(_ways(rollbacks, stored, run.found, ended)),
    )


def _ways(
    rollbacks: Rollbacks, run: StoredRun, found: Mapping[str, Alert], now: float
) -> Iterator[tuple[str, Rollback]]:
    """Of each alert that nothing else explains."""
    for name, one in found.items():
        family = [other for other in found.values() if other.cause == name]
        if one.cause not in found and (way := rollbacks.of(run, one, family, now)) is not None:
            yield name, way


def _evaluations(store: HeldStore, run: Followed) -> int:
    """Steps that were evaluated: the logs of a rank hold the same lines."""
    columns = run.known.evaluations if run.known else []
    return len(
        {step for block in store.points(run.id, [one.sid for one in columns]) for step, *_ in unpack_points(block)}
    )


def _first_step(store: HeldStore, run: Followed) -> int | None:
    known = run.known
    if known is None or not known.rows.blocks:
        return None
    heads = store.heads(run.id, [one.beat.sid for one in known.rows.blocks])
    return min((int.from_bytes(one[:8], "little", signed=True) for one in heads if one), default=None)


def _ranks(held: Held) -> Mapping[int, None]:
    return {one.rank: None for one in held.series.values() if one.rank is not None}
