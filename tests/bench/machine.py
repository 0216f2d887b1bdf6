"""Where and with what a table was measured, and the page that keeps it."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from tests.support.dashboard import ROOT

PAGE = ROOT / "BENCHMARKS.md"
PACKAGES = ("numpy", "google-crc32c", "redis", "watchdog", "dash", "plotly")
PEERS = ("tensorboard", "tensorboard-data-server", "tbparse", "mindinsight", "protobuf")

FORM = """# Benchmarks
What `make bench RECORD=1` printed; `make bench` prints the same for your machine. Both sides read the same files, made
by the run itself, in processes of their own, in turn (A B A B …); the medians are shown. Rates are points or lines a
**processor second**, all threads counted; ours holds every point and verifies every checksum. `ratio` is how many times
better ours is.

Measured on {date} on {machine}. Python {python}, {packages}; against {peers}.

```
{lines}
```
"""


def record(lines: Sequence[str]) -> None:
    """Write BENCHMARKS.md."""
    text = FORM.format(
        date=datetime.now(UTC).strftime("%-d %B %Y"),
        machine=described(),
        python=platform.python_version(),
        packages=", ".join(f"{name} {version(name)}" for name in PACKAGES),
        peers=peers(),
        lines="\n".join(lines),
    )
    PAGE.write_text(text)


def described() -> str:
    """Processors, their kind and the load, without any name."""
    kinds = {
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    }
    busy = os.getloadavg()[1]
    return (
        f"{os.cpu_count()} processors ({platform.machine()}, {', '.join(sorted(kinds)) or 'unknown'}), load {busy:.1f}"
    )


def peers() -> str:
    """The versions that the requirement files pin."""
    pinned: dict[str, list[str]] = {}
    for path in sorted(Path(__file__).parent.glob("requirements-*.txt")):
        for line in path.read_text().splitlines():
            name, _, number = line.partition("==")
            if name in PEERS and number:
                pinned.setdefault(name, []).append(number)
    return ", ".join(f"{name} {' and '.join(numbers)}" for name, numbers in pinned.items())
