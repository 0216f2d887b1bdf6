"""Applications that ask for a password, in this process and as gunicorn serves them, and who comes to them."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from app.config import AppConfig
from tests.support.waiting import eventually

ROOT = Path(__file__).resolve().parents[2]
TOKEN, VIEWER_TOKEN = "Zk3v-qTn8_wLx2RbY5mE", "p7Hs_Jd4Vc-9KgTfW1aQ"
PASSWORD, VIEWER_PASSWORD = "horse under green stairs", "nine quiet otters"
SECRET = "0f1e2d3c4b5a69788796a5b4c3d2e1f00123456789abcdef"
WORDS = {
    "TIDEWATCH_TOKEN": TOKEN,
    "TIDEWATCH_PASSWORD": PASSWORD,
    "TIDEWATCH_VIEWER_TOKEN": VIEWER_TOKEN,
    "TIDEWATCH_VIEWER_PASSWORD": VIEWER_PASSWORD,
}
OUTSIDE = "10.1.2.3:8050"  # how a visitor from elsewhere names the server
SEAL = "X-Tidewatch-Token"


def config(**environ: str) -> AppConfig:
    """Bound to every address, with a token and a password for either role."""
    return AppConfig.from_environ({"TIDEWATCH_HOST": "0.0.0.0", **WORDS, **environ})


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def address(rule: Rule) -> str:
    # /api/runs/<run>/series → /api/runs/x/series
    return re.sub(r"<[^>]+>", "x", rule.rule)


def calls(server: Flask) -> Iterator[tuple[str, str, str]]:
    """Every route with each of its methods: endpoint, method, address."""
    for rule in server.url_map.iter_rules():
        for method in sorted((rule.methods or set()) - {"OPTIONS"}):
            yield rule.endpoint, method, address(rule)


def field_of(page: TestResponse | str, name: str) -> str:
    """What a hidden field of a form, or an attribute of the shell, holds."""
    text = page if isinstance(page, str) else page.get_data(as_text=True)
    field = re.search(rf'<input[^>]*\bname="{name}"[^>]*>', text)
    found = re.search(r'\bvalue="([^"]*)"', field[0]) if field else re.search(rf'\bdata-{name}="([^"]*)"', text)
    assert found, f"there is no {name} in {text[:400]}"
    return unescape(found[1])


def log_in(client: FlaskClient, word: str, *, prefix: str = "/", **form: str) -> TestResponse:
    """Through the page, as a person does."""
    page = client.get(f"{prefix}login")
    sent = {"secret": word, "form": field_of(page, "form"), **form}
    return client.post(f"{prefix}login", data=sent)


@dataclass
class Served:
    """gunicorn on a free port of loopback, as Procfile has it, and everything it printed."""

    port: int
    output: Path
    process: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def text(self) -> str:
        return self.output.read_text(errors="replace")

    def ask(
        self, path: str, headers: Mapping[str, str] | None = None, method: str = "GET", data: bytes | None = None
    ) -> tuple[int, dict[str, str], str]:
        """Status, headers and body; no redirect is followed."""
        request = urllib.request.Request(self.url + path, data, dict(headers or {}), method=method)
        opener = urllib.request.build_opener(_Stay)
        try:
            with opener.open(request, timeout=20) as reply:
                return reply.status, dict(reply.headers), reply.read().decode(errors="replace")
        except urllib.error.HTTPError as error:
            with error:
                return error.code, dict(error.headers), error.read().decode(errors="replace")


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@contextmanager
def gunicorn(redis_url: str, *flags: str, host: str = "0.0.0.0", **environ: str) -> Iterator[Served]:
    """What Procfile starts, with TIDEWATCH_HOST ``host`` and bound to loopback."""
    with tempfile.TemporaryDirectory() as place:
        port, output = free_port(), Path(place) / "printed"
        kept = {name: text for name, text in os.environ.items() if not name.startswith("TIDEWATCH_")}
        settings = {**kept, "REDIS_URL": redis_url, "TIDEWATCH_HOST": host, "TIDEWATCH_DATA_DIR": f"{place}/data"}
        command = [sys.executable, "-m", "gunicorn", "-c", "python:app.serving", "--bind", f"127.0.0.1:{port}", *flags]
        with output.open("wb") as printed:
            process = subprocess.Popen(
                [*command, "app.factory:create_server()"],
                cwd=ROOT,
                env={**settings, **environ},
                stdout=printed,
                stderr=printed,
            )
        served = Served(port, output, process)
        try:
            eventually(lambda: _answers(served), seconds=60)
            yield served
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=20)


def _answers(served: Served) -> bool:
    assert served.process.poll() is None, served.text
    try:
        return served.ask("/livez")[0] == 200
    except OSError:
        return False
