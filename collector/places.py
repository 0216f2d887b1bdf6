"""Which global rank a worker's log belongs to, where msrun counts the workers of each host from 0. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from collector.parse.select import event_host, rank_directory, worker_node, worker_number

WHAT_TO_DO = (
    "its rank is not known, because this host counts its workers as another one does: start its collector with "
    "--rank-offset N, where N is the rank of its worker_0, or start msrun with --node_rank"
)


def second(file: str, host: str) -> str:
    """What a file is called in the store whose own name another host's file has."""
    return f"{file}@{host}"


@dataclass(frozen=True, slots=True)
class Places:
    """What the names of one run's files tell: which workers there are, by the node that their names may tell; the ranks
    that have directories, in order, and those of them in which each host wrote event files; ``offset`` is the rank of
    the first worker here, where a person told it."""

    workers: Mapping[str, frozenset[int]]
    ranks: Sequence[int]
    wrote: Mapping[str, Sequence[int]]
    offset: int | None = None

    @classmethod
    def of(cls, files: Iterable[str], offset: int | None) -> Places:
        """``files``: paths below the run's directory."""
        workers: dict[str, set[int]] = {}
        wrote: dict[str, set[int]] = {}
        for file in files:
            rank, number = rank_directory(file), worker_number(file)
            if rank is not None:
                wrote.setdefault(event_host(file), set()).add(rank)
            elif number is not None:
                workers.setdefault(worker_node(file), set()).add(number)
        ranks = sorted(set().union(*wrote.values()))
        numbers = {node: frozenset(one) for node, one in workers.items()}
        return cls(numbers, ranks, {host: sorted(one) for host, one in wrote.items()}, offset)

    def rank(self, file: str, *, is_second: bool) -> int | None:
        """The global rank of a worker's log; None when it is not known."""
        node, number = worker_node(file), worker_number(file)
        mine = self.workers.get(node, frozenset())
        if number is None:
            return None
        wrote = next((ranks for host, ranks in self.wrote.items() if host and host in node.split("_")), [])
        if (rank := _in_order(number, mine, wrote)) is not None:
            return rank
        if self.ranks and mine <= set(self.ranks):
            return number  # they count over all hosts
        found = _in_order(number, mine, self.ranks)
        if found is None and self.offset is not None:
            return number + self.offset
        return number if found is None and not is_second else found


def _in_order(number: int, numbers: Collection[int], ranks: Sequence[int]) -> int | None:
    """The rank of a worker where all of a host's are counted from 0, and there is a rank for each."""
    fits = len(ranks) == len(numbers) and set(numbers) == set(range(len(numbers)))
    return ranks[number] if fits else None
