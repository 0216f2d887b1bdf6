"""``python -m app.diagnosis``: worker, ``report``, ``replay``, ``test-notify``; exit codes, one sentence an error."""

from __future__ import annotations

import argparse
import json
import logging
import os
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from app.cluster_store import opened
from app.config import BadSetting
from app.diagnosis.cases import BadCase
from app.diagnosis.config import WorkerConfig
from app.diagnosis.notify import trial
from app.diagnosis.notify.senders import sending
from app.diagnosis.notify.settings import BadAlerts
from app.diagnosis.offline import report
from app.diagnosis.offline.delivered import Unreadable
from app.diagnosis.replay import Alert, replay
from app.diagnosis.store import AlertStore
from app.diagnosis.worker import Worker
from app.launch.supervisor import ending_on_signals

USER_ERROR = 2
INTERRUPTED = 130  # as shells have it


def main(arguments: Sequence[str]) -> int:
    """Run one command; the exit code: 0; of ``report`` 1 where something was found; 2 with a sentence on stderr,
    130 when it was interrupted."""
    options = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], int] = options.command
    try:
        return command(options)
    except (BadAlerts, BadCase, BadSetting, Unreadable) as error:
        print(f"diagnosis: {error}", file=sys.stderr)
        return USER_ERROR
    except BrokenPipeError:  # the reader of our output has seen enough (head, less)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED


def _work(options: argparse.Namespace) -> int:
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    config = WorkerConfig.from_environ(os.environ, options.alerts)
    store, alerts = opened(config.redis_url), AlertStore(config.redis_url)
    try:
        who = socket.gethostname(), os.getpid()
        name, told = f"{who[0]}:{who[1]}", config.alerts
        channels = sending(told.channels, config.redis_url, config.home, name, told.rules)
        with ending_on_signals() as ending, channels:
            Worker(store, alerts, who, rules=config.alerts.rules, tuning=config.alerts.classes).run(ending)
    finally:
        alerts.close()
        store.close()
    return 0


def _replay(options: argparse.Namespace) -> int:
    out: Path = options.out
    if not out.absolute().parent.is_dir():
        raise BadCase(f"{out} cannot be written: {out.absolute().parent} is no folder; make it, or name another.")
    found: list[Alert] = []
    count = rows = 0
    for case, alerts in replay(options.cases):
        found += alerts
        count, rows = count + 1, rows + len(case.rows)
    _write(found, out)
    print(f"{len(found)} alerts in {rows} rows of {count} cases: {out}")
    return 0


def _write(alerts: Sequence[Alert], out: Path) -> None:
    """As JSON; whole or not at all."""
    part = out.with_name(f"{out.name}.part")
    try:
        part.write_text(json.dumps(alerts, indent=0, allow_nan=False))
        part.replace(out)
    except OSError as error:
        raise BadCase(f"{out} cannot be written ({error.strerror}): name another file.") from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m app.diagnosis",
        description="Say what is wrong with runs: without a command of all that REDIS_URL holds, until it is stopped.",
    )
    parser.add_argument("--alerts", type=Path, metavar="YAML", help="who is told of alerts, and further rules")
    parser.set_defaults(command=_work)
    commands = parser.add_subparsers(metavar="COMMAND")
    replaying = commands.add_parser(
        "replay",
        help="what would have been said of recorded runs",
        description="Give recorded runs to the rules row by row, and write every alert with the step at which it would "
        "have been raised.",
    )
    replaying.add_argument("cases", type=Path, metavar="CASES", help="folder of cases, one case, or a CSV table")
    replaying.add_argument("--out", type=Path, required=True, metavar="JSON", help="file that the alerts go to")
    replaying.set_defaults(command=_replay)
    report.add(commands, lambda options: report.run(options, os.environ))
    trial.add(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
