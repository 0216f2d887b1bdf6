"""Records that repeat in a cycle: the same tags in the same order, step after step, as training loops write them."""

from __future__ import annotations

import numpy as np

from collector.parse.event.framing import intact_data
from collector.parse.event.rows import Bytes, Layout, alike, are_intact, layout_of
from collector.parse.event.shape import FindScalar, Shape, shape_of

LONGEST_CYCLE = 512  # records
FEWEST_ROWS = 8  # below, finding the cycle takes longer than reading its records one by one
BLOCK = 256 * 1024  # bytes compared at once: the rows and their differences stay in a core's cache


def find_cycle(chunk: bytes, at: int, find: FindScalar) -> tuple[int, Layout] | None:
    """The first records from ``at`` on, or a little behind it, after which the first of them comes again, and where
    they begin; each up to there is whole and intact. The tags may come again with a longer step: then it is from there
    on that they repeat."""
    shapes: list[Shape] = []
    tags: set[str] = set()
    start = at
    while len(shapes) < LONGEST_CYCLE and len(chunk) - start >= FEWEST_ROWS * (at - start):
        data = intact_data(chunk, at)
        shape = None if data is None else shape_of(data, find)
        if shape is None:
            return None
        if shapes and shape == shapes[0]:
            return start, layout_of(shapes, chunk[start:at])
        if shapes and shape.tags == shapes[0].tags:
            start, shapes, tags = at, [], set()
        if not tags.isdisjoint(shape.tags):  # a tag that comes twice in a row would not be in order of arrival
            return None
        tags.update(shape.tags)
        shapes.append(shape)
        at += shape.size
    return None


def repetitions(chunk: bytes, at: int, layout: Layout) -> tuple[list[Bytes], int]:
    """Blocks of rows that are proven to repeat the layout from ``at`` on; and how many bytes behind them hold a wrong
    checksum somewhere, 0 when it is not that which ends them."""
    blocks: list[Bytes] = []
    left, most = (len(chunk) - at) // layout.width, max(FEWEST_ROWS, BLOCK // layout.width)
    while left:
        rows: Bytes = np.ndarray((min(left, most), layout.width), np.uint8, chunk, at)
        difference = alike(rows, layout)
        if not len(difference):
            break
        if not are_intact(rows, difference, layout):
            return blocks, int(rows.size)
        blocks.append(rows[: len(difference)])
        at += difference.size
        left -= len(rows)
        if len(difference) < len(rows):
            break
    return blocks, 0
