"""Where messages are sent to: nothing inside the network is reached, however its address is spelled."""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys

import pytest

from app.api.routes import ROUTES
from app.diagnosis.notify.carrier import Carrier, post
from app.diagnosis.notify.guard import guarded
from app.diagnosis.notify.shape import Request
from app.diagnosis.notify.target import BadTarget, target
from tests.diagnosis.notify.test_carrier import MESSAGE
from tests.support.hook import hook
from tests.test_architecture import ROOT

SPELLINGS = [
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "0127.0.0.1",
    "0x7f000001",
    "0x7f.0.0.1",
    "2130706433",
    "017700000001",
    "localhost",
    "sub.localhost",
    "LOCALHOST",
    "localhost.",
    "0.0.0.0",
    "0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:127.0.0.1]",
    "8.8.8.8@127.0.0.1",
    "１２７.０.０.１",
    "127。0。0。1",
]
NEVER = [
    "169.254.169.254",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "2852039166",
    "0xa9fea9fe",
    "[fd00:ec2::254]",
    "100.100.100.200",
    "[64:ff9b::a9fe:a9fe]",
    "[fe80::1]",
]
KINDS = ["http", "json+http", "feishu+http", "dingtalk+http", "wecom+http"]


@pytest.mark.filterwarnings("ignore:Non-string")  # of requests, by apprise
@pytest.mark.parametrize("kind", [*KINDS, "json", "jsons"])
@pytest.mark.parametrize("host", SPELLINGS)
def test_e1_no_spelling_of_this_machine_is_reached(host: str, kind: str) -> None:
    """A webhook on loopback, where Redis might be: in decimal, octal, hexadecimal, IPv6, and by names."""
    with hook() as inside:
        try:
            told = Carrier(target(f"{kind}://{host}:{inside.port}/abcdefgh")).send(MESSAGE)
        except (BadTarget, ValueError):
            return  # an address that is none
        assert inside.posted == []
        assert not told.taken


@pytest.mark.parametrize("host", NEVER)
def test_e1_what_tells_machines_of_a_cloud_their_secrets_is_never_asked(host: str) -> None:
    """Link-local and metadata addresses, also where the inside of the network is allowed."""
    told = Carrier(target(f"json+http://{host}/latest/meta-data/"), allow_internal=True).send(MESSAGE)
    assert not told.taken
    assert "never connected to" in told.said


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "file://./x", "gopher://127.0.0.1:6379/_FLUSHALL", "/x", "x"]
)
def test_e1_other_schemes_are_no_channels(address: str) -> None:
    """A file, a scheme that can speak to Redis, and no scheme at all."""
    try:
        told = Carrier(target(address)).send(MESSAGE)
    except BadTarget:
        return
    assert not told.taken
    assert "root:" not in told.said


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_e1_a_redirect_leads_nowhere(status: int) -> None:
    """A channel that is allowed answers with a redirect to loopback, to metadata, to a file."""
    with hook() as chat, hook() as other:
        for there in (f"{other.url}/x", "http://169.254.169.254/", "file:///etc/passwd", "//127.0.0.1:6379/"):
            chat.status, chat.headers = status, {"Location": there}
            for address in (chat.url, f"json://127.0.0.1:{chat.port}/x"):
                told = Carrier(target(address), allow_internal=True).send(MESSAGE)
                assert not told.taken
        assert other.posted == []


def test_e1_a_name_is_looked_up_when_it_is_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rebinding: a name has an address outside when it is looked at, and one inside when it is connected to."""

    def resolved(host: str, port: int, *_: object, **__: object) -> list[tuple[object, ...]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    with hook() as inside:
        monkeypatch.setattr(socket, "getaddrinfo", resolved)
        for kind in KINDS:
            told = Carrier(target(f"{kind}://rebound.example:{inside.port}/abcdefgh")).send(MESSAGE)
            assert not told.taken
        assert inside.posted == []


def test_e1_nothing_can_be_put_into_the_request() -> None:
    """Line ends in an address would make it speak with Redis, or add headers."""
    with hook() as inside, guarded(allow_internal=True):
        for path in ("/x\r\nX-Evil: 1", "/x HTTP/1.1\r\n\r\nFLUSHALL", "/\x00"):
            with pytest.raises((ValueError, OSError, http.client.HTTPException)):
                post(Request(f"{inside.url}{path}", {}, b"{}"), "")
            told = post(Request(f"{inside.url}/ok", {}, b"{}"))
            assert told[0] == 200
        assert {one.path for one in inside.posted} <= {"/ok", "/xX-Evil:", "/x"}
        assert all("X-Evil" not in one.headers for one in inside.posted)


def test_e1_the_test_message_is_guarded_like_any_other() -> None:
    """`test-notify` is what a person tries addresses with: the same refusal, and nothing of what answers there."""
    with hook() as inside:
        inside.reply = b"secret of an inner service"
        for host in ("127.0.0.1", "2130706433", "[::1]"):
            said = subprocess.run(
                [sys.executable, "-m", "app.diagnosis", "test-notify", f"http://{host}:{inside.port}/x"],
                cwd=ROOT,
                capture_output=True,
                text=True,
                timeout=60,
            )
            assert said.returncode != 0
            assert "secret" not in said.stdout + said.stderr
        assert inside.posted == []


def test_e1_no_address_of_a_channel_can_be_told_by_the_pages() -> None:
    """Channels are named in a file of who runs the diagnosis: no route of the API takes an address to send to."""

    words = {one.name for route in ROUTES for one in route.parameters} | {route.path for route in ROUTES}
    assert not {one for one in words if any(part in one.lower() for part in ("url", "webhook", "channel", "target"))}
