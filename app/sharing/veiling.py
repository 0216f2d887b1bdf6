"""By which names a snapshot is told: as its author wanted it. Secrets are nobody's names, and are never told."""

from __future__ import annotations

from app.discretion import discretion
from app.masking import masked
from app.sharing.snapshot import Snapshot
from app.sharing.veil import Plain, Veil, hosts_of


def veiling(snapshot: Snapshot) -> Veil:
    """The names for all that is handed out."""
    if snapshot.label.names:
        return Veil(Plain(), masked)
    moment = snapshot.moment
    return Veil(discretion(hosts_of(moment), [moment.run.record.path]), masked)
