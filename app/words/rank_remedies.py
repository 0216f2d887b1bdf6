"""What parts of the rules about ranks mean, where that comes from, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping

from app.diagnosis.signal import Class
from app.language import lazy_gettext as _
from app.words import summary_remedies
from app.words.remedies import REMEDIES, Remedy

OF_RANKS: Mapping[tuple[Class, str], Remedy] = {  # of rules about ranks (app.diagnosis.ranks.episodes)
    ("rank_outlier", "K1"): Remedy(
        _("NaN on a rank"),
        _("One rank's own value is no number while most others still have one: the next reduction spreads it to all."),
        (
            _("its batch: broken input or labels"),
            _("overflow in FP16 on that rank"),
            _("the card: silent data corruption or a numerical fault"),
        ),
        (
            _("Read that rank's worker log around the step."),
            _("Go back to the newest healthy checkpoint before the onset; do not trust what was saved after it."),
            _("Swap the data shards of two ranks: if the fault moves along, it is the data; if it stays, the card."),
            _("Test the card under stress, and take it out if it fails."),
        ),
    ),
    ("rank_outlier", "K2"): Remedy(
        _("Reduction broken"),
        _("One rank prints another value than all others of what was reduced over them: it has to be the same on all."),
        (
            _("the reduction itself: a communication group that is wrong, or a collective operation that failed"),
            _("the card: silent data corruption or a numerical fault"),
            _("a rank that logs another step than the others"),
        ),
        (
            _("Compare the parallel settings of that rank with those of the others."),
            _("Look for errors of collective operations in its log below ~/ascend/log."),
            _("Test the card under stress, and take it out if it fails."),
            _("Do not use checkpoints from after the onset before it is clear whose weights differ."),
        ),
    ),
    ("rank_outlier", "K3"): Remedy(
        _("Frozen value"),
        _("One rank prints the same value again and again while those of the others move."),
        (
            _("a rank that no longer gets new data: its data pipeline repeats a batch"),
            _("a value that is no longer updated before it is printed"),
        ),
        (
            _("Read that rank's worker log around the step."),
            _("See whether its data pipeline still advances: sampler, shard and cache."),
            _("Take the stack of a rank that waits and of one that does not."),
        ),
    ),
    ("throughput", "K5"): Remedy(
        _("Straggler"),
        _("One rank's own compute time is lastingly longer than that of ranks that do the same work: all wait for it."),
        (
            _("the card: lower clock, heat, or memory errors that are corrected"),
            _("its host: processor, storage, or a neighbour"),
            _("more work than the others have: longer sequences, more experts"),
        ),
        (
            _("Look at clock, temperature and errors of the card."),
            _("Profile that rank and one of the others for two to five steps."),
            _("Move the work to another card, or take the host out."),
        ),
    ),
}
PARTS: Mapping[tuple[Class, str], Remedy] = {**OF_RANKS, **summary_remedies.PARTS}


def remedy(about: Class, rule: str) -> Remedy:
    """That of the part of the rule that spoke, else that of its class."""
    return PARTS.get((about, rule)) or REMEDIES[about]
