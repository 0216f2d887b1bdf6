"""Who asks: found once a request by the gate (app/access/gate.py), and asked for by whatever depends on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from flask import g, has_request_context

Role = Literal["viewer", "editor"]


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody with a ``role``. ``name`` is what they call themselves, or what a gateway calls them, and signs what
    they say; empty where nobody was asked. ``way`` is how they came in: open, bearer, session, nobody, …"""

    name: str
    role: Role
    way: str

    @property
    def may_write(self) -> bool:
        """Whether what they say is kept."""
        return self.role == "editor"


ANYBODY = Identity("", "editor", "open")  # where no password is needed, and outside of any request
NOBODY = Identity("", "viewer", "nobody")  # on the few pages that all may see, such as the one to log in


@dataclass(frozen=True, slots=True)
class Visit:
    """A request's visitor, as the gate let them in. ``seal`` is what their page repeats with what it writes; empty
    where no browser brings anything along by itself. ``stands`` says, from any thread, whether they still may."""

    identity: Identity
    seal: str = ""
    stands: Callable[[], bool] = lambda: True


def present() -> Identity:
    """Who makes the current request. Who has not been asked for yet is nobody: routes are closed until the gate opens
    them."""
    return visit().identity


def visit() -> Visit:
    """The same, with how they came."""
    if not has_request_context():
        return Visit(ANYBODY)
    found: Visit = g.get("visit", Visit(NOBODY))
    return found


def admit(visit: Visit) -> None:
    """For the rest of this request it is they who ask."""
    g.visit = visit
