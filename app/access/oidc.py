"""The way in by a provider of identities: away to it, and back with a session of our own."""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from flask import Flask, Response, request
from itsdangerous import BadData, URLSafeTimedSerializer
from werkzeug.exceptions import NotFound

from app.access.addresses import onward
from app.access.cookies import Cookies
from app.access.door import moved
from app.access.identity import Role
from app.access.keyring import first_line
from app.access.limit import Limiter
from app.access.provider import NotBelieved, ProviderAway, Team
from app.access.session import Sessions
from app.access.team import CLIENT_SECRET, Provider, Roles
from app.config import AppConfig
from app.language import gettext as _

WAY = "oidc"
LASTS = 600  # seconds for a login at the provider
LONGEST_CODE = 4_096  # characters
LONGEST_NAME = 80
LOG = logging.getLogger(__name__)
Told = Callable[[str, str, int], Response]  # the page to log in: from where it goes on, what went wrong, the status


def install(server: Flask, config: AppConfig, sessions: Sessions, told: Told) -> None:
    """Serve the two addresses, which are not there without a provider. Raises BadSecret for a secret that cannot be
    read."""
    provider = config.access.provider
    away, back = nowhere, nowhere
    if provider is not None:
        door = TeamDoor(config, provider, Team(provider, partial(secret, provider)), sessions, told)
        secret(provider)
        away, back = door.away, door.back
    for word, view in (("", away), ("/back", back)):
        name = f"access.team{word.replace('/', '_')}"
        server.add_url_rule(f"{config.prefix}login/team{word}", name, view, methods=["GET"])


def secret(provider: Provider) -> str:
    """The client's secret as it is now. Raises BadSecret."""
    return first_line(CLIENT_SECRET, provider.secret_path) if provider.secret_path else provider.secret


def nowhere() -> Response:
    """No provider is set."""
    raise NotFound


def fingerprint(provider: Provider, roles: Roles, signing: bytes) -> str:
    """Stands in sessions for what they were opened with: another provider, client or list of people ends them."""
    said = repr((provider.issuer, provider.client_id, roles.editors, roles.viewers)).encode()
    return hmac.new(signing, b"team:" + said, hashlib.sha256).hexdigest()[:24]


class TeamDoor:
    """Two addresses: away, and back."""

    def __init__(self, config: AppConfig, provider: Provider, team: Team, sessions: Sessions, told: Told) -> None:
        """``told`` makes the page to log in, with what went wrong."""
        self._config, self._team, self._sessions, self._told = config, team, sessions, told
        self._provider, self._mark = provider, fingerprint(provider, config.access.roles, config.secret)
        self._cookies, self._limiter = Cookies(config.prefix), Limiter()
        self._serializer = URLSafeTimedSerializer(config.secret, salt="tidewatch.team")

    def away(self) -> Response:
        """To the provider. What has to be the same on the way back is derived of a number that this browser keeps."""
        to, number = self._onward(request.args.get("next", "")), secrets.token_urlsafe(16)
        try:
            address = self._team.address(
                self._back, *(self._derived(one, number) for one in ("state", "nonce", "pkce"))
            )
        except ProviderAway as error:
            return self._away(to, error)
        response = moved(address)
        self._cookies.keep_team(request, response, str(self._serializer.dumps([number, to])))
        return response

    def back(self) -> Response:
        """From the provider, with a code; the session is ours."""
        wait = self._limiter.begin(request.remote_addr)
        if wait:
            return self._told(self._config.prefix, _("Too many logins failed; try again in %(n)d s.", n=wait), 429)
        number, to = self._kept()
        state, code = request.args.get("state", ""), request.args.get("code", "")
        if not number or not hmac.compare_digest(state.encode(), self._derived("state", number).encode()):
            return self._told(to, _("That login was begun too long ago, or in another browser: begin it anew."), 403)
        if request.args.get("error") or not 0 < len(code) <= LONGEST_CODE:
            return self._told(to, _("The provider let nobody in."), 403)
        try:
            claims = self._team.who(self._back, code, self._derived("nonce", number), self._derived("pkce", number))
        except ProviderAway as error:
            return self._away(to, error)
        except NotBelieved as error:
            LOG.warning("A login is not believed: %s", error)
            return self._told(to, _("What the provider says of this login is not believed; begin it anew."), 403)
        return self._come_in(to, claims)

    def _come_in(self, to: str, claims: Mapping[str, Any]) -> Response:
        name, role = name_of(claims), self._role(claims)
        if role is None:
            return self._told(to, _("Nothing is open here to %(name)s.", name=name), 403)
        self._limiter.succeeded(request.remote_addr)
        before = self._sessions.read(self._cookies.session(request))
        if before is not None:
            self._sessions.end(before)
        _session, cookie = self._sessions.begin(role, name, WAY, self._mark)
        response = moved(to)
        self._cookies.keep_session(request, response, cookie)
        self._cookies.drop_team(request, response)
        return response

    def _role(self, claims: Mapping[str, Any]) -> Role | None:
        """By groups, and by the address if the provider has proved it: others let anybody write anything there."""
        groups = claims.get(self._provider.groups_claim)
        several = [groups] if isinstance(groups, str) else groups if isinstance(groups, list) else []
        mail = claims.get("email") if claims.get("email_verified") is True else ""
        return self._config.access.roles.of([one for one in several if isinstance(one, str)], str(mail or ""))

    def _away(self, to: str, error: ProviderAway) -> Response:
        LOG.warning("The provider of identities cannot be used: %s", error)
        return self._told(to, _("The provider of identities does not answer; the server's log says more."), 502)

    @property
    def _back(self) -> str:
        """Where the provider sends the browser, as it was told there."""
        home = self._config.url or request.host_url.rstrip("/") + self._config.prefix
        return f"{home}login/team/back"

    def _kept(self) -> tuple[str, str]:
        """The number of this browser's login, "" for none, and where it goes on."""
        try:
            number, to = self._serializer.loads(self._cookies.team(request), max_age=LASTS)
        except (BadData, TypeError, ValueError):
            return "", self._config.prefix
        return str(number), self._onward(str(to))

    def _onward(self, text: str) -> str:
        own = [self._config.prefix + one for one in ("login", "logout", "login/team", "login/team/back")]
        return onward(text, self._config.prefix, own)

    def _derived(self, what: str, number: str) -> str:
        """A word of 64 characters that nobody can make of what the browser keeps."""
        return hmac.new(self._config.secret, f"{what}:{number}".encode(), hashlib.sha256).hexdigest()


def name_of(claims: Mapping[str, Any]) -> str:
    """What to call somebody: the first of some claims that is a name."""
    for claim in ("name", "preferred_username", "email", "sub"):
        said = " ".join(str(claims.get(claim) or "").split())
        if said and said.isprintable():
            return said[:LONGEST_NAME]
    return "?"
