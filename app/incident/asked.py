"""What a bundle is to be about. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Progress = Callable[[str], None]
"""Is told in one sentence what is being done now."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Steps ``first`` to ``last``, inclusive, None = open; without either it is about the worst open alert, else about
    the newest steps. ``names``: hosts and paths are told as they are. ``mask``: secrets are not."""

    first: int | None = None
    last: int | None = None
    names: bool = False
    mask: bool = True

    @property
    def is_open(self) -> bool:
        """Whether the stretch is to be found."""
        return self.first is None and self.last is None


@dataclass(frozen=True, slots=True)
class Stretch:
    """Steps, inclusive."""

    first: int
    last: int

    def overlaps(self, first: int, last: int) -> bool:
        """Whether some of these steps are in it."""
        return first <= self.last and last >= self.first

    @property
    def text(self) -> str:
        """``100-250``, for names of files."""
        return f"{self.first}-{self.last}"
