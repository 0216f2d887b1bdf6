"""What is said on a terminal: names of files are other people's text, and must not move its cursor or forge a line."""

from __future__ import annotations

import logging
import sys


def plain(text: str) -> str:
    """The text with control characters, line ends and bidirectional overrides spelled out."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


class Plain(logging.Formatter):
    """One line a record; the traceback of a fault of our own follows it as it is."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        """The line before a traceback."""
        return plain(super().formatMessage(record))


def set_up() -> None:
    """Log to standard error, in lines that can be trusted to be lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Plain("%(asctime)s %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
