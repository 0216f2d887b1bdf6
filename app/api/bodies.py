"""What is sent to be written: small JSON objects of known names, checked before anything is done."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from flask import Request

from app.access.identity import present
from app.api.answers import Refused
from app.language import gettext as _

BYTES = 4_096
NAME, NOTE = 80, 500  # characters
MINUTES = 525_600  # a year
Body = Mapping[str, object]


def sent(request: Request, known: Sequence[str], most: int = BYTES) -> Body:
    """The object of a request. A form of another site cannot send JSON, so nothing else is taken. Raises Refused."""
    if request.mimetype != "application/json":
        raise Refused(415, _("A JSON object is expected, with Content-Type: application/json."))
    length = request.content_length
    if length is None or length > most:
        raise Refused(413, _("At most %(bytes)d bytes are taken, with their length told.", bytes=most))
    try:
        body = json.loads(request.get_data())
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise Refused(400, _("A JSON object is expected, such as %(example)s.", example='{"by": "Li"}'))
    unknown = sorted(set(body) - set(known))
    if unknown:
        said = _("Unknown field %(name)s; known are %(known)s.", name=repr(unknown[0]), known=", ".join(known))
        raise Refused(400, said)
    return body


def text(body: Body, name: str, most: int, *, needed: bool = False) -> str:
    """A text of one or more lines without control characters; empty when it is not given."""
    value = body.get(name)
    said = value.strip() if isinstance(value, str) else ""
    fits = value is None or (isinstance(value, str) and len(said) <= most and _is_plain(said))
    if not fits or (needed and not said):
        raise Refused(400, _("%(name)s must be a text of at most %(most)d characters.", name=name, most=most))
    return said


def author(body: Body, *, needed: bool = False) -> str:
    """Who says it: who is logged in, where they have a name, else what is sent as ``by``. Raises Refused."""
    return present().name or text(body, "by", NAME, needed=needed)


def _is_plain(said: str) -> bool:
    try:
        said.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    return all(one.isprintable() or one in "\n\t" for one in said)


def minutes(body: Body) -> float | None:
    """A number of minutes, None when it is not given: for good."""
    value = body.get("minutes")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= MINUTES:
        raise Refused(400, _("minutes must be a number above 0 and at most %(most)d.", most=MINUTES))
    return float(value)


def whole(body: Body, name: str) -> int | None:
    """A whole number that is not negative, None when it is not given."""
    value = body.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise Refused(400, _("%(name)s must be a whole number from 0 on.", name=name))
    return value
