"""What stands between a weakness and the store: no code out of data, an ACL that suffices, a server that is mended."""

from __future__ import annotations

import ast
import http.client
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import redis

from app.diagnosis.store import AlertStore
from app.launch.keeper import server_command
from collector.store import Store
from collector.wire import schema
from collector.wire.floor import concern, is_mended
from collector.wire.records import RunId, SeriesMeta
from tests.support.diagnosing import lines, works
from tests.support.folding import fold_oldest
from tests.support.following import following
from tests.support.growing import PROJECT
from tests.support.redis_server import RedisServer
from tests.support.waiting import eventually
from tests.support.web_process import WebProcess, web_process
from tests.test_architecture import MODULES, ROOT

UNPICKLING = {
    "pickle",
    "cPickle",
    "marshal",
    "shelve",
    "dill",
    "cloudpickle",
    "joblib",
    "torch",
    "jsonpickle",
    "pandas",
}
LOADS = {"load_all", "unsafe_load", "full_load", "load_module", "read_pickle", "fromfile", "loadtxt", "genfromtxt"}


def attributes(module: ast.Module) -> Iterator[tuple[str, str, ast.Call]]:
    """``name.attribute(…)`` of every call."""
    for node in ast.walk(module):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
        ):
            yield node.func.value.id, node.func.attr, node


def test_f4_nothing_makes_objects_of_what_it_reads() -> None:
    """A pickle, a YAML with tags or a checkpoint would run what it holds: no module reads one as such."""
    imported = {(m.name, name) for m in MODULES for name in m.imports() if name.split(".")[0] in UNPICKLING}
    called = {
        (module.name, f"{owner}.{name}")
        for module in MODULES
        for owner, name, call in attributes(module.tree)
        if name in LOADS
        or (owner in ("yaml", "torch", "pickle", "marshal") and name in ("load", "loads"))
        or (owner in ("np", "numpy") and name in ("load", "save"))
        or any(one.arg == "allow_pickle" for one in call.keywords)
    }
    assert (imported, called) == (set(), set())
    assert any("SafeLoader" in module.text for module in MODULES)  # what reads YAML says so
    loaders = {word for module in MODULES for word in re.findall(r"Loader=([\w.]+)", module.text)}
    assert loaders == {"yaml.SafeLoader"}


def test_f4_redis_is_never_published_to_others() -> None:
    """Files that start services bind Redis to no address of the machine, and give it no port that others see."""
    started = [*ROOT.glob("deploy/**/*"), *ROOT.glob("**/*compose*.y*ml"), ROOT / "Procfile"]
    for path in (one for one in started if one.is_file() and ".venv" not in one.parts):
        text = path.read_text(errors="replace")
        assert not re.search(r"^\s*-\s*[\"']?(0\.0\.0\.0:)?6379:6379", text, re.M), path
        assert "protected-mode no" not in text
    words = server_command(Path("/data"), Path("/run/s"), "valkey-server")
    assert words[words.index("--port") + 1] == "0"
    assert words[words.index("--unixsocketperm") + 1] == "700"


def acl() -> list[str]:
    """The user that SECURITY.md describes, as words of the command."""
    line = next(one for one in (ROOT / "SECURITY.md").read_text().splitlines() if one.startswith("ACL SETUSER"))
    return shlex.split(line.replace(">PASSWORD", "'>secret'"))


@pytest.fixture(scope="module")
def guarded_redis() -> Iterator[RedisServer]:
    """A server with that user beside the default one, which only this test uses."""
    server = RedisServer().start()
    with redis.Redis.from_url(server.url) as admin:
        admin.execute_command(*acl())
        admin.acl_log_reset()
    yield server
    server.close()


@pytest.fixture(scope="module")
def limited(guarded_redis: RedisServer) -> str:
    """The address of that server for that user."""
    return f"unix://tidewatch@{guarded_redis.socket}?db=0&password=secret"


