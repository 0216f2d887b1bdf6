"""Secrets in settings and in log text, replaced by ``•••`` before anything is handed out. Pure.

Masked is rather too much than too little: the price is a word of a log that cannot be read. A second time changes
nothing, the time is in proportion to the text, whatever it is, and lines keep their number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from app.discreet.secret_blocks import without_blocks
from app.discreet.secret_names import anything, is_secret, possibly, surely
from app.discreet.secret_shapes import MASK, without_shapes

TURNS = 8  # what a mask leaves may tell anew; nothing seen needed more than two
LONGEST_NAME = 200  # of a longer one the end tells
AFTER = ",;)}]>，。；）】"  # what belongs to the text around a word: hunter2),
INDENT = 200  # a name that stands farther from the beginning of its line does not begin it

# password: x   "hf_token" = x   \"token\":\"x\"   --api-key x   password is 'x'   <secret>x
_NAMED = re.compile(
    r"(?<![\w.-])(?:(?P<option>--[\w.-]++)[ \t]{1,4}(?=[^\s-])|(?P<name>[\w.-]++)(?P<closing>\\{0,8}[\"'`]?)"
    r"(?P<between>[ \t]{0,9}(?:=>|:=|[:=：＝])[ \t]{0,9}|[ \t]{1,4}(?:is|was)[ \t]{1,4}|>))"
)
# 密码是 hunter2，口令为hunter2
_CHINESE = re.compile(r"((?:密码|口令|密钥|秘钥|私钥|令牌)(?:是|为)[ \t]{0,4})(?!•)[\x21-\x7e]{4,}+")
# - name: HF_TOKEN⏎  value: x   {"name": "HF_TOKEN", "value": "x"}
_PAIRED = re.compile(
    r"(?P<head>(?<![\w.-])[\"']?name[\"']?[ \t]{0,9}[:=][ \t]{0,9}[\"']?"
    r"(?P<name>[\w.-]{1,100})[\"']?[ \t,]{0,9}(?:\r?\n)?[ \t]{0,200}"
    r"[\"']?value[\"']?[ \t]{0,9}[:=][ \t]{0,9})(?P<value>\"[^\"\n]*+\"|'[^'\n]*+'|[^\s,}]++)"
)
# b"   '   \"   """
_QUOTE = re.compile(r"(?:[bBuUrRfF]{1,2}(?=[\"']))?(?P<quote>\\{0,8}(?:\"\"\"|'''|[\"'`]))")
# hunter2   a"b   SecretStr('hunter2: a quote ends a word unless it goes on right behind it
_WORD = re.compile(r"(?:[^\s\"'`]|[\"'`](?=[\w(]))*+")
# the same in a query, which goes on behind it: ?token=abc&step=1
_ARGUMENT = re.compile(r"[^\s\"'`&]*+")
# abc</secret>
_TAGGED = re.compile(r"[^<\n]*+")
# [a, b]
_LISTED = re.compile(r"(\[)([^\]\n]*+)(\]?)")
# hunter2 with blanks # and a comment
_REST = re.compile(r"(?:[^\n\r #]|[ ](?!#)|(?<! )#)*+")
# Bearer abc   Basic dTpw   AWS4-HMAC-SHA256 Credential=…
_SCHEME = re.compile(r"(?i)(?:bearer|basic|digest|token|negotiate|apikey|aws4-hmac-sha256)[ \t]{1,4}")
# to the end of a header: Cookie: a=b; c=d
_HEADER_REST = re.compile(r"[^\n\r\"'`]*+")
# a name that tells of a header
_HEADER = re.compile(r"(?i)(?:^|[._-])(?:authorization|cookie|cookies)$")
# what stands before the name of a line of yaml or of an INI file: "  - export "
_LEADING = re.compile(r"[ \t]*(?:- |export )?[\"'`]?")

Parts = tuple[str, str, str]  # of what follows a name: what stays before the value, the value, what stays behind it


def masked(text: str) -> str:
    """``text`` with every secret in it masked."""
    for _ in range(TURNS):
        known, text = text, _without_named(without_shapes(without_blocks(text)))
        if text == known:
            break
    return text


def masked_setting(key: str, value: str) -> str:
    """A setting's value, masked as a whole where its dotted key says that it is a secret."""
    return MASK if is_secret(key, value) else masked(value)


