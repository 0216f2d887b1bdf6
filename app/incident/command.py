"""The edge of ``python -m app bundle``: finds the run, and writes files that have their names when they are whole."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TextIO

from app.api.answers import Refused
from app.config import AppConfig
from app.export.choosing import Chosen, chosen
from app.export.command import AWAY, DONE, UNFINISHED, ended_by_signal, say
from app.export.saving import NotSaved, refuse, saving
from app.incident import making
from app.incident.gathering import Gathered, gathered
from app.incident.material import Material, material
from app.incident.options import Options, parse
from app.language import gettext as _
from app.language import speaking
from app.launch import embedded
from app.notes.store import NoteStore
from app.status.command import alarms_of, away, held_store, withheld
from app.stored import StoreAway

Write = Callable[[IO[bytes]], None]


def run(arguments: Sequence[str], environ: Mapping[str, str], out: TextIO) -> int:
    """The whole command; the exit code. Raises BadUse; Ctrl-C comes out of it."""
    options = parse(arguments, environ)
    urls = [options.redis_url] if options.redis_url else embedded.running(embedded.data_home(environ))
    with ExitStack() as held, speaking(options.language), ended_by_signal():
        stores = {withheld(url): held_store(url, held) for url in urls or [AppConfig().redis_url]}
        try:
            if not options.is_directory:
                refuse(options.out, force=options.force)
            found = chosen(stores, options.run)
            for path in written(found, _material(found, held), options):
                print(path, file=out, flush=True)
        except StoreAway:
            say(away(", ".join(stores)))
            return AWAY
        except (Refused, NotSaved) as error:
            say(error.sentence if isinstance(error, Refused) else str(error))
            return UNFINISHED if isinstance(error, NotSaved) or error.status == 503 else 2
        if not options.asked.mask:
            say(_("Passwords, tokens and keys are NOT masked in it: give it to nobody."))
        return DONE


def _material(found: Chosen, held: ExitStack) -> Material:
    url = found.store.url
    notes = NoteStore(url)
    held.callback(notes.close)
    return material(found.store, alarms_of(url, held), notes, time.time)


def written(found: Chosen, source: Material, options: Options) -> Iterator[Path]:
    """The files, each as soon as it is whole. Raises Refused, NotSaved, StoreAway."""
    report = gathered(source, found.run.id, options.asked, say)
    for path, write in _files(source, report, options):
        with saving(path, force=options.force) as file:
            whole = io.BufferedWriter(file)
            write(whole)
            whole.detach()
        yield path


def _files(source: Material, report: Gathered, options: Options) -> Iterator[tuple[Path, Write]]:
    where = report.report.head.stretch

    def page(file: IO[bytes]) -> None:
        file.write(making.page(report))

    def archive(file: IO[bytes]) -> None:
        making.archive(source, report, file, say)

    if options.is_directory:
        yield options.out / making.filename(report.run.id, where, "html"), page
        yield options.out / making.filename(report.run.id, where, "zip"), archive
    else:
        yield options.out, page if options.is_page else archive
