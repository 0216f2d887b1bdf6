"""The ``read`` command: print every scalar of a file or directory."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TextIO


def run(path: Path, *, form: Literal["json", "csv"], tag: str | None, out: TextIO) -> int:
    """Print every scalar below ``path``; raises ``errors.InputError`` with a sentence for the person who asked."""
    raise NotImplementedError
