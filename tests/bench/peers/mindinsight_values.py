"""MindInsight 2.3.1's own loader, in its own way: one record a call, each parsed in its process pool.

Prints the cost of the whole, pool included; with ``--values`` every scalar instead, as {tag: [[step, wall, value]]}.
"""

import json
import os
import sys
import tempfile
import time

import psutil

os.environ["MINDINSIGHT_WORKSPACE"] = tempfile.mkdtemp()  # it writes logs of its own somewhere
from mindinsight.datavisual.data_transform.data_loader import DataLoader
from mindinsight.utils.computing_resource_mgr import ComputingResourceManager


def cpu():
    """Processor seconds of this process and all below it, in seconds."""
    below = [one.cpu_times() for one in psutil.Process().children(recursive=True)]
    return time.process_time() + sum(one.user + one.system for one in below)


def load(directory):
    """What the loader keeps of a directory (at most 1,000 steps a tag), and what that took."""
    began = cpu()
    loader = DataLoader(directory)
    with ComputingResourceManager.get_instance().get_executor() as executor:
        while not loader.load(executor):
            pass
        took = cpu() - began
    return loader.get_events_data(), took


def scalars(data):
    """{tag: [[step, wall, value]]}; tags as the file has them, without the /scalar that MindInsight adds."""
    suffix = "/scalar"
    return {
        tag[: -len(suffix)]: [[one.step, one.wall_time, repr(float(one.value))] for one in data.tensors(tag)]
        for tag in data.list_tags_by_plugin("scalar")
    }


def main():
    """One directory."""
    if sys.argv[1] == "--values":
        print(json.dumps(scalars(load(sys.argv[2])[0])))
        return
    data, took = load(sys.argv[1])
    kept = sum(map(len, scalars(data).values()))
    print(json.dumps({"cpu": took, "count": kept, "peak": 0}))


if __name__ == "__main__":
    main()
