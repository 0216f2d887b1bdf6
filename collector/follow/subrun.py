"""Sub-runs of ``add_scalars`` outside of ``rank_N``: directories that belong to the run above them.

``add_scalars("loss/pi", {"policy": …})`` opens a writer for each curve, in which the tag is ``loss/pi``, and puts it
into ``<directory>/loss/pi/policy`` (tensorboardX) or ``<directory>/loss_pi_policy`` (torch). Nothing in the path tells
it from a run that somebody has put below another one; the one tag in the file does.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from collector.follow.discovery import Found, Snapshot
from collector.follow.files import Files, Missing
from collector.parse.parsers import parser_for
from collector.parse.select import FileRole

HEAD = 16 * 1024  # bytes of a file that must hold its first scalars: a file of one curve begins with them


@dataclass(slots=True)
class SubRuns:
    """Which run each event file belongs to; one that lies below another's is looked into until it holds a scalar."""

    _roles: dict[str, FileRole] = field(default_factory=dict)

    def joined(self, files: Files, snapshot: Snapshot) -> Snapshot:
        """The snapshot with such files as parts of the run above them, and without those that hold no scalar yet: what
        they belong to is not known before that, and a file changes its run never."""
        writers = {posixpath.dirname(found.path): found for found in snapshot.files.values() if _is_writer(found)}
        kept: dict[str, Found] = {}
        known: dict[str, FileRole] = {}
        for path, found in snapshot.files.items():
            if not _is_writer(found):
                kept[path] = found
                continue
            role = self._roles.get(path) or _decided(files, found, list(_above(found, writers)))
            if role is not None:
                kept[path], known[path] = replace(found, role=role), role
        self._roles = known
        return replace(snapshot, files=kept)


def _is_writer(found: Found) -> bool:
    return found.role.source == "tensorboard" and found.role.rank is None


def _above(found: Found, writers: Mapping[str, Found]) -> Iterator[tuple[str, Found]]:
    """The directories above a file, below its root, that hold event files themselves."""
    root = found.root.rstrip("/")
    directory = posixpath.dirname(posixpath.dirname(found.path))
    while directory.startswith(root) and directory != "/":
        if directory in writers and writers[directory].root == found.root:
            yield directory, writers[directory]
        directory = posixpath.dirname(directory)


def _decided(files: Files, found: Found, above: list[tuple[str, Found]]) -> FileRole | None:
    """The role of a file; None while it holds no scalar and may belong to another one."""
    if not above:
        return found.role
    head = files.read(found.path, 0, HEAD)
    if isinstance(head, Missing):
        return found.role  # whose it is cannot be known, and that it cannot be read must be told
    tags = list(parser_for("tensorboard").parse(head.data, {}).scalars)
    if not tags:
        return found.role if len(head.data) == HEAD else None
    for directory, writer in above if len(tags) == 1 else ():
        curve = curve_of(posixpath.dirname(found.path)[len(directory) + 1 :], tags[0])
        if curve:
            start = "" if writer.role.directory == "." else f"{writer.role.directory}/"
            file = found.path[len(found.root.rstrip("/")) + 1 + len(start) :]
            return replace(writer.role, file=file, suffix=f"/{curve}")
    return found.role


def curve_of(below: str, tag: str) -> str:
    """The name that add_scalars gave to a curve, by its directory below the writer's and its tag; empty if neither
    library writes a tag to such a place."""
    for start in (f"{tag}/", tag.replace("/", "_") + "_"):
        if below.startswith(start) and "/" not in below[len(start) :]:
            return below[len(start) :]
    return ""
