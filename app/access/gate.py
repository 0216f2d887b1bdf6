"""Asks who it is before any route, of Flask, Dash and whatever is added: closed, unless policy.py opens it."""

from __future__ import annotations

import hmac
import logging
import time
from collections.abc import Callable, Sequence

from flask import Flask, Request, Response, request

from app.access import oidc
from app.access.addresses import is_near_peer, spelled
from app.access.cookies import Cookies
from app.access.door import CHALLENGE, SEAL, Door
from app.access.identity import ANYBODY, Identity, Role, Visit, admit
from app.access.keyring import Keyring
from app.access.limit import Limiter
from app.access.policy import Need, is_closed, need
from app.access.proxies import LED
from app.access.session import Sessions
from app.access.ways import BEARER, Bearers, Identifier, borne
from app.api.answers import Refused, answer, refusal
from app.config import AppConfig
from app.language import gettext as _

LOG = logging.getLogger(__name__)
READING = ("GET", "HEAD", "OPTIONS")
UNSEALED = ("/_dash-update-component",)  # a POST that only reads, by scripts that are not ours
BEARER_FAILURES = 60  # within the limiter's window: a script with an old token asks again and again


def install(
    server: Flask,
    config: AppConfig,
    style: str,
    *,
    clock: Callable[[], float] = time.time,
    also: Sequence[Identifier] = (),
) -> None:
    """Close every route of ``server`` to whom it is not for. ``style`` is the address of the styles, ``also`` are
    ways in besides tokens and sessions. Raises BadSecret."""
    keyring = Keyring(config.access.given, config.secret)
    team = config.access.provider
    mark = oidc.fingerprint(team, config.access.roles, config.secret) if team else ""

    def vouches(opened_with: str, role: Role) -> bool:
        return keyring.vouches(opened_with, role) or (bool(mark) and hmac.compare_digest(mark, opened_with))

    sessions = Sessions(config.secret, vouches, clock, config.ended)
    door = Door(config, keyring, sessions, style)
    oidc.install(server, config, sessions, door.page)
    gate = Gate(config, keyring, sessions, door, also)
    door.install(server)
    server.before_request_funcs.setdefault(None, []).insert(0, gate.check)  # before Dash and everything else


class Gate:
    """One check a request."""

    def __init__(
        self, config: AppConfig, keyring: Keyring, sessions: Sessions, door: Door, also: Sequence[Identifier]
    ) -> None:
        """``also``: see ``install``."""
        self._config, self._keyring, self._sessions, self._door = config, keyring, sessions, door
        self._bearers, self._also = Bearers(keyring), also
        self._cookies = Cookies(config.prefix)
        self._wrong = Limiter(of_one=BEARER_FAILURES, of_all=20 * BEARER_FAILURES)

    def check(self) -> Response | None:
        """None lets the request through; else what it is answered with."""
        if is_closed(request.endpoint, self._config.prefix):
            return told(404, _("There is nothing at this address."))
        asked = need(request.endpoint, self._config.prefix)
        if self._door.has_link(request, asked):
            return self._door.by_link(request)
        if self._config.is_open:
            return self._anybody()
        visit = self._visit(request)
        if visit is not None:
            admit(visit)
        if asked in ("public", "share"):
            return None
        if visit is None:
            return self._nobody(request)
        return self._allowed(visit, asked)

    def _anybody(self) -> Response | None:
        """No password is needed, as long as nobody but this machine can come."""
        admit(Visit(ANYBODY))
        if self._config.access.auth != "auto":
            return None
        if not is_near_peer(request.remote_addr):
            far = _(
                "This dashboard was told that only its own machine can reach it, and asks for no password: set "
                "TIDEWATCH_HOST to the address that it is bound to."
            )
            return refusal(Refused(403, far))
        if request.environ.get(LED):
            led = _(
                "A proxy leads here from elsewhere, and no password is asked for: name the proxy's host in "
                "TIDEWATCH_ALLOWED_HOSTS, or say TIDEWATCH_AUTH=none if the proxy asks for one itself."
            )
            return refusal(Refused(403, led))
        return None

    def _visit(self, request: Request) -> Visit | None:
        """Who it is: a token that is sent on purpose counts before a cookie, which a browser sends by itself."""
        key = self._bearers.key(request)
        if key is not None:
            return Visit(
                Identity("", key.role, BEARER), stands=lambda: self._keyring.vouches(key.fingerprint, key.role)
            )
        session = self._sessions.read(self._cookies.session(request))
        if session is not None:
            return Visit(session.identity, self._sessions.seal(session.id), lambda: self._sessions.stands(session))
        found = next((one for way in self._also if (one := way.identify(request))), None)
        return Visit(found, self._sessions.seal(f"{found.way}:{found.name}")) if found else None

    def _nobody(self, request: Request) -> Response:
        """To the door, or 401 where a script asks."""
        if self._door.is_page(request.endpoint) and request.method in ("GET", "HEAD"):
            return self._door.shown(spelled(request.path, request.query_string.decode("latin-1")))
        wait = self._wrong.begin(request.remote_addr) if borne(request) else 0
        if wait:
            return told(429, _("Too many wrong tokens came from this address; try again in %(n)d s.", n=wait), wait)
        if borne(request):
            LOG.warning("A wrong token came from %s.", request.remote_addr)
            return told(401, _("That token opens nothing here: it may be an old one."))
        return told(401, _("Nobody is logged in: log in, or send a token as Authorization: Bearer …"))

    def _allowed(self, visit: Visit, asked: Need | None) -> Response | None:
        if asked is None and request.routing_exception is not None:
            return None  # there is no such route, and Flask says so
        if asked is None:
            return told(403, _("This address is open to nobody: it is not in the list of routes."))
        if asked == "editor" and not visit.identity.may_write:
            return told(403, _("You may look and not write here: log in with an editor's password or token."))
        if visit.seal and request.method not in READING and request.path not in self._unsealed():
            sent = request.headers.get(SEAL, "")
            if not hmac.compare_digest(sent.encode(), visit.seal.encode()):
                return told(403, _("What writes has to come from a page of this dashboard; reload it and try again."))
        return None

    def _unsealed(self) -> Sequence[str]:
        return [self._config.prefix + one.removeprefix("/") for one in UNSEALED]


def told(status: int, sentence: str, wait: int = 0) -> Response:
    """A refusal in one sentence."""
    response = answer({"error": sentence}, status)
    if status == 401:
        response.headers["WWW-Authenticate"] = CHALLENGE
    if wait:
        response.headers["Retry-After"] = str(wait)
    return response
