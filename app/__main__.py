"""``python -m app DIR``: Redis, collector, pages, and without DIR a demonstration run, on one machine, with one URL.
``python -m app WORD``: what app.commands lists.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack

from app.commands import COMMANDS, known, obeyed
from app.config import BadSetting
from app.demo import place
from app.launch import embedded, listening
from app.launch.entry import entry
from app.launch.greeting import Greeting
from app.launch.locks import NoLock
from app.launch.options import BadUse, Options, parse
from app.launch.programs import Station, programs
from app.launch.supervisor import ending_on_signals, supervise


def say(line: str) -> None:
    """One line for the person at the terminal."""
    print(line, file=sys.stderr, flush=True)


def run(options: Options, environ: Mapping[str, str]) -> int:
    """Everything from the bound port to the last stopped process; the exit code."""
    with ExitStack() as held:
        listener = held.enter_context(listening.bind(options.host, options.port))
        home = embedded.data_home(environ)
        root = options.root or held.enter_context(place.directory(home))
        server = None
        if options.redis_url is None:
            data = embedded.data_directory(home, root.resolve()) if options.root else root.with_name("redis")
            server = held.enter_context(embedded.held(data, embedded.find_program(environ.get("PATH"))))
        way = entry(options, environ, home, root)
        for line in way.warnings:
            say(line)
        station = Station(root, options, listener.fileno(), server.url if server else str(options.redis_url), way)
        ending = held.enter_context(ending_on_signals())
        greeting = Greeting(options, root, listener.getsockname()[1], way)

        def every_turn() -> None:
            if server:
                server.revive()
            greeting.when_ready()

        return supervise(programs(station, environ), ending, every_turn=every_turn, say=say)


def main() -> int:
    """0 after a stop that was asked for, 2 when we cannot do what was asked, 1 when something broke."""
    if sys.argv[1:] and sys.argv[1] in COMMANDS:
        return obeyed(sys.argv[1], sys.argv[2:], os.environ, sys.stdout, sys.stderr)
    try:
        options = parse(sys.argv[1:], os.environ, known())
        return run(options, os.environ)
    except (BadUse, BadSetting, embedded.NoServer, NoLock) as error:
        say(str(error))
        return 2
    except KeyboardInterrupt:  # before everything runs, or a second one while it stops
        return 130


if __name__ == "__main__":
    sys.exit(main())
