"""The directory of a demonstration run: fresh each time, gone afterwards."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.launch.embedded import private_directory
from app.launch.locks import shared, take

PREFIX = "demonstration-"


@contextmanager
def directory(home: Path) -> Iterator[Path]:
    """An empty directory for the run's files, inside one for all of its data, removed at the end of the block."""
    private_directory(home)
    sweep(home)
    whole = Path(tempfile.mkdtemp(prefix=PREFIX, dir=home))
    try:
        with shared(whole / "demonstration"):
            (whole / "demo").mkdir()
            yield whole / "demo"
    finally:
        shutil.rmtree(whole, ignore_errors=True)


def sweep(home: Path) -> None:
    """Remove what demonstrations left that were killed."""
    for lock in home.glob(f"{PREFIX}*/demonstration"):
        if (held := take(lock)) is not None:
            shutil.rmtree(lock.parent, ignore_errors=True)
            os.close(held)
