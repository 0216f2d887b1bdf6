"""Makes snapshots, lists them and takes them back: what an editor does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.api.answers import Refused
from app.language import gettext as _
from app.sharing.encoding import TooLarge, encoded
from app.sharing.freezing import Freezer, Unsettled
from app.sharing.snapshot import Label, Moment, PageName
from app.sharing.store import OPEN, ShareStore
from app.sharing.tokens import Named, Tokens
from app.sharing.uses import Uses
from collector.wire.records import RunId

DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants to have frozen, for how many days; ``names`` see snapshot.Label."""

    view: str
    page: PageName
    days: float
    names: bool
    author: str


class Maker:
    """Safe to share between threads. Every method raises StoreAway while Redis is away."""

    def __init__(
        self, freezer: Freezer, store: ShareStore, tokens: Tokens, uses: Uses, clock: Callable[[], float]
    ) -> None:
        """``clock`` gives Unix seconds."""
        self._freezer, self._store, self._tokens, self._uses, self._clock = freezer, store, tokens, uses, clock

    def make(self, run: RunId, wish: Wish) -> tuple[Label, str]:
        """A new snapshot and its token, which nobody can be told again. Raises Refused."""
        named = Named.new(run)
        if not self._store.reserve(run, named.handle):
            said = _(
                "Run %(run)s has %(most)d open snapshots, which is all that it may have; revoke some.",
                run=run,
                most=OPEN,
            )
            raise Refused(409, said)
        try:
            label = self._kept(named, wish)
        except BaseException:
            self._store.release(run, named.handle)
            raise
        return label, self._tokens.written(named)

    def _kept(self, named: Named, wish: Wish) -> Label:
        moment, now = self._moment(named.run), self._clock()
        label = Label(
            named.handle, named.run, now, wish.author, now + wish.days * DAY, wish.page, wish.view, wish.names
        )
        try:
            body = encoded(moment)
        except TooLarge:
            said = _(
                "Run %(run)s has too many series and files to be frozen; export what is to be shown.", run=named.run
            )
            raise Refused(409, said) from None
        if not self._store.keep(label, named.digest, body):
            raise _no_run(named.run)
        return label

    def _moment(self, run: RunId) -> Moment:
        try:
            moment = self._freezer.moment(run)
        except Unsettled:
            raise Refused(409, _("The store was emptied while the run was being frozen; try again.")) from None
        if moment is None:
            raise _no_run(run)
        return moment

    def listed(self, run: RunId) -> Sequence[tuple[Label, str]]:
        """Every snapshot of a run that is remembered, the newest first, and how it stands now."""
        now = self._clock()
        return [(self._uses.told(one), one.state(now)) for one in self._store.labels(run)]

    def revoke(self, run: RunId, handle: str) -> tuple[Label, str]:
        """Close one for good. Raises Refused."""
        label = self._known(run, handle)
        self._store.revoke(label, self._clock())
        return self._now(run, handle)

    def extend(self, run: RunId, handle: str, days: float) -> tuple[Label, str]:
        """Have one expire so many days from now. Raises Refused."""
        label, now = self._known(run, handle), self._clock()
        if label.state(now) != "live" or self._store.extend(label, now, now + days * DAY) is None:
            raise Refused(
                409, _("Snapshot %(id)s is closed; what it showed may be folded by now. Make a new one.", id=handle)
            )
        return self._now(run, handle)

    def _known(self, run: RunId, handle: str) -> Label:
        found = self._store.label(run, handle)
        if found is None:
            raise Refused(404, _("Run %(run)s has no snapshot %(id)s.", run=run, id=repr(handle)))
        return found[0]

    def _now(self, run: RunId, handle: str) -> tuple[Label, str]:
        label = self._uses.told(self._known(run, handle))
        return label, label.state(self._clock())


def _no_run(run: RunId) -> Refused:
    return Refused(404, _("There is no run %(run)s.", run=run))
