"""What stands below ``s/<token>``: the page of a snapshot, and what that page asks.

Each view opens the token anew, so that a snapshot which is revoked is closed at once. Whatever an address names beside
it is asked of a store that has this one run, as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from urllib.parse import parse_qsl, quote

from flask import Response, request

from app.access.identity import Identity, Visit, admit
from app.api.answers import Refused
from app.config import AppConfig
from app.language import LANGUAGES, language, primary, speaking
from app.language import gettext as _
from app.sharing.document import Files, Place, document
from app.sharing.frozen import Altered
from app.sharing.gate import Gate, gone, no_such
from app.sharing.shelf import Opened, Shelf
from app.sharing.snapshot import PageName
from app.sharing.uses import Uses

Home = Callable[[], str]
READER = Visit(Identity("", "viewer", "snapshot"))  # whoever else they may be


class ShareViews:
    """``clock`` gives Unix seconds."""

    def __init__(
        self, config: AppConfig, gate: Gate, shelf: Shelf, uses: Uses, *, home: Home, clock: Callable[[], float]
    ) -> None:
        """``home`` says at what address people reach all pages."""
        self._config, self._gate, self._shelf, self._uses = config, gate, shelf, uses
        self._home, self._clock = home, clock

    def page(self, name: PageName, files: Files) -> Callable[[str], Response]:
        """The view of a page."""
        return self._opening(partial(self._document, name=name, files=files), times=1)

    def preview(self) -> Callable[[str], Response]:
        """The view of the picture of the page that was frozen."""
        return self._opening(lambda opened: self._asked(opened, "preview", run=opened.label.run))

    def twin(self, endpoint: str) -> Callable[..., Response]:
        """The view of an address of the API, which sees the snapshot alone."""
        return self._opening(partial(self._asked, endpoint=endpoint))

    def closed(self, endpoint: str) -> Callable[..., Response]:
        """The view of what a snapshot does not have."""
        return self._opening(partial(_none, endpoint=endpoint))

    def nothing(self) -> Response:
        """The view of no token at all: the same as of a wrong one."""
        self._gate.opened("", request.remote_addr)
        raise no_such()

    def unknown(self, token: str, address: str) -> Response:
        """The view of anything else below a token."""
        self._gate.opened(token, request.remote_addr)
        raise Refused(404, _("A snapshot has nothing at %(address)s.", address=address))

    def _opening(self, view: Callable[..., Response], times: int = 0) -> Callable[..., Response]:
        """A view that is given a snapshot instead of a token."""

        def opened(token: str, **named: str) -> Response:
            admit(READER)
            label = self._gate.opened(token, request.remote_addr)
            try:
                reply = view(self._shelf.opened(label), **named)
            except Altered:
                raise gone() from None
            if request.method == "GET":
                self._uses.opened(label, self._clock(), times)
            reply.headers["Referrer-Policy"] = "no-referrer"  # the address itself opens it
            reply.headers["X-Robots-Tag"] = "noindex, nofollow"
            return reply

        return opened

    def _document(self, opened: Opened, name: PageName, files: Files) -> Response:
        with speaking(spoken(opened)):
            return Response(document(opened, name, self._place(opened, name), files), mimetype="text/html")

    def _asked(self, opened: Opened, endpoint: str, **named: str) -> Response:
        return opened.assembly.api.views()[endpoint](**named)

    def _place(self, opened: Opened, name: PageName) -> Place:
        token = (request.view_args or {})["token"]
        query = request.query_string.decode("latin-1")
        seen = query or (opened.label.view if name == opened.label.page else "")
        path = quote(opened.label.run, safe="") + ("/ranks" if name == "ranks" else "")
        live = f"{self._config.prefix}run/{path}" + (f"?{seen}" if seen else "")
        return Place(self._config.prefix, f"{self._config.prefix}s/{token}/", self._home(), live, query)


def spoken(opened: Opened) -> str:
    """The language that the address names, else that of the view that was frozen, else the reader's."""
    seen = request.args.get("lang") or dict(parse_qsl(opened.label.view)).get("lang", "")
    named = primary(seen)
    return named if named in LANGUAGES else language()


def _none(opened: Opened, endpoint: str, **named: str) -> Response:
    if endpoint == "stream":
        raise Refused(404, _("A snapshot does not change, so it has no stream."))
    raise Refused(403, _("A snapshot has no log: whoever may see the live run reads it there."))
