"""Who of a team may do what, as a gateway or a provider of identities names people: pure, and read from the environment
once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:  # a supervisor need not wait for Flask
    from app.access.identity import Role

EVERYBODY = "*"
CLIENT_SECRET = "TIDEWATCH_OIDC_CLIENT_SECRET"  # nosec B105 # the name of a variable
ISSUER = "TIDEWATCH_OIDC_ISSUER"
SCOPE, GROUPS = "openid profile email", "groups"


@dataclass(frozen=True, slots=True)
class Roles:
    """Words that stand for people: a group, a mail address, ``@example.org`` for all addresses there, ``*`` for all."""

    editors: tuple[str, ...] = ()
    viewers: tuple[str, ...] = ()

    def of(self, groups: Iterable[str], mail: str) -> Role | None:
        """What somebody may do; None for nothing."""
        mine = {EVERYBODY, *groups, *_of_mail(mail)}
        if mine & set(self.editors):
            return "editor"
        return "viewer" if mine & set(self.viewers) else None


def _of_mail(mail: str) -> Iterable[str]:
    said = mail.lower()
    at = said.rfind("@")
    return (said, said[at:]) if at > 0 else ()


@dataclass(frozen=True, slots=True)
class Headers:
    """Names of the headers in which a gateway says who it is."""

    user: str = "X-Forwarded-User"
    groups: str = "X-Forwarded-Groups"
    mail: str = "X-Forwarded-Email"


@dataclass(frozen=True, slots=True)
class Provider:
    """An OpenID Connect provider, and what it knows this dashboard by; the secret, or the file that holds it."""

    issuer: str
    client_id: str
    secret: str = field(default="", repr=False)
    secret_path: Path | None = None
    scope: str = SCOPE
    groups_claim: str = GROUPS


class BadTeam(ValueError):
    """A variable cannot be used; the text names it, and no secret."""


def roles(environ: Mapping[str, str], *, everybody_views: bool) -> Roles:
    """Who writes and who looks."""
    viewers = _words(environ.get("TIDEWATCH_VIEWERS", "")) or ((EVERYBODY,) if everybody_views else ())
    return Roles(_words(environ.get("TIDEWATCH_EDITORS", "")), viewers)


def _words(text: str) -> tuple[str, ...]:
    words = (one.strip() for one in text.split(","))
    return tuple(one.lower() if "@" in one else one for one in words if one)


def headers(environ: Mapping[str, str]) -> Headers:
    """Raises BadTeam for what is no name of a header."""
    names = {what: environ.get(f"TIDEWATCH_PROXY_{what.upper()}_HEADER", "") for what in ("user", "groups", "mail")}
    for what, name in names.items():
        if name and not (name.isascii() and name.replace("-", "").isalnum()):
            raise BadTeam(
                f"TIDEWATCH_PROXY_{what.upper()}_HEADER is {name!r}; a header such as Remote-User is expected."
            )
    return Headers(**{what: name for what, name in names.items() if name})


def provider(environ: Mapping[str, str], secret: str, path: Path | None, who: Roles) -> Provider:
    """Raises BadTeam where something is missing, or where whoever has an account there could come in."""
    issuer, client = environ.get(ISSUER, ""), environ.get("TIDEWATCH_OIDC_CLIENT_ID", "")
    if not is_safe(issuer):
        raise BadTeam(f"{ISSUER} is {issuer!r}; an address such as https://login.example.org/realms/team is expected.")
    if not client or not (secret or path):
        raise BadTeam(
            f"TIDEWATCH_AUTH=oidc needs TIDEWATCH_OIDC_CLIENT_ID and {CLIENT_SECRET} or {CLIENT_SECRET}_FILE."
        )
    if not who.editors and not who.viewers:
        raise BadTeam(
            "TIDEWATCH_AUTH=oidc needs TIDEWATCH_EDITORS or TIDEWATCH_VIEWERS: groups, addresses, or * for all."
        )
    scope = environ.get("TIDEWATCH_OIDC_SCOPE") or SCOPE
    return Provider(issuer, client, secret, path, scope, environ.get("TIDEWATCH_OIDC_GROUPS") or GROUPS)


def is_safe(address: str) -> bool:
    """Whether what is told to an address, or by it, can be read by nobody on the way."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return False
    if parts.scheme == "http":
        return host in ("127.0.0.1", "::1", "localhost")
    return parts.scheme == "https" and bool(host)
