"""The values that travel from a file to the page; standard library only.

A point is 24 bytes, little endian: step i64, wall f64 (Unix seconds, NaN when the line had no clock of its own),
value f64 (NaN and both infinities are data: a diverged loss must be visible). Blocks of points are plain ``bytes``,
so that a parser may fill them with struct or numpy and the store appends them unread.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Literal, NewType

RunId = NewType("RunId", str)
Source = Literal["tensorboard", "mindspore", "log", "health"]
"""What kind of file something was read from; ``health`` (the record of checkpoints' health) holds no points."""
ParserState = Mapping[str, int | float | str | bool | None]

POINT = struct.Struct("<qdd")
POINT_BYTES = POINT.size


def pack_point(step: int, wall: float, value: float) -> bytes:
    """One point as 24 bytes; steps outside 64 bits are clamped, so that one absurd step cannot stop a file."""
    return POINT.pack(max(-(2**63), min(step, 2**63 - 1)), wall, value)


def unpack_points(block: bytes) -> Iterator[tuple[int, float, float]]:
    """The (step, wall, value) triples of a block, in order of arrival; a torn tail of under 24 bytes is left out."""
    return POINT.iter_unpack(block[: len(block) - len(block) % POINT_BYTES])


@dataclass(frozen=True, slots=True)
class RunEvent:
    """Something that happened at a step: a start, a checkpoint, an evaluation, an overflow, an error.

    ``kind`` is one of ``start resume compile train checkpoint eval overflow skip nan_stop norm_spike norm_stop sdc
    stress moe error traceback end``: a norm beyond its threshold once, and often enough to stop; silent data corruption
    suspected or checked for; a stress test; load and dropped tokens of experts. ``text`` of a traceback is the
    exception that ended it; ``frames`` are its places, outermost first: ``model.py:1274 train``.
    """

    kind: str
    step: int | None
    wall: float | None  # Unix seconds of the line's own clock
    text: str
    rank: int | None = None
    file: str = ""
    generation: int = 0
    frames: tuple[str, ...] = ()

    def encode(self) -> str:
        """JSON text, one event; without frames it is what earlier versions wrote."""
        said = asdict(self)
        if not self.frames:
            del said["frames"]
        return json.dumps(said, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def decode(cls, text: str | bytes) -> RunEvent:
        """The event that ``encode`` wrote; fields of a newer version are passed over."""
        known = {name: value for name, value in json.loads(text).items() if name in _EVENT}
        return cls(**{**known, "frames": tuple(known.get("frames", ()))})


_EVENT = frozenset(one.name for one in fields(RunEvent))


@dataclass(frozen=True, slots=True)
class SeriesMeta:
    """What one stored series is: one tag of one file in one generation (a generation ends when the file is
    truncated, replaced by other content, or announces a new start)."""

    file: str  # path below the run's directory
    generation: int
    tag: str  # as the file spells it
    metric: str | None  # canonical name (wire.metrics), None for other tags
    rank: int | None
    source: Source

    @property
    def sid(self) -> str:
        """Identity inside the run; \\x1f occurs in no path and no tag that we keep (parsers replace it)."""
        return f"{self.file}\x1f{self.generation}\x1f{self.tag}"

    def encode(self) -> str:
        """JSON text of all fields."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def decode(cls, text: str | bytes) -> SeriesMeta:
        """The description that ``encode`` wrote."""
        return cls(**json.loads(text))


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far one file has been read, and all that is needed to go on from there after a crash.

    ``marker`` is a hash of the last bytes before ``offset``: a file that still has them there is the same file,
    grown; any other content is a new generation. ``state`` is the parser's memory at ``offset``.
    """

    file: str  # path below the run's directory, also the field name in the store
    source: Source
    rank: int | None
    offset: int = 0
    generation: int = 0
    marker: str = ""
    inode: int = 0
    mtime: float = 0.0
    state: ParserState = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)  # warning code → how often
    host: str = ""  # of the collector that first read it; empty where none was kept

    def encode(self) -> str:
        """Canonical JSON text: equal cursors encode equally, which is what the commit's fence compares."""
        return _CANONICAL({name: getattr(self, name) for name in _CURSOR})

    @classmethod
    def decode(cls, text: str | bytes) -> Cursor:
        """The cursor that ``encode`` wrote; fields of a newer version are passed over."""
        return cls(**{name: value for name, value in json.loads(text).items() if name in _CURSOR})


_CURSOR = frozenset(one.name for one in fields(Cursor))
_CANONICAL = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


@dataclass(frozen=True, slots=True)
class Generation:
    """Why a file's generation began: the evidence for a new attempt of the run."""

    file: str
    generation: int
    reason: str  # first | truncated | replaced | start_announced | series_full (the file simply goes on)
    wall: float | None  # the line's own clock, where a line announced it
    rank: int | None

    def encode(self) -> str:
        """JSON text of all fields."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def decode(cls, text: str | bytes) -> Generation:
        """The generation that ``encode`` wrote."""
        return cls(**json.loads(text))


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What the store says of a run as a whole; times are Unix seconds."""

    id: RunId
    name: str  # what a person calls it: the directory's path below the watched root
    path: str  # the directory itself, on the host that collects it
    demo: bool = False


@dataclass(frozen=True, slots=True)
class FileState:
    """What the health page says of one file: Waiting, Following, Drained, Broken or Gone, and why."""

    file: str
    state: Literal["waiting", "following", "drained", "broken", "gone"]
    reason: str = ""
    size: int = 0
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """One collector's sign of life; published every two seconds and forgotten thirty seconds after the last."""

    collector: str  # host:pid
    host: str
    pid: int
    roots: tuple[str, ...]
    wall: float
    files: int
    points: int  # committed since this process began
    lag_bytes: int
    problems: tuple[FileState, ...] = ()
    messages: tuple[str, ...] = ()  # one sentence each: a root that is away, notifications that are unavailable
    behind: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Run id → bytes of its files that are read, bytes that there are; only runs whose history is still being read."""
    skew: tuple[float, float] | None = None
    """Seconds by which this host's clock is ahead of Redis' own, and within how many seconds that is certain; None when
    it could not be asked. To be shown: nothing is ever put in order by it."""

    def encode(self) -> str:
        """JSON text of all fields; bytes of a path that are no UTF-8 become ``?``."""
        text = json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace").decode()

    @classmethod
    def decode(cls, text: str | bytes) -> Heartbeat:
        """The heartbeat that ``encode`` wrote; fields of a newer version are passed over."""
        known = {one.name for one in fields(cls)}
        raw = {name: value for name, value in json.loads(text).items() if name in known}
        if raw.get("skew") is not None:
            ahead, within = raw["skew"]
            raw["skew"] = ahead, within
        raw["behind"] = {run: (read, total) for run, (read, total) in raw.get("behind", {}).items()}
        problems = tuple(FileState(**one) for one in raw.pop("problems"))
        roots, messages = tuple(raw.pop("roots")), tuple(raw.pop("messages"))
        return cls(**raw, roots=roots, problems=problems, messages=messages)
