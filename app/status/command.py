"""The edge of ``python -m app status``: looks once or again and again, and prints."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TextIO
from urllib.parse import urlsplit

from rich.console import Console
from rich.live import Live

from app.alarms import Alarms
from app.cluster_store import opened
from app.config import AppConfig
from app.diagnosis.store import AlertStore
from app.language import gettext as _
from app.language import speaking
from app.launch import embedded
from app.launch.options import BadUse
from app.status import screen
from app.status.document import document
from app.status.options import Options, parse
from app.status.plain import line
from app.status.summary import Summaries, Summary
from app.stored import RunStore, StoreAway

MOST_RUNS = 20  # of a look that is not asked for every run
FINE, ATTENTION, AWAY = 0, 1, 3


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """What was found at one moment; ``away`` says why there is nothing."""

    at: float
    runs: Sequence[Summary] = ()
    known: int = 0
    away: str = ""

    @property
    def code(self) -> int:
        """The exit code."""
        if self.away:
            return AWAY
        return ATTENTION if any(one.needs_attention for one in self.runs) else FINE


class Stores:
    """The servers that are read, together: one, or all that this person's dashboards brought along."""

    def __init__(self, urls: Sequence[str], held: ExitStack) -> None:
        """No connection is made before the first look."""
        self._named = [
            (withheld(url), Summaries(held_store(url, held), time.time, alarms_of(url, held))) for url in urls
        ]

    def look(self, most: int | None) -> Look:
        """The ``most`` runs touched last of all servers."""
        found: list[Summary] = []
        known = 0
        for name, summaries in self._named:
            try:
                runs, count = summaries.newest(most)
            except StoreAway:
                return Look(time.time(), away=away(name))
            found += runs
            known += count
        found.sort(key=lambda one: -(one.run.touched or 0))
        return Look(time.time(), found[:most], known)


def held_store(url: str, held: ExitStack) -> RunStore:
    """A reader of ``url``; BadUse for one that makes no sense, such as a port in letters."""
    try:
        store = opened(url)
    except ValueError as error:
        raise BadUse(f"The address of Redis cannot be used ({error}): correct --redis or REDIS_URL.") from None
    held.callback(store.close)
    return store


def alarms_of(url: str, held: ExitStack) -> Alarms:
    """The alerts of ``url``, which ``held_store`` has found to make sense."""
    store = AlertStore(url)
    held.callback(store.close)
    return Alarms(store, time.time)


def away(name: str) -> str:
    """The one sentence about a server that is not there."""
    return _("Redis at %(name)s does not answer: start it, or name another one with --redis URL.", name=name)


def run(arguments: Sequence[str], environ: Mapping[str, str], out: TextIO) -> int:
    """The whole command; the exit code. Raises BadUse."""
    options = parse(arguments, environ)
    urls = [options.redis_url] if options.redis_url else embedded.running(embedded.data_home(environ))
    with ExitStack() as held, speaking(options.language):
        stores = Stores(urls or [AppConfig().redis_url], held)
        show = in_place if options.watch and shows_screens(options, out, environ) else one_by_one
        return show(stores, options, console(out, environ))


def console(out: TextIO, environ: Mapping[str, str]) -> Console:
    """Where it is printed; 80 columns where nobody knows better."""
    return Console(file=out, highlight=False, markup=False, emoji=False, _environ=dict(environ))


def shows_screens(options: Options, out: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether a person looks at it who wants more than lines."""
    return options.form == "text" and out.isatty() and environ.get("TERM", "dumb") not in ("dumb", "unknown")


def one_by_one(stores: Stores, options: Options, to: Console) -> int:
    """Print what each look finds, below what was there."""
    while True:
        look = stores.look(most(options))
        print_look(look, options, to)
        if options.watch is None:
            return look.code
        if not rested(options.watch):
            return FINE


def print_look(look: Look, options: Options, to: Console) -> None:
    """One look: a document, a screen, or one plain line a run."""
    out = to.file
    if look.away:
        print(look.away, file=sys.stderr, flush=True)
    elif options.form == "json":
        print(document(look.runs, look.known, look.at), file=out, flush=True)
    elif to.is_terminal and not to.is_dumb_terminal:
        to.print(screen.screen(look.runs, look.known, look.at, to.width))
    else:
        print("\n".join(map(line, look.runs)) or screen.empty(), file=out, flush=True)


def in_place(stores: Stores, options: Options, to: Console) -> int:
    """Redraw until Ctrl-C; what does not fit the terminal's height is cut."""
    with Live(console=to, auto_refresh=False, vertical_overflow="ellipsis") as live:
        while True:
            look = stores.look(most(options))
            shown = look.away or screen.screen(look.runs, look.known, look.at, to.width)
            live.update(shown, refresh=True)
            if not rested(options.watch or 0):
                return FINE


def rested(seconds: float) -> bool:
    """Wait; False when it was enough (Ctrl-C)."""
    try:
        time.sleep(seconds)
    except KeyboardInterrupt:
        return False
    return True


def most(options: Options) -> int | None:
    """How many runs a look reads."""
    return None if options.every_run else MOST_RUNS


def withheld(url: str) -> str:
    """The server's name without user and password."""
    parts = urlsplit(url)
    return (
        url.split("?")[0]
        if parts.scheme == "unix"
        else f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    )
