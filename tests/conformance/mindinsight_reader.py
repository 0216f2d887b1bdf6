"""What MindInsight's loader reads, in its own virtual environment."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.bench.costs import ENVIRONMENT
from tests.bench.environments import python_of
from tests.bench.events import PEERS
from tests.conformance.values import Curves, Point

KEEPS = 1_000  # steps a tag; of more it keeps a random part
OLD = 1e9  # Unix seconds: it asks an incomplete file again and again until that is ten minutes old


def read(directory: Path) -> Curves:
    """Its scalars by tag, as the file names them; raises ``environments.Unavailable``."""
    command = [python_of("mindinsight"), str(PEERS / "mindinsight_values.py"), "--values"]
    with tempfile.TemporaryDirectory() as folder:
        for path in directory.iterdir():
            if path.is_file():
                shutil.copyfile(path, Path(folder) / path.name)
                os.utime(Path(folder) / path.name, (OLD, OLD))
        done = subprocess.run([*command, folder], capture_output=True, text=True, check=True, env=ENVIRONMENT)
    found = json.loads(done.stdout.splitlines()[-1])
    return {tag: [(step, wall, float(value)) for step, wall, value in points] for tag, points in found.items()}


def kept(curves: Curves) -> Curves:
    """What it keeps of points in order of arrival: a step that comes again replaces all that has come since."""
    settled: dict[str, list[Point]] = {}
    for tag, points in curves.items():
        curve = settled.setdefault(tag, [])
        for point in points:
            while curve and curve[-1][0] >= point[0]:
                curve.pop()
            curve.append(point)
    return settled
