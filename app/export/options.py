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
from app.language import LANGUAGES
from app.launch.options import BadUse, Parser
from app.status.options import preferred, redis_url

FORMS: Sequence[Form] = get_args(Form)
DESCRIPTION = "Write the points of a run into a file: CSV, JSON lines or Parquet, of any size."
EPILOG = """\
columns: step, attempt, source, (rank), time (UTC), wall (Unix seconds), and one for each series; empty is no value, NaN
is one. A row has the time of its first value; --layout long has a row for each point, with its own. Without --metric,
--tag or --all: every standard metric of the run. The file has its name when it is whole, and not before.
exit code: 0 written; 1 it could not be finished; 2 wrong use; 3 Redis does not answer; 130 Ctrl-C.
A directory called export is shown by: python -m app ./export"""


@dataclass(frozen=True, slots=True)
class Options:
    """One checked command line."""

    run: str  # id or name
    form: Form
    out: Path | None  # None: named after the run, in this directory
    to_stdout: bool
    force: bool
    quiet: bool
    question: Question
    redis_url: str | None  # None asks for the servers that this person's dashboards brought along
    language: str  # one of app.language.LANGUAGES


def parse(arguments: Sequence[str], environ: Mapping[str, str]) -> Options:
    """The options; raises BadUse."""
    given = _parser().parse_args(arguments)
    out = None if given.out in (None, "-") else Path(given.out)
    form: Form = given.format or _form_of(out)
    return Options(
        run=given.run,
        form=form,
        out=out,
        to_stdout=given.out == "-",
        force=given.force,
        quiet=given.quiet,
        question=_question(given),
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
    parser.add_argument("--format", choices=FORMS, help="of the file (else by the ending of --out, else csv)")
    parser.add_argument("--out", metavar="FILE", help="where to; - is standard output (else named after the run, here)")
    parser.add_argument("--force", action="store_true", help="overwrite FILE")
    parser.add_argument("--quiet", action="store_true", help="say nothing but errors")
    parser.add_argument("--lang", choices=sorted(LANGUAGES), help="language (else by LC_ALL, LC_MESSAGES, LANG)")
    parser.add_argument("--redis", metavar="URL", help="Redis to read (else REDIS_URL, else this machine's dashboards)")
    _narrow(parser)
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


def _question(given: Namespace) -> Question:
    """The same arguments that the API takes, and the same sentences about them."""
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