@pytest.fixture(scope="module")
def whole(guarded_redis: RedisServer, limited: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebProcess]:
    """Collector, diagnosis and pages, each as that user, with a run whose loss became NaN."""
    root = tmp_path_factory.mktemp("job")
    log = root / "gpt" / "output" / "log" / "rank_0" / "info.log"
    log.parent.mkdir(parents=True)
    log.write_bytes(b"".join(lines(range(1, 400), nan=range(350, 354))))
    with ExitStack() as held:
        follower = held.enter_context(following(root, limited))
        environ = {**os.environ, "REDIS_URL": limited, "TZ": "UTC"}
        worker = subprocess.Popen([sys.executable, "-m", "app.diagnosis"], cwd=PROJECT, env=environ)
        held.callback(worker.wait, 15)
        held.callback(worker.terminate)
        alerts = AlertStore(limited)
        held.callback(alerts.close)
        eventually(lambda: works(alerts, worker), seconds=20)
        assert "Traceback" not in follower.said
        yield held.enter_context(web_process(root, limited))


def asked(web: WebProcess, path: str, status: int = 200) -> object:
    found = web.get(path)
    assert found.status == status, (path, found.status, found.text[:300])
    return json.loads(found.body) if found.headers["content-type"].startswith("application/json") else None


def said(web: WebProcess, method: str, path: str, **body: object) -> object:
    found = web.ask(method, path, json.dumps(body).encode() if body else b"", Content_Type="application/json")
    assert found.status in (200, 201, 204), (method, path, found.status, found.text[:300])
    return json.loads(found.body) if found.body else None


def test_f4_the_acl_that_is_documented_is_enough(whole: WebProcess, guarded_redis: RedisServer, limited: str) -> None:
    """Everything is used as a user who may do nothing else: Redis' own log of denials stays empty."""
    eventually(lambda: asked(whole, "/api/runs/gpt/alerts")["alerts"], seconds=30)  # type: ignore[index]  # JSON
    [alert] = [one["id"] for one in asked(whole, "/api/runs/gpt/alerts")["alerts"]][:1]  # type: ignore[index]
    for below in ("", "/series?metric=loss", "/curves?metric=loss", "/tags", "/events", "/ranks?metric=loss"):
        asked(whole, f"/api/runs/gpt{below}")
    for address in ("/api/runs", "/readyz?verbose", "/metrics", "/", "/run/gpt", "/run/gpt/ranks", "/api/mutes"):
        asked(whole, address)
    assert asked(whole, "/api/runs/gpt/log?around=300")["lines"]  # type: ignore[index]  # publish and subscribe
    for act in ("reopen", "acknowledge", "resolve"):
        said(whole, "POST", f"/api/runs/gpt/alerts/{alert}/{act}", by="shift")
    mute = said(whole, "POST", "/api/mutes", run="gpt", rank=0, by="shift")
    said(whole, "DELETE", f"/api/mutes/{mute['id']}")  # type: ignore[index]
    note = said(whole, "POST", "/api/runs/gpt/notes", first=3, text="seen", author="shift")
    said(whole, "DELETE", f"/api/runs/gpt/notes/{note['id']}")  # type: ignore[index]
    made = said(whole, "POST", "/api/runs/gpt/snapshots", view="run")
    assert whole.get(urlsplit(str(made["url"])).path).status == 200  # type: ignore[index]
    said(whole, "PUT", f"/api/runs/gpt/snapshots/{made['id']}", days=3)  # type: ignore[index]
    with redis.Redis.from_url(guarded_redis.url) as admin:
        metas = map(SeriesMeta.decode, admin.hvals(schema.series(RunId("gpt"))))
        loss = next(one.sid for one in metas if one.metric == "loss")
    assert fold_oldest(limited, 128, loss, RunId("gpt")) == 0  # packed, and then pinned
    said(whole, "DELETE", f"/api/runs/gpt/snapshots/{made['id']}")  # type: ignore[index]
    assert fold_oldest(limited, 128, loss, RunId("gpt")) == 1
    asked(whole, "/api/runs/gpt/export.jsonl")
    asked(whole, "/api/runs/gpt/preview.png")
    streamed(whole)
    with redis.Redis.from_url(guarded_redis.url) as admin:
        denied = {one["object"] for one in admin.acl_log()}
    assert denied <= {"config|get", "client|setinfo"}  # done without


