"""Why a run has no scalar in event files, as far as its files tell: for the rule that misses them. Pure.

B1 nothing says why; B2 they go to a directory that is not followed; B3 nobody asked for any; B4 they cannot be read; B5
they are there and empty; B6 the rank that writes them is not among those that are read.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from app.diagnosis.planned import expects_summaries, summary_directory
from app.series.overview import whole_number
from collector.wire.records import Cursor, FileState

UNSET = "tensorboard_unset"  # the fact that a monitor was to write to event files and found none configured
STARTED = "configuration:parallel_config"  # a log that has it was read from where MindFormers tells what it does


@dataclass(frozen=True, slots=True)
class Unwritten:
    """``expects``: somebody asked for summaries; ``part`` as above; ``files`` of summaries there are, ``sealed`` of
    them cannot be read."""

    part: str = "B1"
    expects: bool = False
    files: int = 0
    sealed: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """What is known of a run without scalars: where it lies, its files, what could not be read, ranks with files."""

    path: str
    facts: Mapping[str, str]
    cursors: Sequence[Cursor]
    problems: Sequence[FileState]
    ranks: Collection[int]


def unwritten(found: Found) -> Unwritten:
    """Why."""
    files = sum(1 for one in found.cursors if one.source in ("tensorboard", "mindspore"))
    sealed = sum(1 for one in found.problems if is_summary(one.file) and _is_of(one, found.path))
    expects = expects_summaries(found.facts) or UNSET in found.facts or files + sealed > 0
    return Unwritten(_part(found, files, sealed, expects=expects), expects, files + sealed, sealed)


def _part(found: Found, files: int, sealed: int, *, expects: bool) -> str:
    named = summary_directory(found.facts)
    if sealed:
        return "B4"
    if files:
        return "B5"
    if named.startswith("/") and not _is_within(named, found.path):
        return "B2"
    if UNSET in found.facts or (not expects and STARTED in found.facts):
        return "B3"
    world = whole_number(found.facts.get("world_size")) or 0
    return "B6" if found.ranks and world and world - 1 not in found.ranks else "B1"


def is_summary(file: str) -> bool:
    """Whether a file of that name holds summaries."""
    name = posixpath.basename(file)
    return "tfevents" in name or ".summary." in name


def _is_of(one: FileState, path: str) -> bool:
    """A file that is followed is named below its run, one that is not by its path."""
    return not one.file.startswith("/") or _is_within(one.file, path)


def _is_within(place: str, path: str) -> bool:
    """Whether a directory is below another, or above: then it is followed with it."""
    one, other = (f"{posixpath.normpath(it)}/" for it in (place, path))
    return one.startswith(other) or other.startswith(one)
