"""The edge of ``python -m app export``: a run's points as a file."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import BinaryIO, TextIO

from app.api.answers import Refused
from app.api.exports import begun, moved
from app.config import AppConfig
from app.export.blocks import Moved
from app.export.choosing import Chosen, chosen
from app.export.export import Export
from app.export.filename import filename
from app.export.form import writer
from app.export.meter import Meter, metered
from app.export.options import Options, parse
from app.export.picture import picture
from app.export.saving import NotSaved, saving
from app.export.told import shape, window
from app.language import gettext as _
from app.language import speaking
from app.launch import embedded
from app.launch.options import BadUse
from app.previews.asked import Asked
from app.status.command import away, held_store, withheld
from app.stored import StoreAway

DONE, UNFINISHED, AWAY = 0, 1, 3
TERMINATED = 128 + signal.SIGTERM


def run(arguments: Sequence[str], environ: Mapping[str, str], out: TextIO) -> int:
    """The whole command; the exit code. Raises BadUse."""
    options = parse(arguments, environ)
    urls = [options.redis_url] if options.redis_url else embedded.running(embedded.data_home(environ))
    with ExitStack() as held, speaking(options.language), ended_by_signal():
        if options.to_stdout and out.isatty():
            unreadable(options)
        stores = {withheld(url): held_store(url, held) for url in urls or [AppConfig().redis_url]}
        try:
            found = chosen(stores, options.run)
            if options.picture is not None:
                return drawn(found, options, options.picture, out)
            return written(found, options, out)
        except StoreAway:
            say(away(", ".join(stores)))
            return AWAY
        except (Refused, NotSaved) as error:
            say(error.sentence if isinstance(error, Refused) else str(error))
            return UNFINISHED if isinstance(error, NotSaved) or error.status == 503 else 2


@contextmanager
def ended_by_signal() -> Iterator[None]:
    """SIGTERM ends the block as an exception does, so that half a file is removed."""

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit(TERMINATED)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def say(line: str) -> None:
    """One line for the person at the terminal."""
    print(line, file=sys.stderr, flush=True)


def unreadable(options: Options) -> None:
    """BadUse for what would be noise on a screen."""
    if options.picture is not None:
        raise BadUse(_("A picture is nothing for a terminal: name a file with --out."))
    if options.form == "parquet":
        raise BadUse(_("Parquet is nothing for a terminal: name a file with --out."))


def drawn(found: Chosen, options: Options, asked: Asked, out: TextIO) -> int:
    """Draw one run; the exit code. Raises Refused, StoreAway, NotSaved."""
    made = picture(found, asked)
    if options.to_stdout:
        put(out.buffer, made)
        return DONE
    target = options.out or Path(filename(found.run.id, "", "png"))
    with saving(target, force=options.force) as file:
        put(file, made)
    if not options.quiet:
        told = {"width": asked.width, "height": asked.height, "size": f"{len(made) / 1e3:,.0f}", "file": target}
        say(_("A picture of %(width)d × %(height)d pixels (%(size)s kB) is in %(file)s.", **told))
    return DONE


def written(found: Chosen, options: Options, out: TextIO) -> int:
    """Write one run; the exit code. Raises Refused, StoreAway, NotSaved."""
    try:
        export = begun(found.store, found.run, options.question)
        with metered(export, sys.stderr, quiet=options.quiet) as meter:
            if options.to_stdout:
                where, size = "-", filled(export, options, out.buffer, meter)
            else:
                target = options.out or Path(filename(found.run.id, window(export), options.form))
                with saving(target, force=options.force) as file:
                    where, size = str(target), filled(export, options, file, meter)
    except Moved:
        raise moved() from None
    except BrokenPipeError:  # whoever read it has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
        return UNFINISHED
    if not options.quiet:
        report(export, where, meter.rows, size)
    return DONE


def filled(export: Export, options: Options, file: BinaryIO, meter: Meter) -> int:
    """Everything into ``file``; how many bytes that are. Raises StoreAway, Moved."""
    made = writer(options.form, shape(export))
    size = put(file, made.head())
    for rows in export.rows():
        size += put(file, made.rows(rows))
        meter.add(rows, size)
    size += put(file, made.end())
    file.flush()
    return size


def put(file: BinaryIO, piece: bytes) -> int:
    """A raw file may take less at once than it is given."""
    left = memoryview(piece)
    while left:
        left = left[file.write(left) :]
    return len(piece)


def report(export: Export, where: str, rows: int, size: int) -> None:
    """What was written, and what a reader of it should know."""
    told = {"rows": f"{rows:,}", "series": len(export.plan.labels), "size": f"{size / 1e6:,.1f}", "file": where}
    if where != "-":
        say(_("%(rows)s rows of %(series)d series (%(size)s MB) are in %(file)s.", **told))
    if export.plan.missing:
        say(_("The run has nothing of %(names)s.", names=", ".join(export.plan.missing[:20])))
    if export.folded:
        said = _(
            "Older history was folded: %(count)s points are left of it, ends and extremes of 64 neighbours each.",
            count=f"{export.folded:,}",
        )
        say(said)
