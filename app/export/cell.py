"""Foreign text in a cell of a CSV file. Pure.

Names of tags are whatever a file says. A spreadsheet takes a cell that begins with ``=``, ``+``, ``-`` or ``@`` for a
formula, also behind a blank, a tabulator or a line's end, and in some languages in full width. An apostrophe before it
makes it text; the cell is quoted, so that no separator inside of it begins another one. Numbers are never written here.
"""

from __future__ import annotations

import re

# =1+1 · -1 · @SUM(A1) · ＝1 · "  =1" · a tabulator or a line's end at the beginning, whatever follows
_FORMULA = re.compile(r"[\t\r\n\v\f\0]|[\s\0\u200b-\u200f\u2060\ufeff'\"]*[=+\-@＝＋－＠]")
# loss · norm/decoder.0.weight · r3_local
_PLAIN = re.compile(r"[\w./][\w./ \[\]()-]*")


def cell(text: str) -> str:
    """The cell of a text."""
    if _PLAIN.fullmatch(text):
        return text
    quoted = harmless(text).replace('"', '""')
    return f'"{quoted}"' if text else ""


def harmless(text: str) -> str:
    """The text as no spreadsheet takes it for a formula; whoever writes it has to quote it."""
    return f"'{text}" if _FORMULA.match(text) else text
