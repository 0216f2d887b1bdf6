"""``/livez``, ``/readyz`` and ``/metrics``: what watches the watcher."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from flask import Response
from prometheus_client import CollectorRegistry, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from app.alarms import Alarms
from app.api.answers import Json, answer
from app.api.live import Hub
from app.diagnosis.store import AlertStore
from app.diagnosis.vital import Vital
from app.stored import RunStore, StoreAway
from collector.wire.records import Heartbeat
from collector.wire.schema import SCHEMA_VERSION

BEAT_SECONDS = 10.0  # a collector publishes every two seconds; five missed ones are worth a word
DIAGNOSIS = "diagnosis"
EXPOSITION = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must hold for the pages to be useful; if it is not ``vital``, they are ready without it."""

    name: str
    ok: bool
    reason: str
    vital: bool = True


def readiness(store: RunStore, alerts: AlertStore, now: float) -> list[Check]:
    """Redis, the collectors and the diagnosis at ``now`` (Unix seconds); never raises."""
    try:
        version, beats, signs = store.version(), store.heartbeats(), alerts.vitals()
    except StoreAway as error:
        unknown = "Not known while Redis is away."
        return [Check("redis", False, str(error)), Check("collector", False, unknown), _unjudged(unknown)]
    return [_schema(version), _collectors(beats, now), _diagnosis(signs, now)]


def _diagnosis(signs: Sequence[Vital], now: float) -> Check:
    if not signs:
        return _unjudged("No diagnosis has given a sign of life: start python -m app.diagnosis.")
    youngest = max(signs, key=lambda one: one.wall)
    age = max(0.0, now - youngest.wall)
    if age > BEAT_SECONDS:
        return _unjudged(f"The last sign of life of a diagnosis is {age:.0f} s old.")
    if youngest.messages:
        return _unjudged(" ".join(youngest.messages))
    behind = f", {len(youngest.behind)} of them with history to go through" if youngest.behind else ""
    return Check(DIAGNOSIS, True, f"{youngest.runs} runs are judged{behind}, last sign of life {age:.0f} s ago.", False)


def _unjudged(reason: str) -> Check:
    return Check(DIAGNOSIS, False, reason, vital=False)


def _schema(version: str | None) -> Check:
    if version not in (None, SCHEMA_VERSION):
        return Check("redis", False, f"Redis holds schema {version}, and this program reads schema {SCHEMA_VERSION}.")
    return Check("redis", True, "Redis answers.")


def _collectors(beats: Sequence[Heartbeat], now: float) -> Check:
    if not beats:
        return Check("collector", False, "No collector has given a sign of life: start python -m collector follow DIR.")
    youngest = max(0.0, now - max(one.wall for one in beats))
    if youngest > BEAT_SECONDS:
        return Check("collector", False, f"The last sign of life of a collector is {youngest:.0f} s old.")
    return Check("collector", True, f"{len(beats)} at work, last sign of life {youngest:.0f} s ago.")


def readyz(checks: Sequence[Check], *, verbose: bool, known: bool = True) -> Response:
    """200 or 503, with the reasons for people; one word for machines, and for whoever is not ``known``."""
    ready = all(one.ok for one in checks if one.vital)
    word = "ready" if ready else "not ready"
    if not known or (not verbose and ready):
        return answer({"status": word}, 200 if ready else 503)
    body: list[Json] = [{"name": one.name, "ok": one.ok, "reason": one.reason} for one in checks]
    return answer({"status": word, "checks": body}, 200 if ready else 503)


class Meters:
    """The process's own measurements, in a registry of their own: two apps in one process do not mix."""

    def __init__(self, store: RunStore, alarms: Alarms, hub: Hub) -> None:
        """Reads ``store``, ``alarms`` and ``hub`` only when it is scraped."""
        self._registry = CollectorRegistry()
        self._registry.register(_Stored(store, alarms))
        self._seconds = Histogram(
            "tidewatch_http_request_duration_seconds",
            "Time to the first byte of an answer.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        clients = Gauge("tidewatch_stream_clients", "Live streams that are open.", registry=self._registry)
        clients.set_function(lambda: float(hub.clients))
        build = Gauge("tidewatch_build_info", "Always 1.", ("schema",), registry=self._registry)
        build.labels(SCHEMA_VERSION).set(1)

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        """One answered request; ``route`` is the rule, never the address, so that labels stay few."""
        self._seconds.labels(method, route, str(status)).observe(seconds)

    def exposition(self) -> Response:
        """The text that Prometheus reads."""
        return Response(generate_latest(self._registry), content_type=EXPOSITION)


class _Stored(Collector):
    """What Redis knows, at the moment of the scrape."""

    def __init__(self, store: RunStore, alarms: Alarms) -> None:
        self._store, self._alarms = store, alarms

    def collect(self) -> Iterator[Metric]:
        up = GaugeMetricFamily("tidewatch_redis_up", "Whether Redis answers.")
        try:
            beats, runs, errors = self._store.heartbeats(), self._store.runs(), self._errors()
            signs, open_now = self._alarms.store.vitals(), self._alarms.severities(runs)
        except StoreAway:
            up.add_metric([], 0)
            yield up
            return
        up.add_metric([], 1)
        yield up
        yield GaugeMetricFamily("tidewatch_runs", "Runs in the store.", value=len(runs))
        yield from _beats(beats)
        yield _reasons(errors)
        yield from _judged(signs, open_now)

    def _errors(self) -> Mapping[str, int]:
        found: dict[str, int] = {}
        for run_id in self._store.runs():
            for cursor in self._store.cursors(run_id):
                for code, count in cursor.counts.items():
                    found[code] = found.get(code, 0) + count
        return found


def _beats(beats: Sequence[Heartbeat]) -> Iterator[Metric]:
    points = CounterMetricFamily("tidewatch_collector_points", "Points committed since a collector began.")
    points.add_metric([], sum(one.points for one in beats))
    yield points
    lag = sum(one.lag_bytes for one in beats)
    yield GaugeMetricFamily("tidewatch_collector_lag_bytes", "Bytes in files that are not read yet.", value=lag)
    files = sum(one.files for one in beats)
    yield GaugeMetricFamily("tidewatch_collector_files_open", "Files that are followed.", value=files)
    yield GaugeMetricFamily("tidewatch_collectors", "Collectors that gave a sign of life.", value=len(beats))


def _judged(signs: Sequence[Vital], open_now: Mapping[str, int]) -> Iterator[Metric]:
    rows = CounterMetricFamily("tidewatch_diagnosis_rows", "Rows judged since a diagnosis began.")
    rows.add_metric([], sum(one.rows for one in signs))
    yield rows
    behind = sum(len(one.behind) for one in signs)
    yield GaugeMetricFamily("tidewatch_diagnosis_behind", "Runs whose history is still being judged.", value=behind)
    yield GaugeMetricFamily("tidewatch_diagnoses", "Diagnoses that gave a sign of life.", value=len(signs))
    alerts = GaugeMetricFamily("tidewatch_alerts", "Alerts that somebody has to know of.", labels=["severity"])
    for severity, count in sorted(open_now.items()):
        alerts.add_metric([severity], count)
    yield alerts


def _reasons(errors: Mapping[str, int]) -> Metric:
    family = CounterMetricFamily("tidewatch_collector_parse_errors", "Records given up, by reason.", labels=["reason"])
    for reason, count in sorted(errors.items()):
        family.add_metric([reason], count)
    return family
