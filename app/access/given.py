"""What the environment says of who may come in: variables in, one frozen value out. Files are read by keyring.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast, get_args

from app.access.team import CLIENT_SECRET, BadTeam, Headers, Provider, Roles, headers, provider, roles
from app.access.weak import Kind, weakness

if TYPE_CHECKING:  # a supervisor need not wait for Flask
    from app.access.identity import Role

Auth = Literal["auto", "none", "token", "proxy", "oidc"]
TEAMS = ("proxy", "oidc")  # somebody else knows who people are

AUTH = "TIDEWATCH_AUTH"
TOKEN = "TIDEWATCH_TOKEN"  # nosec B105 # the name of a variable
SECRET = "TIDEWATCH_SECRET"  # nosec B105 # the name of a variable
FILE = "_FILE"  # behind a variable's name: the file that holds its value
CREDENTIALS: Mapping[str, tuple[Role, Kind]] = {
    TOKEN: ("editor", "token"),
    "TIDEWATCH_PASSWORD": ("editor", "password"),
    "TIDEWATCH_VIEWER_TOKEN": ("viewer", "token"),
    "TIDEWATCH_VIEWER_PASSWORD": ("viewer", "password"),
}
# What only the process of the pages is to know.
SECRETS = frozenset(name + end for name in (*CREDENTIALS, SECRET, CLIENT_SECRET) for end in ("", FILE))


class BadSecret(ValueError):
    """A variable cannot be used; the text names it, and never what it holds."""


@dataclass(frozen=True, slots=True)
class Given:
    """One credential: its value, or the file that holds it."""

    name: str  # of the variable
    role: Role
    kind: Kind
    value: str = field(default="", repr=False)
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class Access:
    """Whether a password is asked for, and which are right; of a team, who says who people are, and what they may."""

    auth: Auth = "auto"
    given: tuple[Given, ...] = ()
    roles: Roles = field(default_factory=Roles)
    headers: Headers | None = None
    provider: Provider | None = None


def access(environ: Mapping[str, str]) -> Access:
    """What ``environ`` says. Raises BadSecret."""
    auth = environ.get(AUTH) or "auto"
    if auth not in get_args(Auth):
        raise BadSecret(f"{AUTH} is {auth!r}; one of {', '.join(get_args(Auth))} is expected.")
    who = roles(environ, everybody_views=auth == "proxy")
    given = tuple(_given(environ))
    try:
        told = headers(environ) if auth == "proxy" else None
        named = provider(environ, *said(environ, CLIENT_SECRET), who) if auth == "oidc" else None
    except BadTeam as error:
        raise BadSecret(str(error)) from None
    return Access(cast(Auth, auth), given, who, told, named)


def _given(environ: Mapping[str, str]) -> Iterator[Given]:
    for name, (role, kind) in CREDENTIALS.items():
        value, path = said(environ, name)
        if value:
            checked(name, value, kind)
        if value or path:
            yield Given(name, role, kind, value, path)


def said(environ: Mapping[str, str], name: str) -> tuple[str, Path | None]:
    """A secret's value and the file that holds it, of which one at most is there. Raises BadSecret."""
    value, path = environ.get(name, ""), environ.get(name + FILE, "")
    if value and path:
        raise BadSecret(f"{name} and {name}{FILE} are both set; leave one of them out.")
    return value, Path(path).expanduser() if path else None


def checked(name: str, value: str, kind: Kind) -> str:
    """The value; BadSecret for one that anybody would try."""
    if wrong := weakness(value, kind):
        raise BadSecret(f"{name} is {wrong}.")
    return value
