"""Who asks: found once a request by the gate (app/access/gate.py), and asked for by whatever depends on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from flask import g, has_request_context

Role = Literal["viewer", "editor"]


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody with a ``role``. ``name`` is what they call themselves, or what a gateway calls them, and signs what
    they say; empty where nobody was asked. ``way`` is how they came in: open, token, password, nobody, …"""

    name: str
    role: Role
    way: str

    @property
    def may_write(self) -> bool:
        """Whether what they say is kept."""
        return self.role == "editor"


ANYBODY = Identity("", "editor", "open")  # where no password is needed, and outside of any request
NOBODY = Identity("", "viewer", "nobody")  # on the few pages that all may see, such as the one to log in


def present() -> Identity:
    """Who makes the current request. Who has not been asked for yet is nobody: routes are closed until the gate opens
    them."""
    if not has_request_context():
        return ANYBODY
    found: Identity = g.get("identity", NOBODY)
    return found


def admit(identity: Identity) -> None:
    """For the rest of this request it is ``identity`` that asks."""
    g.identity = identity
