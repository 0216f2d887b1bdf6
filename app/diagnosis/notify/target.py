"""Whom an address of a channel means, and what of it is secret. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qsl, unquote, urlsplit

Kind = Literal["feishu", "dingtalk", "wecom", "json", "apprise"]
OWN: tuple[Kind, ...] = ("feishu", "dingtalk", "wecom", "json")
SECRET_LENGTH = 6  # a shorter part of a path is a word such as "hook"
LAST = 4  # of a longer secret so many characters are shown, so that people can tell two apart

HOSTS: dict[str, Kind] = {
    "open.feishu.cn": "feishu",
    "open.larksuite.com": "feishu",
    "oapi.dingtalk.com": "dingtalk",
    "qyapi.weixin.qq.com": "wecom",
}
BY_APPRISE = ("hooks.slack.com", "hooks.slack-gov.com", "discord.com", "discordapp.com")
# feishu://token?secret=…   lark://token   dingtalk://secret@token   wecombot://key
SHORT: dict[str, str] = {
    "feishu": "https://open.feishu.cn/open-apis/bot/v2/hook/{token}",
    "lark": "https://open.larksuite.com/open-apis/bot/v2/hook/{token}",
    "dingtalk": "https://oapi.dingtalk.com/robot/send?access_token={token}",
    "wecombot": "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={token}",
}
KINDS: dict[str, Kind] = {"feishu": "feishu", "lark": "feishu", "dingtalk": "dingtalk", "wecombot": "wecom"}


class BadTarget(ValueError):
    """An address that nothing can be sent to; the message says what would be one, and holds no secret."""


@dataclass(frozen=True, slots=True)
class Target:
    """``url`` is where our own kinds are posted to, or what apprise takes; ``secret`` signs what is posted."""

    kind: Kind
    url: str
    secret: str = ""

    @property
    def shown(self) -> str:
        """The address without what is secret in it."""
        return masked(self.url, secrets_of(self))


def target(text: str, secret: str = "") -> Target:  # nosec B107 # most channels have none
    """Of what people write: a chat's webhook as it is given out; ``feishu+https://…`` and so on for one on a host of
    its own; any other https:// is a JSON webhook; everything else is apprise's."""
    parts = urlsplit(text)
    scheme, _, inner = parts.scheme.partition("+")
    if inner:
        return _explicit(text, scheme, inner, secret)
    if scheme in SHORT:
        return _short(text, scheme, secret)
    if scheme not in ("http", "https"):
        return _of_apprise(text, scheme)
    if not parts.hostname:
        raise BadTarget("The address names no host: write it as https://host/path.")
    if parts.hostname in BY_APPRISE:
        return Target("apprise", text)
    return Target(HOSTS.get(parts.hostname, "json"), text, secret)


def _explicit(text: str, scheme: str, inner: str, secret: str) -> Target:
    kind = next((one for one in OWN if one == scheme), None)
    if kind is None or inner not in ("http", "https"):
        raise BadTarget(f"“{scheme}+{inner}” is no kind of channel: {', '.join(OWN)} may stand before +https://.")
    if not urlsplit(text).hostname:
        raise BadTarget(f"The address names no host: write it as {scheme}+https://host/path.")
    return Target(kind, text.partition("+")[2], secret)


def _short(text: str, scheme: str, secret: str) -> Target:
    parts = urlsplit(text)
    told = dict(parse_qsl(parts.query)).get("secret", "")
    user, _, token = parts.netloc.rpartition("@")
    token = unquote(token.split(":")[0] + parts.path.rstrip("/"))
    if not token:
        raise BadTarget(f"The address names no token: write it as {scheme}://token.")
    return Target(KINDS[scheme], SHORT[scheme].format(token=token), secret or told or unquote(user))


def _of_apprise(text: str, scheme: str) -> Target:
    if not scheme or "://" not in text:
        raise BadTarget(
            "The address is none: write a webhook's https://…, or an address of apprise such as mailtos://… or slack://…."
        )
    if scheme == "file":
        raise BadTarget("A file is no channel: write a webhook's https://…, or an address of apprise.")
    return Target("apprise", text)


def secrets_of(one: Target) -> list[str]:
    """What must not be shown: user and password, what is in the query, and long parts of the path; of apprise's
    addresses the host too, since that is where tokens stand."""
    parts = urlsplit(one.url)
    found = [part for part in re.split(r"[/]", parts.path) if len(part) >= SECRET_LENGTH]
    found += [value for _, value in parse_qsl(parts.query) if len(value) >= SECRET_LENGTH]
    found += [part for part in (parts.username, parts.password) if part]
    if one.kind == "apprise" and not parts.scheme.startswith(("http", "mailto")):
        found.append(parts.netloc.rpartition("@")[2])
    return [*found, *([one.secret] if one.secret else [])]


def masked(text: str, secrets: Iterable[str]) -> str:
    """``text`` with every secret as ``…``, its last characters kept where it is long."""
    for one in sorted(
        {part for secret in secrets for part in (secret, unquote(secret)) if part}, key=len, reverse=True
    ):
        text = text.replace(one, "…" + (one[-LAST:] if len(one) >= 4 * LAST else ""))
    return text
