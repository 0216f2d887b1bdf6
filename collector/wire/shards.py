"""How a run is spread over the slots of a Redis Cluster: by its files. Pure.

A shard has the keys that a run has, under the tag ``{run:NN}`` instead of ``{run}``; so whatever takes a run's id takes
a shard's as well, and both are called the *home* of what lies there. All of one file is in one home (cursor, series,
points, events, facts), and so are the rotated parts of a log, whose cursors one commit moves together. Under ``{run}``
itself stays what is said of the whole run: ``run`` with its number of shards, ``live``, and facts that a person told.

On a single Redis a run has no shards, and is its own only home.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

from collector.wire.records import RunId

SHARDS = 16  # of a run that begins in a cluster: enough for even shares of as many primaries as people have
# rank_0/info.log.3@host-b is of the family rank_0/info.log
_FAMILY = re.compile(r"(\.log)(?:\.\d+)?(?:@[^/@]*)?\Z")


def homes(run: RunId, shards: int) -> list[RunId]:
    """All homes of a run's files, which lies in so many shards; 0: in none."""
    return [RunId(f"{run}:{number:02d}") for number in range(shards)] or [run]


def home(run: RunId, shards: int, file: str) -> RunId:
    """Where all of a file lies (its name below the run's directory)."""
    return RunId(f"{run}:{number(file, shards):02d}") if shards else run


def home_of(run: RunId, shards: int, sid: str) -> RunId:
    """Where a series lies (``SeriesMeta.sid``)."""
    return home(run, shards, sid.partition("\x1f")[0]) if shards else run


@lru_cache(maxsize=1 << 17)  # a page asks again for the same files, and the collector at each of their turns
def number(file: str, shards: int) -> int:
    """Which shard; never another one, whatever runs this."""
    name = _FAMILY.sub(r"\1", file).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(name, digest_size=8).digest(), "big") % shards


def by_home(run: RunId, shards: int, sids: Iterable[str]) -> dict[RunId, list[int]]:
    """The places in ``sids`` of those series that lie in each home."""
    found: dict[RunId, list[int]] = {}
    for place, sid in enumerate(sids):
        found.setdefault(home_of(run, shards, sid), []).append(place)
    return found
