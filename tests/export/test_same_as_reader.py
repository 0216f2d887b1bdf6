"""What is exported, block by block and without a whole curve, is what the reader makes of whole curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest
import redis
from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st

from app.export import blocks, sweep
from app.export.export import opened
from app.export.question import Question
from app.export.rows import Rows
from app.reader import Reader, Wanted
from app.series.curve import SOURCES, Curve, concat
from app.store import RedisRunStore
from collector.wire.records import Source
from tests.support.seed import RUN, Point, Seed


@dataclass(frozen=True)
class Written:
    """One writer's turn: of several metrics the same steps."""

    file: str
    source: Source
    generation: int
    rank: int | None
    metrics: tuple[str | None, ...]
    points: Sequence[Point]


EXAMPLES = 40  # some 0.3 s each

FILES: tuple[tuple[str, Source, int, int | None], ...] = (
    ("log/rank_0/info.log", "log", 0, 0),
    ("msrun_log/worker_0.log", "log", 0, 0),
    ("log/rank_0/info.log", "log", 1, 0),
    ("log/rank_3/info.log", "log", 0, 3),
    ("e.1", "tensorboard", 0, None),
    ("e.2", "tensorboard", 0, None),
    ("s.1", "mindspore", 0, 0),
)


def value(moment: float) -> float:
    """Two files that tell of one step at one moment tell the same."""
    return (0.0, 1.5, float("nan"), -2.0, float("inf"), -0.0, 1e-7)[int(moment) % 7]


@st.composite
def written(draw: st.DrawFn) -> Written:
    file, source, generation, rank = draw(st.sampled_from(FILES))
    first, count = draw(st.integers(0, 60)), draw(st.integers(1, 12))
    every = draw(st.sampled_from([0, 1, 1, 1, 2]))
    at = draw(st.sampled_from([0.0, 100.0, 200.0]))
    clock = draw(st.sampled_from([True, True, True, False]))
    late = draw(st.sampled_from([0, 0, 0, 1, 2]))
    steps = [first + every * number for number in range(count)]
    points = [
        (step, at + step + number / 64 if clock else float("nan"), value(step + at))
        for number, step in enumerate(steps)
    ]
    if late and count > late + 1:  # a writer that holds points back: one comes after those that follow it
        points.insert(count - 1, points.pop(count - 1 - late))
        if clock and draw(st.booleans()):  # and the time is when it is written
            walls = sorted(wall for _, wall, _ in points)
            points = [(step, wall, it) for (step, _, it), wall in zip(points, walls, strict=True)]
    return Written(
        file, source, generation, rank, draw(st.sampled_from([("loss",), ("loss", "lr"), ("lr", None)])), points
    )


def credible(histories: Sequence[Written]) -> list[Written]:
    """Without turns in which the clock of a file that has another beside it goes back: there, points of one step and
    different times stand in one order in a window and perhaps in another in the whole."""
    found, ends = list[Written](), dict[str, float]()
    for one in histories:
        walls = [wall for _, wall, _ in one.points if wall == wall]
        rises = all(before <= after for before, after in pairwise([ends.get(one.file, 0.0), *walls]))
        if rises or one.file in ("s.1", "log/rank_3/info.log"):
            ends[one.file] = max([ends.get(one.file, 0.0), *walls])
            found.append(one)
    return found


def put(seed: Seed, histories: Sequence[Written]) -> None:
    for one in histories:
        for metric in one.metrics:
            seed.points(
                one.points,
                metric=metric,
                tag=metric or "norm/a",
                file=one.file,
                rank=one.rank,
                source=one.source,
                generation=one.generation,
                reason="start_announced" if one.generation else "",
            )


def as_read(store: RedisRunStore, wanted: Wanted, question: Question) -> Curve:
    """Source by source what the reader has, attempt by attempt, in order of steps."""
    run, reader = store.run(RUN), Reader(store)
    assert run is not None
    known = reader.timeline(run)
    found = []
    for source in SOURCES:
        line = reader.line(run, replace(wanted, source=source), known, attempt=question.attempt)
        found.append(line.curve().between(question.start, question.end))
    whole = concat(found)
    keys = (
        (whole.sources, whole.steps) if question.attempt == "latest" else (whole.steps, whole.sources, whole.attempts)
    )
    return whole.take(np.lexsort(keys if question.attempt != "latest" else (whole.steps, whole.sources)))


def as_exported(rows: Sequence[Rows], column: int) -> Curve:
    """One column of a table as a curve."""
    found = []
    for one in rows:
        values = one.columns[column]
        if values is None:
            continue
        there = np.arange(len(one)) if values.present is None else np.flatnonzero(values.present)
        source = np.full(len(there), SOURCES.index(one.source), dtype=np.uint8)
        found.append(Curve(one.steps[there], one.walls[there], values.values[there], source, one.attempts[there]))
    return concat(found)


def check(found: Curve, expected: Curve, *, walls: bool) -> None:
    """``walls``: every point has its own; else a row may have that of another column."""
    for name in ("steps", "values", "sources", "attempts", *(("walls",) if walls else ())):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)
    np.testing.assert_array_equal(np.signbit(found.values), np.signbit(expected.values))


QUESTIONS = st.builds(
    Question,
    attempt=st.sampled_from(["all", "latest", 1, 2]),
    start=st.sampled_from([None, None, 20]),
    end=st.sampled_from([None, None, 40]),
)


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks so small that every curve is read in many of them."""
    monkeypatch.setattr(blocks, "LARGEST", 4)
    monkeypatch.setattr(blocks, "SMALLEST", 4)
    monkeypatch.setattr(sweep, "AT_ONCE", 9)


@pytest.mark.timeout(900)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(histories=st.lists(written(), min_size=1, max_size=10), question=QUESTIONS)
def test_a_table_holds_what_the_reader_reads(
    redis_client: redis.Redis, redis_url: str, little: None, histories: Sequence[Written], question: Question
) -> None:
    note(repr(credible(histories)))
    redis_client.flushall()
    put(Seed(redis_client), credible(histories))
    store = RedisRunStore(redis_url)
    run = store.run(RUN)
    assume(run is not None and run.series)
    assert run is not None
    attempts = len(Reader(store).timeline(run).attempts)
    if isinstance(question.attempt, int) and question.attempt > attempts:
        question = replace(question, attempt=attempts)
    wide = opened(store, run, replace(question, metrics=("loss", "lr"), tags=("norm/a",)))
    rows = list(wide.rows())
    for number, label in enumerate(wide.plan.labels):
        wanted = next(it for it in names(run, label) if it is not None)
        found, expected = as_exported(rows, number), as_read(store, wanted, question)
        check(found, expected, walls=False)
        if number == 0:  # the first column's clock is the row's
            clocked = np.isfinite(expected.walls)
            np.testing.assert_array_equal(found.walls[clocked], expected.walls[clocked])
    long = opened(store, run, replace(question, every=True, layout="long", ranks=(0, 3)))
    told = list(long.rows())
    for name in ("loss", "lr", "norm/a"):
        for rank in (0, 3):
            mine = [one for one in told if (one.name, one.rank) == (name, rank)]
            check(as_exported(mine, 0), as_read(store, Wanted(name, name == "norm/a", rank), question), walls=True)
    store.close()


def names(run, label):
    from app.reader import default_rank

    is_tag = label == "norm/a"
    yield Wanted(label, is_tag, default_rank(run, label, is_tag=is_tag))
