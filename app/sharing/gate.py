"""Who comes with a link: the snapshot that it opens, or why it opens none.

Every text that is no link of this server's gets one and the same answer, whatever it looks like, and so does a link to
a snapshot that is not remembered: who guesses learns nothing.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable

from app.access.limit import Limiter
from app.api.answers import Refused
from app.language import gettext as _
from app.sharing.snapshot import Label
from app.sharing.store import ShareStore
from app.sharing.tokens import Named, Tokens

WRONG = 30  # texts that are no links, of one address within the limiter's window; a right one opens all the same:
# behind a proxy that nobody listed all readers have one address, and no number of tries finds 128 random bits
WRONG_OF_ALL = 20 * WRONG


class Gate:
    """Safe to share between threads."""

    def __init__(self, tokens: Tokens, store: ShareStore, clock: Callable[[], float]) -> None:
        """``clock`` gives Unix seconds."""
        self._tokens, self._store, self._clock = tokens, store, clock
        self._limiter = Limiter(of_one=WRONG, of_all=WRONG_OF_ALL)

    def opened(self, token: str, address: str | None) -> Label:
        """The snapshot of a token that came from an address. Raises Refused: 404, 410 or 429; and StoreAway."""
        named = self._tokens.read(token)
        label = self._known(named) if named else None
        if label is None:
            raise self._wrong(address)
        state = label.state(self._clock())
        if state == "revoked":
            raise Refused(410, _("This snapshot was revoked: whoever shared it has taken it back."))
        if state == "expired":
            raise Refused(410, _("This snapshot has expired; ask whoever shared it for a new link."))
        return label

    def _known(self, named: Named) -> Label | None:
        found = self._store.label(named.run, named.handle)
        if found is None:
            return None
        label, digest = found
        return label if hmac.compare_digest(digest.encode(), named.digest.encode()) else None

    def _wrong(self, address: str | None) -> Refused:
        wait = self._limiter.begin(address)
        if wait:
            return Refused(429, _("Too many wrong links came from this address; try again in %(n)d s.", n=wait))
        return no_such()


def no_such() -> Refused:
    """The one answer to everything that opens nothing."""
    return Refused(
        404, _("There is no snapshot at this address. A link opens what it was made for as long as it is whole.")
    )


def gone() -> Refused:
    """The store does not hold any more what a snapshot shows."""
    return Refused(
        410,
        _(
            "The points of this snapshot are not in the store any more: it was emptied and filled again, or they were "
            "folded. Other points are never shown in their place."
        ),
    )
