"""What the web process can be told: one frozen value and the table that README is tested against."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from app.access import addresses
from app.access.given import TEAMS, Access, BadSecret, access
from app.access.trusted import Trusted

LOOPBACK = addresses.LOOPBACK


class BadSetting(ValueError):
    """A variable holds something that cannot be used; the message names the variable, value and expectation."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One environment variable: its name, what holds without it, and what it is for."""

    name: str
    default: str
    help: str


SETTINGS = (
    Setting(
        "REDIS_URL", "redis://127.0.0.1:6379/0", "Redis that the pages read; TLS and ACL users come through the URL."
    ),
    Setting("TIDEWATCH_HOST", "127.0.0.1", "Address the server is bound to; pages are answered under this name."),
    Setting(
        "TIDEWATCH_ALLOWED_HOSTS",
        "",
        "Further host names, comma-separated, under which a browser may reach the pages (a proxy's public name).",
    ),
    Setting("TIDEWATCH_PREFIX", "/", "Path under which everything is served, for a proxy that shares its host."),
    Setting("TIDEWATCH_URL", "", "Address of the pages as people reach them, for links that are shared."),
    Setting("TIDEWATCH_MAX_STREAMS", "96", "Live streams open at once; each one holds a thread of the server."),
    Setting("TIDEWATCH_CACHE_MB", "256", "Memory in MiB for points already read from Redis."),
    Setting(
        "TIDEWATCH_AUTH",
        "auto",
        "Who needs a password. auto: everybody, unless only this machine can come and none is set; none: nobody; "
        "token: everybody. proxy: a gateway in front says who it is; oidc: people log in at a provider of identities.",
    ),
    Setting(
        "TIDEWATCH_TOKEN",
        "",
        "Token of editors, 16 characters or more; made at start where one is needed. Or TIDEWATCH_TOKEN_FILE names a "
        "file with it, as of the secrets that follow; a file that changes counts within seconds.",
    ),
    Setting("TIDEWATCH_PASSWORD", "", "Password of editors, 8 characters or more, for the page to log in alone."),
    Setting("TIDEWATCH_VIEWER_TOKEN", "", "Token of viewers, who see everything and write nothing."),
    Setting("TIDEWATCH_VIEWER_PASSWORD", "", "Password of viewers."),
    Setting(
        "TIDEWATCH_SECRET",
        "",
        "Key that signs sessions and shared links; without it one is made and kept in TIDEWATCH_DATA_DIR.",
    ),
    Setting(
        "TIDEWATCH_TRUSTED_PROXIES",
        "",
        "Addresses or networks of proxies in front, comma-separated, and unix for a socket: their X-Forwarded-For, "
        "-Proto, -Host and -Prefix are believed, and with TIDEWATCH_AUTH=proxy who they say it is; nobody else's.",
    ),
    Setting(
        "TIDEWATCH_EDITORS",
        "",
        "Groups, mail addresses and @domains of those who write, comma-separated, with proxy and oidc; * is all.",
    ),
    Setting("TIDEWATCH_VIEWERS", "", "The same of those who look; with proxy all, unless some are named."),
    Setting("TIDEWATCH_PROXY_USER_HEADER", "X-Forwarded-User", "Header in which the gateway names who it is."),
    Setting("TIDEWATCH_PROXY_GROUPS_HEADER", "X-Forwarded-Groups", "Header with their groups, comma-separated."),
    Setting("TIDEWATCH_PROXY_MAIL_HEADER", "X-Forwarded-Email", "Header with their mail address."),
    Setting("TIDEWATCH_OIDC_ISSUER", "", "Address of the OpenID Connect provider, below which its discovery lies."),
    Setting("TIDEWATCH_OIDC_CLIENT_ID", "", "What the provider knows this dashboard by."),
    Setting("TIDEWATCH_OIDC_CLIENT_SECRET", "", "Its secret there; or TIDEWATCH_OIDC_CLIENT_SECRET_FILE."),
    Setting("TIDEWATCH_OIDC_SCOPE", "openid profile email", "What the provider is asked to tell."),
    Setting("TIDEWATCH_OIDC_GROUPS", "groups", "Claim that holds somebody's groups."),
)


