"""What the server writes to its log: no secret, and no character that a terminal would obey.

An address may hold the token of a shared link, and whatever a stranger has put into it.
"""

from __future__ import annotations

import logging
import re
from typing import Any

from flask import Flask, request
from flask.logging import default_handler

from app.discreet.masking import masked

HIDDEN = "•••"
# ?token=abc, Authorization: Bearer abc, Cookie: tidewatch_session_8050=abc, /s/abcdef
SECRET = re.compile(
    r"(?i)((?:[?&;\s\"']|^)(?:token|secret|password|form|seal)=|(?:bearer|token)\s+|tidewatch_\w+=|/s/)[^\s&;\"'/?#,]{4,}"
)
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def safe(text: str) -> str:
    """``text`` with its secrets hidden and its control characters spelled, line by line."""
    hidden = SECRET.sub(rf"\1{HIDDEN}", masked(text))
    return CONTROL.sub(lambda one: f"\\x{ord(one[0]):02x}", hidden)


class Formatter(logging.Formatter):
    """As its parent, but ``safe``; what is said stays one line, and only a traceback has more."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        """The line."""
        return super().formatMessage(record).replace("\n", "\\n")

    def format(self, record: logging.LogRecord) -> str:
        """All of it, indented from its second line on, so that no word of a visitor begins a line."""
        return safe(super().format(record)).replace("\n", "\n  ")


class Server(Flask):
    """Flask, without files of its own, that names the route where something failed and not the address."""

    def __init__(self, name: str) -> None:
        """Whatever the environment says, no errors are shown to visitors."""
        super().__init__(name, static_folder=None)
        self.debug = False
        form = default_handler.formatter
        default_handler.setFormatter(Formatter(getattr(form, "_fmt", None)))

    def log_exception(self, exc_info: Any) -> None:
        """An error that nobody expected. Any: as Flask has it."""
        route = request.url_rule.rule if request.url_rule else "no route"
        self.logger.error("Exception at %s [%s]", route, request.method, exc_info=exc_info)
