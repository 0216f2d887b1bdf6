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


def measured(work):
    """Run ``work``, which returns how many points it holds and whatever holds them, and print what it took."""
    before, began = now(), time.process_time()
    count, held = work()
    cpu = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
    print(json.dumps({"cpu": cpu, "count": count, "peak": max(peak, 0)}))
    sys.stdout.flush()
    return held
