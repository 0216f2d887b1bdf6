"""What a writer of any form has to know of a table before its first row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """The columns of a table. ``long``: each row is a point and says of which curve; ``told`` is what is known of the
    whole (run, window, version), for forms that have a place for it."""

    labels: tuple[str, ...]
    long: bool
    ranked: bool
    told: Mapping[str, str]
