"""What notifications tell the service; nothing of it is needed for being right, only for being quick."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Touched:
    """Paths of files that were written, appeared or went; ``tree``: directories appeared, or paths were dropped."""

    paths: frozenset[str] = frozenset()
    tree: bool = False


NOTHING = Touched()
