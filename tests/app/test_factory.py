"""The application as it is wired: twice in one process, behind gunicorn, and without a Redis."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app.config import BadSetting
from app.factory import create_server
from tests.support.seed import Seed, straight
from tests.support.serving import EventStream
from tests.support.waiting import eventually

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture
def gunicorn(redis_url: str) -> Iterator[int]:
    """The server of the Procfile on a free port."""
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
        held.set_inheritable(True)
        command = [sys.executable, "-m", "gunicorn", "-c", "python:app.serving", "--bind", f"fd://{held.fileno()}"]
        process = subprocess.Popen(
            [*command, "app.factory:create_server()"],
            cwd=PROJECT,
            env={**os.environ, "REDIS_URL": redis_url},
            pass_fds=[held.fileno()],
        )
        yield port
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=15) == 0


def get(port: int, path: str, **headers: str) -> tuple[int, str]:
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_gunicorn_serves_pages_api_and_stream_and_refuses_foreign_names(gunicorn: int, seed: Seed) -> None:
    seed.points(straight(range(1, 6)))
    assert get(gunicorn, "/livez")[0] == 200
    assert "Tidewatch" in get(gunicorn, "/")[1]
    assert json.loads(get(gunicorn, "/api/runs/gpt/series?metric=loss")[1])["total"] == 5
    assert get(gunicorn, "/livez", Host="evil.test")[0] == 400
    assert get(gunicorn, "/_dash-layout", Host="evil.test")[0] == 400
    with EventStream(gunicorn, "/api/runs/gpt/stream") as stream:
        stream.until("ready")
        seed.points([(6, 6.0, 6.0)])
        assert stream.next().data["points"]["loss"][0][0] == 6
    told = http.client.HTTPConnection("127.0.0.1", gunicorn, timeout=20)  # exact about the lengths of chunks
    with closing(told):
        told.request("GET", "/api/runs/gpt/stream")
        reply = told.getresponse()
        for step in range(7, 20):
            seed.points([(step, float(step), 1.0)])
            while not (line := reply.readline()).startswith(b'data: {"p'):
                assert line
            assert json.loads(line[6:])["points"]["loss"][0][0] == step


def test_a_bad_setting_is_one_sentence() -> None:
    with pytest.raises(BadSetting, match="TIDEWATCH_PREFIX"):
        create_server({"TIDEWATCH_PREFIX": "nowhere"})


def test_two_servers_in_one_process_both_know_every_callback(redis_url: str) -> None:
    one, other = (create_server({"REDIS_URL": redis_url}).test_client() for _ in range(2))
    first, second = one.get("/_dash-dependencies").json, other.get("/_dash-dependencies").json
    assert first == second
    outputs = [callback["output"] for callback in first]
    assert outputs
    assert len(outputs) == len(set(outputs))


def test_no_connection_is_made_before_the_first_question() -> None:
    server = create_server({"REDIS_URL": "redis://127.0.0.1:1/0"})
    assert server.test_client().get("/livez").status_code == 200
    assert eventually(lambda: server.test_client().get("/readyz").status_code) == 503


def test_neither_debugger_nor_development_tools_are_there(redis_url: str) -> None:
    client = create_server({"REDIS_URL": redis_url}).test_client()
    assert "EVALEX" not in client.get("/console").text
    config = client.get("/").text.split('id="_dash-config"')[1].split("</script>")[0]
    assert '"ui":false' in config
    assert '"suppress_callback_exceptions":false' in config
    assert "redis" not in config.lower()
