"""Whatever a log holds, no rule breaks on it, what is said is well formed, and the memory stays small."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from app.diagnosis.row import Evaluation, Plan, Row
from app.diagnosis.watch import Watch
from tests.diagnosis.rows import sound

ODD = [0.0, -1.0, 1e-300, 1e300, math.nan, math.inf, -math.inf, 5e-324]
numbers = st.none() | st.sampled_from(ODD) | st.floats(0.01, 100)
rows = st.builds(
    Row,
    step=st.just(1) | st.integers(0, 3) | st.just(1) | st.integers(-50, 50),  # steps since the row before
    t=st.none() | st.floats(0, 1e6),
    loss=numbers,
    lr=numbers,
    grad_norm=numbers,
    loss_scale=numbers,
    overflow=st.booleans(),
    step_time=numbers,
    gbs=numbers,
)


@settings(max_examples=100, deadline=None)
@given(before=st.integers(0, 120), odd=st.lists(rows, max_size=150), loss=st.floats() | st.sampled_from(ODD))
def test_odd_rows_after_sound_ones_break_nothing(before: int, odd: list[Row], loss: float) -> None:
    watch = Watch.of(Plan(1000, 10), expects=True)
    said = [one for row in [*sound(before), *spaced(odd, before)] for one in watch.take(row)]
    said += watch.evaluated(Evaluation(600, None, loss))
    said += watch.at(1e9)
    acts = Counter((one.about, one.act) for one in said)
    for about in {one.about for one in said}:
        assert acts[about, "raise"] - acts[about, "clear"] in (0, 1)
        assert (about in watch.course.open) == (acts[about, "raise"] > acts[about, "clear"])
    assert Watch.restore(json.loads(json.dumps(watch.save()))).save() == json.loads(json.dumps(watch.save()))


def spaced(odd: list[Row], step: int) -> Iterator[Row]:
    """The rows with their steps as numbers of steps since the row before."""
    for row in odd:
        step = max(0, step + row.step)
        yield replace(row, step=step)


def test_the_memory_of_a_long_run_is_as_large_as_that_of_a_short_one() -> None:
    sizes = []
    for count in (3_000, 12_000):
        watch = Watch()
        for row in sound(count):
            watch.take(row)
        sizes.append(len(json.dumps(watch.save())))
    assert sizes[1] < 1.15 * sizes[0]
