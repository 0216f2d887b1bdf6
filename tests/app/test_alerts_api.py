"""Alerts through the API: listed, said something of, muted, exported."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace

import jsonschema_rs
import pytest
from flask.testing import FlaskClient

from app.api.openapi import description
from app.diagnosis.alert import Alert
from app.diagnosis.notices import Changes
from app.diagnosis.notify.notice import Notice
from app.diagnosis.signal import Evidence
from app.diagnosis.store import AlertStore
from app.diagnosis.vital import Vital
from app.store import RedisRunStore
from collector.wire import schema
from tests.app.conftest import NOW
from tests.support.seed import RUN, Seed, straight

NAN = Alert(
    "nan_inf-a1-300", "nan_inf", "N1", "critical", True, 1, 300, 300, 302, Evidence(float("nan"), 2.0), raised_wall=NOW
)
SPIKE = replace(NAN, id="loss_spike-a1-301", about="loss_spike", severity="warning", raised_step=301, cause=NAN.id)
RANKS = replace(
    NAN,
    id="rank_outlier-a1-400-r4",
    about="rank_outlier",
    severity="warning",
    raised_step=400,
    rank=4,
    ranks=((4, 6), (9, 9)),
    evidence=Evidence(5.0, beside=(("ranks", 4.0),)),
)
OVER = replace(RANKS, id="stall-a1-500", about="stall", raised_step=500, is_open=False, rank=None, ranks=())
ALERTS = (NAN, SPIKE, RANKS, OVER)
URL = "/api/runs/gpt/alerts"


@pytest.fixture
def alerts(store: RedisRunStore, seed: Seed) -> Iterator[AlertStore]:
    found = AlertStore(store.url)
    seed.points(straight(range(10)))
    assert found.commit(RUN, "", {}, Changes(ALERTS, (), ()))
    yield found
    found.close()


def ids(client: FlaskClient, query: str = "") -> list[str]:
    return [one["id"] for one in client.get(URL + query).json["alerts"]]


def state(client: FlaskClient, alert: Alert = NAN) -> str:
    return next(one["state"] for one in client.get(URL).json["alerts"] if one["id"] == alert.id)


def changes(alerts: AlertStore, seed: Seed) -> list[tuple[str, str, str]]:
    entries = seed.client.xrange(schema.outbox(RUN))
    told = [Notice.decode(fields[schema.OUTBOX_FIELD.encode()]) for _, fields in entries]
    return [(one.alert, one.change, one.by) for one in told]


def test_what_is_open_reaches_to_the_newest_step_and_what_is_over_to_its_own(
    client: FlaskClient, alerts: AlertStore, seed: Seed
) -> None:
    seed.points(straight(range(10, 601)))
    expected = {NAN.id: 600, SPIKE.id: 600, RANKS.id: 600, OVER.id: OVER.last_step}
    found = client.get(URL).json["alerts"]
    assert {one["id"]: one["last_step"] for one in found} == expected
    assert {one["value_step"] for one in found if one["state"] == "open"} == {NAN.last_step}
    assert client.get(f"{URL}/{NAN.id}").json["last_step"] == 600
    exported = client.get(f"{URL}/export?format=json").text.splitlines()
    assert {one["id"]: one["last_step"] for one in map(json.loads, exported)} == expected


def test_alerts_have_the_shape_that_is_described(client: FlaskClient, alerts: AlertStore) -> None:
    body = client.get(URL).json
    schema = {"$ref": "#/components/schemas/Alerts", "components": description("/")["components"]}
    jsonschema_rs.validate(schema, body)
    assert body["alerts"][0]["value"] == "NaN"
    assert body["alerts"][2]["corroboration"] == {"ranks": 4.0}
    assert (body["total"], body["count"]) == (4, 2)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", list(ALERTS)),
        ("?state=open", [NAN, SPIKE, RANKS]),
        ("?state=resolved,acknowledged", [OVER]),
        ("?class=nan_inf,stall", [NAN, OVER]),
        ("?rank=6", [RANKS]),
        ("?rank=7", []),
    ],
    ids=str,
)
def test_alerts_are_found_by_what_they_are(
    client: FlaskClient, alerts: AlertStore, query: str, expected: list[Alert]
) -> None:
    assert ids(client, query) == [one.id for one in expected]


@pytest.mark.parametrize("query", ["?state=closed", "?class=x", "?rank=-1", "?colour=red"])
def test_what_makes_no_sense_is_refused(client: FlaskClient, alerts: AlertStore, query: str) -> None:
    assert client.get(URL + query).status_code == 400


def test_the_list_of_runs_counts_what_somebody_has_to_know_of(client: FlaskClient, alerts: AlertStore) -> None:
    assert [one["alerts"] for one in client.get("/api/runs").json] == [2]
    assert client.get("/api/runs/gpt").json["alerts"] == 2
    client.post(f"{URL}/{NAN.id}/acknowledge", json={"by": "shift"})
    assert [one["alerts"] for one in client.get("/api/runs").json] == [1]
    client.post("/api/mutes", json={"by": "shift", "rank": 5})
    assert [one["alerts"] for one in client.get("/api/runs").json] == [0]


def test_prometheus_reads_how_many_there_are(client: FlaskClient, alerts: AlertStore) -> None:
    alerts.beat(Vital("node0:2", "node0", 2, NOW - 3, 5, 100, ("gpt",)))
    lines = client.get("/metrics").text.splitlines()
    assert 'tidewatch_alerts{severity="critical"} 1.0' in lines
    assert 'tidewatch_alerts{severity="warning"} 1.0' in lines
    assert "tidewatch_diagnosis_rows_total 100.0" in lines
    assert "tidewatch_diagnosis_behind 1.0" in lines


def test_an_alert_is_acknowledged_resolved_and_reopened(client: FlaskClient, alerts: AlertStore, seed: Seed) -> None:
    said = client.post(f"{URL}/{NAN.id}/acknowledge", json={"by": "shift 夜班", "minutes": 30, "note": "looking"}).json
    assert said["state"] == "acknowledged"
    assert said["ack"] == {"by": "shift 夜班", "until": NOW + 1800, "note": "looking", "at": NOW}
    assert client.post(f"{URL}/{NAN.id}/resolve", json={"by": "shift"}).json["state"] == "resolved"
    assert client.post(f"{URL}/{NAN.id}/acknowledge", json={"by": "shift"}).status_code == 409
    assert client.post(f"{URL}/{NAN.id}/reopen", json={}).json["state"] == "open"
    assert client.post(f"{URL}/{OVER.id}/reopen", json={}).json["state"] == "open"
    assert state(client, OVER) == "open"
    assert changes(alerts, seed) == [
        (NAN.id, "acknowledged", "shift 夜班"),
        (NAN.id, "ended", "shift"),
        (NAN.id, "reopened", ""),
        (OVER.id, "reopened", ""),
    ]


def test_open_pages_learn_of_what_is_said(client: FlaskClient, alerts: AlertStore, store: RedisRunStore) -> None:
    before = store.run(RUN).position  # type: ignore[union-attr]
    client.post(f"{URL}/{NAN.id}/acknowledge", json={"by": "shift"})
    client.post("/api/mutes", json={"by": "shift", "class": "stall"})
    assert [one.alerts for one in store.live_after(RUN, before) or ()] == [1, 1]


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"json": {}}, 400),
        ({"json": {"by": " "}}, 400),
        ({"json": {"by": "x" * 81}}, 400),
        ({"json": {"by": "a\x00b"}}, 400),
        ({"json": {"by": 3}}, 400),
        ({"json": {"by": "shift", "minutes": 0}}, 400),
        ({"json": {"by": "shift", "minutes": True}}, 400),
        ({"json": {"by": "shift", "minutes": "5"}}, 400),
        ({"json": {"by": "shift", "until": 5}}, 400),
        ({"json": ["shift"]}, 400),
        ({"data": "{", "content_type": "application/json"}, 400),
        ({"data": "[" * 4000, "content_type": "application/json"}, 400),
        ({"data": '{"by": "\\ud800"}', "content_type": "application/json"}, 400),
        ({"data": '{"by": "shift", "minutes": NaN}', "content_type": "application/json"}, 400),
        ({"data": " " * 5000, "content_type": "application/json"}, 413),
        ({"data": '{"by": "shift"}', "content_type": "text/plain"}, 415),
        ({"data": {"by": "shift"}}, 415),
    ],
    ids=str,
)
def test_what_is_sent_is_checked_before_anything_is_done(
    client: FlaskClient, alerts: AlertStore, sent: dict[str, object], status: int
) -> None:
    reply = client.post(f"{URL}/{NAN.id}/acknowledge", **sent)  # type: ignore[arg-type]
    assert (reply.status_code, "error" in reply.json) == (status, True)
    assert state(client) == "open"


@pytest.mark.parametrize("address", [f"{URL}/no-such/resolve", f"/api/runs/nobody/alerts/{NAN.id}/resolve"])
def test_what_there_is_not_is_404(client: FlaskClient, alerts: AlertStore, address: str) -> None:
    assert client.post(address, json={}).status_code == 404


def everything(seed: Seed) -> dict[bytes, bytes | None]:
    return {key: seed.client.dump(key) for key in seed.client.scan_iter()}


def test_reading_writes_nothing(client: FlaskClient, alerts: AlertStore, seed: Seed) -> None:
    before = everything(seed)
    for address in (URL, f"{URL}/export", f"{URL}/export?format=csv", "/api/mutes", "/api/runs", "/api/runs/gpt"):
        assert client.get(address).status_code == 200
    assert client.get(f"{URL}/{NAN.id}/resolve").status_code in (404, 405)
    assert everything(seed) == before


# Mutes


def test_a_mute_is_kept_listed_and_taken_back(client: FlaskClient, alerts: AlertStore) -> None:
    made = client.post("/api/mutes", json={"by": "shift", "class": "nan_inf", "run": "gpt", "minutes": 5, "note": "ok"})
    assert made.json == {
        "id": "nan_inf.gpt.any",
        "class": "nan_inf",
        "run": "gpt",
        "rank": None,
        "by": "shift",
        "until": NOW + 300,
        "note": "ok",
        "at": NOW,
    }
    assert client.get("/api/mutes").json == [made.json]
    assert [one["muted"] for one in client.get(URL).json["alerts"]] == [True, False, False, False]
    assert client.delete("/api/mutes/nan_inf.gpt.any").json == made.json
    assert client.get("/api/mutes").json == []
    assert client.delete("/api/mutes/nan_inf.gpt.any").status_code == 404


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"by": "shift"}, 400),
        ({"class": "stall"}, 400),
        ({"by": "shift", "class": "x"}, 400),
        ({"by": "shift", "rank": -1}, 400),
        ({"by": "shift", "rank": 1.5}, 400),
        ({"by": "shift", "run": "nobody"}, 404),
    ],
    ids=str,
)
def test_a_mute_that_makes_no_sense_is_refused(
    client: FlaskClient, alerts: AlertStore, sent: dict[str, object], status: int
) -> None:
    assert client.post("/api/mutes", json=sent).status_code == status
    assert client.get("/api/mutes").json == []


# Export


def test_the_export_has_every_alert_as_lines(client: FlaskClient, alerts: AlertStore) -> None:
    reply = client.get(f"{URL}/export")
    lines = [json.loads(line) for line in reply.text.splitlines()]
    assert [one["id"] for one in lines] == ids(client)
    assert lines[0]["run"] == "gpt"
    assert 'filename="alerts-gpt.jsonl"' in reply.headers["Content-Disposition"]


def test_the_export_is_a_table_that_no_spreadsheet_takes_for_formulas(
    client: FlaskClient, alerts: AlertStore, store: RedisRunStore
) -> None:
    kept = alerts.kept(RUN)
    odd = replace(OVER, rule="=cmd()", id="custom.x-a1-600", about="custom")
    assert alerts.commit(RUN, kept.version, {}, Changes((odd,), (), ()))
    rows = list(csv.DictReader(io.StringIO(client.get(f"{URL}/export?format=csv").text)))
    assert [one["id"] for one in rows] == ids(client)
    assert next(one for one in rows if one["class"] == "custom")["rule"] == "'=cmd()"
    assert json.loads(rows[2]["ranks"]) == [[4, 6], [9, 9]]


# One alert with everything about it


def test_one_alert_is_told_with_all_that_helps(client: FlaskClient, alerts: AlertStore, seed: Seed) -> None:
    seed.event("checkpoint", step=200, wall=NOW - 100, text="Save checkpoint of step 200.")
    body = client.get(f"{URL}/{NAN.id}").json
    jsonschema_rs.validate(
        {"$ref": "#/components/schemas/Explained", "components": description("/")["components"]}, body
    )
    assert (body["name"], body["metric"], body["consequences"]) == ("NaN or Inf", "loss", [SPIKE.id])
    assert ["Value", "NaN"] in body["grounds"]
    assert body["causes"] and body["steps"] and body["copies"]
    assert (body["rollback"]["onset"], body["rollback"]["advised"], body["rollback"]["is_safe"]) == (300, 200, False)


def test_it_is_told_in_the_reader_s_language(client: FlaskClient, alerts: AlertStore) -> None:
    chinese = client.get(f"{URL}/{RANKS.id}", headers={"Accept-Language": "zh-CN"}).json
    english = client.get(f"{URL}/{RANKS.id}", headers={"Accept-Language": "en"}).json
    assert chinese["name"] != english["name"] == "A rank differs"
    assert chinese["meaning"] != english["meaning"]
    assert chinese["copies"][0]["text"] == english["copies"][0]["text"]


def test_what_is_no_matter_of_weights_has_no_way_back(client: FlaskClient, alerts: AlertStore) -> None:
    alerts.commit(RUN, "1", {}, Changes((replace(OVER, id="throughput-a1-9", about="throughput"),), (), ()))
    assert client.get(f"{URL}/throughput-a1-9").json["rollback"] is None


def test_an_alert_that_there_is_not_is_404(client: FlaskClient, alerts: AlertStore) -> None:
    assert client.get(f"{URL}/nobody").status_code == 404
    assert client.get(f"/api/runs/nobody/alerts/{NAN.id}").status_code == 404
