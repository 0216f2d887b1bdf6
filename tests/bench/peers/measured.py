"""Processor seconds and memory of some work in this process; also for Python 3.9."""

import json
import os
import resource
import sys
import time


def now():
    """Bytes of memory in use."""
    with open("/proc/self/statm") as file:  # noqa: PTH123 (as plain as can be)
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def measured(work, count):
    """Run ``work``, which returns what holds all that it read, and print what that took; ``count`` counts it after."""
    before, began = now(), time.process_time()
    held = work()
    cpu = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
    print(json.dumps({"cpu": cpu, "count": count(held), "peak": max(peak, 0)}))
    sys.stdout.flush()
