"""What ``python -m app export`` is asked for: arguments and environment in, a checked value or one sentence out."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from werkzeug.datastructures import MultiDict

from app.api.answers import Refused
from app.api.export_arguments import parse as checked
from app.export.form import Form
from app.export.question import Question
from app.figures.preview import HEIGHT, LEAST_HEIGHT, LEAST_WIDTH, MOST_HEIGHT, MOST_WIDTH, WIDTH
from app.language import LANGUAGES
from app.language import gettext as _
from app.launch.options import BadUse, Parser
from app.previews.asked import PAGES, THEMES, Asked
from app.previews.asked import parse as picture_asked
from app.status.options import preferred, redis_url

POINTS_ALONE = ("rank", "all", "source", "attempt", "since", "until", "layout")
PICTURE_ALONE = ("page", "width", "height", "theme")
FORMS: Sequence[Form] = get_args(Form)
FORMATS = (*FORMS, "png")
DESCRIPTION = """\
Write the points of a run into a file: CSV, JSON lines or Parquet, of any size; or, as PNG, a picture of the run."""
EPILOG = """\
columns: step, attempt, source, (rank), time (UTC), wall (Unix seconds), and one for each series; empty is no value, NaN
is one. A row has the time of its first value; --layout long has a row for each point, with its own. Without --metric,
--tag or --all: every standard metric of the run. A picture has a panel for each of up to nine --metric and --tag, or,
with --page ranks, the map of one of them. The file has its name when it is whole, and not before.
exit code: 0 written; 1 it could not be finished; 2 wrong use; 3 Redis does not answer; 130 Ctrl-C.
A directory called export is shown by: python -m app ./export"""


@dataclass(frozen=True, slots=True)
class Options:
    """One checked command line."""

    run: str  # id or name
    form: Form  # of points; nothing of a picture
    out: Path | None  # None: named after the run, in this directory
    to_stdout: bool
    force: bool
    quiet: bool
    question: Question
    picture: Asked | None  # instead of points
    redis_url: str | None  # None asks for the servers that this person's dashboards brought along
    language: str  # one of app.language.LANGUAGES


def parse(arguments: Sequence[str], environ: Mapping[str, str]) -> Options:
    """The options; raises BadUse."""
    given = _parser().parse_args(arguments)
    out = None if given.out in (None, "-") else Path(given.out)
    picture = _picture(given) if _is_picture(given, out) else None
    form: Form = _form_of(out) if picture or not given.format else given.format
    return Options(
        run=given.run,
        form=form,
        out=out,
        to_stdout=given.out == "-",
        force=given.force,
        quiet=given.quiet,
        question=Question() if picture else _question(given),
        picture=picture,
        redis_url=redis_url(given.redis, environ),
        language=given.lang or preferred(environ),
    )


def _form_of(out: Path | None) -> Form:
    """By the ending of the file's name."""
    return next((one for one in FORMS if out is not None and out.suffix.lower() == f".{one}"), "csv")


def _parser() -> ArgumentParser:
    parser = Parser(
        prog="python -m app export", description=DESCRIPTION, epilog=EPILOG, formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument("run", metavar="RUN", help="id or name of the run, as python -m app status says it")
    parser.add_argument("--format", choices=FORMATS, help="of the file (else by the ending of --out, else csv)")
    parser.add_argument("--out", metavar="FILE", help="where to; - is standard output (else named after the run, here)")
    parser.add_argument("--force", action="store_true", help="overwrite FILE")
    parser.add_argument("--quiet", action="store_true", help="say nothing but errors")
    parser.add_argument("--lang", choices=sorted(LANGUAGES), help="language (else by LC_ALL, LC_MESSAGES, LANG)")
    parser.add_argument("--redis", metavar="URL", help="Redis to read (else REDIS_URL, else this machine's dashboards)")
    _narrow(parser)
    _drawn(parser)
    return parser


def _narrow(parser: ArgumentParser) -> None:
    """What of the run."""
    parser.add_argument("--metric", action="append", metavar="NAME", help="such as loss, r3:loss; repeatable")
    parser.add_argument("--tag", action="append", metavar="TAG", help="as the file spells it; repeatable")
    parser.add_argument(
        "--rank", action="append", metavar="N", help="repeatable; else the rank that speaks for the run"
    )
    parser.add_argument("--all", action="store_true", help="every metric and tag")
    parser.add_argument("--source", metavar="NAME", help="tensorboard, mindspore or log alone")
    parser.add_argument("--attempt", metavar="K", help="all (default), latest, or a number from 1")
    parser.add_argument("--start", metavar="STEP", help="first step")
    parser.add_argument("--end", metavar="STEP", help="last step")
    parser.add_argument("--since", metavar="SECONDS", help="first moment (Unix), instead of steps")
    parser.add_argument("--until", metavar="SECONDS", help="last moment")
    parser.add_argument("--layout", choices=("wide", "long"), help="a row a step (wide), or a row a point (long)")


def _drawn(parser: ArgumentParser) -> None:
    """How a picture looks."""
    parser.add_argument("--page", choices=PAGES, help="of a picture: curves (default), or the map of ranks")
    parser.add_argument("--width", metavar="PX", help=f"of a picture, {LEAST_WIDTH} to {MOST_WIDTH} (default {WIDTH})")
    parser.add_argument("--height", metavar="PX", help=f"of it, {LEAST_HEIGHT} to {MOST_HEIGHT} (default {HEIGHT})")
    parser.add_argument("--theme", choices=THEMES, help="of a picture (default light)")


def _is_picture(given: Namespace, out: Path | None) -> bool:
    return given.format == "png" or (given.format is None and out is not None and out.suffix.lower() == ".png")


def _picture(given: Namespace) -> Asked:
    """The arguments that the address of pictures takes, and the same sentences about them."""
    unfit = [one for one in POINTS_ALONE if getattr(given, one)]
    if unfit:
        raise BadUse(_("--%(name)s is nothing for a picture.", name=unfit[0]))
    told = MultiDict[str, str]()
    for name in ("metric", "tag"):
        for text in getattr(given, name) or ():
            told.add(name, text)
    for name in ("start", "end", *PICTURE_ALONE):
        if (text := getattr(given, name)) is not None:
            told.add(name, text)
    try:
        return picture_asked(told)
    except Refused as error:
        raise BadUse(error.sentence) from None


def _question(given: Namespace) -> Question:
    """The same arguments that the API takes, and the same sentences about them."""
    unfit = [one for one in PICTURE_ALONE if getattr(given, one)]
    if unfit:
        raise BadUse(_("--%(name)s is for a picture alone: give --format png.", name=unfit[0]))
    told = MultiDict[str, str]()
    for name in ("metric", "tag", "rank"):
        for text in getattr(given, name) or ():
            told.add(name, text)
    for name in ("source", "attempt", "start", "end", "since", "until", "layout"):
        if (text := getattr(given, name)) is not None:
            told.add(name, text)
    if given.all:
        told.add("all", "1")
    try:
        return checked(told)
    except Refused as error:
        raise BadUse(error.sentence) from None
