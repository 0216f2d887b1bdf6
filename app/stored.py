"""What the store hands out, and what may be asked of it: plain values, read at one moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from collector.wire.question import LogQuestion
from collector.wire.records import Cursor, Generation, Heartbeat, RunEvent, RunId, RunRecord, SeriesMeta

BLOCK = 65_536  # points; larger answers take three times as long, for memory that the process has to ask for each time
START = "0-0"  # stream id before every entry


class StoreAway(Exception):
    """Redis does not answer, or not as it should; the caller says so and tries again later."""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """All that is small about one run. ``position`` is the newest live entry when it was read, or START: whoever reads
    points afterwards and then follows the stream from there misses nothing."""

    record: RunRecord
    created: float | None  # Unix seconds
    committed: float | None
    position: str
    series: Mapping[str, SeriesMeta]  # sid → what it is
    cursors: Mapping[str, Cursor]  # file → how far it has been read
    generations: Sequence[Generation]
    facts: Mapping[str, str]
    events: Sequence[RunEvent]  # the newest EVENTS, in order of arrival

    @property
    def id(self) -> RunId:
        """The run's id."""
        return self.record.id


class RunSeries(Protocol):
    """What reading curves takes of a run."""

    @property
    def id(self) -> RunId:
        """The run's id."""
        ...

    @property
    def position(self) -> str:
        """See StoredRun."""
        ...

    @property
    def series(self) -> Mapping[str, SeriesMeta]:
        """See StoredRun. The same mapping as long as no series is added."""
        ...

    @property
    def generations(self) -> Sequence[Generation]:
        """Those at least that may begin an attempt."""
        ...

    @property
    def facts(self) -> Mapping[str, str]:
        """What the files say of the run."""
        ...


@dataclass(frozen=True, slots=True)
class LeanRun:
    """A run without what takes long to read of ten thousand files: a RunSeries, whether older points of it are
    ``folded``, and where it lies."""

    id: RunId
    position: str
    series: Mapping[str, SeriesMeta]
    generations: Sequence[Generation]
    facts: Mapping[str, str]
    folded: bool = False
    path: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class StoredEvents:
    """The newest events of a run, in order of arrival; ``total`` counts those that are stored. The same object as
    before while nothing was added."""

    events: Sequence[RunEvent]
    total: int


@dataclass(frozen=True, slots=True)
class LivePoint:
    """One point as a commit announces it."""

    metric: str
    rank: int | None
    source: str
    generation: int
    step: int
    wall: float
    value: float


@dataclass(frozen=True, slots=True)
class LiveEntry:
    """One commit: its canonical points, or ``reload`` when they are too many to list; or ``alerts`` or
    ``notes`` that changed."""

    id: str
    points: Sequence[LivePoint]
    events: int
    reload: bool
    alerts: int = 0
    notes: int = 0


