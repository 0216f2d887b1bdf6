"""State of rules that can be saved and restored: dataclasses of numbers, texts, lists and one another, as JSON values.

A rule's state is a function of the rows that it took, and what is restored goes on as if it had never stopped.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, cast, get_type_hints

State = TypeVar("State")
Saved = dict[str, Any]  # what json makes of it; NaN and infinities stay as Python's json spells them


@dataclass(slots=True)
class Window:
    """The newest ``size`` values, and the same in order: quantiles cost nothing, an append less than a microsecond."""

    size: int
    values: list[float] = field(default_factory=list)
    ordered: list[float] = field(default_factory=list)

    def append(self, value: float) -> None:
        """``value`` must not be NaN."""
        if len(self.values) == self.size:
            del self.ordered[bisect_left(self.ordered, self.values.pop(0))]
        self.values.append(value)
        insort(self.ordered, value)

    def clear(self) -> None:
        self.values.clear()
        self.ordered.clear()

    def shift(self, by: float) -> None:
        """Add a number to every value."""
        self.values = [one + by for one in self.values]
        self.ordered = sorted(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def quantile(self, part: float) -> float:
        """Linear between neighbours, as numpy's; of an empty window an IndexError."""
        at = part * (len(self.ordered) - 1)
        low = int(at)
        here = self.ordered[low]
        return here if low == at else here + (at - low) * (self.ordered[low + 1] - here)

    @property
    def median(self) -> float:
        return self.quantile(0.5)

    def spread(self) -> float:
        """Half the distance of the 16th from the 84th percentile: the standard deviation of a normal distribution,
        which a sixth of wild values on either side does not move."""
        return (self.quantile(0.8413) - self.quantile(0.1587)) / 2


@dataclass(slots=True)
class Ring:
    """The newest ``size`` values in the order in which they came."""

    size: int
    values: list[float] = field(default_factory=list)

    def append(self, value: float) -> None:
        if len(self.values) == self.size:
            self.values.pop(0)
        self.values.append(value)

    def clear(self) -> None:
        self.values.clear()

    def __len__(self) -> int:
        return len(self.values)


def save(state: object) -> Saved:
    """A dataclass as JSON values."""
    return {one.name: _saved(getattr(state, one.name)) for one in fields(cast(Any, state))}


def _saved(value: object) -> Any:
    if is_dataclass(value):
        return save(value)
    if isinstance(value, list | tuple):
        return [_saved(one) for one in value]
    return value


def restore(kind: type[State], saved: Saved) -> State:
    """The dataclass that ``save`` was given. Fields unknown to it are left out, missing ones are its defaults."""
    hints = _hints(cast(Any, kind))
    known = {one.name for one in fields(cast(Any, kind)) if one.init}
    return kind(**{name: _restored(hints[name], value) for name, value in saved.items() if name in known})


@cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    return get_type_hints(kind)  # a millisecond, for each of thousands of values


def _restored(hint: Any, value: Any) -> Any:
    if not isinstance(value, dict | list):
        return value
    if is_dataclass(hint) and isinstance(value, dict):
        return restore(cast(Any, hint), value)
    parts: tuple[Any, ...] = getattr(hint, "__args__", ())
    if getattr(hint, "__origin__", None) is tuple:
        return tuple(_restored(parts[0], one) for one in value)
    nested = next((one for one in parts if is_dataclass(one)), None)
    if nested is not None and isinstance(value, dict):
        return restore(cast(Any, nested), value)
    if nested is not None and isinstance(value, list):
        return [restore(cast(Any, nested), one) for one in value]
    return value
