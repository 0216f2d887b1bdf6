"""Which global rank a worker's log belongs to, where msrun counts the workers of each host from 0. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from collector.parse.select import rank_directory, worker_number

WHAT_TO_DO = (
    "its rank is not known, because this host counts its workers as another one does: start its collector with "
    "--rank-offset N, where N is the rank of its worker_0, or msrun with --node_rank"
)


def second(file: str, host: str) -> str:
    """What a file is called in the store whose own name another host's file has."""
    return f"{file}@{host}"


@dataclass(frozen=True, slots=True)
class Places:
    """What the names of one run's files tell of this host: the numbers of its workers, and its ranks, by their
    directories in order; ``offset`` is the rank of the first worker, where a person told it."""

    numbers: frozenset[int]
    ranks: Sequence[int]
    offset: int | None = None

    @classmethod
    def of(cls, files: Iterable[str], offset: int | None) -> Places:
        """``files``: paths below the run's directory."""
        names = list(files)
        numbers = frozenset(number for one in names if (number := worker_number(one)) is not None)
        return cls(numbers, sorted({rank for one in names if (rank := rank_directory(one)) is not None}), offset)

    def rank(self, number: int, *, is_second: bool) -> int | None:
        """The global rank of a worker; None when it is not known."""
        if self.ranks and self.numbers <= set(self.ranks):
            return number  # they count over all hosts
        if len(self.ranks) == len(self.numbers) and self.numbers == set(range(len(self.numbers))):
            return self.ranks[number]
        if self.offset is not None:
            return number + self.offset
        return None if is_second else number
