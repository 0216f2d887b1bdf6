"""Who may come in to what ``python -m app`` serves: settled here, before anything is started, and told to the process
of the pages by its environment, so that a crash of that process changes no token."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from app.access.given import AUTH, FILE, SECRET, SECRETS, TOKEN, BadSecret
from app.access.keyring import Keyring
from app.config import AppConfig, BadSetting
from app.launch.listening import names
from app.launch.options import Options

TOKEN_BYTES = 24  # 192 bits


@dataclass(frozen=True, slots=True)
class Entry:
    """``environ`` is what the pages are told besides; ``token`` was made here and is printed once; ``asks`` says
    whether visitors need one."""

    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    token: str = field(default="", repr=False)
    asks: bool = False
    warnings: tuple[str, ...] = ()


def entry(options: Options, environ: Mapping[str, str], home: Path, root: Path) -> Entry:
    """``home`` is where data of this person lies, ``root`` the followed directory. Raises BadSetting."""
    told = {
        "TIDEWATCH_HOST": options.host,
        "TIDEWATCH_ALLOWED_HOSTS": ",".join(
            filter(None, [*names(options.host), environ.get("TIDEWATCH_ALLOWED_HOSTS")])
        ),
        **({AUTH: "none"} if options.no_auth else {}),
    }
    config = checked({**environ, **told})
    token = secrets.token_urlsafe(TOKEN_BYTES) if config.is_locked else ""
    told |= {TOKEN: token} if token else {}
    has_key = environ.get(SECRET) or environ.get(SECRET + FILE)
    is_followed = not has_key and home.resolve().is_relative_to(root.resolve())
    told |= {SECRET: secrets.token_hex(32)} if is_followed else {}
    return Entry(told, token, not config.is_open, tuple(warnings(options, config, is_followed)))


def checked(environ: Mapping[str, str]) -> AppConfig:
    """The configuration, with each secret looked at also where it lies in a file. Raises BadSetting."""
    config = AppConfig.from_environ(environ)
    try:
        Keyring(config.access.given, b"")
    except BadSecret as error:
        raise BadSetting(str(error)) from None
    return config


def warnings(options: Options, config: AppConfig, is_followed: bool) -> Iterator[str]:
    """What a person should know before others come."""
    if not options.loopback and config.is_open:
        yield f"Warning: whoever reaches {options.host} can see your runs and write: no password is asked for."
    elif not options.loopback:
        yield (
            f"Whoever reaches {options.host} needs the token or a password. Both can be read on the way: put a proxy "
            "with TLS in front where others share the network."
        )
    if is_followed:
        yield (
            "Warning: TIDEWATCH_DATA_DIR lies in the directory that is followed, so no signing key is kept there: "
            "sessions and shared links end with this process; set TIDEWATCH_SECRET to keep them."
        )


def without_secrets(environ: Mapping[str, str]) -> dict[str, str]:
    """For every process but the one of the pages."""
    return {name: text for name, text in environ.items() if name not in SECRETS}
