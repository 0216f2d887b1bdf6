"""A thousand ranks that write a row a second: what following them takes, how late it is, and what a point weighs."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import redis

from collector.wire.records import Cursor
from tests.bench.page.stage import descendants, parents_now, used
from tests.bench.rows import Line, at_most, latency
from tests.generate.events import FIVE
from tests.generate.place import Places
from tests.generate.plan import Plan, Shape
from tests.generate.writer import Writer, grow
from tests.support.collecting import collector
from tests.support.redis_server import RedisServer
from tests.support.waiting import eventually

SHAPE = Shape(dp=256, tp=4)
HISTORY = 600  # rows that are there before
WARM_UP, ROWS = 10, 60  # of one a second
SAMPLE = 64  # ranks whose cursors are looked at
LOOK = 0.05  # seconds between two looks


@dataclass
class Measured:
    """``memory``: bytes of Redis before anything was read, before and behind the rows that count."""

    cpu: float = 0.0
    store_cpu: float = 0.0
    seconds: float = 0.0
    memory: list[int] = field(default_factory=list)
    lags: list[float] = field(default_factory=list)


def a_thousand(folder: Path) -> Iterator[Line]:
    """Processor time, delay and memory, from one minute."""
    plan = Plan(SHAPE, FIVE, HISTORY, began=time.time() - HISTORY, parts=("events",))
    job = folder / "ranks"
    writer = Writer(plan, job)
    writer.history()
    found = Measured()
    with ExitStack() as held:
        server = RedisServer().start()
        held.callback(server.close)
        client = held.enter_context(redis.Redis.from_url(server.url))
        found.memory.append(memory(client))
        process = held.enter_context(collector(folder, server.url))
        lags = Lags(client, plan, job)
        eventually(lags.is_level, seconds=180, every=0.2)
        written = rows(writer, lags, range(HISTORY + 1, HISTORY + WARM_UP + 1))
        found.memory.append(memory(client))
        lags.seen.clear()
        counted = partial(rows, writer, lags, range(written + 1, written + ROWS + 1))
        busy(found, process.pid, server.process.pid if server.process else 0, counted)
        eventually(lags.is_level, seconds=60, every=0.2)
        found.memory.append(memory(client))
    found.lags = lags.seen
    yield from lines(found)


def busy(found: Measured, collector: int, store: int, during: Callable[[], object]) -> None:
    """Note the processor time of both while ``during`` runs."""
    before = spent(collector), used({store}), time.monotonic()
    during()
    found.cpu, found.store_cpu = spent(collector) - before[0], used({store}) - before[1]
    found.seconds = time.monotonic() - before[2]


def lines(found: Measured) -> Iterator[Line]:
    ranks, name = SHAPE.world, f"{SHAPE.world:,} ranks x {len(FIVE)} series x 1 row a second"
    note = f"Redis beside it {found.store_cpu / found.seconds * 100:.0f} %"
    yield at_most(f"{name}: collector", found.cpu / found.seconds * 100, None, 50, "% core", note)
    yield latency("… written -> in Redis", found.lags, 0.99, 2000)
    empty, before, behind = found.memory
    every, new = ((HISTORY + WARM_UP + ROWS) * ranks * len(FIVE)), ROWS * ranks * len(FIVE)
    note = f"of {every:,} points, all of Redis' memory; of the last {new:,} {(behind - before) / new:.1f} B"
    yield at_most("… memory a point", (behind - empty) / every, None, 26, "B", note)


def rows(writer: Writer, lags: Lags, steps: range) -> int:
    """One row a second to all ranks, and a look at the cursors in between; the last step."""
    due = time.time()
    for step in steps:
        row = writer.row(step, due)
        lags.look_until(due)
        lags.wrote(dict(zip((path for path, _ in row), grow(row), strict=True)))
        due += 1.0
    lags.look_until(due)
    return steps[-1]


class Lags:
    """Since when the cursors of some ranks know of what was written. Their commit is that of the points."""

    def __init__(self, client: redis.Redis, plan: Plan, job: Path) -> None:
        places, attempt = Places(plan, job), plan.attempts[0]
        every = max(1, plan.shape.world // SAMPLE)
        self._client, self._keys = client, list[bytes]()
        self._paths = {self._name(places.events(rank, attempt), job): places.events(rank, attempt)
                       for rank in range(0, plan.shape.world, every)}  # fmt: skip
        self._open: dict[str, deque[tuple[int, float]]] = {name: deque() for name in self._paths}
        self.seen: list[float] = []

    def _name(self, path: Path, job: Path) -> str:
        return str(path.relative_to(job))

    def is_level(self) -> bool:
        """Whether the store has all that the files have."""
        known = self._offsets()
        return len(known) == len(self._paths) and all(
            known[name] == path.stat().st_size for name, path in self._paths.items()
        )

    def wrote(self, times: dict[Path, float]) -> None:
        for name, path in self._paths.items():
            self._open[name].append((path.stat().st_size, times[path]))

    def look_until(self, due: float) -> None:
        """Look, again and again, and note what has come."""
        while time.time() < due:
            offsets, now = self._offsets(), time.time()
            for name, offset in offsets.items():
                waiting = self._open[name]
                while waiting and waiting[0][0] <= offset:
                    self.seen.append(now - waiting.popleft()[1])
            time.sleep(max(0.0, min(LOOK, due - time.time())))

    def _offsets(self) -> dict[str, int]:
        """How far each of the files has been read; nothing before the run is known."""
        self._keys = self._keys or list(self._client.scan_iter("tw:{*}:cursors"))
        found: dict[str, int] = {}
        for key in self._keys:
            texts = self._client.hmget(key, list(self._paths))
            found |= {name: Cursor.decode(text).offset for name, text in zip(self._paths, texts, strict=True) if text}
        return found


def memory(client: redis.Redis) -> int:
    """Bytes that Redis has taken for all it holds."""
    return int(client.info("memory")["used_memory"])


def spent(pid: int) -> float:
    """Processor seconds of a collector and all that it has started."""
    return used({pid} | descendants({pid}, parents_now()))
