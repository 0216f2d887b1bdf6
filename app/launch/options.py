"""What `python -m app` is asked for: arguments and environment in, a checked value or one sentence out."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from app.access.addresses import is_loopback
from app.config import AppConfig, Setting
from collector.wire.address import SCHEMES
from collector.wire.layout import BadLayout, layout

SETTINGS = (
    Setting(
        "REDIS_URL",
        "an embedded server",
        "Redis that keeps the points: redis://, rediss:// (TLS), unix://, or redis+cluster://host:port,host:port.",
    ),
    Setting(
        "TIDEWATCH_DATA_DIR",
        "~/.local/share/tidewatch",
        "Where the embedded server keeps its data, one directory for each DIR; a local disk.",
    ),
)


class BadUse(Exception):
    """The command cannot be obeyed; the text says in one sentence what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Options:
    """One checked command line."""

    root: Path | None  # the directory to follow, absolute; None asks for the demonstration run
    host: str
    port: int  # 0 lets the system choose
    poll_only: bool
    redis_url: str | None  # None asks for the embedded server
    prefix: str  # path of the page, with slashes around it
    layout: str = ""  # how ranks are spread, empty where the files say it
    no_auth: bool = False  # whether nobody is asked for a password, whatever the address

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach the page."""
        return is_loopback(self.host)


class Parser(argparse.ArgumentParser):
    """Argument errors become sentences like all others."""

    def error(self, message: str) -> NoReturn:
        """Instead of the usage and exit."""
        raise BadUse(f"{message[:1].upper()}{message[1:]} ({self.prog} --help shows what can be given).")


def parse(arguments: Sequence[str], environ: Mapping[str, str], epilog: str = "") -> Options:
    """The options; raises BadUse, and app.config.BadSetting for a variable of the web process. ``epilog`` ends the
    help."""
    parser = Parser(
        prog="python -m app",
        description="Follow a training job's output directory and show it live.",
        epilog=epilog,
    )
    parser.add_argument("directory", nargs="?", metavar="DIR", help="output directory; without it a demonstration runs")
    parser.add_argument("--logdir", metavar="DIR", help="the same, as TensorBoard spells it")
    parser.add_argument("--summary-base-dir", metavar="DIR", help="the same, as MindInsight spells it")
    parser.add_argument("--port", type=int, default=8050, help="port of the page (8050)")
    host = "address of the page (127.0.0.1: this machine alone; on another a token is needed, and printed)"
    parser.add_argument("--host", default="127.0.0.1", help=host)
    parser.add_argument("--no-auth", action="store_true", help="ask nobody for a password, whoever reaches the page")
    parser.add_argument("--poll-only", action="store_true", help="no file notifications: for network storage")
    parser.add_argument("--layout", metavar="AXES", help="how ranks are spread, as dp=8,tp=4,pp=2")
    given = parser.parse_args(arguments)
    if not 0 <= given.port <= 65535:
        raise BadUse(f"--port {given.port} is no port: give a number from 1 to 65535.")
    return Options(
        root=root(given.directory, given.logdir, given.summary_base_dir),
        host=given.host.removeprefix("[").removesuffix("]") or "0.0.0.0",  # nosec B104 # as every socket takes it
        port=given.port,
        poll_only=given.poll_only,
        redis_url=redis_url(environ),
        prefix=AppConfig.from_environ(environ).prefix,
        layout=told_layout(given.layout),
        no_auth=given.no_auth,
    )


def told_layout(text: str | None) -> str:
    """What ``--layout`` says; BadUse when that is none."""
    try:
        return layout(text) if text is not None else ""
    except BadLayout as error:
        raise BadUse(str(error)) from None


def root(*given: str | None) -> Path | None:
    """The one directory that was named, in whichever spelling, or None; BadUse when it cannot be followed."""
    named = {Path(one).expanduser().absolute() for one in given if one}
    if not named:
        return None
    if len(named) > 1:
        raise BadUse(f"One directory can be followed, and these were given: {', '.join(map(str, sorted(named)))}.")
    (path,) = named
    if not path.exists():
        raise BadUse(f"{path} does not exist: give the directory into which the training job writes.")
    if not path.is_dir():
        raise BadUse(f"{path} is not a directory: give the directory into which the training job writes.")
    if not os.access(path, os.R_OK | os.X_OK):
        raise BadUse(f"{path} cannot be read by this user: give yourself read and search permission on it.")
    return path


def redis_url(environ: Mapping[str, str]) -> str | None:
    """REDIS_URL when it is set; it may hold a password, so that no message repeats it."""
    url = environ.get("REDIS_URL") or None
    if url is not None and not url.startswith(SCHEMES):
        raise BadUse(
            f"REDIS_URL must begin with {', '.join(SCHEMES)}: correct it, or unset it for a server of our own."
        )
    return url
