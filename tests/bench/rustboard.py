"""TensorBoard's loader in Rust, the server program of tensorboard-data-server."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.bench.costs import ENVIRONMENT, Cost
from tests.bench.environments import Unavailable, python_of

LOADED = "Finished load cycle"


def program() -> str:
    """Where the server is; raises ``environments.Unavailable``."""
    code = "import tensorboard_data_server as server; print(server.server_binary())"
    asked = [python_of("tensorboard"), "-c", code]
    found = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    if not Path(found).is_file():
        raise Unavailable("tensorboard-data-server has no program for this kind of machine")
    return found


def load(server: str, directory: Path, points: int, *options: str) -> Cost:
    """What loading a directory once takes, from the program's start to its word that it has; all its threads count."""
    command = [server, "--logdir", str(directory), "--reload", "once", "--port", "0", "--verbose", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    assert process.stderr is not None
    with process.stderr as said:
        for line in said:
            if LOADED in line:
                break
        process.terminate()
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0  # it was ended on purpose, and has been waited for
    return Cost(used.ru_utime + used.ru_stime, points, used.ru_maxrss * 1024)
