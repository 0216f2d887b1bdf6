"""The one question that pages ask through Dash, as it has to be: whatever else comes to its address is refused before
Dash looks at it, since anybody can send anything there."""

from __future__ import annotations

import json
from typing import Any

from flask import Flask, request

from app.api.answers import Refused
from app.ids import ASKED, RENEWED
from app.language import gettext as _

ADDRESS = "_dash-update-component"  # below the prefix
BYTES = 65_536
LONGEST = 8_192  # characters of an address, and of what it asks
PARTS = 100
OUTPUT = {"id": RENEWED, "property": "data"}
INPUT = {"id": ASKED, "property": "data"}


def install(server: Flask, prefix: str) -> None:
    """Refuse every other question: 413 for one that is too long, 400 for one that no page of ours asks."""

    def check() -> None:
        if request.method != "POST" or request.path != prefix + ADDRESS:
            return
        if request.content_length is None or request.content_length > BYTES:
            raise Refused(413, _("At most %(bytes)d bytes are taken, with their length told.", bytes=BYTES))
        if not is_question(_sent()):
            raise Refused(400, _("No page of this dashboard asks so; reload it."))

    server.before_request(check)


def _sent() -> object:
    try:
        return json.loads(request.get_data())
    except (ValueError, RecursionError):
        return None


def is_question(body: object) -> bool:
    """Whether it asks for what is different from what a browser says that it has."""
    if not isinstance(body, dict) or body.get("output") != f"{RENEWED}.data" or body.get("state"):
        return False
    inputs = body.get("inputs")
    if body.get("outputs", OUTPUT) != OUTPUT or not isinstance(inputs, list) or len(inputs) != 1:
        return False
    (asked,) = inputs
    return isinstance(asked, dict) and INPUT.items() <= asked.items() and _is_asked(asked.get("value"))


def _is_asked(value: Any) -> bool:
    """What assets/renewal.js tells; nothing before it has told something. Any: what a browser has sent."""
    if value is None:
        return True
    if not isinstance(value, dict) or not all(_is_text(value.get(name)) for name in ("path", "query", "kind")):
        return False
    parts = value.get("parts")
    return (
        value["path"].startswith("/")
        and isinstance(parts, dict)
        and len(parts) <= PARTS
        and all(_is_text(one) for pair in parts.items() for one in pair)
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST and not any("\ud800" <= one <= "\udfff" for one in value)
