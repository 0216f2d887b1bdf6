"""A log the plain way: one compiled regular expression, tried on each line, its fields turned into numbers."""

import re
import sys

from measured import measured

# 2025-10-21 11:07:41,000 - … - INFO - { Epoch:[  1/  1], step:[    7/ 9], loss: 1.5, per_step_time: 712ms, lr: 1e-05,
# overflow cond: False, loss_scale: 65536.0, global_norm: [1.5], train_throughput_per_npu: 3.333T
LINE = re.compile(
    rb"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) .*?Epoch:\[ *(\d+)/ *(\d+)\], step:\[ *(\d+)/ *(\d+)\], "
    rb"loss: *([-+\d.eEnaif]+), per_step_time: *(\d+)ms, lr: *([-+\d.eE]+), overflow cond: (\w+), loss_scale: ([\d.]+)"
    rb"(?:, global_norm: \[([-+\d.eEnaif]+)\])?(?:, train_throughput_per_npu: ([\d.]+)T)?"
)


def read():
    """Every line is counted; six numbers of each that fits are kept."""
    held, lines = [], 0
    with open(sys.argv[1], "rb") as file:  # noqa: PTH123 (as plain as can be)
        for line in file:
            lines += 1
            found = LINE.search(line)
            if found:
                held.append((int(found[4]), *(float(found[number]) for number in (6, 7, 8, 10, 11, 12))))
    return lines, held


measured(read, lambda read: read[0])
