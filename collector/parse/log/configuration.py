"""Sections of the configuration that a log prints on one line, as a dict."""

from __future__ import annotations

import re

from collector.parse.configuration import section_of
from collector.parse.log.memory import LogMemory
from collector.parse.log.text import Line

# initial parallel_config from dict: {'data_parallel': 1, …   model_config: {'hidden_size': 4096, …
NEEDLES = (b"_config from dict: {", b"_config: {'", b'_config: {"', b" config: {'", b' config: {"')
_SECTION = re.compile(rb"(\w{0,100}config)(?: from dict)?: \{\Z")
_LONGEST = 64 * 1024  # bytes of a dump that are read


def read_configuration(memory: LogMemory, text: bytes, line: Line) -> None:
    """The settings that a line tells; the newest win. What lies in a dump that was read opens no other one."""
    at, start, stop = line
    opened = text.find(b"{", at, stop)
    named = _SECTION.search(text[max(start, opened - 128) : opened + 1])
    if opened >= memory.configured and named:
        dump = text[opened : min(stop, opened + _LONGEST)].decode("utf-8", "replace")
        found, length = section_of(named[1].decode(), dump)
        memory.facts |= found
        memory.configured = opened + len(dump[:length].encode())
