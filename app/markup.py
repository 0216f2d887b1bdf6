"""What components are put together with: attributes that Dash's signatures do not list (``data-*`` for the scripts,
``aria-*`` for screen readers), and the blank between two of them."""

from __future__ import annotations

from typing import Any


def attributes(**values: str) -> dict[str, Any]:
    """``attributes(data_run="a", aria_label="b")`` → ``{"data-run": "a", "aria-label": "b"}``, to be unpacked into a
    component. Any: the components' own types know their listed keywords alone."""
    return {name.replace("_", "-"): value for name, value in values.items()}


FULL_WIDTH = "：，。；！？"


def gap(before: object) -> str:
    """The blank behind a part of a sentence; none behind Chinese punctuation, which is as wide as a blank itself."""
    return "" if isinstance(before, str) and before.endswith(tuple(FULL_WIDTH)) else " "
