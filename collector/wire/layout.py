"""How a run is spread over its ranks, as a person says it: ``dp=8,tp=4,pp=2``."""

from __future__ import annotations

import re

LAYOUT_FACT = "layout"
AXES = ("dp", "tp", "pp", "cp", "ep")  # data, tensor, pipeline, context, expert parallel
# dp=8
_PART = re.compile(r"\s*(dp|tp|pp|cp|ep)\s*=\s*([1-9]\d{0,5})\s*")


class BadLayout(ValueError):
    """The text is no layout; it says so in a sentence."""


def layout(text: str) -> str:
    """The layout as it is stored, axes in one order and nothing else around them. Raises ``BadLayout``."""
    parts = [_PART.fullmatch(part) for part in text.split(",")]
    sizes = {part[1]: part[2] for part in parts if part}
    if None in parts or len(sizes) < len(parts):
        raise BadLayout(f"--layout {text!r} is no layout: give each axis once, as in dp=8,tp=4,pp=2 (also cp and ep).")
    return ",".join(f"{axis}={sizes[axis]}" for axis in AXES if axis in sizes)
