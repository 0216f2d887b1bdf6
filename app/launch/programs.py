"""Which programs make up a dashboard on one machine, and with what arguments."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from app.launch.entry import Entry, without_secrets
from app.launch.options import Options
from app.launch.processes import Program, clean


@dataclass(frozen=True, slots=True)
class Station:
    """What the programs of one dashboard share."""

    root: Path
    options: Options
    listener: int  # descriptor of the page's socket
    redis_url: str
    entry: Entry = field(default_factory=Entry)  # who may come in


def programs(station: Station, environ: Mapping[str, str]) -> list[Program]:
    """The pages, the diagnosis and the collector, after the demonstration's writer where no directory was named."""
    settings = {**clean(environ), "REDIS_URL": station.redis_url}  # not as an argument: it may hold a password
    others = without_secrets(settings)
    demo = [demonstration(station, others)] if station.options.root is None else []
    return [*demo, web(station, settings), diagnosis(others), collector(station, others)]


def web(station: Station, settings: Mapping[str, str]) -> Program:
    """gunicorn on the socket that we hold, so that a restart refuses nobody."""
    command = (sys.executable, "-m", "gunicorn", "-c", "python:app.serving", "--bind", f"fd://{station.listener}")
    application, told = "app.factory:create_server()", {**settings, **station.entry.environ}
    return Program("web server", (*command, application), told, descriptors=(station.listener,))


def diagnosis(settings: Mapping[str, str]) -> Program:
    """The worker that says what is wrong."""
    return Program("diagnosis", (sys.executable, "-m", "app.diagnosis"), settings)


def collector(station: Station, settings: Mapping[str, str]) -> Program:
    """The follower of the one directory."""
    flags = ["--poll-only"] * station.options.poll_only + ["--demo"] * (station.options.root is None)
    flags += ["--layout", station.options.layout] if station.options.layout else []
    command = (sys.executable, "-m", "collector", "follow", *flags, "--", str(station.root))
    return Program("collector", command, settings)


def demonstration(station: Station, settings: Mapping[str, str]) -> Program:
    """The writer of the demonstration run, which is done at its last step."""
    return Program("demonstration", (sys.executable, "-m", "app.demo", str(station.root)), settings, ends_well=True)
