"""D1 to D5: a link opens the one snapshot that it was made for, shows nothing else of anything, and takes nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.access.given import Access, access
from app.api.routes import ROUTES, Route
from app.notes.note import Note
from app.notes.store import NoteStore
from app.sharing import encoding
from app.sharing import gate as gates
from app.sharing import store as kept
from app.sharing.said import FrozenAlerts, FrozenNotes
from app.sharing.table import CLOSED, SHARED
from app.store import RedisRunStore
from collector.wire import schema
from collector.wire.records import RunId
from tests.support.alarmed import JITTER, SPIKE, raise_at
from tests.support.freezing import SECRET, Link, freeze, questions, serving
from tests.support.seed import RUN, Seed, straight
from tests.support.web_process import WebProcess, web_process

OTHER = RunId("classified")
HOST, PATH, ROOT = "node-0742", "/data/someone/llm/gpt", "/data/someone/llm"
EDITOR, VIEWER = "Hk3vR8tNq2LwZx7Cm5Yp", "Jd9bT4sGf6QaWn1Xe8Ku"
NONE = [
    ":token",
    "null",
    "undefined",
    "0",
    "1",
    "*",
    "%2a",
    "..",
    "%2e%2e",
    "",
    "latest",
    "all",
    "%00",
    "%0a",
    "a.b",
    "~",
]


@pytest.fixture
def store(redis_url: str) -> Iterator[RedisRunStore]:
    found = RedisRunStore(redis_url)
    yield found
    found.close()


@pytest.fixture(autouse=True)
def seed(redis_client: redis.Redis, redis_url: str) -> Seed:
    """Two runs with everything that there can be, on machines with names."""
    for run, root in ((OTHER, "/data/classified"), (RUN, PATH)):
        seed = Seed(redis_client, run, root, {"total_steps": "900", "dataset": f"{PATH}/train.mindrecord"})
        for rank in range(3):
            file = f"rank_{rank}/events.out.tfevents.1700000000.{HOST}"
            seed.points(straight(range(60)), rank=rank, file=file, source="tensorboard")
            seed.points(straight(range(60)), rank=rank, file=file, source="tensorboard", metric="local_loss")
        seed.event("checkpoint", step=9, wall=1e6, text=f"Saved {PATH}/ckpt/9.ckpt on {HOST} (password: hunter2)")
        seed.touched(1e6 + 60)
        seed.beat(1_000_199.0, ROOT, host=HOST)
        raise_at(redis_url, run, (SPIKE, JITTER))
    notes = NoteStore(redis_url)
    notes.add(OTHER, Note("0123456789ab", 1, 2, f"note of {OTHER}", "shift", 1_000_000.0))
    notes.close()
    return seed


def of_readers(**more: str) -> Access:
    return access({"TIDEWATCH_TOKEN": EDITOR, "TIDEWATCH_VIEWER_TOKEN": VIEWER, **more})


def below(link: Link) -> list[str]:
    """Every address that there is below a token."""
    return [
        "",
        "/",
        "/ranks",
        "/preview.png",
        "/x",
        "/api/x",
        "/api/runs/gpt/log",
        "/api/runs/gpt/stream",
        *questions(RUN),
    ]


def text_of(reply: TestResponse) -> str:
    """Its body, whatever it is."""
    return reply.data.decode(errors="replace")


def said(reply: TestResponse) -> tuple[int, str, str]:
    return reply.status_code, text_of(reply), reply.headers.get("Location", "")


@pytest.mark.parametrize(
    "suffix", ["", "/ranks", "/preview.png", "/api/runs", "/api/runs/gpt/curves?metric=loss", "/x", "/api/x"]
)
def test_d1_whatever_is_no_token_has_one_and_the_same_answer(
    suffix: str, store: RedisRunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gates, "WRONG", 10_000)
    with serving(store) as client:
        link = freeze(client, RUN)
        token = link.token
        twins = {
            token[:-1],
            token[:10],
            token + "A",
            token.lower(),
            token.upper(),
            token.swapcase(),
            link.id,
            token.split(".")[0],
        }
        asked = [f"/s/{one}{suffix}" for one in (*NONE, *twins, "x" * 9_000)]
        found = {one: said(client.get(one)) for one in asked if not one.startswith(("/s//", "/s/../", "/s/%2e%2e"))}
        assert {status for status, _, _ in found.values()} == {404}
        assert len(set(found.values())) == 1
        assert client.get(f"{link.path}/api/runs").status_code == 200  # and the right one opens all the same


def test_d1_so_many_wrong_ones_of_an_address_and_it_waits(store: RedisRunStore) -> None:
    with serving(store, host="0.0.0.0", access=of_readers()) as client:
        link = made(client, EDITOR)
        statuses = [client.get(f"/s/wrong{number}").status_code for number in range(gates.WRONG + 5)]
        assert statuses == [404] * gates.WRONG + [429] * 5
        elsewhere = client.get("/s/wrong", environ_base={"REMOTE_ADDR": "10.0.0.9"})
        assert elsewhere.status_code == 404
        assert client.get(link.path).status_code == 200


@pytest.mark.parametrize("path", questions(OTHER), ids=str)
def test_d2_no_address_below_a_token_has_another_run(path: str, store: RedisRunStore) -> None:
    with serving(store) as client:
        link = freeze(client, RUN)
        reply = client.get(link.path + path, buffered=True)
        if f"/{OTHER}" in path:
            assert reply.status_code in (400, 404), text_of(reply)
        assert reply.headers.get("Location") is None
        assert f"note of {OTHER}" not in text_of(reply)
        if reply.status_code == 200:
            assert OTHER not in text_of(reply)


def test_d2_every_reading_route_is_a_twin_or_closed_or_not_there_at_all(store: RedisRunStore) -> None:
    with serving(store) as client:
        rules = {one.endpoint: one for one in client.application.url_map.iter_rules() if "<token>" in one.rule}
    of_api = {name.removeprefix("share_api.") for name in rules if name.startswith("share_api.")}
    assert of_api == {*SHARED, *CLOSED, "unknown"}
    assert {*SHARED} <= {one.endpoint for one in ROUTES if one.method == "GET"}
    assert all(one.methods == {"GET", "HEAD", "OPTIONS"} for one in rules.values())


@pytest.mark.parametrize("headers", [{}, {"Last-Event-ID": "1-0"}, {"Last-Event-ID": "0-0"}], ids=str)
@pytest.mark.parametrize("run", [RUN, OTHER])
def test_d2_there_is_no_stream_and_none_goes_on(headers: dict[str, str], run: str, store: RedisRunStore) -> None:
    with serving(store) as client:
        link = freeze(client, RUN)
        for query in ("", "?since=0-0"):
            reply = client.get(f"{link.path}/api/runs/{run}/stream{query}", headers=headers)
            assert (reply.status_code, reply.mimetype) == (404, "application/json")
        assert client.get(f"{link.path}/api/runs/{run}/log?around=3").status_code == 403


def test_d2_what_comes_later_is_in_no_answer(store: RedisRunStore, seed: Seed, redis_url: str) -> None:
    with serving(store) as client:
        link = freeze(client, RUN)
    seed.points(straight(range(60, 5_000)), file="rank_0/late.log")
    seed.event("error", step=4_999, wall=1e6, text="what came later")
    notes = NoteStore(redis_url)
    notes.add(RUN, Note("0123456789ab", 1, 2, "what came later", "shift", 1_000_000.0))
    notes.close()
    with serving(store) as client:
        for path in ("", "/ranks", *questions(RUN)):
            reply = client.get(link.path + path, buffered=True)
            assert "what came later" not in text_of(reply)
            assert b"4999" not in reply.data


def test_d3_nothing_is_told_but_the_run(store: RedisRunStore, redis_url: str) -> None:
    socket = redis_url.removeprefix("unix://").partition("?")[0]
    secrets = [
        socket,
        redis_url,
        "redis://",
        HOST,
        PATH,
        ROOT,
        "/someone",
        OTHER,
        "hunter2",
        "_dash-config",
        "_dash-layout",
    ]
    secrets += ["requests_pathname_prefix", SECRET.decode(), "tw:"]
    with serving(store) as client:
        link = freeze(client, RUN)
        for path in below(link):
            reply = client.get(link.path + path, buffered=True)
            whole = text_of(reply) + str(reply.headers)
            assert [one for one in secrets if one in whole] == [], path
            assert link.id not in whole, path


def test_d3_the_frame_of_dash_is_not_there(store: RedisRunStore) -> None:
    with serving(store) as client:
        link = freeze(client, RUN)
        for path in ("_dash-layout", "_dash-dependencies", "_dash-update-component", "_reload-hash"):
            assert client.get(f"{link.path}/{path}").status_code == 404
            assert client.post(f"{link.path}/{path}", json={}).status_code in (404, 405)
        assert "dash" not in re.sub(r"dashboard|dashed", "", client.get(link.path).text.lower())


def test_d3_with_names_hosts_are_told_and_secrets_are_not(store: RedisRunStore) -> None:
    with serving(store) as client:
        link = freeze(client, RUN, names=True)
        events = client.get(f"{link.path}/api/runs/{RUN}/events").text
        assert HOST in events
        assert PATH in client.get(f"{link.path}/api/runs/{RUN}").text
        assert all("hunter2" not in text_of(client.get(link.path + one, buffered=True)) for one in below(link))


def test_d3_the_address_is_told_to_nobody(store: RedisRunStore) -> None:
    with serving(store) as client:
        link = freeze(client, RUN)
        for path in ("", "/ranks", "/api/runs", "/preview.png"):
            headers = client.get(link.path + path).headers
            assert headers["Referrer-Policy"] == "no-referrer"
            assert headers["X-Robots-Tag"] == "noindex, nofollow"
        listed = client.get(f"/api/runs/{RUN}/snapshots").text
        assert link.token not in listed
        assert link.token.split(".")[0] not in listed
        assert link.token.encode() not in json.dumps([str(one) for one in everything(store)]).encode()


def everything(store: RedisRunStore) -> list[object]:
    """All keys, with what they hold, in an order of their own: Redis' own is another after its tables have grown."""
    client = store._redis
    readers = {
        "string": client.get,
        "hash": client.hgetall,
        "set": client.smembers,
        "list": lambda key: client.lrange(key, 0, -1),
    }
    readers |= {"zset": lambda key: client.zrange(key, 0, -1), "stream": client.xrange}
    return [(key, readers[client.type(key).decode()](key)) for key in sorted(set(client.scan_iter()))]


