"""What one program tells another of files that it read: the commits that Redis would have been given, one after the
other, and how it ended. Standard library only.

A delivery is a line of JSON; behind that of a commit come its points as they are, so that a million of them cost no
parsing. A stream that does not close with an end was cut off.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, BinaryIO

from collector.wire.records import Cursor, FileState, Generation, RunEvent, RunId, RunRecord, SeriesMeta


class CutOff(ValueError):
    """The stream stopped in the middle of something, or holds something else."""


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit of one run: ``blocks`` are points that follow those of their series. ``read`` of ``total`` bytes of
    all files were read with it."""

    run: RunRecord
    cursors: tuple[Cursor, ...] = ()
    blocks: tuple[tuple[SeriesMeta, bytes], ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    events: tuple[RunEvent, ...] = ()
    generations: tuple[Generation, ...] = ()
    read: int = 0
    total: int = 0

    def write(self, out: BinaryIO) -> None:
        """Append it to a stream."""
        head = {
            "run": asdict(self.run),
            "cursors": [one.encode() for one in self.cursors],
            "series": [[meta.encode(), len(points)] for meta, points in self.blocks],
            "facts": dict(self.facts),
            "events": [one.encode() for one in self.events],
            "generations": [one.encode() for one in self.generations],
            "read": [self.read, self.total],
        }
        out.write(json.dumps(head).encode() + b"\n")
        out.writelines(points for _, points in self.blocks)


@dataclass(frozen=True, slots=True)
class End:
    """Everything was told: ``files`` were followed, ``problems`` could not be read as they should."""

    files: int
    problems: tuple[FileState, ...] = ()

    def write(self, out: BinaryIO) -> None:
        """Close a stream."""
        head = {"end": self.files, "problems": [asdict(one) for one in self.problems]}
        out.write(json.dumps(head).encode() + b"\n")


def deliveries(stream: BinaryIO) -> Iterator[Commit | End]:
    """What was written, the end last. Raises CutOff where there is none."""
    for line in iter(stream.readline, b""):
        try:
            head = json.loads(line)
            if "end" in head:
                yield End(head["end"], tuple(FileState(**one) for one in head["problems"]))
                return
            yield _commit(head, stream)
        except (KeyError, TypeError, ValueError) as error:
            raise CutOff(f"no delivery ({type(error).__name__})") from error
    raise CutOff("no end")


def _commit(head: Any, stream: BinaryIO) -> Commit:
    run, (read, total) = head["run"], head["read"]
    return Commit(
        RunRecord(RunId(run["id"]), run["name"], run["path"], run["demo"]),
        tuple(Cursor.decode(one) for one in head["cursors"]),
        tuple((SeriesMeta.decode(meta), _points(stream, length)) for meta, length in head["series"]),
        head["facts"],
        tuple(RunEvent.decode(one) for one in head["events"]),
        tuple(Generation.decode(one) for one in head["generations"]),
        read,
        total,
    )


def _points(stream: BinaryIO, length: int) -> bytes:
    found = stream.read(length)
    if len(found) < length:
        raise ValueError("points are missing")
    return found
