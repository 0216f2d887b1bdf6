"""Which run a person means at the terminal, by its id or its name, on one server or several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from app.language import gettext as _
from app.launch.options import BadUse
from app.stored import RunStore, StoredRun

MOST = 5  # runs that a sentence names


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """A run, where it lies, and what that server is called."""

    run: StoredRun
    store: RunStore
    server: str


def chosen(stores: Mapping[str, RunStore], text: str) -> Chosen:
    """The one run of that id, or else of that name; BadUse when there is none, or several. Raises StoreAway."""
    ids = [(server, store, one) for server, store in stores.items() for one in store.runs()]
    found = [
        Chosen(run, store, server) for server, store, one in ids if one == text and (run := store.run(one)) is not None
    ]
    if not found:
        every = [Chosen(run, store, server) for server, store, one in ids if (run := store.run(one)) is not None]
        found = [one for one in every if one.run.record.name == text]
        if not found:
            raise BadUse(_nobody(text, every))
    if len(found) > 1:
        raise BadUse(_several(text, found))
    return found[0]


def _nobody(text: str, every: Sequence[Chosen]) -> str:
    """There is no such run; those that are called nearly so."""
    if not every:
        return _("There is no run %(run)s; there is none at all.", run=repr(text))
    names = {one.run.record.name.lower(): one.run.id for one in every} | {
        one.run.id.lower(): one.run.id for one in every
    }
    near = [names[one] for one in get_close_matches(text.lower(), names, MOST, 0.5)]
    near += [run for name, run in names.items() if text.lower() in name]
    told = list(dict.fromkeys(near))[:MOST]
    if told:
        return _("There is no run %(run)s; did you mean %(names)s?", run=repr(text), names=_or(told))
    some = [str(one.run.id) for one in every[:MOST]]
    more = _(" and %(count)d more", count=len(every) - MOST) if len(every) > MOST else ""
    return _("There is no run %(run)s; there are %(names)s.", run=repr(text), names=", ".join(some) + more)


def _several(text: str, found: Sequence[Chosen]) -> str:
    ids = {one.run.id for one in found}
    if len(ids) < len(found):
        servers = ", ".join(dict.fromkeys(one.server for one in found))
        return _("Several servers have a run %(run)s: name one of %(servers)s with --redis.", run=text, servers=servers)
    names = ", ".join(sorted(ids)[:MOST])
    return _("Several runs are called %(run)s: give the id of one (%(names)s).", run=text, names=names)


def _or(names: Sequence[str]) -> str:
    return ", ".join(names)
