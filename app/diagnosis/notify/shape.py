"""What each chat wants to be posted, and what its answer means. Pure; ``now`` in Unix seconds.

These are our own because apprise (2.3) signs nothing for Feishu, encodes DingTalk's signature twice, sends WeCom plain
text alone, takes a refusal that comes with status 200 for success, and has no signature for JSON.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from app.diagnosis.notify.message import Message, markdown, plain
from app.diagnosis.notify.target import Target

FEISHU_BYTES = 18_000  # of 20 KB for the whole request
DINGTALK_BYTES = 18_000  # of 20,000 bytes
WECOM_BYTES = 4_000  # of 4,096 for Markdown
WECOM_PICTURE = 2 * 2**20  # bytes of an image, before it is encoded
COLOURS = {"info": "blue", "warning": "orange", "critical": "red"}
SHOWN = 300  # characters of an answer


@dataclass(frozen=True, slots=True)
class Request:
    """One POST."""

    url: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether the channel took the message, and what it said."""

    taken: bool
    said: str


def request(target: Target, message: Message, now: float) -> Request:
    """What is posted to a target of our own kinds."""
    if target.kind == "feishu":
        return _json(target.url, {**_feishu_signed(target.secret, now), **feishu(message)})
    if target.kind == "dingtalk":
        return _json(_dingtalk_signed(target, now), dingtalk(message))
    if target.kind == "wecom":
        return _json(target.url, wecom(message))
    return signed(target, message, now)


def pictured(target: Target, message: Message) -> Request | None:
    """What is posted after a message that was taken: its picture, where a target of our own kinds takes one. Feishu and
    DingTalk do from apps that are registered with them, not from webhooks."""
    if target.kind != "wecom" or not 0 < len(message.picture) <= WECOM_PICTURE:
        return None
    return _json(target.url, wecom_picture(message.picture))


def _json(url: str, payload: Mapping[str, Any]) -> Request:
    # UTF-8 as it is: escapes would double the size of Chinese, and chats limit it
    return Request(
        url, {"Content-Type": "application/json; charset=utf-8"}, json.dumps(payload, ensure_ascii=False).encode()
    )


def feishu(message: Message) -> dict[str, Any]:
    """A card of plain text, which is not interpreted, with a button."""
    elements: list[dict[str, Any]] = [
        {"tag": "div", "text": {"tag": "plain_text", "content": plain(message, FEISHU_BYTES)}}
    ]
    if message.link:
        words = {"tag": "plain_text", "content": message.link_words}
        elements.append(
            {"tag": "action", "actions": [{"tag": "button", "text": words, "url": message.link, "type": "primary"}]}
        )
    colour = "green" if message.is_over else COLOURS[message.severity]
    header = {"title": {"tag": "plain_text", "content": message.title}, "template": colour}
    return {
        "msg_type": "interactive",
        "card": {"config": {"wide_screen_mode": True}, "header": header, "elements": elements},
    }


def _feishu_signed(secret: str, now: float) -> dict[str, str]:
    if not secret:
        return {}
    stamp = str(int(now))
    sign = hmac.new(f"{stamp}\n{secret}".encode(), b"", hashlib.sha256).digest()
    return {"timestamp": stamp, "sign": base64.b64encode(sign).decode()}


def dingtalk(message: Message) -> dict[str, Any]:
    """Markdown; the title is what the list of chats shows."""
    text = f"### {message.title}\n\n{markdown(message, DINGTALK_BYTES)}"
    return {"msgtype": "markdown", "markdown": {"title": message.title, "text": text}, "at": {"isAtAll": False}}


def _dingtalk_signed(target: Target, now: float) -> str:
    if not target.secret:
        return target.url
    stamp = str(round(now * 1000))
    sign = hmac.new(target.secret.encode(), f"{stamp}\n{target.secret}".encode(), hashlib.sha256).digest()
    joint = "&" if "?" in target.url else "?"
    return f"{target.url}{joint}timestamp={stamp}&sign={quote(base64.b64encode(sign), safe='')}"


def wecom(message: Message) -> dict[str, Any]:
    """Markdown, of which WeCom takes little and knows little."""
    head = f"### {message.title}\n"
    body = markdown(message, WECOM_BYTES - len(head.encode()), fenced=False)
    return {"msgtype": "markdown", "markdown": {"content": head + body}}


def wecom_picture(picture: bytes) -> dict[str, Any]:
    """A PNG as a message of its own: WeCom's Markdown takes none."""
    return {
        "msgtype": "image",
        "image": {
            "base64": base64.b64encode(picture).decode(),
            "md5": hashlib.md5(picture, usedforsecurity=False).hexdigest(),
        },
    }


def signed(target: Target, message: Message, now: float) -> Request:
    """JSON for machines. The signature is HMAC-SHA256 of ``timestamp.body`` with the secret, in hexadecimal; whoever
    receives should refuse old timestamps, and ids that it has seen."""
    body = json.dumps(document(message), ensure_ascii=False).encode()
    stamp = str(int(now))
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "X-Tidewatch-Id": message.id,
        "X-Tidewatch-Timestamp": stamp,
    }
    if target.secret:
        digest = hmac.new(target.secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
        headers["X-Tidewatch-Signature"] = f"sha256={digest}"
    return Request(target.url, headers, body)


def document(message: Message) -> dict[str, Any]:
    """A message as data."""
    return {
        "id": message.id,
        "run": message.run,
        "title": message.title,
        "severity": message.severity,
        "over": message.is_over,
        "text": plain(message),
        "findings": [{"heading": one.heading, "lines": one.lines} for one in message.blocks],
        "link": message.link,
    }


def answer(target: Target, status: int, body: bytes) -> Answer:
    """What a status and a body mean: chats refuse with status 200 and a code. A redirect is not followed."""
    said = " ".join(f"HTTP {status} {body.decode(errors='replace')}".split())[:SHOWN]
    if 300 <= status < 400:
        return Answer(False, f"HTTP {status}: redirects are not followed; set the address that it leads to.")
    return Answer(200 <= status < 300 and not _code(target, body), said)


def _code(target: Target, body: bytes) -> object:
    """The code that a chat refuses with; 0 or None is success."""
    if target.kind == "json":
        return None
    try:
        told = json.loads(body)
    except ValueError:
        return "no JSON"
    if not isinstance(told, dict):
        return "no object"
    return told.get("code") or told.get("StatusCode") or told.get("errcode")
