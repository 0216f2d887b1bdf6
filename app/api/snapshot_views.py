"""The views of frozen snapshots for those who make them, as Flask calls them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flask import Response, request

from app.access.identity import present
from app.api.answers import answer
from app.api.ranks import known
from app.api.snapshots import extend, freeze, revoke, snapshots
from app.sharing.making import Maker
from app.stored import RunStore
from collector.wire.records import RunId

Home = Callable[[], str]
"""The address of all pages as people reach it, with a slash at its end."""


class SnapshotViews:
    """Links begin with what ``home`` says when one is made."""

    def __init__(self, store: RunStore, maker: Maker, home: Home) -> None:
        """Nothing is read before the first request."""
        self._store, self._maker, self._home = store, maker, home

    def views(self) -> Mapping[str, Callable[..., Response]]:
        """Endpoint → view."""
        return {
            "snapshots": lambda run: answer(snapshots(self._maker, self._known(run))),
            "snapshot_make": lambda run: answer(
                freeze(self._maker, self._known(run), request, present().name, self._home())
            ),
            "snapshot_extend": lambda run, snapshot: answer(extend(self._maker, self._known(run), snapshot, request)),
            "snapshot_revoke": lambda run, snapshot: answer(revoke(self._maker, self._known(run), snapshot)),
        }

    def _known(self, run: str) -> RunId:
        return known(self._store, run).id