WRITING = [one for one in ROUTES if one.method != "GET"]


@pytest.mark.parametrize("route", WRITING, ids=lambda one: one.endpoint)
def test_d4_a_link_writes_nothing(route: Route, store: RedisRunStore) -> None:
    with serving(store) as client:
        link = freeze(client, RUN)
        before = everything(store)
        path = re.sub(r"<run>", RUN, route.path)
        path = re.sub(r"<\w+>", link.id, path)
        for base in (link.path, f"{link.path}/"):
            reply = client.open(base.rstrip("/") + "/" + path, method=route.method, json={"by": "x", "days": 1})
            assert reply.status_code in (404, 405), text_of(reply)
        assert everything(store) == before
        assert client.get(link.path).status_code == 200


def test_d4_who_may_look_takes_nothing_back(store: RedisRunStore) -> None:
    with serving(store, host="0.0.0.0", access=of_readers()) as client:
        link = made(client, EDITOR)
        one = f"/api/runs/{RUN}/snapshots/{link.id}"
        cases = [(None, 401), (VIEWER, 403), ("x" * 43, 401), (link.token, 401)]
        for token, status in cases:
            for method in ("DELETE", "PUT"):
                assert asked(client, method, one, token).status_code == status
        assert asked(client, "GET", one.rpartition("/")[0], VIEWER).status_code == 200
        assert asked(client, "GET", one.rpartition("/")[0], None).status_code == 401
        assert client.get(link.path).status_code == 200
        assert asked(client, "DELETE", f"/api/runs/{OTHER}/snapshots/{link.id}", EDITOR).status_code == 404
        assert client.get(link.path).status_code == 200
        assert asked(client, "DELETE", one, EDITOR).status_code == 200
        assert client.get(link.path).status_code == 410


