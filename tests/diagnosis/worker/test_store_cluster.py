"""What the diagnosis keeps lies in a cluster as well as on one server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis

from app.diagnosis.alert import Alert
from app.diagnosis.handling import Handling, Mute
from app.diagnosis.notices import Changes
from app.diagnosis.signal import Evidence
from app.diagnosis.store import AlertStore
from app.diagnosis.vital import Vital
from collector.wire import schema
from collector.wire.records import RunId
from tests.support.redis_cluster import RedisCluster

RUN = RunId("job_a")
NAN = Alert("nan_inf-a1-300", "nan_inf", "N1", "critical", True, 1, 300, 300, 302, Evidence(2.0))


@pytest.fixture
def cluster() -> Iterator[RedisCluster]:
    found = RedisCluster(schema.run(RUN))
    try:
        yield found.start()
    finally:
        found.close()


def test_alerts_mutes_and_signs_of_life_are_kept_in_a_cluster(cluster: RedisCluster) -> None:
    client = redis.Redis.from_url(cluster.primary.url)
    client.hset(schema.run(RUN), "name", "job")
    client.close()
    store = AlertStore(cluster.url)
    assert store.commit(RUN, "", {}, Changes((NAN,), (), ())) == "1"
    assert store.commit(RUN, "", {}, Changes((), (), ())) is None
    assert store.handle(RUN, NAN.id, Handling(verdict="resolved"), None)
    assert (store.alerts(RUN), store.handled(RUN)) == ({NAN.id: NAN}, {NAN.id: Handling(verdict="resolved")})
    store.mute(Mute("stall", None, None, "shift", None, "", 0.0), [RUN])
    assert [one.id for one in store.mutes()] == ["stall.any.any"]
    store.beat(Vital("host:1", "host", 1, 1.0, 1, 1))
    assert [one.worker for one in store.vitals()] == ["host:1"]
    store.leave("host:1")
    assert store.vitals() == []
    store.close()