def _without_named(text: str) -> str:
    """Values whose names say that they are secret."""
    text = _CHINESE.sub(rf"\1{MASK}", "".join(_named_parts(text)))
    return _PAIRED.sub(_paired, text) if "value" in text else text


def _paired(found: re.Match[str]) -> str:
    """A variable of a container, whose name and value are fields of their own."""
    value = found["value"]
    mark = value[:1] if value[:1] in ("'", '"') else ""
    return f"{found['head']}{mark}{MASK}{mark}" if is_secret(found["name"], value.strip("\"'")) else found[0]


def _named_parts(text: str) -> Iterator[str]:
    """The text again, in pieces. A name that says nothing of a secret is passed, and what follows it read as a name."""
    at = 0
    while found := _NAMED.search(text, at):
        name = (found["option"] or found["name"])[-LONGEST_NAME:]
        head, value, tail = _value(text, found, name) if _suspect(name) else ("", "", "")
        if not is_secret(name, value) or (_spoken(found) and not any(one.isdigit() for one in value)):
            after = found.end("option") if found["option"] else found.end("name")
            yield text[at:after]
            at = after
            continue
        yield text[at : found.end()] + head + MASK + tail
        at = found.end() + len(head) + len(value) + len(tail)
    yield text[at:]


@lru_cache(1024)  # a log has few names, each many times
def _suspect(name: str) -> bool:
    return surely(name) or possibly(name) or anything(name)


def _spoken(found: re.Match[str]) -> bool:
    """ "The password is …": "wrong" is none, and of what has a digit nobody can tell."""
    return (found["between"] or "").strip() in ("is", "was")


def _value(text: str, found: re.Match[str], name: str) -> Parts:
    """The value that begins behind a name; "" where there is none."""
    at, between = found.end(), found["between"] or " "
    if between == ">":
        opened = text[found.start() - 1 : found.start()] == "<"
        return "", _matched(_TAGGED, text, at) if opened else "", ""
    if quote := _QUOTE.match(text, at):
        return _quoted(text, quote)
    if _HEADER.search(name):
        return _schemed(text, at, _HEADER_REST)
    if listed := _LISTED.match(text, at):
        return listed[1], listed[2], listed[3]
    if _leads(text, found):
        return "", _matched(_REST, text, at).rstrip().rstrip(",").removesuffix("{"), ""
    return "", _word(text, found), ""


def _quoted(text: str, quote: re.Match[str]) -> Parts:
    """Up to the same quote again, or the end of the line; a plain quote behind a backslash is none."""
    head, value, _ = _schemed(text, quote.end(), _inside(quote["quote"]))
    return quote[0] + head, value, ""


@lru_cache(64)
def _inside(mark: str) -> re.Pattern[str]:
    """What is between two such quotes: ``a\\"b`` of ``"a\\"b"``."""
    if mark[0] == "\\":
        return re.compile(rf"(?:(?!{re.escape(mark)})[^\n])*+")
    if len(mark) == 3:
        return re.compile(rf"(?s:(?!{mark})(?:\\.|.))*+")
    return re.compile(rf"(?:[^{mark}\\\n]|\\[^\n])*+")


def _schemed(text: str, at: int, pattern: re.Pattern[str]) -> Parts:
    """What the pattern takes, without the name of the scheme before it."""
    whole = _matched(pattern, text, at)
    scheme = _SCHEME.match(whole)
    head = scheme[0] if scheme else ""
    return head, whole.removeprefix(head), ""


def _leads(text: str, found: re.Match[str]) -> bool:
    """Whether the name begins its line and a value with blanks may follow: ``name: value``, ``name = value``."""
    between, before = found["between"] or "", found.start()
    if between.strip() == "=" == between or not between.strip() or _spoken(found):
        return False
    begin = text.rfind("\n", max(before - INDENT, 0), before) + 1
    if begin == 0 and before > INDENT:
        return False
    return _LEADING.fullmatch(text, begin, before) is not None


def _word(text: str, found: re.Match[str]) -> str:
    """The next word, of a query what comes before the next argument; what opens a mapping is looked into."""
    at, before = found.end(), text[found.start() - 1 : found.start()]
    if text[at : at + 1] == "{":
        return ""
    return _matched(_ARGUMENT if before in ("?", "&") else _WORD, text, at).rstrip(AFTER)


def _matched(pattern: re.Pattern[str], text: str, at: int) -> str:
    """What a pattern that matches nothing, too, takes there."""
    found = pattern.match(text, at)
    return found[0] if found else ""
