"""Who may ask, and what every answer carries.

A web page anywhere must not be able to reach a dashboard on loopback: a name that was rebound to 127.0.0.1 still sends
its own ``Host``, and a foreign page its own ``Origin``.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from flask import Flask, Response, request

from app.access.policy import is_code
from app.api import failure
from app.api.answers import Refused, refusal
from app.config import LOOPBACK, AppConfig
from app.language import gettext as _

ALONE = "default-src 'none'; sandbox"
READING = ("GET", "HEAD", "OPTIONS")
EVERY = "0.0.0.0"  # nosec B104 # compared with, never bound to
ANYWHERE = (EVERY, "::", "[::]")

# Clipboard and full screen are left to the pages, which use them.
FORBIDDEN = (
    "accelerometer autoplay camera display-capture geolocation gyroscope hid magnetometer microphone midi payment"
)
ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": ", ".join(f"{one}=()" for one in f"{FORBIDDEN} serial usb".split()),
}


def install(server: Flask, config: AppConfig, *, scripts: Sequence[str]) -> None:
    """Check every request before any route, and dress every answer. ``scripts`` are hashes of Dash's inline scripts."""
    policy = content_policy(scripts)
    refused = failure.told(refusal, config.prefix)

    def check() -> failure.Answer | None:
        try:
            headers, host = dict(request.headers), request.environ.get("HTTP_HOST", "")
            refuse_foreign(headers, host, config, writes=request.method not in READING)
        except Refused as error:
            return refused(error)
        return None

    def dress(response: Response) -> Response:
        # What is to be kept holds others' texts: were it shown all the same, it would run nothing, as nobody.
        is_kept = response.headers.get("Content-Disposition", "").startswith("attachment")
        response.headers["Content-Security-Policy"] = ALONE if is_kept else policy
        for name, text in ALWAYS.items():
            response.headers[name] = text
        response.headers.setdefault("Referrer-Policy", "no-referrer")
        response.headers.setdefault("Cache-Control", "no-store")
        if not is_code(request.endpoint, config.prefix):  # no proxy gives one visitor's page to another
            response.vary.update(("Cookie", "Authorization"))
        return response

    server.before_request_funcs.setdefault(None, []).insert(0, check)  # before Dash and everything else
    server.after_request(dress)


def content_policy(scripts: Sequence[str]) -> str:
    """Nothing but our own files; styles inline because Dash and plotly.js set them, images from the plot's export."""
    return "; ".join(
        (
            "default-src 'self'",
            " ".join(("script-src 'self'", *scripts)),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "worker-src 'self' blob:",
            "connect-src 'self'",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        )
    )


def refuse_foreign(headers: Mapping[str, str], host: str, config: AppConfig, *, writes: bool = False) -> None:
    """Refused 400 for a ``Host`` that is not ours, 403 for an ``Origin`` (or a fetch) that is not; what ``writes`` no
    other site may even lead to."""
    if not is_ours(host, config):
        unknown = _(
            "Host %(host)s is not served here; name it in TIDEWATCH_ALLOWED_HOSTS if it should be reachable.",
            host=repr(host),
        )
        raise Refused(400, unknown)
    origin = headers.get("Origin")
    if origin is not None and not _same(origin, host, config):
        foreign = _(
            "Origin %(origin)s is not this dashboard; open the page under %(host)s itself.",
            origin=repr(origin),
            host=repr(host),
        )
        raise Refused(403, foreign)
    # Browsers without an Origin header on such a fetch still send this; a link that a person follows may cross sites.
    foreign_fetch = headers.get("Sec-Fetch-Site") == "cross-site" and headers.get("Sec-Fetch-Mode") != "navigate"
    if foreign_fetch or (writes and headers.get("Sec-Fetch-Site") in ("cross-site", "same-site")):
        raise Refused(403, _("Another site's page asked for this; open the dashboard itself."))


def is_ours(host: str, config: AppConfig) -> bool:
    """Whether a ``Host`` header names this server. Bound to every address, an address is a name of ours too: only a
    name can be rebound."""
    name = hostname(host)
    if name in LOOPBACK or name in config.allowed_hosts or name in (config.host.lower(), f"[{config.host.lower()}]"):
        return True
    return config.host in ANYWHERE and _is_address(name)


def hostname(host: str) -> str:
    """``Host`` without its port, lower case: ``[::1]:8050`` → ``[::1]``; empty when it is malformed."""
    name, colon, port = host.lower().rpartition(":")
    if host.endswith("]") or not colon:
        return host.lower()
    return name if port.isdecimal() else ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _same(origin: str, host: str, config: AppConfig) -> bool:
    try:
        there = urlsplit(origin.lower())
    except ValueError:
        return False
    if there.scheme not in ("http", "https"):
        return False
    if there.netloc == host.lower():
        return True
    # Behind a proxy with TLS the port may differ; on loopback another port is another program.
    name = hostname(there.netloc)
    return name in config.allowed_hosts and name not in LOOPBACK
