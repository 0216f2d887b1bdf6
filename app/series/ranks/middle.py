"""Medians of many short rows at once."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Singles = NDArray[np.float32]
"""Deviations need no more digits, and narrow numbers are sorted in half the time."""
Real = TypeVar("Real", np.float32, np.float64)


def medians(values: NDArray[Real]) -> NDArray[Real]:
    """Along the last axis, NaN left out; NaN where there is nothing else."""
    size = values.shape[-1]
    if not size:
        return np.full(values.shape[:-1], np.nan, values.dtype)
    ordered = np.sort(values, axis=-1)  # NaN comes last
    if not np.isnan(ordered[..., -1]).any():
        low, high = ordered[..., (size - 1) // 2], ordered[..., size // 2]
    else:
        count = size - np.isnan(ordered).sum(axis=-1, keepdims=True)
        low = np.take_along_axis(ordered, np.maximum(count - 1, 0) // 2, axis=-1)[..., 0]
        high = np.take_along_axis(ordered, np.minimum(count // 2, size - 1), axis=-1)[..., 0]
    # Halves first: the sum of two large values would overflow.
    return (low / 2 + high / 2).astype(values.dtype, copy=False)


def over(one: Singles, other: Singles) -> Singles:
    """A quotient; what is divided by nothing, or too large, is no number or infinite without a word."""
    with np.errstate(all="ignore"):
        found: Singles = np.divide(one, other, dtype=np.float32)
    return found
