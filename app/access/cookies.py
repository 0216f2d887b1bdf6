"""The cookies: of a session, of the form to log in, and of a login at a provider. All are for the server alone
(HttpOnly).

Cookies know no port: two dashboards of one host would log each other out, so that the name holds port and prefix.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from flask import Request, Response

from app.access.session import LASTS

FORM_LASTS = 3_600  # seconds
TEAM_LASTS = 600


@dataclass(frozen=True, slots=True)
class Cookies:
    """Those of the application below ``prefix``."""

    prefix: str

    def session(self, request: Request) -> str:
        """What the browser has for its session; empty for nothing."""
        return request.cookies.get(self._name("session", request), "")

    def form(self, request: Request) -> str:
        """What the browser was given with the form."""
        return request.cookies.get(self._name("form", request), "")

    def keep_session(self, request: Request, response: Response, value: str) -> None:
        """Lax and not Strict: somebody who is logged in and follows a link in a chat is logged in. Nothing that writes
        is a GET, and whatever writes has to repeat the session's seal."""
        self._keep(request, response, "session", value, int(LASTS), "Lax")

    def keep_form(self, request: Request, response: Response, value: str) -> None:
        """Strict: the form is always sent from our own page."""
        self._keep(request, response, "form", value, FORM_LASTS, "Strict")

    def team(self, request: Request) -> str:
        """What the browser was given on its way to a provider."""
        return request.cookies.get(self._name("team", request), "")

    def keep_team(self, request: Request, response: Response, value: str) -> None:
        """Lax: the provider's page, which is another site's, sends the browser back."""
        self._keep(request, response, "team", value, TEAM_LASTS, "Lax")

    def drop_team(self, request: Request, response: Response) -> None:
        """A login ends only once."""
        response.delete_cookie(self._name("team", request), path=self.prefix)

    def drop(self, request: Request, response: Response) -> None:
        """Have the browser forget all."""
        for what in ("session", "form", "team"):
            response.delete_cookie(self._name(what, request), path=self.prefix)

    def _name(self, what: str, request: Request) -> str:
        _, colon, port = request.host.rpartition(":")
        place = port if colon and port.isdecimal() else "web"
        below = "" if self.prefix == "/" else "_" + hashlib.sha256(self.prefix.encode()).hexdigest()[:8]
        return f"tidewatch_{what}_{place}{below}"

    def _keep(self, request: Request, response: Response, what: str, value: str, lasts: int, site: str) -> None:
        response.set_cookie(
            self._name(what, request),
            value,
            max_age=lasts,
            path=self.prefix,
            secure=by_tls(request),
            httponly=True,
            samesite=site,
        )


def by_tls(request: Request) -> bool:
    """Whether the browser came by TLS, which may end at a proxy: the browser itself says with a form where it is."""
    return request.is_secure or request.headers.get("Origin", "").startswith("https://")
