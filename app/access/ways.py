"""The ways in that a request can bring with it. A gateway's are more of these; the gate asks one after the other."""

from __future__ import annotations

from typing import Protocol

from flask import Request

from app.access.identity import Identity
from app.access.keyring import Key, Keyring

SCHEMES = ("bearer", "token")  # Authorization: Bearer …, and as Jupyter spells it
BEARER = "bearer"


class Identifier(Protocol):
    """One way in."""

    def identify(self, request: Request) -> Identity | None:
        """Who asks, as far as this way can tell; None where the request does not come by it."""


class Bearers:
    """A token in a header. Passwords are for people and for the form, where guesses are counted."""

    def __init__(self, keyring: Keyring) -> None:
        """Nothing is read before the first request."""
        self._keyring = keyring

    def identify(self, request: Request) -> Identity | None:
        """Who has a token that is right."""
        key = self.key(request)
        return Identity("", key.role, BEARER) if key else None

    def key(self, request: Request) -> Key | None:
        """The token as one of ours."""
        token = borne(request)
        return self._keyring.match(token, ("token",)) if token else None


def borne(request: Request) -> str:
    """The token in the header; empty for none, or for another scheme (a proxy's own)."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() in SCHEMES else ""
