"""Which letters a picture can hold, and how a text is spelled with them. Pure.

There are two typefaces: Pillow's own for Latin, and ``typeface/han.woff`` for Chinese (its README says why and how).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import groupby

MOST = 400  # letters that are looked at: a name may be a megabyte
LATIN = frozenset("·…“”‘’")  # beyond ASCII
BOX = "\uffff"  # what neither has is drawn as an empty box, which is what the Chinese typeface shows for this
PLAIN = {"−": "-", "–": "-", "—": "-", "×": "x", "→": ">", "←": "<", "≤": "<=", "≥": ">=", "÷": "/", "±": "+/-"}
RANGES = (
    (0x3000, 0x3003), (0x3005, 0x3005), (0x300A, 0x3011), (0x3013, 0x3017), (0x3041, 0x3093), (0x30A1, 0x30F6),
    (0x30FB, 0x30FB), (0x3220, 0x3229), (0x6D4F, 0x6D4F), (0x9608, 0x9608), (0xFF01, 0xFF5E), (0xFFE0, 0xFFE1),
    (0xFFE3, 0xFFE3), (0xFFE5, 0xFFE5),
)  # fmt: skip


def is_latin(letter: str) -> bool:
    """Whether the typeface that is always there has it."""
    return " " <= letter <= "~" or letter in LATIN


def is_han(letter: str) -> bool:
    """Whether the Chinese typeface has it: the common characters of GB 2312, and RANGES."""
    if any(first <= ord(letter) <= last for first, last in RANGES):
        return True
    try:
        return 0xB0 <= letter.encode("gb2312")[0] <= 0xD7
    except UnicodeEncodeError:
        return False


def drawable(text: str) -> bool:
    """Whether every letter of a text can be drawn."""
    return all(is_latin(one) or is_han(one) for one in text)


def spelled(text: str) -> str:
    """The text in letters that can be drawn: signs as their plain likes, accents left out, what is not known as a box,
    and nothing that would turn the order of letters or break the line."""
    return "".join(map(_letter, text[:MOST])) + ("…" if len(text) > MOST else "")


def _letter(letter: str) -> str:
    if is_latin(letter) or is_han(letter) or letter == BOX:
        return letter
    if letter in PLAIN:
        return PLAIN[letter]
    if letter.isspace():
        return " "
    if unicodedata.category(letter)[0] in "CM":
        return ""
    plain = "".join(one for one in unicodedata.normalize("NFKD", letter) if is_latin(one) or is_han(one))
    return plain or BOX


def pieces(text: str) -> Sequence[tuple[bool, str]]:
    """Stretches of a spelled text, each with whether it is of the Chinese typeface."""
    return [(han, "".join(group)) for han, group in groupby(text, lambda one: not is_latin(one))]
