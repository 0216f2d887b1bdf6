"""A run in a real store, and a worker on it that takes turns when it is told to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
import redis

from app.diagnosis.alert import Alert
from app.diagnosis.notify.notice import Notice
from app.diagnosis.store import AlertStore
from app.diagnosis.worker import Worker, _Place
from app.store import RedisRunStore
from collector.wire import schema
from collector.wire.records import RunId
from tests.support.seed import RUN, Seed

BEGAN = 1_000_000.0


@dataclass
class Bench:
    """``now`` is the worker's clock."""

    client: redis.Redis
    store: RedisRunStore
    alerts: AlertStore
    now: float = BEGAN
    workers: list[Worker] = field(default_factory=list)

    def worker(self) -> Worker:
        """A worker that remembers nothing."""
        self.workers.append(Worker(self.store, self.alerts, ("host", len(self.workers)), lambda: self.now, 0.0, 0.0))
        return self.workers[-1]

    def settle(self, worker: Worker) -> None:
        """Turns until everything that is stored was judged."""
        self.settle_but(worker)

    def settle_but(self, worker: Worker, *odd: RunId) -> None:
        """The same but for some runs."""
        follower = self.store.follow()
        try:
            worker.due.clear()
            for _ in range(400):
                worker.step(follower)
                if worker.places and not any(_moves(one) for run, one in worker.places.items() if run not in odd):
                    return
            raise AssertionError("it never rests")
        finally:
            follower.close()

    def found(self) -> dict[str, Alert]:
        return self.alerts.alerts(RUN)

    def notices(self) -> list[Notice]:
        entries = self.client.xrange(schema.outbox(RUN))
        return [Notice.decode(fields[schema.OUTBOX_FIELD.encode()]) for _, fields in entries]


def _moves(place: _Place) -> bool:
    crews = place.run.crews
    return place.news or place.run.behind or (place.across and not (crews is not None and crews.waits))


@pytest.fixture
def bench(redis_url: str, redis_client: redis.Redis) -> Iterator[Bench]:
    store, alerts = RedisRunStore(redis_url), AlertStore(redis_url)
    yield Bench(redis_client, store, alerts)
    store.close()
    alerts.close()


@pytest.fixture
def seed(redis_client: redis.Redis) -> Seed:
    return Seed(redis_client, facts={"total_steps": "100000"})
