"""A process that holds an embedded server until its standard input ends: ``python -m tests.support.holding DIR``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from app.launch.embedded import find_program, held

if __name__ == "__main__":
    with held(Path(sys.argv[1]), find_program(os.environ["PATH"])) as server:
        print(server.url, flush=True)
        sys.stdin.read()
