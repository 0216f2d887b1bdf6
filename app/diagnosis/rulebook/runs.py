"""What the rules of time, order, files and ranks say."""

from __future__ import annotations

from collections.abc import Iterator

from app.diagnosis.ranks import bank, offset, unlike
from app.diagnosis.rulebook.entry import Entry, more, share
from app.diagnosis.rules import order, silence, speed, summaries
from app.series.ranks import frozen, reduction
from app.series.ranks.findings import TWICE


def pace() -> Iterator[Entry]:
    """Of time and order."""
    yield Entry(
        "throughput",
        "T1",
        "steps take longer",
        f"{more(speed.SLOW)} and {speed.SIGMAS:.0f} σ of {speed.BLOCK} rows; critical from {more(speed.GRAVE)} on",
        f"{speed.IN_ROW * speed.BLOCK} to {(speed.IN_ROW + 2) * speed.BLOCK}",
    )
    yield Entry(
        "stall",
        "Q1",
        "no row",
        f"{silence.MEDIANS:.0f}× the usual pause, {silence.LONGEST}× the longest of {silence.RECENT}, "
        f"{silence.LEAST:.0f} s; before {silence.KNOWN} pauses {silence.UNKNOWN / 60:.0f} min",
        "by the clock",
    )
    yield Entry(
        "step_regress",
        "R1",
        "training goes back",
        f"over {order.BACK:.0f} log intervals; a warning from {order.OFTEN} a day on",
        "0",
    )


def files() -> Iterator[Entry]:
    """Of summaries."""
    waited = f"{summaries.ROWS} rows and {summaries.SECONDS / 60:.0f} min"
    for part, says, threshold in (
        ("B1", "no scalar in event files", "they were to be written"),
        ("B2", "they go elsewhere", "the log names a directory outside the followed one"),
        ("B3", "none configured", "the log of a start names none: a note"),
        ("B4", "not readable", "a file's mode forbids it"),
        ("B5", "empty", "files without a scalar"),
        ("B6", "on another host", "the last rank has no file here"),
    ):
        yield Entry("tb_missing", part, says, f"{threshold}; {waited} of losses", f"{summaries.ROWS} or more")


def ranks() -> Iterator[Entry]:
    """Of single ranks, within their data-parallel group."""
    yield Entry(
        "rank_outlier",
        "K1",
        "a rank's value is no number",
        f"{TWICE} rows, while most of its group have one",
        f"{TWICE - 1}",
    )
    yield Entry(
        "rank_outlier",
        "K2",
        "a reduced value differs on a rank",
        f"beyond rounding, {TWICE} rows, where {share(reduction.MOSTLY)} of {unlike.LEAST} rows or more are alike",
        f"{TWICE - 1}",
    )
    yield Entry(
        "rank_outlier",
        "K3",
        "a rank's value does not move",
        f"{frozen.SAME} equal ones while others move; more where they repeat by chance",
        f"{frozen.SAME - 1}",
    )
    means = ", ".join(f"{2 / weight:.0f}" for weight in bank.WEIGHTS.tolist())
    yield Entry(
        "rank_outlier",
        "K4",
        "a rank is off the others",
        f"a mean of its scores over some {means} rows beyond once in 10¹⁰ of chance; after {offset.WARM[0]} rows",
        "10 to 200",
    )
    yield Entry(
        "throughput", "K5", "a rank computes longer", "the same of its own compute time, upwards alone", "10 to 200"
    )
