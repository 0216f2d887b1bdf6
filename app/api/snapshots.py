"""``/api/runs/<run>/snapshots``: frozen ones of a run, made, listed and taken back."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

from flask import Request

from app.api.answers import Json, Refused
from app.api.bodies import NAME, Body, sent, text
from app.language import gettext as _
from app.sharing.making import Maker, Wish
from app.sharing.snapshot import Label, PageName
from collector.wire.records import RunId

BYTES = 8_192  # of a body: a view is the longest part of it
VIEW = 4_000  # characters of an address
DAYS, LEAST, MOST = 7.0, 1 / 24, 365.0
PAGES: tuple[PageName, ...] = ("run", "ranks")
FIELDS = ("view", "page", "days", "names", "by")


def snapshots(maker: Maker, run: RunId) -> dict[str, Json]:
    """Every one that is remembered, the newest first. Raises StoreAway."""
    return {"run": run, "snapshots": [served(*one) for one in maker.listed(run)]}


def freeze(maker: Maker, run: RunId, request: Request, name: str, home: str) -> dict[str, Json]:
    """A new one with its link, which is told this once; ``name`` is who makes it, "" where the request has to say it,
    ``home`` where all pages are. Raises Refused, StoreAway."""
    body = sent(request, FIELDS, BYTES)
    wish = Wish(_view(body), _page(body), _days(body), _names(body), name or text(body, "by", NAME))
    label, token = maker.make(run, wish)
    return {**served(label, "live"), "url": f"{home}s/{token}" + ("/ranks" if label.page == "ranks" else "")}


def extend(maker: Maker, run: RunId, handle: str, request: Request) -> dict[str, Json]:
    """Have one expire at another time. Raises Refused, StoreAway."""
    return served(*maker.extend(run, handle, _days(sent(request, ("days",)), needed=True)))


def revoke(maker: Maker, run: RunId, handle: str) -> dict[str, Json]:
    """Close one for good. Raises Refused, StoreAway."""
    return served(*maker.revoke(run, handle))


def served(label: Label, state: str) -> dict[str, Json]:
    """One snapshot as the API gives it; what opens it is not a part of it."""
    return {
        "id": label.handle,
        "run": label.run,
        "page": label.page,
        "view": label.view,
        "names": label.names,
        "author": label.author,
        "created": label.created,
        "expires": label.expires,
        "state": state,
        "revoked": label.revoked,
        "used": label.used,
        "uses": label.uses,
    }


def _view(body: Body) -> str:
    """A query in one spelling, without "?"; what it says is for the page to read."""
    view = text(body, "view", VIEW).removeprefix("?")
    try:
        pairs = parse_qsl(view, keep_blank_values=True, max_num_fields=100)
    except ValueError:
        raise Refused(400, _("view must be the query of a page's address.")) from None
    return urlencode(pairs, safe=",@:")


def _page(body: Body) -> PageName:
    page = body.get("page", PAGES[0])
    if page not in PAGES:
        raise Refused(400, _("page must be %(known)s.", known=", ".join(PAGES)))
    return page


def _days(body: Body, *, needed: bool = False) -> float:
    days = body.get("days", None if needed else DAYS)
    if isinstance(days, bool) or not isinstance(days, int | float) or not LEAST * 0.999 <= days <= MOST:
        raise Refused(400, _("days must be a number from 1/24 (an hour) to %(most)d.", most=MOST))
    return float(days)


def _names(body: Body) -> bool:
    names = body.get("names", False)
    if not isinstance(names, bool):
        raise Refused(400, _("names must be true or false."))
    return names
