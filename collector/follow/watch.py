"""Notifications of the kernel, which only shorten the wait; the one importer of watchdog.

They are hints: NFS, Lustre and CIFS never send any for another host's writes, a full kernel queue drops them silently,
and a limit may be reached. So every file is looked at regularly whether or not a hint comes.
"""

from __future__ import annotations

import contextlib
import os
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from types import TracebackType

from watchdog.events import (
    DirCreatedEvent,
    DirMovedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from collector.follow.bell import Bell
from collector.follow.touched import Touched

MOST_LINKS = 64  # each costs a thread of watchdog's; what lies behind further links is polled
MOST_HINTS = 4096  # beyond that, looking at every file costs less than keeping the list
# Opening and closing are left out: our own reads would ring.
_COMING_AND_GOING: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    FileMovedEvent,
    FileDeletedEvent,
    DirCreatedEvent,
    DirMovedEvent,
]
_EVENTS = [*_COMING_AND_GOING, FileModifiedEvent]


class Hints(FileSystemEventHandler):
    """What was touched since the last ``take``; filled by watchdog's thread, taken by ours. Files that ``wanted`` does
    not want (a checkpoint of gigabytes being written) do not ring."""

    def __init__(self, bell: Bell, wanted: Callable[[str], bool]) -> None:
        self.aliases: dict[str, str] = {}  # real path of a watched directory → path under which we know it
        self._bell, self._wanted = bell, wanted
        self._lock = threading.Lock()
        self._paths: set[str] = set()
        self._tree = False

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Called in watchdog's thread."""
        paths = [self._known(os.fsdecode(path)) for path in (event.src_path, event.dest_path) if path]
        paths = [] if event.is_directory else [path for path in paths if self._wanted(path)]
        if paths or event.is_directory:
            with self._lock:
                self._tree |= event.is_directory or len(self._paths) >= MOST_HINTS
                self._paths.update(paths if len(self._paths) < MOST_HINTS else ())
            self._bell.ring()

    def _known(self, real: str) -> str:
        """The path under which we follow a file: the longest watched directory above it decides."""
        for above in PurePosixPath(real).parents:
            if (alias := self.aliases.get(str(above))) is not None:
                return alias.rstrip("/") + real[len(str(above).rstrip("/")) :]
        return real

    def miss(self) -> None:
        """Something may have happened that was not told."""
        with self._lock:
            self._tree = True

    def take(self) -> Touched:
        """What was touched; it is told once."""
        with self._lock:
            taken = Touched(frozenset(self._paths), self._tree)
            self._paths, self._tree = set(), False
        return taken


class Watch:
    """Watches the roots while it is open; when it cannot, ``trouble`` says so and polling goes on alone."""

    def __init__(self, roots: Sequence[str], bell: Bell, wanted: Callable[[str], bool]) -> None:
        self.hints = Hints(bell, wanted)
        self.trouble = ""
        self.short_of = 0  # how many directories there were when fewer were watched; 0: all were
        self._roots = {os.path.realpath(root): root for root in roots}
        self._observer: BaseObserver | None = None
        self._events = _EVENTS

    def __enter__(self) -> Watch:
        # It says this of every directory that is made while it looks itself, each time with all watches spelled out.
        warnings.filterwarnings("ignore", message="Callback with id", category=RuntimeWarning)
        observer: BaseObserver | None = None
        try:
            observer = Observer()  # takes one of the few inotify instances that a user may have
            self._schedule(observer, self._roots)
            observer.start()
        except OSError as error:
            self.trouble = f"inotify_limit: no notifications ({error.strerror or error}); polling every file instead."
            if observer is not None:
                observer.unschedule_all()
        else:
            self._observer = observer
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._observer is not None:
            self._observer.stop()
            self._observer.join()

    def cover(self, directories: int, links: Mapping[str, str]) -> None:
        """Watch directories that were reached by a link too (real path → path), and say in ``trouble`` when the kernel
        watches fewer than ``directories``: watchdog keeps silent when the limit is reached below a root."""
        if self._observer is None:
            return
        with contextlib.suppress(OSError):  # it went, or the limit is reached, which the count below tells
            new = [real for real in links if real not in self.hints.aliases]
            self._schedule(self._observer, {real: links[real] for real in new[:MOST_LINKS]})
        watched = watched_directories()
        short = watched is not None and watched < directories and len(links) <= MOST_LINKS
        twice, self.short_of = short and self.short_of == directories, directories if short else 0
        self.trouble = ""
        if twice:  # the first time the notifications may merely be behind our own walk
            self.trouble = (
                f"inotify_limit: the kernel notifies for {watched} of {directories} directories "
                "(fs.inotify.max_user_watches); the others are polled."
            )

    def tell(self, *, growth: bool) -> None:
        """Tell of growth too, or only of what appears, is renamed and goes. What happens in between is found by the
        walk that this asks for."""
        events = _EVENTS if growth else _COMING_AND_GOING
        if self._observer is None or events is self._events:
            return
        self._events = events
        try:
            self._observer.unschedule_all()
            self._schedule(self._observer, dict(self.hints.aliases))
        except OSError as error:
            self.trouble = f"inotify_limit: no notifications ({error.strerror or error}); polling every file instead."
        self.hints.miss()

    def _schedule(self, observer: BaseObserver, places: Mapping[str, str]) -> None:
        for real, path in places.items():
            self.hints.aliases[real] = path
            observer.schedule(self.hints, real, recursive=True, event_filter=self._events)


def watched_directories() -> int | None:
    """How many inotify watches this process holds (proc(5), fdinfo), None where the system does not tell."""
    try:
        handles = [one for one in Path("/proc/self/fd").iterdir() if _is_inotify(one)]
        return sum(_watches(Path("/proc/self/fdinfo") / one.name) for one in handles) if handles else None
    except OSError:
        return None


def _is_inotify(handle: Path) -> bool:
    try:
        return os.readlink(handle) == "anon_inode:inotify"  # noqa: PTH115 (the target is no path)
    except OSError:
        return False


def _watches(info: Path) -> int:
    # inotify wd:1 ino:2 sdev:3 mask:4 ignored_mask:0 fhandle-bytes:8 …
    return sum(line.startswith("inotify wd:") for line in info.read_text().splitlines())
