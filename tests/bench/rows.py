"""What a measurement prints."""

from __future__ import annotations

import math
from collections.abc import Sequence


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` of all lie (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def latency(name: str, seconds: Sequence[float], target: str = "") -> None:
    """One line of milliseconds."""
    p50, p95, p99 = (quantile(seconds, share) * 1000 for share in (0.50, 0.95, 0.99))
    row(name, f"p50 {p50:.1f}  p95 {p95:.1f}  p99 {p99:.1f} ms  (n={len(seconds)})", target)


def row(name: str, value: str, against: str = "") -> None:
    """One line: what, how much, compared with what."""
    print(f"{name:<46}{value:<52}{against}", flush=True)
