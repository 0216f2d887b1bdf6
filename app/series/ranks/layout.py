"""How a run is spread over its ranks, and which of them may be compared.

MindSpore counts ranks stage by stage (rank = stage × (world / stages) + place in the stage); within a stage neighbours
share a tensor-parallel group, then come context parallel and, outermost, data parallel, which is also the order
``tp-cp-ep-dp-pp`` of PyNative. Experts are spread over ranks that data and context parallel have already.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import prod
from typing import Literal

from app.series.curve import Flags, Ints
from app.series.owner import ZERO_BUBBLE
from collector.wire.layout import LAYOUT_FACT, sizes

Origin = Literal["told", "read", "guessed"]

FACTS: Mapping[str, str] = {
    "data_parallel": "dp",
    "model_parallel": "tp",
    "pipeline_stages": "pp",
    "context_parallel": "cp",
    "expert_parallel": "ep",
}


@dataclass(frozen=True, slots=True)
class Layout:
    """Sizes of the axes. ``origin``: told by --layout, read from the run's files, or guessed, where nothing that is
    known fits the ranks that were seen; then all of them are data parallel."""

    dp: int = 1
    tp: int = 1
    pp: int = 1
    cp: int = 1
    ep: int = 1
    origin: Origin = "guessed"
    loss_first: bool = False  # zero_bubble_v: the first stage computes the loss

    @property
    def world(self) -> int:
        """Count of ranks."""
        return self.dp * self.tp * self.pp * self.cp

    @classmethod
    def of(cls, facts: Mapping[str, str], ranks: Collection[int]) -> Layout:
        """The layout of a run with these facts, of which these ranks were seen."""
        first = facts.get(ZERO_BUBBLE, "").lower() in ("1", "true")
        told = sizes(facts.get(LAYOUT_FACT, ""))
        found = told or read(facts)
        seen = max(ranks, default=0) + 1
        axes = fitted(found, max(whole(facts.get("world_size")), seen))
        if axes is None:
            return cls(dp=max(seen, 1), loss_first=first)
        return cls(**axes, origin="told" if told else "read", loss_first=first)

    def places(self, ranks: Ints) -> Mapping[str, Ints]:
        """Each rank's coordinate on each axis."""
        inside = ranks % (self.world // self.pp)
        shard = inside // self.tp
        return {
            "pp": ranks // (self.world // self.pp),
            "dp": shard // self.cp,
            "cp": shard % self.cp,
            "tp": inside % self.tp,
            "ep": shard % self.ep,
        }

    def stages(self, ranks: Ints) -> Ints:
        """Each rank's pipeline stage."""
        return self.places(ranks)["pp"]

    def groups(self, ranks: Ints) -> Ints:
        """A number for each rank, the same for those that differ in nothing but the data they see."""
        at = self.places(ranks)
        return (at["pp"] * self.cp + at["cp"]) * self.tp + at["tp"]

    def has_loss(self, ranks: Ints) -> Flags:
        """Which ranks compute the loss; the others print a number that means nothing."""
        mine: Flags = self.stages(ranks) == (0 if self.loss_first else self.pp - 1)
        return mine


def read(facts: Mapping[str, str]) -> dict[str, int]:
    """What the configuration says."""
    found = {axis: whole(facts.get(name)) for name, axis in FACTS.items()}
    return {axis: size for axis, size in found.items() if size}


def whole(text: str | None) -> int:
    """A positive number, 0 for anything else."""
    return int(text) if text and text.isascii() and text.isdecimal() else 0


def fitted(axes: Mapping[str, int], world: int) -> dict[str, int] | None:
    """All axes, data parallel filling what the others leave of ``world`` ranks where it is not known; None where
    nothing is known or there are more ranks than that."""
    others = prod(axes.get(axis, 1) for axis in ("tp", "pp", "cp"))
    dp = axes.get("dp") or -(-world // others)
    if not axes or dp * others < world:
        return None
    return {axis: axes.get(axis, 1) for axis in ("tp", "pp", "cp", "ep")} | {"dp": dp}
