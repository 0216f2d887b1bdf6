"""``make conformance``: TensorBoard and MindInsight beside us, value by value; exit code 1 where anything differs."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from collector.wire.records import Source
from tests.bench.environments import Unavailable
from tests.conformance import mindinsight_reader, samples, tensorboard_reader
from tests.conformance.values import Agreement, equal, holds, ours


def main() -> int:
    """One line a program."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        samples.simple(place / "simple")
        samples.tensors(place / "tensors")
        samples.regular(place / "regular")
        samples.odd_summary(place / "odd")
        samples.summary(place / "few", 900)
        samples.summary(place / "many", 3_000)
        worst = [told("TensorBoard", "tensorboard", "*tfevents*", place)]
        worst += [told("MindInsight", "mindspore", "*_MS", place)]
    return max(worst)


def told(program: str, source: Source, pattern: str, fresh: Path) -> int:
    """Compare every directory, print what came out, and return the exit code."""
    places = [*samples.directories(pattern), *sorted({path.parent for path in fresh.rglob(pattern)})]
    found = Agreement(0)
    try:
        for directory in places:
            found += compared("/".join(directory.parts[-3:]), directory, source)
    except Unavailable as why:
        print(f"{program}: not compared: {why}", flush=True)
        return 1
    for difference in found.differences:
        print(f"{program}: {difference}")
    count = len(found.differences) or "no"
    print(f"{program}: {found.points} values of {len(places)} directories agree, {count} differences", flush=True)
    return int(bool(found.differences))


def compared(name: str, directory: Path, source: Source) -> Agreement:
    """Point by point; where MindInsight keeps a part only, that part."""
    mine = ours(directory, source)
    if source == "tensorboard":
        return equal(name, mine, tensorboard_reader.read(directory))
    mine, theirs = mindinsight_reader.kept(mine), mindinsight_reader.read(directory)
    few = {tag for tag, points in mine.items() if len(points) <= mindinsight_reader.KEEPS}
    small = equal(name, {tag: mine[tag] for tag in few}, {tag: points for tag, points in theirs.items() if tag in few})
    large = {tag: points for tag, points in mine.items() if tag not in few}
    return small + holds(name, large, {tag: points for tag, points in theirs.items() if tag not in few})


if __name__ == "__main__":
    sys.exit(main())
