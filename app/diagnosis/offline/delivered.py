"""What the collector reads below a path, as a child process hands it over. The application never opens training files
itself: that a file means the same here and on a page is the collector's business alone."""

from __future__ import annotations

import subprocess  # nosec B404 # our own collector, see below
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from collector.wire.delivery import Commit, CutOff, End, deliveries

PREFIX = "collector: "  # of its errors, each of which is a whole sentence


class Unreadable(ValueError):
    """There is nothing to diagnose; the text is one sentence for the person who asked."""


def delivered(path: Path, layout: str | None = None) -> Iterator[Commit | End]:
    """Every commit, the end last; ``layout`` as collectors take it. Raises Unreadable. The child ends with us."""
    told = ["--layout", layout] if layout else []
    command = [sys.executable, "-m", "collector", "read", "--format", "commits", *told, "--", str(path)]
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(  # nosec B603 # a list of words: no shell reads the path
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors
        )
        try:
            if child.stdout is not None:
                yield from deliveries(child.stdout)  # type: ignore[arg-type]  # a pipe that is read buffered
        except CutOff as error:
            child.wait()
            raise Unreadable(_sentence(errors, path)) from error
        finally:
            child.kill()
            child.communicate()


def _sentence(errors: IO[bytes], path: Path) -> str:
    """What the child said last."""
    errors.seek(0)
    said = errors.read().decode(errors="replace").strip().splitlines()
    if said and said[-1].startswith(PREFIX):
        return said[-1].removeprefix(PREFIX)
    why = f": {said[-1]}" if said else ""
    return f"{path} was not read to its end{why}. Try again; if it happens again, name a part of it."
