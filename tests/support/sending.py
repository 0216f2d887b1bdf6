"""A process that sends to one channel until it is killed: ``python -m tests.support.sending REDIS HOOK WAIT``."""

from __future__ import annotations

import os
import sys
import time

from app.diagnosis.notify.policy import Policy
from app.diagnosis.notify.senders import sending
from app.diagnosis.notify.settings import Channel
from app.diagnosis.notify.target import target

if __name__ == "__main__":
    redis_url, hook_url, wait = sys.argv[1:]
    channel = Channel("team", target(hook_url), allow_internal=True, policy=Policy(wait=float(wait), rate=3600))
    with sending([channel], redis_url, "https://watch.example/", f"test:{os.getpid()}"):
        while True:
            time.sleep(60)  # killed here
