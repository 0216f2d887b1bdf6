"""How gunicorn serves the application; ``gunicorn -c python:app.serving`` reads these names and no file of its own.

One process, many threads: an open page holds one thread with its stream, and one process reads Redis once for all.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from app.access.start import settle
from app.config import BadSetting

worker_class = "app.gunicorn_worker.Worker"
workers = 1
threads = 128
graceful_timeout = 1  # seconds; open streams never end by themselves, and a page reconnects within two
control_socket_disable = True  # several dashboards of one person would fight for the one path
loglevel = "warning"
logger_class = "app.gunicorn_log.Logger"
forwarded_allow_ips = ""  # no proxy is trusted unless it is named
proc_name = "tidewatch-web"
SWITCH_SECONDS = 0.0005  # one long answer must not keep the others waiting for 5 ms at each of their steps


def on_starting(server: Any) -> None:
    """Called by gunicorn (Any: its arbiter) in the process that starts the workers; these inherit what is settled."""
    bound = [one[:2] for one in server.cfg.address if isinstance(one, tuple)]
    try:
        settle(os.environ, bound, lambda line: print(line, file=sys.stderr, flush=True))
    except BadSetting as error:
        print(error, file=sys.stderr, flush=True)
        sys.exit(2)


def post_worker_init(worker: Any) -> None:
    """Called by gunicorn (Any: its worker) before the first request."""
    sys.setswitchinterval(SWITCH_SECONDS)