@dataclass(frozen=True, slots=True)
class AppConfig:
    """Settings of one web process."""

    redis_url: str = "redis://127.0.0.1:6379/0"
    host: str = "127.0.0.1"
    allowed_hosts: tuple[str, ...] = ()  # lower case, without port
    prefix: str = "/"  # begins and ends with a slash
    max_streams: int = 96
    cache_bytes: int = 256 * 2**20
    url: str = ""  # of the pages as people reach them, with a slash at its end; "" where nobody said it
    access: Access = field(default_factory=Access)
    trusted_proxies: Trusted = field(default_factory=Trusted)
    ended: Path | None = None  # the file of sessions that were logged out
    # Signs cookies and shared links; one that nobody gave holds as long as this process.
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False, compare=False)

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> AppConfig:
        """The configuration that ``environ`` describes; raises BadSetting."""
        text = {one.name: environ.get(one.name) or one.default for one in SETTINGS}
        return cls(
            redis_url=text["REDIS_URL"],
            host=text["TIDEWATCH_HOST"],
            allowed_hosts=tuple(
                one.strip().lower() for one in text["TIDEWATCH_ALLOWED_HOSTS"].split(",") if one.strip()
            ),
            prefix=_prefix(text["TIDEWATCH_PREFIX"]),
            url=_url(text["TIDEWATCH_URL"]),
            max_streams=_positive("TIDEWATCH_MAX_STREAMS", text["TIDEWATCH_MAX_STREAMS"]),
            cache_bytes=_positive("TIDEWATCH_CACHE_MB", text["TIDEWATCH_CACHE_MB"]) * 2**20,
            access=_access(environ),
            trusted_proxies=_trusted(text["TIDEWATCH_TRUSTED_PROXIES"], text["TIDEWATCH_AUTH"]),
        )

    @property
    def is_open(self) -> bool:
        """Whether everybody who comes is an editor: nobody but this machine can come, or it was said explicitly."""
        near = addresses.is_near(self.host, self.allowed_hosts) and not self.access.given
        return self.access.auth == "none" or (self.access.auth == "auto" and near)

    @property
    def is_locked(self) -> bool:
        """Whether nobody can come in, since a password is needed and there is none."""
        return not self.is_open and not self.access.given and self.access.auth not in TEAMS


def _access(environ: Mapping[str, str]) -> Access:
    try:
        return access(environ)
    except BadSecret as error:
        raise BadSetting(str(error)) from None


def _trusted(text: str, auth: str) -> Trusted:
    expected = "addresses or networks such as 10.0.0.0/8 are expected, or unix"
    try:
        found = Trusted.parsed(text)
    except ValueError:
        raise BadSetting(f"TIDEWATCH_TRUSTED_PROXIES is {text!r}; {expected}.") from None
    if auth == "proxy" and not found:
        raise BadSetting(f"TIDEWATCH_AUTH=proxy needs TIDEWATCH_TRUSTED_PROXIES; {expected}.")
    return found


def home(text: str) -> str:
    """The address of the pages. Raises BadSetting."""
    try:
        parts = urlsplit(text)
    except ValueError:
        parts = urlsplit("")
    if text and (parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment):
        raise BadSetting(f"TIDEWATCH_URL is {text!r}; an address such as https://watch.example/ is expected.")
    return text


def _url(text: str) -> str:
    found = home(text)
    return found if found.endswith("/") or not found else f"{found}/"


def _positive(name: str, text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise BadSetting(f"{name} is {text!r}; a whole number above zero is expected.")
    return int(text)


def _prefix(text: str) -> str:
    if not text.startswith("/") or any(one in text for one in "?#\\ ") or "//" in text:
        raise BadSetting(f"TIDEWATCH_PREFIX is {text!r}; a path such as /tidewatch/ is expected.")
    return text if text.endswith("/") else text + "/"