class RunStore(Protocol):
    """What pages and API ask of the store. Every method raises StoreAway while Redis is away."""

    @property
    def url(self) -> str:
        """Where it is, as redis-py takes it."""
        ...

    def runs(self) -> Sequence[RunId]:
        """Ids of all runs, sorted."""
        ...

    def run(self, run_id: RunId) -> StoredRun | None:
        """All that is small about a run; None when there is no such run."""
        ...

    def lean(self, run_id: RunId) -> LeanRun | None:
        """What reading curves takes of a run; None when there is no such run."""
        ...

    def hosts(self, run_id: RunId) -> Mapping[str, str]:
        """File → the host whose collector reads it, where that is known."""
        ...

    def events(self, run_id: RunId) -> StoredEvents:
        """Everything that happened, as far as it is kept at hand (the newest twenty thousand)."""
        ...

    def event_counts(self, run_id: RunId) -> Mapping[str, int]:
        """How many events are stored, in each place where some are: what ``events_until`` takes."""
        ...

    def events_until(self, run_id: RunId, counts: Mapping[str, int]) -> StoredEvents:
        """What ``events`` was when ``event_counts`` said so."""
        ...

    def ask(self, question: LogQuestion, seconds: float) -> bytes | None:
        """The answer of the collector that follows a log (JSON text), None when nobody answers within ``seconds``."""
        ...

    def marks(self, run_ids: Sequence[RunId]) -> Sequence[bytes]:
        """For each run a text that is another one after every commit, cheap to read for a thousand of them."""
        ...

    def cursors(self, run_id: RunId) -> Sequence[Cursor]:
        """How far each file of a run has been read."""
        ...

    def lengths(self, run_id: RunId, sids: Sequence[str]) -> Sequence[int]:
        """Count of points of each series that can be read; of folded ones those count that are kept."""
        ...

    def after(self, run_id: RunId, places: Sequence[tuple[str, int]]) -> Sequence[bytes]:
        """Of each (series, place) the next BLOCK points from that place on, counted from 0; fewer at the end."""
        ...

    def ends(self, run_id: RunId, places: Sequence[tuple[str, int]]) -> Sequence[bytes]:
        """Of each (series, place) every point from that place on, counted from 0. For thousands of series at once."""
        ...

    def ranges(self, run_id: RunId, places: Sequence[tuple[str, int, int]]) -> Sequence[bytes]:
        """Of each (series, place, count) so many points from that place on, fewer at the end. For thousands at once."""
        ...

    def points(self, run_id: RunId, sids: Sequence[str]) -> Sequence[bytes]:
        """Every point of each series, packed as wire.records says."""
        ...

    def kept(self, run_id: RunId, sids: Sequence[str]) -> Sequence[int]:
        """How many points at the beginning of each series are what is kept of folded ones; from that place on every
        point is there. For thousands of series at once."""
        ...

    def folds(self, run_id: RunId, sids: Sequence[str]) -> Sequence[tuple[int, int]]:
        """How many points of each series were folded, and what ``kept`` says. For thousands of series at once."""
        ...

    def folded(self, run_id: RunId, sids: Sequence[str]) -> Sequence[bytes]:
        """What older points of each series were folded to (wire.folded), b"" where nothing was. Their kept points are
        the first of the series; a fold moves the places of all that follow, as a flush does."""
        ...

    def tails(self, run_id: RunId, sids: Sequence[str], count: int) -> Sequence[bytes]:
        """The newest ``count`` points of each series, packed."""
        ...

    def heads(self, run_id: RunId, sids: Sequence[str]) -> Sequence[bytes]:
        """The first point of each series, packed."""
        ...

    def points_at(self, run_id: RunId, sid: str, places: Sequence[int]) -> bytes:
        """Single points of a series, by their place in it, packed; places that are not there are left out."""
        ...

    def heartbeats(self) -> Sequence[Heartbeat]:
        """Collectors that gave a sign of life in the last thirty seconds."""
        ...

    def live_after(self, run_id: RunId, position: str) -> Sequence[LiveEntry] | None:
        """Entries after ``position``, oldest first; None when some of them are gone (trimmed or flushed)."""
        ...

    def live_before(self, run_id: RunId, position: str, count: int) -> Sequence[LiveEntry]:
        """The ``count`` entries up to and including ``position``, oldest first."""
        ...

    def follow(self) -> LiveFollower:
        """A reader of live streams with a connection of its own."""
        ...

    def version(self) -> str | None:
        """The schema that the store is written in; None while it is empty."""
        ...


class LiveFollower(Protocol):
    """One blocking reader of many streams."""

    def read(self, positions: Mapping[RunId, str], seconds: float) -> Mapping[RunId, Sequence[LiveEntry]]:
        """New entries after each position; waits up to ``seconds`` for the first (0: not at all). Raises StoreAway."""
        ...

    def wake(self) -> None:
        """Make a ``read`` that waits in another thread return now; never raises."""
        ...

    def close(self) -> None:
        """Give the connection back."""
        ...
