"""What the badges and the table say of a run that was stopped and went on, from a real store."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from app.pages.shown import RunShown
from app.pages.source import Source
from app.pages.verdicts import Badge, badges, in_words
from app.reader import Reader
from app.store import RedisRunStore
from tests.app.conftest import NOW
from tests.support.seed import Seed, straight

Shown = Callable[[], RunShown]


@pytest.fixture
def source(store: RedisRunStore) -> Source:
    return Source(store, lambda: NOW, Reader(store))


@pytest.fixture
def shown(source: Source) -> Shown:
    def read() -> RunShown:
        run = source.run("gpt")
        assert run is not None
        return run

    return read


def in_table(source: Source) -> list[str]:
    [run] = source.runs()
    return [in_words(one).text for one in run.findings]


def stopped(seed: Seed, kind: str, step: int = 100) -> None:
    """A hundred steps, and the line that ended them."""
    seed.points(straight(range(1, 101), at=NOW - 200))
    seed.event(kind, step=step, wall=NOW - 100, text="stop training...")


def resumed(seed: Seed, last: int) -> None:
    seed.points(straight(range(81, last + 1), at=NOW - 60), generation=1, reason="start_announced")
    seed.touched(NOW)


def test_an_evaluation_that_gave_no_number_is_bad_news(seed: Seed, shown: Shown, source: Source) -> None:
    seed.points(straight(range(1, 101), at=NOW - 100))
    seed.points([(50, NOW - 50, 3.0), (100, NOW, math.nan)], metric="eval_loss")
    seed.touched(NOW)
    assert badges(shown())[0] == Badge("NaN or Inf", "bad", 1)
    assert in_table(source) == ["NaN or Inf"]


@pytest.mark.parametrize(
    ("kind", "bad", "past"),
    [
        ("norm_stop", "Stopped by gradient norm", "Stopped by gradient norm at step 100, resumed since"),
        ("nan_stop", "Stopped by NaN", "Stopped by NaN at step 100, resumed since"),
    ],
)
def test_a_stop_is_history_once_training_has_gone_past_it(
    seed: Seed, shown: Shown, source: Source, kind: str, bad: str, past: str
) -> None:
    stopped(seed, kind)
    assert (Badge(bad, "bad"), in_table(source)) == (badges(shown())[-1], [bad])
    resumed(seed, 95)
    assert (Badge(bad, "bad"), in_table(source)) == (badges(shown())[-1], [bad])
    seed.points(straight(range(96, 111), at=NOW - 45), generation=1)
    seed.touched(NOW)
    assert (Badge(past), in_table(source)) == (badges(shown())[-1], [])


def test_the_record_of_the_step_that_stopped_is_not_beyond_the_stop(seed: Seed, shown: Shown) -> None:
    """The callback that stops may run before the one that prints."""
    stopped(seed, "norm_stop", step=99)
    assert badges(shown())[-1] == Badge("Stopped by gradient norm", "bad")


def test_a_nan_of_steps_that_were_done_again_is_history(seed: Seed, shown: Shown, source: Source) -> None:
    seed.points([*straight(range(1, 101), at=NOW - 200), (101, NOW - 100, math.nan), (102, NOW - 99, math.nan)])
    seed.touched(NOW)
    assert (badges(shown()), in_table(source)) == ([Badge("NaN or Inf", "bad", 2)], ["NaN or Inf"])
    resumed(seed, 95)
    assert badges(shown()) == [Badge("NaN or Inf in steps that were done again since", "", 2)]
    assert in_table(source) == []
