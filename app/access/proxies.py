"""What a proxy in front says of a request: who came, from which address, under which name. It is believed of those that
are named (TIDEWATCH_TRUSTED_PROXIES), and taken away from every other: anybody can send such a header."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from flask import Flask, Request
from werkzeug.datastructures import EnvironHeaders

from app.access.addresses import is_led_from_afar
from app.access.given import Access
from app.access.identity import Identity
from app.access.team import Headers, Roles
from app.access.trusted import Trusted
from app.config import AppConfig

Environ = dict[str, Any]  # as WSGI has it

LED = "tidewatch.led"  # whether anybody on the way said that it asks for somebody elsewhere
BELIEVED = "tidewatch.believed"  # in the environ of a request that came by a trusted proxy
SAID = ("FORWARDED", "X_REAL_IP", "X_FORWARDED_FOR", "X_FORWARDED_HOST", "X_FORWARDED_PORT", "X_FORWARDED_PREFIX")
SAID_TOO = ("X_FORWARDED_PROTO", "X_FORWARDED_SCHEME", "X_FORWARDED_SERVER", "X_FORWARDED_SSL", "X_SCHEME")
LONGEST_NAME = 80  # characters


class Forwarded:
    """Stands before the application and hands it each request as the visitor made it."""

    def __init__(
        self, application: Callable[..., Iterable[bytes]], trusted: Trusted, prefix: str, also: Sequence[str] = ()
    ) -> None:
        """``also``: names of headers that say who it is; they, too, are a trusted proxy's alone."""
        self._application, self._trusted, self._prefix = application, trusted, prefix
        self._theirs = [f"HTTP_{one}" for one in (*SAID, *SAID_TOO, *(name.upper().replace("-", "_") for name in also))]

    def __call__(self, environ: Environ, start_response: Callable[..., object]) -> Iterable[bytes]:
        """As WSGI has it."""
        environ.pop(BELIEVED, None)
        environ[LED] = is_led_from_afar(dict(EnvironHeaders(environ)))
        if self._trusted.knows(str(environ.get("REMOTE_ADDR", ""))):
            self._believe(environ)
        else:
            for name in self._theirs:
                environ.pop(name, None)
        return self._application(environ, start_response)

    def _believe(self, environ: Environ) -> None:
        environ[BELIEVED] = True
        environ["REMOTE_ADDR"] = self._trusted.client(_text(environ, "FOR"), str(environ.get("REMOTE_ADDR", "")))
        scheme, host = _last(environ, "PROTO").lower(), _last(environ, "HOST")
        if scheme in ("http", "https"):
            environ["wsgi.url_scheme"] = scheme
        if host:
            environ["HTTP_HOST"] = host
        path = str(environ.get("PATH_INFO", ""))
        if _last(environ, "PREFIX").strip("/") == self._prefix.strip("/") and not path.startswith(self._prefix):
            environ["PATH_INFO"] = self._prefix + path.removeprefix("/")  # it was cut off on the way


def _text(environ: Environ, what: str) -> str:
    return str(environ.get(f"HTTP_X_FORWARDED_{what}", ""))


def _last(environ: Environ, what: str) -> str:
    """What the nearest proxy said."""
    return _text(environ, what).rpartition(",")[2].strip()


def install(server: Flask, config: AppConfig) -> None:
    """Have ``server`` see each request as the visitor made it."""
    told = config.access.headers
    also = (told.user, told.groups, told.mail) if told else ()
    server.wsgi_app = Forwarded(server.wsgi_app, config.trusted_proxies, config.prefix, also)  # type: ignore[method-assign]


def gateways(access: Access) -> list[ByGateway]:
    """The ways in that a proxy opens."""
    return [ByGateway(access.headers, access.roles)] if access.headers else []


class ByGateway:
    """The way in through a gateway that has asked for a password itself."""

    def __init__(self, headers: Headers, roles: Roles) -> None:
        """``headers`` in which it says who it is."""
        self._headers, self._roles = headers, roles

    def identify(self, request: Request) -> Identity | None:
        """Who it says; None where no trusted gateway says a name, or nothing is open to them."""
        if not request.environ.get(BELIEVED):
            return None
        name, mail = (_said(request, one) for one in (self._headers.user, self._headers.mail))
        # Two headers of one name arrive with a comma between them: one may be the visitor's own.
        if not 0 < len(name) <= LONGEST_NAME or not name.isprintable() or "," in name:
            return None
        groups = [one.strip() for one in _said(request, self._headers.groups).split(",") if one.strip()]
        role = self._roles.of(groups, mail or (name if "@" in name else ""))
        return Identity(name, role, "proxy") if role else None


def _said(request: Request, header: str) -> str:
    """A header's text; WSGI has its bytes as Latin-1."""
    return request.headers.get(header, "").encode("latin-1", "replace").decode(errors="replace").strip()
