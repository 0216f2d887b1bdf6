"""State of many ranks: dataclasses of arrays whose last axis is the ranks (or their cohorts)."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from app.diagnosis.memory import Saved
from app.series.curve import Ints

Arrays = TypeVar("Arrays")


def columns(state: object) -> dict[str, NDArray[Any]]:
    """Its arrays by their names."""
    return {one.name: getattr(state, one.name) for one in fields(cast(Any, state))}


def saved(state: object) -> Saved:
    """As JSON values: lists of numbers, to the last bit."""
    return {name: one.tolist() for name, one in columns(state).items()}


def filled(blank: Arrays, told: Saved) -> Arrays:
    """One that was just made, with what ``saved`` told of one of its size; what it did not tell stays as it is."""
    for name, mine in columns(blank).items():
        if name in told:
            mine[...] = np.asarray(told[name], mine.dtype)
    return blank


def moved(blank: Arrays, old: object, to: Ints, of: Ints) -> Arrays:
    """One that was just made, with what another had at the places ``of`` at its own places ``to``."""
    before = columns(old)
    for name, mine in columns(blank).items():
        mine[..., to] = before[name][..., of]
    return blank
