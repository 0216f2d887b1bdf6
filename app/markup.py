"""Attributes that Dash's signatures do not list: ``data-*`` for the scripts, ``aria-*`` for screen readers."""

from __future__ import annotations

from typing import Any


def attributes(**values: str) -> dict[str, Any]:
    """``attributes(data_run="a", aria_label="b")`` → ``{"data-run": "a", "aria-label": "b"}``, to be unpacked into a
    component. Any: the components' own types know their listed keywords alone."""
    return {name.replace("_", "-"): value for name, value in values.items()}
