"""On which host each rank runs: what names of files say, and the collectors that read them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from app.kept import Kept
from app.names import SeriesKey
from app.stored import RunSeries, RunStore
from collector.wire.records import SeriesMeta

RUNS = 64  # whose hosts are kept

# rank_3/events.out.tfevents.1795961307.node-07 · events.out.tfevents.1795961307.node-07.4711.0
# summary/rank_0/events.out.events.summary.1700000000.0.node-07_MS
NAMED = re.compile(r"events\.out\.(?:tfevents\.\d+|events\.summary\.\d+\.\d+)\.(.+?)(?:\.\d+\.\d+|_MS)?\Z")


@dataclass(slots=True)
class _Held:
    key: SeriesKey | None = None
    hosts: Mapping[int, str] | None = None


class Hosts:
    """Hosts of ranks; safe to share between threads."""

    def __init__(self, store: RunStore) -> None:
        """Nothing is read before the first question."""
        self._store = store
        self._held = Kept(RUNS, _Held, lambda _: 1)

    def of(self, run: RunSeries) -> Mapping[int, str]:
        """Rank → host, of those that are known; read again when a series is added. Raises StoreAway."""
        key = SeriesKey(run.series)
        with self._held.using(run.id) as held:
            if held.hosts is None or held.key != key:
                held.hosts, held.key = told(run.series, self._store.hosts(run.id)), key
            return held.hosts


def told(series: Mapping[str, SeriesMeta], collectors: Mapping[str, str]) -> Mapping[int, str]:
    """The host that a file's name says; where none does, that of the collector: it may read storage that many share,
    so that one collector for all ranks says nothing."""
    files = {meta.file: meta.rank for meta in series.values() if meta.rank is not None}
    named = {rank: host for file, rank in files.items() if (host := of_name(file))}
    others = {rank: collectors[file] for file, rank in files.items() if file in collectors}
    return {**(others if len(set(others.values())) > 1 else {}), **named}


def of_name(file: str) -> str:
    """The host in the name of an event file; "" when there is none."""
    found = NAMED.search(file.rpartition("/")[2].partition("@")[0])  # "@": of which collector, where several have it
    return found[1] if found else ""
