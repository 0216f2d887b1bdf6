"""The text of a note as it may be shown: characters that nobody sees are spelled, so that a text reads as it stands.

Text that was pasted from a terminal has escapes, and a bidi override makes a line say something else than it holds.
assets/note-text.js does the same in the browser; a test compares both.
"""

from __future__ import annotations

import re

# C0 but for tab and line feed, DEL, C1, Arabic letter mark, zero-width space and marks, line and paragraph separator,
# embeddings and overrides, word joiner and invisible operators, isolates and deprecated formats, byte order mark,
# interlinear annotation, tags. Joiners (U+200C, U+200D) stay: scripts and emoji are written with them.
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)


def shown(text: str) -> str:
    """``a\\x1b[2J`` → ``a⟨U+001B⟩[2J``. The pictures of control characters (U+2400 on) lack in many fonts."""
    return UNSEEN.sub(lambda one: f"⟨U+{ord(one[0]):04X}⟩", text)
