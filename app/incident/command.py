"""The edge of ``python -m app bundle``: finds the run, writes files under temporary names, renames them."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import IO, TextIO

from app.api.answers import Refused
from app.config import AppConfig
from app.incident import making
from app.incident.gathering import Gathered, gathered
from app.incident.material import Material, material
from app.incident.options import Options, parse
from app.language import gettext as _
from app.language import speaking
from app.launch import embedded
from app.launch.options import BadUse
from app.notes.store import NoteStore
from app.status.command import AWAY, FINE, alarms_of, away, held_store, withheld
from app.stored import StoreAway
from collector.wire.records import RunId

Write = Callable[[IO[bytes]], None]


def run(arguments: Sequence[str], environ: Mapping[str, str], out: TextIO) -> int:
    """The whole command; the exit code. Raises BadUse; Ctrl-C comes out of it."""
    options = parse(arguments, environ)
    urls = [options.redis_url] if options.redis_url else embedded.running(embedded.data_home(environ))
    with ExitStack() as held, speaking(options.language), ended_like_ctrl_c():
        try:
            for path in written(found(urls or [AppConfig().redis_url], options, held), options):
                print(path, file=out, flush=True)
        except Refused as error:
            raise BadUse(error.sentence) from None
        except _Away as error:
            say(away(error.name))
            return AWAY
        return FINE


class _Away(Exception):
    """The server called ``name`` does not answer."""

    def __init__(self, name: str) -> None:
        """See the class."""
        super().__init__(name)
        self.name = name


def found(urls: Sequence[str], options: Options, held: ExitStack) -> Material:
    """The server that has the run; where none has it the first, which then says so."""
    several = [(url, held_store(url, held)) for url in urls]
    for url, store in several:
        try:
            if len(several) == 1 or store.run(RunId(options.run)) is not None:
                break
        except StoreAway:
            raise _Away(withheld(url)) from None
    else:
        url, store = several[0]
    notes = NoteStore(url)
    held.callback(notes.close)
    return material(store, alarms_of(url, held), notes, time.time)


def written(source: Material, options: Options) -> Iterator[Path]:
    """The files, each as soon as it is whole."""
    try:
        report = gathered(source, options.run, options.asked, say)
        for path, write in _files(source, report, options):
            whole(path, write)
            yield path
    except StoreAway:
        raise _Away(withheld(source.store.url)) from None
    if not options.asked.mask:
        say(_("Passwords, tokens and keys are NOT masked in it: give it to nobody."))


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


def whole(path: Path, write: Write) -> None:
    """A file that is there whole or not at all; BadUse where nothing can be written."""
    beside = path.with_name(f".{path.name[:80]}.{os.getpid()}.part")
    try:
        with beside.open("xb") as file:
            write(file)
        beside.replace(path)
    except OSError as error:
        why = error.strerror or str(error)
        raise BadUse(_("%(path)s cannot be written (%(why)s): give another --out.", path=path, why=why)) from None
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


@contextmanager
def ended_like_ctrl_c() -> Iterator[None]:
    """SIGTERM ends the command as Ctrl-C does, so that nothing half is left."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def say(line: str) -> None:
    """What is being done now."""
    print(line, file=sys.stderr, flush=True)
