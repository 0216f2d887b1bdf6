"""From the turns of several files of one run to one batch. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from collector.batch import Batch, Progress
from collector.tracked import Tracked
from collector.turn import Turn
from collector.wire.records import RunRecord

Gathered = Sequence[tuple[Tracked, Turn]]


def weight(gathered: Gathered) -> int:
    """Bytes of points that a commit of these turns would carry."""
    return sum(len(block.points) for _, turn in gathered for block in turn.blocks)


def is_worth_storing(tracked: Tracked, turn: Turn) -> bool:
    """Whether the store would change. A text log of no conventional name is kept out until it says something that we
    know: most files called ``.log`` are none of ours, and each would be a run without a curve."""
    if tracked.stored is None:
        return turn.tells or not tracked.found.role.own
    return turn.tells or bool(turn.generations) or turn.cursor != tracked.cursor


def batch_of(run: RunRecord, gathered: Gathered) -> Batch:
    """One commit of all turns; each file occurs once."""
    facts: dict[str, str] = {}
    for _, turn in gathered:
        facts.update(turn.facts)
    return Batch(
        run,
        tuple(Progress(tracked.stored, turn.cursor) for tracked, turn in gathered),
        tuple(block for _, turn in gathered for block in turn.blocks),
        facts,
        tuple(event for _, turn in gathered for event in turn.events),
        tuple(generation for _, turn in gathered for generation in turn.generations),
    )
