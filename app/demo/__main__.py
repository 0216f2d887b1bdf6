"""``python -m app.demo DIR``: writes a run as MindFormers would, its past at once and new steps as they come."""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import ExitStack
from pathlib import Path

from app.demo import curves
from app.demo.job import Job
from app.demo.story import length


def main() -> int:
    """0 when the last step is written."""
    parser = argparse.ArgumentParser(prog="python -m app.demo", description="Write a demonstration run into DIR.")
    parser.add_argument("directory", metavar="DIR", type=Path)
    parser.add_argument("--history", type=int, default=2_000, help="steps that are there at once")
    parser.add_argument("--steps", type=int, default=curves.STEPS, help="steps in all, about one each half second")
    given = parser.parse_args()
    with ExitStack() as files:
        job = Job(given.directory, time.time() - length(given.history), files)
        job.history(given.history)
        job.live(given.history, given.steps, time.sleep, time.time)
    return 0


if __name__ == "__main__":
    sys.exit(main())