def asked(client: FlaskClient, method: str, path: str, token: str | None, body: object = None) -> TestResponse:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return client.open(path, method=method, json={"days": 1} if body is None else body, headers=headers)


def made(client: FlaskClient, token: str) -> Link:
    reply = asked(client, "POST", f"/api/runs/{RUN}/snapshots", token, {})
    assert reply.status_code == 200, text_of(reply)
    return Link(reply.json)


def test_d5_nobody_unknown_makes_one_and_a_link_opens_without_a_password(store: RedisRunStore) -> None:
    with serving(store, host="0.0.0.0", access=of_readers()) as client:
        for token, status in ((None, 401), (VIEWER, 403)):
            assert asked(client, "POST", f"/api/runs/{RUN}/snapshots", token, {}).status_code == status
        link = made(client, EDITOR)
        for path in ("", "/ranks", "/preview.png", *questions(RUN)):
            assert client.get(link.path + path, buffered=True).status_code in (200, 400, 404)
        assert client.get(link.path).status_code == 200
        assert client.get(f"/api/runs/{RUN}").status_code == 401
        assert client.get(f"/run/{RUN}").status_code != 200


def test_d5_so_many_of_a_run_and_no_more(store: RedisRunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "OPEN", 4)
    with serving(store) as client:
        links = [freeze(client, RUN) for _ in range(4)]
        refused = client.post(f"/api/runs/{RUN}/snapshots", json={})
        assert (refused.status_code, "open snapshots" in refused.json["error"]) == (409, True)
        assert freeze(client, OTHER)
        client.delete(f"/api/runs/{RUN}/snapshots/{links[0].id}")
        assert freeze(client, RUN)


