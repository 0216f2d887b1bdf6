"""``python -m tests.measure.bundles [--points 1000000] [--panels 6] [--ranks 1]``.

What an incident bundle of a whole run costs: seconds until its page and its archive are there, their bytes, and how
much memory the process took for it. With ``--ranks`` every rank has a loss of its own, and one of them was found.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time

import redis

from app.alarms import Alarms
from app.diagnosis.store import AlertStore
from app.incident import making
from app.incident.asked import Asked
from app.incident.gathering import gathered
from app.incident.material import material
from app.notes.store import NoteStore
from app.store import RedisRunStore
from tests.measure.windows import fill
from tests.support.alarmed import RANKS, raise_at, replace
from tests.support.redis_server import RedisServer
from tests.support.seed import RUN, Seed, straight


def of_ranks(url: str, ranks: int, points: int) -> None:
    """A loss of each rank, and a finding about one of them."""
    with redis.Redis.from_url(url) as client:
        seed = Seed(client)
        for rank in range(ranks):
            file = f"log/rank_{rank}/info.log"
            seed.points(
                straight(range(1, points + 1), at=1.79e9), metric="local_loss", rank=rank, file=file, live=False
            )
    found = replace(
        RANKS, rank=ranks // 2, ranks=((ranks // 2, ranks // 2 + 2),), first_step=points // 2, last_step=points
    )
    raise_at(url, RUN, (found,))


def megabytes() -> float:
    """Most memory that this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(url: str) -> None:
    """Print what one costs, in a process that has read nothing yet."""
    store, notes, alerts = RedisRunStore(url), NoteStore(url), AlertStore(url)
    source = material(store, Alarms(alerts, time.time), notes, time.time)
    before, began = megabytes(), time.perf_counter()
    found = gathered(source, RUN, Asked(first=0), lambda _: None)
    page = making.page(found)
    paged = time.perf_counter() - began
    with tempfile.TemporaryFile() as file:
        making.archive(source, found, file, lambda _: None)
        size = file.tell()
    archived = time.perf_counter() - began
    shown = sum(len(line.steps) for panel in found.report.panels for line in panel.lines)
    print(f"page {len(page) / 1e6:.2f} MB after {paged:.1f} s ({shown:,} points drawn); archive {size / 1e6:.1f} MB")
    print(
        f"after {archived:.1f} s; memory {before:.0f} → {megabytes():.0f} MB; left out: {list(found.report.left_out)}"
    )
    for one in (store, notes, alerts):
        one.close()


def main() -> None:
    """Fill a Redis, then measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--panels", type=int, default=6)
    parser.add_argument("--ranks", type=int, default=1)
    asked = parser.parse_args()
    server = RedisServer().start()
    try:
        fill(server.url, asked.panels, asked.points, "events", 1)
        if asked.ranks > 1:
            of_ranks(server.url, asked.ranks, min(asked.points, 20_000))
        measure(server.url)
    finally:
        server.close()


if __name__ == "__main__":
    main()
