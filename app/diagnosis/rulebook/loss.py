"""What the rules of the loss and of evaluations say."""

from __future__ import annotations

from collections.abc import Iterator

from app.diagnosis.rulebook.entry import Entry, more, share
from app.diagnosis.rules import divergence, drift, finite, jitter, overfit, plateau, spike


def loss() -> Iterator[Entry]:
    """Of single rows."""
    yield Entry("nan_inf", "N1", "the loss is NaN or infinite", "one row", "0")
    yield Entry("nan_inf", "N2", "the gradient norm is", "one row that is no skipped overflow", "0")
    yield Entry(
        "nan_inf", "N3", "a loss of 0 in place of NaN", f"without a norm, after {finite.ORDINARY} usual rows", "0"
    )
    low = f"{share(spike.LEAST)} and {spike.LASTING:.0f} σ above the baseline"
    yield Entry(
        "loss_spike",
        "S1",
        "rows that this run does not have by chance",
        f"log odds of {spike.SURE} ({spike.SURE + spike.WAVY} under strong autocorrelation) by two rows of "
        f"{spike.AMONG}, {low}; after {spike.START} rows",
        "1 to 4",
    )
    yield Entry(
        "loss_spike",
        "S2",
        "the same after a rising norm",
        f"with a norm {spike.RISEN}× its usual, for {spike.RECENT} rows at most",
        "0 to 2",
    )
    yield Entry(
        "jitter",
        "J1",
        "scatters more than it did",
        f"{jitter.SHORT_RATIO}× the usual over {jitter.SHORT} rows, or {jitter.LONG_RATIO}× over {jitter.LONG}; "
        f"σ over {share(jitter.LEAST)}",
        f"{jitter.SHORT // 2} to {jitter.LONG}",
    )
    yield Entry(
        "jitter",
        "J2",
        "scatters since the beginning",
        f"σ over {share(jitter.HUGE)}, during warm-up {share(jitter.HUGE_COLD)}",
        f"{jitter.SHORT + jitter.EVERY * jitter.CHECKS}",
    )


def level() -> Iterator[Entry]:
    """Of where the loss is."""
    yield Entry(
        "divergence",
        "D1",
        "a spike does not come back",
        f"{share(divergence.AWAY)} and {divergence.AWAY_SIGMAS:.0f} σ away; sooner from {more(divergence.FAR)} on",
        f"{divergence.LASTS_FAR} to {divergence.LASTS_FALLING}",
    )
    yield Entry(
        "divergence",
        "D2",
        "the loss creeps up",
        f"{drift.SPANS[0]} to {drift.SPANS[-1]} blocks of {drift.BLOCK} rows above the best before by "
        f"{more(drift.LEAST)} and what blocks scatter",
        f"{drift.SPANS[0] * drift.BLOCK} to {drift.SPANS[-1] * drift.BLOCK}",
    )
    least, most = plateau.SCRATCH
    scratch = f"of runs that begin at {least:g} to {most:g} nats, rate over {share(plateau.RATE)} of its peak"
    yield Entry(
        "plateau",
        "P1",
        "nothing is learnt",
        f"still {share(plateau.STILL)} of the first loss, {scratch}",
        f"{plateau.EARLY} or more",
    )
    yield Entry(
        "plateau",
        "P2",
        "learning has stopped, high",
        f"over {share(plateau.HIGH)} of the first loss, no fall within a third of the run",
        f"{plateau.BLOCK * plateau.LONG} or more",
    )


def evaluations() -> Iterator[Entry]:
    """Of the loss on other data."""
    fell = f"while the training loss fell {share(overfit.FALLEN)}"
    few = f"after {overfit.FEW} evaluations"
    yield Entry(
        "overfit", "E1", "evaluations rise steeply", f"two over {share(overfit.STEEP)} above the least, {fell}; {few}",
        "2 evaluations",
    )  # fmt: skip
    yield Entry(
        "overfit",
        "E2",
        "evaluations rise",
        f"three over {share(overfit.RISE)}, {fell}",
        "3 evaluations",
    )
    yield Entry(
        "overfit",
        "E3",
        "evaluations rise slowly",
        f"a slope of {overfit.SURE} σ or more over {overfit.SLOW_OF}, {share(overfit.SLOW)} above the least, {fell}",
        f"{overfit.SLOW_OF} evaluations or more",
    )
