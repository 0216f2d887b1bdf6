"""The edge of ``python -m app export``: a run's points as a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TextIO

from app.launch.options import BadUse


def run(arguments: Sequence[str], environ: Mapping[str, str], out: TextIO) -> int:
    """The whole command; the exit code. Raises BadUse."""
    raise BadUse("python -m app export cannot write files yet.")
