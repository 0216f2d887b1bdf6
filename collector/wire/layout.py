"""How a run is spread over its ranks, as a person says it: ``dp=8,tp=4,pp=2``."""

from __future__ import annotations

import re

LAYOUT_FACT = "layout"
AXES = ("dp", "tp", "pp", "cp", "ep")  # data, tensor, pipeline, context, expert parallel
# dp=8
_PART = re.compile(r"\s*(dp|tp|pp|cp|ep)\s*=\s*([1-9]\d{0,5})\s*")


class BadLayout(ValueError):
    """The text is no layout; it says so in a sentence."""


def sizes(text: str) -> dict[str, int]:
    """Each axis that the text names once; nothing for a text that is no layout."""
    parts = [_PART.fullmatch(part) for part in text.split(",")]
    found = {part[1]: int(part[2]) for part in parts if part}
    return found if len(found) == len(parts) else {}


def layout(text: str) -> str:
    """The layout as it is stored, axes in one order and nothing else around them. Raises ``BadLayout``."""
    found = sizes(text)
    if not found:
        raise BadLayout(f"--layout {text!r} is no layout: give each axis once, as in dp=8,tp=4,pp=2 (also cp and ep).")
    return ",".join(f"{axis}={found[axis]}" for axis in AXES if axis in found)
