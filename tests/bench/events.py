"""Event files: against TensorBoard's loader in Rust, its EventAccumulator, and tbparse."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.bench import files, rustboard
from tests.bench.costs import Cost, child, in_turn
from tests.bench.environments import Unavailable, python_of
from tests.bench.rows import Line, at_most, faster, not_measured

PEERS = Path(__file__).parent / "peers"
ALL = "--samples-per-plugin=scalars=all"


def ours(*paths: Path, source: str = "tensorboard", what: str = "points") -> Cost:
    """This project's reader on some files."""
    return child([sys.executable, "-m", "tests.bench.ours", what, source, *map(str, paths)])


def against_rustboard(folder: Path) -> Iterator[Line]:
    """A file of a million points, many ranks, and a file in which nothing repeats for long."""
    one = files.event_file(folder / "one", files.TAGS, 100_000)
    ranks = [files.event_file(folder / "ranks" / f"rank_{n}", files.TAGS[:5], 5_000, n) for n in range(64)]
    uneven = files.uneven_event_file(folder / "uneven", 100_000)
    yield from rustboard_pair("10 tags x 100k steps", [one], one.parent, 1_000_000, memory=True)
    yield from rustboard_pair("64 ranks x 5 tags x 5k steps", ranks, folder / "ranks", 1_600_000)
    yield from rustboard_pair("tags on schedules of their own", [uneven], uneven.parent)


def rustboard_pair(
    name: str, paths: list[Path], directory: Path, points: int | None = None, *, memory: bool = False
) -> Iterator[Line]:
    """Our reader against the loader that keeps all points and against its default of 1,000 a series; the goals are
    those of files that hold a known number of ``points``."""
    try:
        server = rustboard.program()
    except Unavailable as why:
        yield not_measured(f"{name}: rustboard", str(why))
        return
    held = ours(*paths).count
    found = in_turn(
        {
            "ours": partial(ours, *paths),
            "all": lambda: rustboard.load(server, directory, held, ALL),
            "default": lambda: rustboard.load(server, directory, held),
        },
        rounds=5,
    )
    wrong = "" if points in (None, held) else f"ours holds {held} of {points} points"
    rates = {side: cost.rate for side, cost in found.items()}
    yield faster(f"{name}: rustboard, all samples", rates["ours"], rates["all"], points and 5, wrong)
    yield faster(
        f"{name}: rustboard, its default",
        rates["ours"],
        rates["default"],
        points and 2,
        "it keeps 1,000 points a series",
    )
    if memory:
        peaks = {side: cost.peak / held for side, cost in found.items()}
        yield at_most(f"{name}: memory a point held", peaks["ours"], peaks["all"], 100, "B", "theirs: rustboard, all")


def against_python(folder: Path) -> Iterator[Line]:
    """Python readers, on a tenth: they take their time."""
    path = files.event_file(folder, files.TAGS, 10_000)
    for name, program, goal in (("EventAccumulator", "event_accumulator", 80), ("tbparse", "tbparse_frame", 80)):
        title = f"10 tags x 10k steps: {name}, every point"
        try:
            command = [python_of("tensorboard"), str(PEERS / f"{program}.py"), str(path.parent)]
        except Unavailable as why:
            yield not_measured(title, str(why))
            continue
        found = in_turn({"ours": partial(ours, path), "theirs": partial(child, command)}, rounds=3)
        same = "" if found["ours"].count == found["theirs"].count else "the counts differ"
        yield faster(title, found["ours"].rate, found["theirs"].rate, goal, same)
