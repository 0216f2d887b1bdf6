"""Which files are there: a walk below the roots gives a snapshot, two snapshots give what appeared and what went."""

from __future__ import annotations

import posixpath
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from collector.follow.files import Entry, Files, Missing
from collector.follow.yard import CODE, is_below
from collector.parse.select import FileRole
from collector.wire.records import FileState

Select = Callable[[str, str], FileRole | None]
"""(root, path below it) → what the file is for, or None when it is none of ours."""


@dataclass(frozen=True, slots=True)
class Found:
    """One file to follow; ``path`` is where it was met, which may lead through a link."""

    path: str
    root: str
    role: FileRole


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One look at the trees: files by path, what could not be looked at, and how big the trees are."""

    files: Mapping[str, Found] = field(default_factory=dict)
    problems: tuple[FileState, ...] = ()
    entries: int = 0
    directories: int = 0
    links: Mapping[str, str] = field(default_factory=dict)  # directories reached by a link: real path → path


@dataclass(frozen=True, slots=True)
class Difference:
    """From one snapshot to the next, in order of path."""

    appeared: tuple[Found, ...]
    went: tuple[str, ...]


def difference(before: Snapshot, now: Snapshot) -> Difference:
    """What appeared, and which paths are no longer listed."""
    return Difference(
        tuple(now.files[path] for path in sorted(now.files.keys() - before.files.keys())),
        tuple(sorted(before.files.keys() - now.files.keys())),
    )


def discover(files: Files, roots: Sequence[str], select: Select) -> Snapshot:
    """All files below the roots that ``select`` wants, in one go."""
    walk = Walk(files, roots, select)
    while (snapshot := walk.go(1_000_000)) is None:
        pass
    return snapshot


class Walk:
    """One look at the trees, in pieces, so that no tree holds anything up. A link to a directory is followed once:
    never upwards (``symlink_loop``) and never to what is listed already; one that leads nowhere is a problem."""

    def __init__(self, files: Files, roots: Sequence[str], select: Select) -> None:
        self._walk = _Walk(files, select)
        self._places = self._walk.below(roots)

    def go(self, entries: int) -> Snapshot | None:
        """Go on for about ``entries`` names, at least one directory; the snapshot when all has been seen."""
        walk = self._walk
        enough = walk.entries + entries
        for _ in self._places:
            if walk.entries >= enough:
                return None
        return Snapshot(walk.found, tuple(walk.problems), walk.entries, len(walk.walked), walk.links)


@dataclass(frozen=True, slots=True)
class _Place:
    """A directory or link on the way: as it is reached, below which root, and where it really is."""

    path: str
    below: str
    real: str

    def inside(self, name: str) -> _Place:
        below = f"{self.below}/{name}" if self.below else name
        return _Place(f"{self.path.rstrip('/')}/{name}", below, f"{self.real.rstrip('/')}/{name}")


@dataclass(slots=True)
class _Walk:
    files: Files
    select: Select
    found: dict[str, Found] = field(default_factory=dict)
    problems: list[FileState] = field(default_factory=list)
    walked: set[str] = field(default_factory=set)  # real paths of directories
    taken: set[str] = field(default_factory=set)  # real paths of files
    links: dict[str, str] = field(default_factory=dict)
    entries: int = 0

    def below(self, roots: Sequence[str]) -> Iterator[None]:
        """Stops after each directory."""
        for root in roots:
            yield from self._root(root)

    def _root(self, root: str) -> Iterator[None]:
        """Real directories first, links after them: what is there in its own right is not listed as a link's."""
        place = self.files.resolve(root)
        if isinstance(place, Missing):
            self.problems.append(FileState(root, "gone" if place.gone else "broken", place.reason))
            return
        if place[1] == "file":
            head, name = posixpath.split(root)
            self._take(head, _Place(root, name, place[0]))
            return
        links: deque[_Place] = deque()
        yield from self._directories(root, _Place(root, "", place[0]), links)
        while links:
            yield from self._follow(root, links.popleft(), links)

    def _directories(self, root: str, start: _Place, links: deque[_Place]) -> Iterator[None]:
        queue = deque([start])
        while queue:
            place = queue.popleft()
            if place.real in self.walked:
                continue
            self.walked.add(place.real)
            listing = self.files.entries(place.path)
            if isinstance(listing, Missing):
                self._unlisted(place, listing)
                continue
            for entry in listing:
                self._visit(root, place.inside(entry.name), entry, queue, links)
            yield

    def _visit(self, root: str, place: _Place, entry: Entry, queue: deque[_Place], links: deque[_Place]) -> None:
        self.entries += 1
        if entry.kind == "directory":
            queue.append(place)
        elif entry.kind == "link":
            links.append(place)
        else:
            self._take(root, place)

    def _follow(self, root: str, link: _Place, links: deque[_Place]) -> Iterator[None]:
        target = self.files.resolve(link.path)
        if isinstance(target, Missing):
            reason = target.reason if target.reason.startswith(CODE) else f"broken_symlink: {target.reason}"
            self.problems.append(FileState(link.below, "broken", reason))
            return
        real, kind = target
        if kind == "file":
            self._take(root, _Place(link.path, link.below, real))
        elif is_below(link.real, real):
            self.problems.append(
                FileState(link.below, "broken", "symlink_loop: the link leads to a directory above it")
            )
        else:
            if real not in self.walked:
                self.links[real] = link.path
            yield from self._directories(root, _Place(link.path, link.below, real), links)

    def _take(self, root: str, place: _Place) -> None:
        role = self.select(root, place.below)
        if role is not None and place.real not in self.taken:
            self.taken.add(place.real)
            self.found[place.path] = Found(place.path, root, role)

    def _unlisted(self, place: _Place, why: Missing) -> None:
        if not why.gone:  # one that vanished during the walk is no news
            self.problems.append(FileState(place.below or place.path, "broken", f"directory: {why.reason}"))
