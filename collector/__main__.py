"""``python -m collector follow | read | dump``: arguments, exit codes, and one sentence for each error."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

# numpy's linear algebra, which nothing here uses, starts a thread a core that spins for 50 ms each
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from collector import dump, handing, loop, read, said
from collector.config import SETTINGS, Config, from_env
from collector.errors import CollectorError, InputError, StoreAway
from collector.runs import Naming
from collector.said import plain
from collector.service import Pace
from collector.store import Store
from collector.wire.layout import BadLayout, layout

USER_ERROR = 2
MOST_KEPT = 2**24  # MiB
MOST_RANKS = 1_000_000
FORMS = "json or csv for people; commits: for programs, what follow would store (default: json)"


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run one command; returns the exit code: 0, or 2 with one sentence on stderr."""
    options = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace, Config], int] = options.command
    try:
        return command(options, from_env(environ))
    except StoreAway as error:
        print(plain(f"collector: {error}: start it, or name another with --redis."), file=sys.stderr)
        return USER_ERROR
    except CollectorError as error:
        print(plain(f"collector: {error}"), file=sys.stderr)
        return USER_ERROR
    except BrokenPipeError:  # the reader of our output has seen enough (head, less)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _follow(options: argparse.Namespace, config: Config) -> int:
    said.set_up()
    roots = [os.path.abspath(path) for path in options.paths]  # noqa: PTH100 (resolve() would follow links)
    for root in roots:
        _must_be_readable(Path(root))
    poll_only = config.poll_only or options.poll_only
    keep = config.keep_mb if options.keep_mb is None else options.keep_mb
    if not 0 <= keep <= MOST_KEPT:
        raise InputError(f"--keep-mb {keep:g} is no size: give MiB of points a run, or 0 to fold nothing.")
    links = config.follow_links or options.follow_links
    config = replace(
        config, redis_url=options.redis or config.redis_url, poll_only=poll_only, keep_mb=keep, follow_links=links
    )
    loop.follow(roots, config, _told(options))
    return 0


def _told(options: argparse.Namespace) -> Naming:
    if options.rank_offset is not None and not 0 <= options.rank_offset < MOST_RANKS:
        raise InputError(
            f"--rank-offset {options.rank_offset} is no rank: give the global rank of this host's worker_0."
        )
    try:
        told = layout(options.layout) if options.layout is not None else ""
    except BadLayout as error:
        raise InputError(str(error)) from None
    return Naming(options.run, options.demo, told, options.rank_offset)


def _read(options: argparse.Namespace, config: Config) -> int:
    if options.format == "commits":
        return _hand_over(options, config)
    links = config.follow_links or options.follow_links
    for path in options.paths:
        read.run(path, form=options.format, tag=options.tag, out=sys.stdout, follow_links=links)
    return 0


def _hand_over(options: argparse.Namespace, config: Config) -> int:
    if len(options.paths) != 1 or options.tag is not None:
        raise InputError("--format commits tells all of one PATH: name one, without --tag.")
    links = config.follow_links or options.follow_links
    pace = Pace(bound=config.read_bytes)
    return handing.run(options.paths[0], sys.stdout.buffer, _told(options), pace, follow_links=links)


def _dump(options: argparse.Namespace, config: Config) -> int:
    store = Store(options.redis or config.redis_url)
    try:
        return dump.run(store, options.run, sys.stdout)
    finally:
        store.close()


def _must_be_readable(root: Path) -> None:
    if not root.exists():
        raise InputError(f"{root} does not exist: name the directory that the training job writes to.")
    if not os.access(root, os.R_OK | os.X_OK if root.is_dir() else os.R_OK):
        raise InputError(f"{root} cannot be read by this user: let it read the directory and the files below it.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m collector",
        description="Follow what a MindFormers training job writes, and keep Redis equal to it.",
        epilog="Environment: " + " ".join(f"{one.name} (default {one.default}): {one.help}" for one in SETTINGS),
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_follow(commands)
    _add_read(commands)
    _add_dump(commands)
    return parser


def _add_follow(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    follow = commands.add_parser(
        "follow",
        help="follow directories until stopped",
        description="Follow every log, event file and summary below the directories; stop with Ctrl-C or SIGTERM.",
    )
    follow.add_argument("paths", nargs="+", metavar="DIR", help="directory that a training job writes to")
    follow.add_argument(
        "--run", metavar="NAME", help="name of the run, so that collectors on several hosts meet in one"
    )
    follow.add_argument(
        "--layout", metavar="AXES", help="how ranks are spread, as dp=8,tp=4,pp=2; otherwise read from the run's files"
    )
    follow.add_argument(
        "--rank-offset", type=int, metavar="N", help="global rank of worker_0 here, where msrun counts on each host"
    )
    follow.add_argument(
        "--keep-mb",
        type=float,
        metavar="MIB",
        help="points of a run that stay exact; older ones are folded beyond that",
    )
    _add_redis(follow)
    follow.add_argument("--poll-only", action="store_true", help="no notifications: for NFS, Lustre and CIFS")
    _add_links(follow)
    follow.add_argument("--demo", action="store_true", help="mark the runs as a demonstration")
    follow.set_defaults(command=_follow)


def _add_read(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    reading = commands.add_parser(
        "read",
        help="print every scalar of files or directories",
        description="Print every scalar of a log, an event file, a summary, or a directory of them; no Redis needed.",
    )
    reading.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="file or directory")
    reading.add_argument("--format", choices=("json", "csv", "commits"), default="json", help=FORMS)
    _add_links(reading)
    reading.add_argument("--tag", metavar="REGEX", help="only tags that match")
    reading.add_argument("--layout", metavar="AXES", help="with commits: how ranks are spread, as follow takes it")
    reading.set_defaults(command=_read, run=None, demo=False, rank_offset=None)


def _add_links(command: argparse.ArgumentParser) -> None:
    command.add_argument("--follow-links", action="store_true", help="follow links out of the directory to anything")


def _add_dump(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    dumping = commands.add_parser(
        "dump",
        help="print what Redis holds",
        description="Print every stored point in the same form as read, runs by their id.",
    )
    dumping.add_argument("--run", metavar="ID", help="only this run")
    dumping.add_argument("--format", choices=("json",), default="json", help="default: json")
    _add_redis(dumping)
    dumping.set_defaults(command=_dump)


def _add_redis(command: argparse.ArgumentParser) -> None:
    command.add_argument("--redis", metavar="URL", help="default: REDIS_URL, else redis://127.0.0.1:6379/0")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
