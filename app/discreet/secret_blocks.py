"""Secrets of several lines: private keys, and what is indented below a name that says so. Pure.

Lines keep their number.
"""

from __future__ import annotations

import re

from app.discreet.secret_names import surely
from app.discreet.secret_shapes import MASK

KEY_LINES = 200  # a private key of 16,384 bits has as many; of a block that is never closed no more is taken

# -----BEGIN RSA PRIVATE KEY-----
_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
# -----END OPENSSH PRIVATE KEY-----
_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
# a line of a key whose beginning is not in the text: MIIEpAIBAAKCAQEA…
_BODY = re.compile(r"\s{0,40}[A-Za-z0-9+/=]{16,100}\s{0,40}")
# password: |   "secrets": {   - credentials:
_OPENED = re.compile(
    r"(?P<indent>[ \t]{0,200})(?:- )?[\"']?(?P<name>[\w.-]{1,100})[\"']?"
    r"[ \t]{0,9}[:：][ \t]{0,9}(?:[|>][-+0-9]{0,2}|[{\[])?[ \t\r]{0,9}"
)
# "    - hunter2"
_INDENTED = re.compile(r"(?P<indent>[ \t]*)(?P<dash>- )?(?P<rest>.*\S)", re.DOTALL)


def without_blocks(text: str) -> str:
    """``text`` with the bodies of such blocks masked, line by line."""
    if "\n" not in text and "PRIVATE KEY" not in text:
        return text
    lines = text.split("\n")
    if "PRIVATE KEY" in text:
        _blank_keys(lines)
    _blank_below(lines)
    return "\n".join(lines)


def _blank_keys(lines: list[str]) -> None:
    """Blocks of private keys, whose first and last lines stay."""
    inside = 0
    for at, line in enumerate(lines):
        if not inside and _END.search(line) and not _BEGIN.search(line):
            _blank_before(lines, at)
        lines[at], inside = _key_line(line, inside)


def _blank_before(lines: list[str], at: int) -> None:
    """The body of a key that was cut at its beginning."""
    while at > 0 and _BODY.fullmatch(lines[at - 1]):
        at -= 1
        lines[at] = MASK


def _key_line(line: str, inside: int) -> tuple[str, int]:
    """The line as it may be shown, and how many more may belong to the key's body. A block on one line, its ends
    spelled as \\n, loses its middle."""
    begun, ends = _BEGIN.search(line), [*_END.finditer(line)]
    if begun and ends and ends[-1].start() >= begun.end():
        return line[: begun.end()] + MASK + line[ends[-1].start() :], 0
    if begun:
        return line[: begun.end()] + (MASK if line[begun.end() :].strip() else ""), KEY_LINES
    if ends:
        return (MASK if inside and line[: ends[-1].start()] else line[: ends[-1].start()]) + line[ends[-1].start() :], 0
    return (MASK if inside and line.strip() else line), max(inside - 1, 0)


def _blank_below(lines: list[str]) -> None:
    """What is indented more than a line that ends with a secret's name, or listed right below it."""
    depth: int | None = None
    for at, line in enumerate(lines):
        found = _INDENTED.match(line)
        if found is None:
            continue
        indent, listed = len(found["indent"]), found["dash"] is not None
        if depth is not None and (indent > depth or (listed and indent == depth)):
            lines[at] = found["indent"] + (found["dash"] or "") + MASK
            continue
        depth = _depth(line)


def _depth(line: str) -> int | None:
    """How far the line is indented, if a secret is to be expected below it."""
    opened = _OPENED.fullmatch(line)
    return len(opened["indent"]) if opened and surely(opened["name"]) else None
