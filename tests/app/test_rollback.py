"""Which checkpoint is advised, what going back costs, and how that is said."""

from __future__ import annotations

import pytest

from app.series.attempts import Attempt
from app.series.happening import Happening
from app.series.rollback import MOST, Pace, Rollback, rollback
from app.words.rollback import advice

FIRST = Attempt(1, "first", None, None, 1, 1000, 0)
ONSET, NOW = 800, 1000


def saved(step: int, health: str = "", attempt: int = 1) -> Happening:
    detail = {"health": health, "name": f"llm-1_{step}.ckpt"} if health else {}
    return Happening("checkpoint", "", step, step, detail=detail, attempt=attempt)


def found(
    *events: Happening, attempts: tuple[Attempt, ...] = (FIRST,), onset: tuple[int, int] = (1, ONSET)
) -> Rollback:
    return rollback(events, attempts, onset, NOW, Pace(2_000.0, 64))


def test_the_newest_healthy_checkpoint_before_the_onset_is_advised() -> None:
    got = found(saved(400, "healthy"), saved(600, "healthy"), saved(700, "unhealthy"), saved(900, "healthy"))
    assert [(one.step, one.health) for one in got.ways] == [(700, "unhealthy"), (600, "healthy"), (400, "healthy")]
    way = got.advised
    assert way is not None
    assert (way.step, way.steps, way.seconds, way.name) == (600, 400, 800.0, "llm-1_600.ckpt")
    assert way.npu_hours == pytest.approx(800 * 64 / 3600)


def test_a_healthy_checkpoint_is_found_however_many_others_came_after_it() -> None:
    got = found(saved(1, "healthy"), *(saved(step, "unhealthy") for step in range(10, 600, 10)))
    assert [one.step for one in got.ways] == [590 - 10 * k for k in range(MOST)] + [1]
    assert got.advised is not None and got.advised.step == 1


def test_the_checkpoint_of_the_onset_itself_is_no_way_back() -> None:
    assert list(found(saved(ONSET, "healthy")).ways) == []


def test_what_a_restart_threw_away_is_no_way_back() -> None:
    attempts = (FIRST, Attempt(2, "steps_back", None, None, 501, 1000, 500))
    got = found(saved(500, "healthy"), saved(700, "healthy"), saved(750, attempt=2), attempts=attempts, onset=(2, 800))
    assert [one.step for one in got.ways] == [750, 500]
    before = found(saved(700, "healthy"), saved(700, "unhealthy", 2), attempts=attempts, onset=(1, 800))
    assert [(one.step, one.health) for one in before.ways] == [(700, "healthy")]


def test_a_step_that_was_saved_twice_counts_as_it_was_saved_last() -> None:
    assert [one.health for one in found(saved(600, "healthy"), saved(600, "unhealthy")).ways] == ["unhealthy"]


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ((), "No checkpoint was saved before step 800: start again, or from weights of another run."),
        (
            (saved(600, "healthy"),),
            "Go back to step 600, the newest healthy checkpoint. 400 steps are done again: 13 min at the present "
            "speed, 14 NPU hours.",
        ),
        ((saved(600, "unhealthy"),), "Every checkpoint before step 800 is marked unhealthy."),
        (
            (saved(500), saved(600, "unhealthy")),
            "None of the checkpoints before step 800 is marked healthy; the newest that is not marked unhealthy is of "
            "step 500. 500 steps are done again: 17 min at the present speed, 18 NPU hours.",
        ),
    ],
    ids=["none", "healthy", "all unhealthy", "not known"],
)
def test_the_advice_is_a_sentence(events: tuple[Happening, ...], expected: str) -> None:
    assert advice(found(*events)) == expected


def test_a_cost_that_nobody_knows_is_not_said() -> None:
    got = rollback([saved(999, "healthy")], [FIRST], (1, 1000), NOW, Pace())
    assert advice(got) == "Go back to step 999, the newest healthy checkpoint. 1 step is done again."
