"""The views of alerts and mutes, as Flask calls them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

from flask import Response, request

from app.alarms import Alarms
from app.api import mutes
from app.api.alert_detail import Grounds
from app.api.alerts import acknowledge, alerts, export, reopen, resolve
from app.api.answers import Json, answer
from app.api.ranks import known
from app.api.series import known_run
from app.happened import Happened
from app.ledgers import Ledgers
from app.reader import Reader
from app.stored import RunStore
from collector.wire.records import RunId

Listed = TypeVar("Listed")


class AlertViews:
    """``clock`` gives Unix seconds."""

    def __init__(
        self,
        store: RunStore,
        alarms: Alarms,
        clock: Callable[[], float],
        *,
        reader: Reader,
        ledgers: Ledgers,
        happened: Happened,
    ) -> None:
        """Nothing is read before the first request."""
        self._store = store
        self._alarms = alarms
        self._clock = clock
        self._reader = reader
        self._grounds = partial(Grounds, store, reader, ledgers, happened, alarms)

    def views(self) -> Mapping[str, Callable[..., Response]]:
        """Endpoint → view."""
        return {
            "alerts": lambda run: answer(self._listed(alerts, run)),
            "alerts_export": lambda run: self._listed(export, run),
            "alert": self._detail,
            "alert_acknowledge": lambda run, alert: answer(self._said(acknowledge, run, alert)),
            "alert_resolve": lambda run, alert: answer(self._said(resolve, run, alert)),
            "alert_reopen": lambda run, alert: answer(self._said(reopen, run, alert)),
            "mutes": lambda: answer(mutes.mutes(self._alarms, request.args, self._clock())),
            "mute": lambda: answer(mutes.mute(self._alarms, self._store.runs(), request, self._clock())),
            "unmute": lambda mute: answer(mutes.unmute(self._alarms, self._store.runs(), mute)),
        }

    def _detail(self, run: str, alert: str) -> Response:
        return answer(self._grounds(self._clock()).detail(known_run(self._store, run), alert))

    def _listed(self, listed: Callable[[Alarms, RunId, Mapping[str, str], int | None], Listed], run: str) -> Listed:
        found = known(self._store, run)
        return listed(self._alarms, found.id, request.args, self._reader.timeline(found).newest)

    def _said(self, say: Callable[..., dict[str, Json]], run: str, alert: str) -> dict[str, Json]:
        return say(self._alarms, self._known(run), alert, request, self._clock())

    def _known(self, run: str) -> RunId:
        return known(self._store, run).id
