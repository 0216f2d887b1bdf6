"""Settings of the collector: one table, one frozen value, read once from an ``environ`` argument."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

from collector.errors import InputError


class Setting(NamedTuple):
    """One environment variable; README is tested against this table."""

    name: str
    default: str
    help: str


SETTINGS = (
    Setting("REDIS_URL", "redis://127.0.0.1:6379/0", "Redis that the collector writes to; --redis wins."),
    Setting("TIDEWATCH_POLL_ONLY", "0", "1: use no notifications, as on NFS, Lustre and CIFS; same as --poll-only."),
    Setting("TIDEWATCH_POLL_SECONDS", "0.1", "How often a growing file is looked at when no notification comes."),
    Setting("TIDEWATCH_IDLE_SECONDS", "2", "How often every other file, and the list of files, is looked at."),
    Setting(
        "TIDEWATCH_HOSTNAME", "", "Name of this host; default: the system's. In containers one that stays the same."
    ),
    Setting(
        "TIDEWATCH_KEEP_MB",
        "4096",
        "MiB of points of a run that stay exact in Redis; beyond, older ones are folded. 0: never; same as --keep-mb.",
    ),
    Setting(
        "TIDEWATCH_FOLLOW_LINKS",
        "0",
        "1: follow links out of the directory to anything; otherwise to directories of who made the link. Same as"
        " --follow-links.",
    ),
    Setting("TIDEWATCH_READ_BYTES", "2097152", "Bytes read from one file before the next one has its turn."),
)


@dataclass(frozen=True, slots=True)
class Config:
    """What the environment sets; the command line may replace fields."""

    redis_url: str
    poll_only: bool
    poll_seconds: float
    idle_seconds: float
    read_bytes: int
    keep_mb: float = 0.0
    hostname: str = ""
    follow_links: bool = False


def from_env(environ: Mapping[str, str]) -> Config:
    """The settings of ``environ``; a wrong value is an ``InputError`` that names variable, value and expectation."""
    values = {setting.name: environ.get(setting.name) or setting.default for setting in SETTINGS}
    return Config(
        redis_url=values["REDIS_URL"],
        poll_only=_switch("TIDEWATCH_POLL_ONLY", values),
        poll_seconds=_number("TIDEWATCH_POLL_SECONDS", values, least=0.01, most=60),
        idle_seconds=_number("TIDEWATCH_IDLE_SECONDS", values, least=0.05, most=600),
        keep_mb=_number("TIDEWATCH_KEEP_MB", values, least=0, most=2**24),
        read_bytes=int(_number("TIDEWATCH_READ_BYTES", values, least=4096, most=2**28)),
        hostname=values["TIDEWATCH_HOSTNAME"].strip(),
        follow_links=_switch("TIDEWATCH_FOLLOW_LINKS", values),
    )


def masked(url: str) -> str:
    """A URL that may be shown: its password, in the authority or in the query, is replaced."""
    try:
        parts = urlsplit(url)
        password = parts.password
    except ValueError:
        return "(unreadable URL)"
    query = "&".join("password=***" if one.startswith("password=") else one for one in parts.query.split("&"))
    authority = parts.netloc
    if password is not None:
        user, _, host = authority.rpartition("@")
        authority = f"{user.partition(':')[0]}:***@{host}"
    shown = f"{parts.scheme}://{authority}{parts.path}" if parts.scheme else parts.path
    return f"{shown}?{query}" if query else shown


def _switch(name: str, values: Mapping[str, str]) -> bool:
    words = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    try:
        return words[values[name].lower()]
    except KeyError:
        raise InputError(f"{name}={values[name]!r} is neither 1 nor 0.") from None


def _number(name: str, values: Mapping[str, str], *, least: float, most: float) -> float:
    try:
        number = float(values[name])
    except ValueError:
        number = float("nan")
    if not least <= number <= most:
        raise InputError(f"{name}={values[name]!r} is not a number from {least:g} to {most:g}.")
    return number
