"""``python -m tests.bench``: every measurement, side by side with what it is compared to."""

from __future__ import annotations

import importlib.util
import os
import platform

from tests.bench import arriving, reading
from tests.bench.rows import row


def main() -> None:
    """Reading, then arriving, then drawing."""
    row("machine", f"{os.cpu_count()} processors, {platform.machine()}, Python {platform.python_version()}")
    reading.main()
    arriving.main()
    if importlib.util.find_spec("tests.bench.drawn"):
        from tests.bench import drawn

        drawn.main()


if __name__ == "__main__":
    main()
