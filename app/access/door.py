"""The ways in and out that a browser takes: the page to log in, a link with a token, and the page to log out."""

from __future__ import annotations

import hmac
import logging
import secrets
from urllib.parse import urlencode

from flask import Flask, Request, Response, request

from app.access.addresses import onward, spelled
from app.access.cookies import Cookies
from app.access.door_pages import LONGEST_NAME, Paper, leaving, login
from app.access.identity import visit
from app.access.keyring import Key, Keyring
from app.access.limit import Limiter
from app.access.policy import Need, named
from app.access.session import Sessions
from app.config import AppConfig
from app.language import gettext as _

LOG = logging.getLogger(__name__)
PAGES = ("/", "/<path:path>")  # as policy.NEEDS spells those that people open
LONGEST_BODY = 16_384  # bytes of the form
TOKEN = "token"  # nosec B105 # the argument of a link
WRONG, LINK = "wrong", "link"  # the page to log in is shown because of a link
SEAL = "X-Tidewatch-Token"  # sent by assets/access.js
CHALLENGE = 'Bearer realm="Tidewatch"'


def moved(to: str) -> Response:
    """To another address of ours, which is asked for anew."""
    return Response("", 303, {"Location": to}, mimetype="text/plain")


class Door:
    """Pages and cookies; the gate asks it."""

    def __init__(self, config: AppConfig, keyring: Keyring, sessions: Sessions, style: str) -> None:
        """Nothing is served before ``install``. ``style``: the address of the styles."""
        self._config, self._keyring, self._sessions = config, keyring, sessions
        team = config.access.auth if config.access.auth in ("proxy", "oidc") else ""
        self._paper = Paper(config.prefix, style, team, asks=bool(config.access.given) or not team)
        self._cookies = Cookies(config.prefix)
        self._limiter = Limiter()

    def install(self, server: Flask) -> None:
        """Serve the pages."""
        for word, view in (("login", self.login), ("logout", self.logout)):
            server.add_url_rule(self._config.prefix + word, f"access.{word}", view, methods=["GET", "POST"])

    @property
    def own(self) -> tuple[str, ...]:
        """Addresses to which nobody is sent after the login."""
        return self._config.prefix + "login", self._config.prefix + "logout"

    def is_page(self, endpoint: str | None) -> bool:
        """Whether the route is one that people open."""
        return endpoint is not None and named(endpoint, self._config.prefix) in PAGES

    def shown(self, to: str, **said: str) -> Response:
        """To the page to log in, and from there ``to``."""
        query = urlencode(({} if to == self._config.prefix else {"next": to}) | said)
        return moved(self.own[0] + (f"?{query}" if query else ""))

    # ---- a link with a token ----

    def has_link(self, request: Request, asked: Need | None) -> bool:
        """Whether a page is opened by a link with a token."""
        is_ours = self.is_page(request.endpoint) or request.endpoint == "access.login"
        return request.method == "GET" and is_ours and bool(request.args.get(TOKEN))

    def by_link(self, request: Request) -> Response:
        """To the same address without the token, so that it is in no history and no screenshot; with a session when it
        was right."""
        to = self.without_token(request)
        if self._config.is_open:
            return moved(to)
        wait = self._limiter.begin(request.remote_addr)
        if wait:
            return self.page(to, self._too_many(wait), 429, wait)
        key = self._keyring.match(request.args[TOKEN])
        if key is None:
            LOG.warning("A link with a wrong token was opened from %s.", request.remote_addr)
            is_in = self._sessions.read(self._cookies.session(request)) is not None
            return moved(to) if is_in else self.shown(to, **{WRONG: LINK})
        self._limiter.succeeded(request.remote_addr)
        return self._come_in(to, key, "")

    def without_token(self, request: Request) -> str:
        """The address, and what else it says."""
        left = [(name, text) for name, text in request.args.items(multi=True) if name not in (TOKEN, "next")]
        if request.endpoint == "access.login":
            return onward(request.args.get("next", ""), self._config.prefix, self.own)
        return onward(spelled(request.path, left), self._config.prefix, self.own)

    # ---- the form ----

    def login(self) -> Response:
        """The page, and what is sent with its form."""
        if self._config.is_open:
            return moved(self._config.prefix)
        if request.method == "POST":
            return self._entered()
        is_old = request.args.get(WRONG) == LINK
        trouble = _("The link's token opens nothing here: it may be an old one.") if is_old else ""
        return self.page(onward(request.args.get("next", ""), self._config.prefix, self.own), trouble)

    def _entered(self) -> Response:
        """What is sent with the form."""
        request.max_content_length = LONGEST_BODY  # also of a body that tells no length
        if (request.content_length or 0) > LONGEST_BODY:
            return self.page(self._config.prefix, _("That is too long for a password."), 413)
        to = onward(request.values.get("next", ""), self._config.prefix, self.own)
        if not self._is_our_form(request):
            return self.page(to, _("The form was too old, or your browser keeps no cookies: try once more."), 403)
        wait = self._limiter.begin(request.remote_addr)
        if wait:
            return self.page(to, self._too_many(wait), 429, wait)
        return self._tried(to)

    def _tried(self, to: str) -> Response:
        """In with the right word; else the page again."""
        word = request.form.get("secret", "")
        key = self._keyring.match(word) or self._keyring.match(word.strip())  # what is pasted may bring a blank along
        if key is None:
            LOG.warning("A wrong password was tried from %s.", request.remote_addr)
            return self.page(to, _("That is neither a password nor a token of this dashboard."), 401)
        self._limiter.succeeded(request.remote_addr)
        name = " ".join(request.form.get("name", "").split())
        if len(name) > LONGEST_NAME or not name.isprintable():
            return self.page(to, _("A name has at most %(most)d characters.", most=LONGEST_NAME), 400)
        return self._come_in(to, key, name)

    def _come_in(self, to: str, key: Key, name: str) -> Response:
        before = self._sessions.read(self._cookies.session(request))
        if before is not None:
            self._sessions.end(before)
        _session, cookie = self._sessions.begin(key.role, name, "session", key.fingerprint)
        response = moved(to)
        self._cookies.keep_session(request, response, cookie)
        return response

    def _too_many(self, wait: int) -> str:
        return _("Too many wrong passwords were tried; try again in %(n)d s.", n=wait)

    def _is_our_form(self, request: Request) -> bool:
        """Whether the form goes with the cookie that came with it: another site can send the one and not the other."""
        cookie, sent = self._cookies.form(request), request.form.get("form", "")
        return bool(cookie) and hmac.compare_digest(self._form_seal(cookie).encode(), sent.encode())

    def _form_seal(self, cookie: str) -> str:
        return self._sessions.seal(f"form:{cookie}")

    def page(self, to: str, trouble: str = "", status: int = 200, wait: int = 0) -> Response:
        """The page to log in, with what went wrong; from there ``to``."""
        cookie = self._cookies.form(request) or secrets.token_urlsafe(16)
        response = login(self._paper, to, self._form_seal(cookie), trouble, status)
        self._cookies.keep_form(request, response, cookie)
        if status == 401:
            response.headers["WWW-Authenticate"] = CHALLENGE
        if wait:
            response.headers["Retry-After"] = str(wait)
        return response

    # ---- out ----

    def logout(self) -> Response:
        """A page that asks, which needs no script; what it sends ends the session, everywhere it is open."""
        came = visit()
        if self._config.is_open or not came.seal:
            return moved(self._config.prefix)
        if request.method != "POST":
            return leaving(self._paper, came.identity, came.seal)
        request.max_content_length = LONGEST_BODY
        sent = request.form.get("seal") or request.headers.get(SEAL, "")
        if not hmac.compare_digest(sent.encode(), came.seal.encode()):
            return leaving(self._paper, came.identity, came.seal, 403)
        session = self._sessions.read(self._cookies.session(request))
        if session is not None:
            self._sessions.end(session)
        response = moved(self.own[0])
        self._cookies.drop(request, response)
        return response
