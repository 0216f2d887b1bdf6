"""What TensorBoard's EventAccumulator reads."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util import tensor_util

from tests.conformance.values import Curves, Point

logging.getLogger("tensorboard").setLevel(logging.ERROR)  # it tells of every second graph


def read(directory: Path) -> Curves:
    """Simple values, and tensors of one number; nothing sampled, nothing purged after a restart."""
    accumulator = EventAccumulator(str(directory), {"scalars": 0, "tensors": 0}, purge_orphaned_data=False)
    accumulator.Reload()
    tags = accumulator.Tags()
    curves: dict[str, list[Point]] = {
        tag: [(one.step, one.wall_time, one.value) for one in accumulator.Scalars(tag)] for tag in tags["scalars"]
    }
    for tag in tags["tensors"]:
        for one in accumulator.Tensors(tag):
            array = tensor_util.make_ndarray(one.tensor_proto)
            if array.size == 1 and np.issubdtype(array.dtype, np.number):
                curves.setdefault(tag, []).append((one.step, one.wall_time, float(array.reshape(-1)[0])))
    return curves