def streamed(web: WebProcess) -> None:
    """A live stream is opened, and closed by its reader."""
    connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=10)
    connection.request("GET", "/api/runs/gpt/stream")
    assert connection.getresponse().readline().startswith((b"event:", b"id:", b"data:"))
    connection.close()


@pytest.mark.parametrize(
    "command",
    [
        ("CONFIG", "SET", "dir", "/tmp"),
        ("CONFIG", "GET", "*"),
        ("KEYS", "*"),
        ("SCAN", "0"),
        ("FLUSHALL",),
        ("FLUSHDB",),
        ("EVAL", "return 1", "0"),
        ("FUNCTION", "LIST"),
        ("DEBUG", "SLEEP", "0"),
        ("SHUTDOWN",),
        ("REPLICAOF", "NO", "ONE"),
        ("MODULE", "LIST"),
        ("MONITOR",),
        ("ACL", "WHOAMI"),
        ("MIGRATE", "127.0.0.1", "1", "tw:runs", "0", "1"),
        ("RESTORE", "tw:x", "0", "x"),
        ("GET", "other"),
        ("SET", "other", "1"),
        ("PUBLISH", "other", "1"),
        ("PSUBSCRIBE", "*"),
    ],
    ids=lambda command: command[0],
)
def test_f4_that_user_may_do_nothing_else(limited: str, command: tuple[str, ...]) -> None:
    """Whoever gets the password of the product can neither reconfigure the server nor read what is not its own."""
    with (
        redis.Redis.from_url(limited) as client,
        pytest.raises(redis.exceptions.ResponseError, match=r"permission|not allowed"),
    ):
        client.execute_command(*command)


@pytest.mark.parametrize(
    ("told", "is_old"),
    [
        ({"redis_version": "6.2.19"}, True),
        ({"redis_version": "6.2.20"}, False),
        ({"redis_version": "7.0.15"}, True),
        ({"redis_version": "7.2.10"}, True),
        ({"redis_version": "7.2.11"}, False),
        ({"redis_version": "7.4.5"}, True),
        ({"redis_version": "7.4.6"}, False),
        ({"redis_version": "8.0.3"}, True),
        ({"redis_version": "8.2.1"}, True),
        ({"redis_version": "8.2.2"}, False),
        ({"redis_version": "8.4.0"}, False),
        ({"redis_version": "9.0.0"}, False),
        ({"redis_version": "255.255.255"}, False),
        ({"redis_version": "7.2.4", "valkey_version": "8.1.4"}, False),
        ({"redis_version": "7.2.4", "valkey_version": "8.1.3"}, True),
        ({"redis_version": "7.2.4", "valkey_version": "9.1.2"}, False),
        ({"redis_version": "unstable"}, False),
        ({}, False),
    ],
)
def test_f4_a_server_that_is_too_old_is_named(told: dict[str, str], is_old: bool) -> None:
    """Versions in which a script may take the server over, and those in which it may not."""
    sentence = concern(told)
    assert bool(sentence) == is_old
    if is_old:
        assert told.get("valkey_version", told["redis_version"]) in sentence
        assert "update to" in sentence


def test_f4_the_collector_says_it_when_it_starts(tmp_path: Path, own_redis: RedisServer) -> None:
    """What the server tells of itself is asked of a real one, and said on the terminal when it is too old."""
    store = Store(own_redis.url)
    with redis.Redis.from_url(own_redis.url) as client:
        told = client.info("server")
    assert store.concern() == concern(told)
    store.close()
    (tmp_path / "x").mkdir()
    with following(tmp_path, own_redis.url) as follower:
        eventually(lambda: "Following" in follower.said)
        eventually(lambda: ("CVE-2025-49844" in follower.said) == bool(concern(told)))


def test_f4_a_server_that_does_not_tell_is_no_concern(limited: str, guarded_redis: RedisServer) -> None:
    """Without the right to ask, the collector goes on without a word."""
    with redis.Redis.from_url(guarded_redis.url) as admin:
        admin.execute_command("ACL", "SETUSER", "tidewatch", "-info")
        store = Store(limited)
        try:
            assert store.concern() == ""
        finally:
            store.close()
            admin.execute_command("ACL", "SETUSER", "tidewatch", "+info")
    assert is_mended((7, 2, 11), ((7, 2, 11),))