def test_d5_one_that_would_be_too_large_is_not_kept(store: RedisRunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "BYTES", 100)
    with serving(store) as client:
        before = everything(store)
        refused = client.post(f"/api/runs/{RUN}/snapshots", json={})
        assert (refused.status_code, "too many series" in refused.json["error"]) == (409, True)
        assert everything(store) == before


@pytest.mark.parametrize("days", [0, -1, 0.01, 366, 1e300, "7", True, None, [7]], ids=str)
def test_d5_each_has_an_end(days: object, store: RedisRunStore) -> None:
    with serving(store) as client:
        refused = client.post(f"/api/runs/{RUN}/snapshots", json={"days": days})
        assert refused.status_code == 400, refused.text
        link = freeze(client, RUN)
        assert client.put(f"/api/runs/{RUN}/snapshots/{link.id}", json={"days": days}).status_code == 400


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"view": "x" * 4_001}, 400),
        ({"view": "x" * 9_000}, 413),
        ({"view": "&" * 3_000}, 400),
        ({"view": "a=\x00"}, 400),
        ({"view": 7}, 400),
        ({"page": "compare"}, 400),
        ({"page": ["run"]}, 400),
        ({"names": "true"}, 400),
        ({"by": "x" * 81}, 400),
        ({"run": OTHER}, 400),
        ([], 400),
    ],
    ids=str,
)
def test_d5_what_makes_no_sense_is_refused(body: object, status: int, store: RedisRunStore) -> None:
    with serving(store) as client:
        assert client.post(f"/api/runs/{RUN}/snapshots", json=body).status_code == status


def test_b5_a_view_is_a_query_and_never_an_address(store: RedisRunStore) -> None:
    view = '?x=wall&next=javascript:alert(1)&y="><script>alert(1)</script>&z=//evil.test'
    with serving(store) as client:
        link = freeze(client, RUN, view=view, by='<img src=x onerror="1">')
        for path in ("", "/ranks"):
            shown = client.get(link.path + path).text
            assert "<script>alert" not in shown
            assert "<img src=x" not in shown
            assert re.findall(r'(?:href|src)="(?!/|http://localhost/)[^"]*"', shown) == []


@pytest.fixture
def running(redis_url: str, tmp_path: Path) -> Iterator[WebProcess]:
    with web_process(tmp_path, redis_url) as found:
        yield found


def test_d4_what_was_taken_back_is_gone_for_all_at_once_and_stays_gone(running: WebProcess, redis_url: str) -> None:
    """As production serves it, with what a browser and a script are told."""
    body = b'{"by": "shift", "view": "x=wall"}'
    origin = {"Content_Type": "application/json", "Origin": f"http://127.0.0.1:{running.port}"}
    link = Link(json.loads(running.ask("POST", f"/api/runs/{RUN}/snapshots", body, **origin).body))
    page = running.get(link.path, Accept="text/html")
    assert (page.status, "Frozen snapshot" in page.text) == (200, True)
    assert running.ask("DELETE", f"/api/runs/{RUN}/snapshots/{link.id}", **origin).status == 200
    closed = running.get(link.path, Accept="text/html")
    assert (closed.status, closed.headers["content-type"].startswith("text/html")) == (410, True)
    assert "This snapshot was revoked" in closed.text
    script = running.get(f"{link.path}/api/runs")
    assert (script.status, json.loads(script.body)["error"][:27]) == (410, "This snapshot was revoked: ")
    assert link.token not in running.log.read_text()


def test_d4_not_even_the_application_writes_what_a_snapshot_says(store: RedisRunStore) -> None:
    with serving(store) as client:
        link = freeze(client, RUN)
    moment = encoding.decoded(store._redis.get(schema.frozen(RUN, link.id)))
    for one in (FrozenAlerts(RUN, moment), FrozenNotes(RUN, moment)):
        assert not hasattr(one, "_client")
        with pytest.raises(AttributeError):
            one.close()
