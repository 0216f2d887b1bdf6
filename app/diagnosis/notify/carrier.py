"""Carrying a message to a channel: the adapter of HTTP, and of apprise. Never follows a redirect, never waits long."""

from __future__ import annotations

import base64
import http.client
import logging
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from app.diagnosis.notify.guard import guarded, literal, may_go
from app.diagnosis.notify.message import Message, markdown, plain
from app.diagnosis.notify.shape import SHOWN, Answer, Request, answer, pictured, request
from app.diagnosis.notify.target import Target, masked, secrets_of

SECONDS = 10.0  # for connecting, and for each wait for an answer
ANSWER_BYTES = 16 * 1024
MOODS = {"info": "info", "warning": "warning", "critical": "failure"}


@dataclass(frozen=True, slots=True)
class Carrier:
    """Sends messages to one target; ``clock`` is for signatures (Unix seconds). ``proxy`` (http://host:port) is for our
    own kinds; it may be inside the network, and which address a name has is then its business."""

    target: Target
    allow_internal: bool = False
    proxy: str = ""
    clock: Callable[[], float] = time.time

    @property
    def takes_pictures(self) -> bool:
        """Whether a picture would be shown."""
        if self.target.kind != "apprise":
            return self.target.kind == "wecom"
        plugin = plugin_of(self.target)
        if plugin is None or (plugin.secure_protocol == "slack" and plugin.mode != "bot"):
            return False  # Slack's webhooks take no files, its bots do
        return bool(plugin.attachment_support)

    def send(self, message: Message) -> Answer:
        """What the channel says to it; a failure of any kind is an answer too. Holds no secret."""
        address = literal(urlsplit(self.target.url).hostname or "") if self.proxy else ""
        if address and not may_go(address, allow_internal=self.allow_internal):
            return Answer(False, _refusal(address))
        with guarded(allow_internal=self.allow_internal or bool(self.proxy)) as refused:
            told = self._by_apprise(message) if self.target.kind == "apprise" else self._by_post(message)
        if refused and not told.taken:
            return Answer(False, _refusal(refused[0]))
        return Answer(told.taken, masked(told.said, [*secrets_of(self.target), *credentials(self.proxy)])[:SHOWN])

    def _by_post(self, message: Message) -> Answer:
        told = self._posted(request(self.target, message, self.clock()))
        after = pictured(self.target, message) if told.taken else None
        if after is None or (shown := self._posted(after)).taken:
            return told
        return Answer(True, f"{told.said}; without its picture: {shown.said}")  # the words have arrived

    def _posted(self, one: Request) -> Answer:
        try:
            return answer(self.target, *post(one, self.proxy))
        except (OSError, http.client.HTTPException, ValueError) as error:
            return Answer(False, f"{type(error).__name__}: {error}")

    def _by_apprise(self, message: Message) -> Answer:
        plugin = plugin_of(self.target)
        if plugin is None:
            return Answer(
                False, "apprise does not know this address: see https://appriseit.com/services/ for its form."
            )
        return hand_over(plugin, message)


def _refusal(host: str) -> str:
    return (
        f"The address leads to {host}, inside the network: if it is meant, say allow_internal: true for this channel "
        "(--allow-internal); link-local and metadata addresses are never connected to."
    )


def post(told: Request, proxy: str = "") -> tuple[int, bytes]:
    """Status and the beginning of the body. Raises OSError, HTTPException, ValueError (an address that is none)."""
    parts = urlsplit(told.url)
    is_relayed = bool(proxy) and parts.scheme == "http"
    connection = _connection(parts, urlsplit(proxy)) if proxy else _direct(parts.scheme, parts.hostname, parts.port)
    try:
        path = told.url if is_relayed else (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        allowed = _authorization(proxy) if is_relayed else {}
        connection.request("POST", path, told.body, {"User-Agent": "Tidewatch", **allowed, **told.headers})
        reply = connection.getresponse()
        return reply.status, reply.read(ANSWER_BYTES)
    finally:
        connection.close()


def _direct(scheme: str, host: str | None, port: int | None) -> http.client.HTTPConnection:
    # Without a port http.client takes the end of an IPv6 address for one.
    if scheme == "http":
        return http.client.HTTPConnection(host or "", port or http.client.HTTP_PORT, timeout=SECONDS)
    context = ssl.create_default_context()
    return http.client.HTTPSConnection(host or "", port or http.client.HTTPS_PORT, timeout=SECONDS, context=context)


def _connection(to: SplitResult, proxy: SplitResult) -> http.client.HTTPConnection:
    """Through a proxy: for https a tunnel, in which the proxy sees no more than the host."""
    connection = _direct(to.scheme, proxy.hostname, proxy.port or 3128)
    if to.scheme == "https":
        connection.set_tunnel(to.hostname or "", to.port or 443, _authorization(proxy.geturl()))
    return connection


def _authorization(proxy: str) -> dict[str, str]:
    told = ":".join(map(unquote, credentials(proxy)))
    return {"Proxy-Authorization": f"Basic {base64.b64encode(told.encode()).decode()}"} if told else {}


def credentials(proxy: str) -> list[str]:
    """User and password of a proxy, as they are written."""
    parts = urlsplit(proxy)
    return [one for one in (parts.username, parts.password) if one]


def plugin_of(target: Target) -> Any:
    """apprise's object for an address, None for one that it does not know."""
    import apprise  # here, since it takes 0.3 s, and most processes never send

    asset = apprise.AppriseAsset(app_id="Tidewatch", app_desc="Tidewatch", app_url="", image_url_mask="")
    with overheard():
        plugin = apprise.Apprise.instantiate(target.url, asset=asset, suppress_exceptions=True)
    if plugin is not None:
        plugin.redirects = False
    return plugin


def hand_over(plugin: Any, message: Message) -> Answer:
    """Send by apprise, and say what it said."""
    is_marked = "markdown" in _formats(plugin)
    body, form = (markdown(message), "markdown") if is_marked else (plain(message), "text")
    mood = "success" if message.is_over else MOODS[message.severity]
    picture = _attached(message.picture) if message.picture and plugin.attachment_support else None
    with overheard() as said:
        try:
            taken = plugin.notify(body=body, title=message.title, body_format=form, notify_type=mood, attach=picture)
        except (OSError, TypeError, ValueError) as error:
            return Answer(False, f"{type(error).__name__}: {error}")
    return Answer(bool(taken), " ".join(said) or ("taken" if taken else "apprise could not send it"))


class _Ear(logging.Handler):
    """Warnings of one thread."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.thread = threading.get_ident()
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.thread == self.thread:
            self.said.append(" ".join(record.getMessage().split()))


@contextmanager
def overheard() -> Iterator[list[str]]:
    """What apprise warns of in this thread. Nowhere else is it told: there are secrets in it."""
    logger, ear = logging.getLogger("apprise"), _Ear()
    logger.propagate = False
    logger.addHandler(ear)
    try:
        yield ear.said
    finally:
        logger.removeHandler(ear)


def _formats(plugin: Any) -> set[str]:
    known = plugin.notify_format
    return {str(getattr(one, "value", one)) for one in (known if isinstance(known, tuple | list) else (known,))}


def _attached(picture: bytes) -> Any:
    import apprise
    from apprise.attachment.memory import AttachMemory

    memory = AttachMemory(content=picture, name="curve.png", mimetype="image/png")  # type: ignore[no-untyped-call]  # by apprise
    return apprise.AppriseAttachment(memory)
