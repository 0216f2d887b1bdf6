"""``python -m tests.bench.ours points|lines SOURCE PATH…``: this project's reader, every point held, every checksum
verified; prints its cost as the peers do.
"""

from __future__ import annotations

import sys
from pathlib import Path

from collector.parse.parsed import Parsed
from collector.whole_file import parsed_file
from tests.bench.peers.measured import measured


def main() -> None:
    what, source, *paths = sys.argv[1:]
    measured(lambda: held(source, paths), points if what == "points" else lambda _: lines(paths))


def held(source: str, paths: list[str]) -> list[dict[str, bytearray]]:
    """The points by file and tag."""
    files: list[dict[str, bytearray]] = []
    for path in paths:
        series: dict[str, bytearray] = {}
        for one in parsed_file(path, source):  # type: ignore[arg-type]
            if isinstance(one, Parsed):
                for tag, block in one.scalars.items():
                    series.setdefault(tag, bytearray()).extend(block)
        files.append(series)
    return files


def points(files: list[dict[str, bytearray]]) -> int:
    return sum(len(block) // 24 for series in files for block in series.values())


def lines(paths: list[str]) -> int:
    return sum(Path(path).read_bytes().count(b"\n") for path in paths)


if __name__ == "__main__":
    main()
