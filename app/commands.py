"""The words behind ``python -m app`` that are commands, and which module runs each of them.

A directory that is called like one of them is given as ``./status``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Protocol, TextIO, cast

from app.launch.options import BadUse

# Each module has ``run`` as ``Command`` says. It is imported when its word is given: a dashboard's start need not wait
# for what tables and terminals are made with.
COMMANDS: Mapping[str, str] = {
    "status": "app.status.command",
    "export": "app.export.command",
    "bundle": "app.incident.command",
}


class Command(Protocol):
    """What a module of the table is."""

    def run(self, arguments: Sequence[str], environ: Mapping[str, str], out: TextIO) -> int:
        """The whole command; its exit code. Raises BadUse; Ctrl-C may come out of it."""
        ...


def obeyed(word: str, arguments: Sequence[str], environ: Mapping[str, str], out: TextIO, err: TextIO) -> int:
    """Run the command of a word; the exit code: 2 where it cannot be obeyed, 130 after Ctrl-C."""
    command = cast(Command, import_module(COMMANDS[word]))
    try:
        return command.run(arguments, environ, out)
    except BadUse as error:
        print(error, file=err, flush=True)
        return 2
    except KeyboardInterrupt:
        return 130


def known() -> str:
    """What the help says of them."""
    words = " and ".join(COMMANDS) if len(COMMANDS) < 3 else f"{', '.join([*COMMANDS][:-1])} and {[*COMMANDS][-1]}"
    first = next(iter(COMMANDS))
    return f"{words} are commands (python -m app {first} --help); a directory of such a name is given as ./{first}."
