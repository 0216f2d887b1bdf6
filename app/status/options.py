"""What ``python -m app status`` is asked for: arguments and environment in, a checked value or one sentence out."""

from __future__ import annotations

import math
from argparse import RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from app.language import LANGUAGES
from app.launch.options import BadUse, Parser
from collector.wire.address import SCHEMES

WATCH_SECONDS = 2.0
DESCRIPTION = "Say in the terminal how every run is doing."
EPILOG = """\
exit code: 0 all is well; 1 a run needs attention (it failed, its curves hold NaN or Inf, or within the last day it
fell silent); 2 wrong use; 3 Redis does not answer. Into a file or a pipe each run is one plain line.
A directory called status is shown by: python -m app ./status"""


@dataclass(frozen=True, slots=True)
class Options:
    """One checked command line."""

    redis_url: str | None  # None asks for the servers that this person's dashboards brought along
    watch: float | None  # seconds between two looks; None looks once
    language: str  # one of app.language.LANGUAGES
    form: Literal["text", "json"]
    every_run: bool  # also those that would not fit


def parse(arguments: Sequence[str], environ: Mapping[str, str]) -> Options:
    """The options; raises BadUse."""
    parser = Parser(
        prog="python -m app status", description=DESCRIPTION, epilog=EPILOG, formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument("--redis", metavar="URL", help="Redis to read (else REDIS_URL, else this machine's dashboards)")
    parser.add_argument(
        "--watch", nargs="?", type=float, const=WATCH_SECONDS, metavar="SECONDS", help="look again every SECONDS (2)"
    )
    parser.add_argument("--lang", choices=sorted(LANGUAGES), help="language (else by LC_ALL, LC_MESSAGES, LANG)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="json: a document, one line a look")
    parser.add_argument("--all", action="store_true", help="every run, not only the 20 touched last")
    given = parser.parse_args(arguments)
    if given.watch is not None and not (math.isfinite(given.watch) and given.watch > 0):
        raise BadUse(f"--watch {given.watch:g} is no time: give a number of seconds above zero.")
    return Options(
        redis_url=redis_url(given.redis, environ),
        watch=given.watch,
        language=given.lang or preferred(environ),
        form=given.format,
        every_run=given.all,
    )

    return RawDescriptionHelpFormatter


def redis_url(given: str | None, environ: Mapping[str, str]) -> str | None:
    """The named server; it may hold a password, so that no message repeats it."""
    name, url = ("--redis", given) if given is not None else ("REDIS_URL", environ.get("REDIS_URL") or None)
    if url is not None and not url.startswith(SCHEMES):
        raise BadUse(f"{name} must begin with {', '.join(SCHEMES)}: correct it.")
    return url


def preferred(environ: Mapping[str, str]) -> str:
    """The language of the terminal, by the variable that counts most."""
    chosen = next((text for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (text := environ.get(name))), "")
    return "zh" if chosen.lower().startswith("zh") else "en"
