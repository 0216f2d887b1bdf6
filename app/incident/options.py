"""What ``python -m app bundle`` is asked for: arguments and environment in, a checked value or one sentence out."""

from __future__ import annotations

from argparse import RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.incident.asked import Asked
from app.language import LANGUAGES
from app.launch.options import BadUse, Parser
from app.status.options import preferred, redis_url

DESCRIPTION = "Put all that is known about a stretch of a run into files that need no network."
EPILOG = """\
Without --from and --to the bundle is about the worst open alert, else about the newest steps. Into a directory (this
one, unless --out says another) go a page and an archive; --out FILE.html writes the page alone, any other FILE the
archive alone. Secrets in settings and logs are masked; names of hosts and paths are told in other words.
exit code: 0 written; 1 it could not be finished; 2 wrong use; 3 Redis does not answer; 130 Ctrl-C. Files have their
names when they are whole, and not before. A directory called bundle is shown by: python -m app ./bundle"""


@dataclass(frozen=True, slots=True)
class Options:
    """One checked command line."""

    run: str  # id or name
    asked: Asked
    out: Path
    force: bool  # also over files that are there
    redis_url: str | None  # None asks for the servers that this person's dashboards brought along
    language: str

    @property
    def is_directory(self) -> bool:
        """Whether both files go into ``out``."""
        return self.out.is_dir()

    @property
    def is_page(self) -> bool:
        """Whether ``out`` is to be the page alone."""
        return not self.is_directory and self.out.suffix.lower() in (".html", ".htm")


def parse(arguments: Sequence[str], environ: Mapping[str, str]) -> Options:
    """The options; raises BadUse."""
    parser = Parser(
        prog="python -m app bundle", description=DESCRIPTION, epilog=EPILOG, formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument("run", metavar="RUN", help="id or name of the run")
    parser.add_argument("--from", dest="first", type=int, metavar="STEP", help="first step")
    parser.add_argument("--to", dest="last", type=int, metavar="STEP", help="last step")
    parser.add_argument("--out", type=Path, default=Path(), metavar="DIR|FILE", help="where to (this directory)")
    parser.add_argument("--force", action="store_true", help="write over files that are there")
    parser.add_argument("--names", action="store_true", help="keep names of hosts and paths")
    parser.add_argument("--no-mask", action="store_true", help="do NOT mask passwords, tokens and keys")
    parser.add_argument("--redis", metavar="URL", help="Redis to read (else REDIS_URL, else this machine's dashboards)")
    parser.add_argument("--lang", choices=sorted(LANGUAGES), help="language (else by LC_ALL, LC_MESSAGES, LANG)")
    given = parser.parse_args(arguments)
    if given.first is not None and given.last is not None and given.first > given.last:
        raise BadUse(f"--from {given.first} is behind --to {given.last}: give the lower step first.")
    out: Path = given.out
    if not out.is_dir() and (given.out.name == "" or not out.parent.is_dir()):
        raise BadUse(f"There is no directory {out.parent}: make it, or give another --out.")
    return Options(
        run=given.run,
        asked=Asked(given.first, given.last, given.names, not given.no_mask),
        out=out,
        force=given.force,
        redis_url=redis_url(given.redis, environ),
        language=given.lang or preferred(environ),
    )
