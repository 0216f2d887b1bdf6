"""``python -m app.diagnosis report PATH``: what is wrong with finished runs, from their files alone.

Exit code 0: nothing of severity warning or more; 1: something, as linters do; 2: nothing was diagnosed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TextIO

from app.diagnosis.config import alerts_of
from app.diagnosis.notify.settings import Settings
from app.diagnosis.offline.delivered import Unreadable, delivered
from app.diagnosis.offline.document import document
from app.diagnosis.offline.held import HeldStore
from app.diagnosis.offline.judged import Judged, judge
from app.diagnosis.offline.spool import Spool
from app.diagnosis.opening import GRAVITY
from app.diagnosis.tuning import Tuned
from app.figures import numbers
from app.language import LANGUAGES, speaking
from app.language import gettext as _
from app.series.ranks.meaning import is_own_time
from app.status.options import preferred
from app.words import report as words
from collector.wire.delivery import Commit
from collector.wire.records import FileState, RunId, SeriesMeta

FOUND = 1
DRAWN_SECONDS = 0.2  # between two lines of progress


@dataclass(slots=True)
class Progress:
    """One line of a terminal that is written over; nothing elsewhere."""

    out: TextIO
    drawn: float = 0.0
    shows: bool = field(init=False)

    def __post_init__(self) -> None:
        self.shows = self.out.isatty()

    def show(self, said: str) -> None:
        """Say how far it is."""
        if self.shows and time.monotonic() - self.drawn > DRAWN_SECONDS:
            self.out.write(f"\r\x1b[K{said}")
            self.out.flush()
            self.drawn = time.monotonic()

    def clear(self) -> None:
        """Make room."""
        if self.shows:
            self.out.write("\r\x1b[K")
            self.out.flush()


def add(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], command: Callable[[argparse.Namespace], int]
) -> None:
    """The command's arguments; ``command`` calls ``run``."""
    reporting = commands.add_parser(
        "report",
        help="what is wrong with finished runs, from their files; no Redis needed",
        description="Read an output directory to its end, judge every run in it as the worker would, and say what was "
        "found. Exit code 0: nothing of severity warning or more, 1: something, 2: nothing could be diagnosed.",
    )
    reporting.add_argument("path", type=Path, metavar="PATH", help="output directory, or one log or event file")
    reporting.add_argument("--lang", choices=sorted(LANGUAGES), help="language (else by LC_ALL, LC_MESSAGES, LANG)")
    reporting.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    reporting.add_argument("--layout", metavar="AXES", help="how ranks are spread, as dp=8,tp=4,pp=2")
    reporting.add_argument(
        "--alerts", type=Path, metavar="YAML", dest="told", help="your own rules, and what is said of each class"
    )
    reporting.set_defaults(command=command)


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Print the report; the exit code. Raises Unreadable, BadAlerts."""
    settings = alerts_of(options.told or options.alerts, environ)
    if options.path.is_file():  # what lies beside it is not looked at, so summaries are not missed
        settings = replace(settings, classes={**settings.classes, "tb_missing": Tuned(mute=True)})
    progress = Progress(sys.stderr)
    with speaking(options.lang or preferred(environ)):
        try:
            runs, problems = diagnosed(options.path, options.layout, settings, progress)
        finally:
            progress.clear()
        print(_printed(runs, problems, options.format), end="", flush=True)
    return FOUND if any(is_grave(one) for one in runs) else 0


def is_grave(run: Judged) -> bool:
    """Whether somebody should look."""
    return any(GRAVITY[one.severity] >= GRAVITY["warning"] and one.cause is None for one in run.alerts)


def diagnosed(
    path: Path, layout: str | None, settings: Settings, progress: Progress
) -> tuple[list[Judged], Sequence[FileState]]:
    """Every run below a path, in order of their ids, and what could not be read. Raises Unreadable."""
    with Spool() as spool:
        store = HeldStore(spool, _wanted({one.tag for one in settings.rules if one.tag}))
        problems = _read(path, layout, store, progress)
        return [_judged(store, run_id, settings, progress) for run_id in store.runs()], problems


def _wanted(tags: Collection[str]) -> Callable[[SeriesMeta], bool]:
    """Series that some rule may be told of: canonical metrics, ranks' own times, and what people's rules name."""
    return lambda meta: meta.metric is not None or meta.tag in tags or is_own_time(meta.tag)


def _read(path: Path, layout: str | None, store: HeldStore, progress: Progress) -> Sequence[FileState]:
    try:
        for told in delivered(path, layout):
            if not isinstance(told, Commit):
                store.files, store.problems = told.files, told.problems
                return told.problems
            store.add(told)
            share = numbers.percent(told.read / told.total if told.total else 0.0)
            progress.show(_("Reading: %(share)s", share=share))
    except OSError as error:
        raise Unreadable(
            f"There is no room for the points of {path} in the folder for temporary files ({error.strerror}): name "
            "another with TMPDIR."
        ) from error
    return ()


def _judged(store: HeldStore, run_id: RunId, settings: Settings, progress: Progress) -> Judged:
    for told in judge(store, run_id, settings):
        if isinstance(told, Judged):
            return told
        progress.show(_("Judging %(run)s: %(rows)s rows", run=run_id, rows=numbers.count(told)))
    raise AssertionError("a verdict comes last")


def _printed(runs: Sequence[Judged], problems: Sequence[FileState], form: str) -> str:
    if form == "json":
        return json.dumps(document(runs, problems), ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    told = "\n".join(words.text(one) for one in runs)
    return told + "".join(f"{line}\n" for line in words.problems(problems))
