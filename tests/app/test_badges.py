"""What the badges say of a run that was stopped and went on, and of its alerts, from a real store."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from app.alarms import Alarms
from app.diagnosis.alert import Alert
from app.diagnosis.handling import Ack, Handling, Mute
from app.diagnosis.notices import Changes
from app.diagnosis.store import AlertStore
from app.diagnosis.vital import Vital
from app.hypertext import hypertext
from app.pages import runs
from app.pages.shown import RunShown
from app.pages.source import Source
from app.pages.verdicts import Badge, badges
from app.reader import Reader
from app.store import RedisRunStore
from tests.app.conftest import NOW
from tests.support import alarmed
from tests.support.seed import RUN, Seed, straight

Shown = Callable[[], RunShown]
NAN = replace(alarmed.NAN, is_open=True)


@pytest.fixture
def alerts(store: RedisRunStore) -> Iterator[AlertStore]:
    found = AlertStore(store.url)
    yield found
    found.close()


@pytest.fixture
def source(store: RedisRunStore, alerts: AlertStore) -> Source:
    return Source(store, lambda: NOW, Reader(store), alarms=Alarms(alerts, lambda: NOW))


@pytest.fixture
def shown(source: Source) -> Shown:
    def read() -> RunShown:
        run = source.run("gpt")
        assert run is not None
        return run

    return read


def stopped(seed: Seed, kind: str, step: int = 100) -> None:
    """A hundred steps, and the line that ended them."""
    seed.points(straight(range(1, 101), at=NOW - 200))
    seed.event(kind, step=step, wall=NOW - 100, text="stop training...")


def resumed(seed: Seed, last: int) -> None:
    seed.points(straight(range(81, last + 1), at=NOW - 60), generation=1, reason="start_announced")
    seed.touched(NOW)


def test_an_evaluation_that_gave_no_number_is_bad_news(seed: Seed, shown: Shown) -> None:
    seed.points(straight(range(1, 101), at=NOW - 100))
    seed.points([(50, NOW - 50, 3.0), (100, NOW, math.nan)], metric="eval_loss")
    seed.touched(NOW)
    assert badges(shown())[0] == Badge("NaN or Inf", "bad", 1)


@pytest.mark.parametrize(
    ("kind", "bad", "past"),
    [
        ("norm_stop", "Stopped by gradient norm", "Stopped by gradient norm at step 100, resumed since"),
        ("nan_stop", "Stopped by NaN", "Stopped by NaN at step 100, resumed since"),
    ],
)
def test_a_stop_is_history_once_training_has_gone_past_it(
    seed: Seed, shown: Shown, kind: str, bad: str, past: str
) -> None:
    stopped(seed, kind)
    assert badges(shown())[-1] == Badge(bad, "bad")
    resumed(seed, 95)
    assert badges(shown())[-1] == Badge(bad, "bad")
    seed.points(straight(range(96, 111), at=NOW - 45), generation=1)
    seed.touched(NOW)
    assert badges(shown())[-1] == Badge(past)


def test_the_record_of_the_step_that_stopped_is_not_beyond_the_stop(seed: Seed, shown: Shown) -> None:
    """The callback that stops may run before the one that prints."""
    stopped(seed, "norm_stop", step=99)
    assert badges(shown())[-1] == Badge("Stopped by gradient norm", "bad")


def test_a_nan_of_steps_that_were_done_again_is_history(seed: Seed, shown: Shown) -> None:
    seed.points([*straight(range(1, 101), at=NOW - 200), (101, NOW - 100, math.nan), (102, NOW - 99, math.nan)])
    seed.touched(NOW)
    assert badges(shown()) == [Badge("NaN or Inf", "bad", 2)]
    resumed(seed, 95)
    assert badges(shown()) == [Badge("NaN or Inf in steps that were done again since", "", 2)]


# Beside alerts


def raised(seed: Seed, alerts: AlertStore, *several: Alert, nan: bool = False) -> None:
    """A hundred steps, the last of them NaN or not, and alerts about them."""
    seed.points([*straight(range(1, 100), at=NOW - 100), (100, NOW, math.nan if nan else 1.0)])
    seed.touched(NOW)
    assert alerts.commit(RUN, "", {}, Changes(several, (), ()))


def test_an_open_alert_says_what_the_count_would(seed: Seed, shown: Shown, alerts: AlertStore) -> None:
    raised(seed, alerts, NAN, nan=True)
    assert badges(shown()) == [Badge("NaN or Inf", "bad", 1, NAN.id)]


def test_no_good_news_stands_beside_an_alert_about_the_same(seed: Seed, shown: Shown, alerts: AlertStore) -> None:
    raised(seed, alerts, NAN)
    assert badges(shown()) == [Badge("NaN or Inf", "bad", None, NAN.id)]


def test_what_an_alert_that_is_over_was_about_is_told_calmly(seed: Seed, shown: Shown, alerts: AlertStore) -> None:
    raised(seed, alerts, replace(NAN, is_open=False), nan=True)
    assert badges(shown()) == [Badge("NaN or Inf earlier", "", 1)]


def test_badges_are_one_a_kind_the_gravest_first_and_calm_where_somebody_sees_to_it(
    seed: Seed, shown: Shown, alerts: AlertStore
) -> None:
    again = replace(alarmed.SPIKE, id="loss_spike-a1-90", raised_step=590)
    raised(seed, alerts, alarmed.SLOW, alarmed.SPIKE, again, alarmed.JITTER, alarmed.NORM, alarmed.RANKS)
    alerts.handle(RUN, alarmed.SLOW.id, Handling(Ack("shift", None, "", NOW), count=1), None)
    assert badges(shown()) == [
        Badge("Gradient explosion", "bad", None, alarmed.NORM.id),
        Badge("Loss spike", "warn", 2, again.id),
        Badge("A rank differs · 3 ranks", "warn", None, alarmed.RANKS.id),
        Badge("Slower steps · acknowledged", "", None, alarmed.SLOW.id),
        Badge("No NaN or Inf", "good"),
    ]


def test_what_is_muted_has_no_badge(seed: Seed, shown: Shown, alerts: AlertStore) -> None:
    raised(seed, alerts, alarmed.SPIKE)
    alerts.mute(Mute("loss_spike", None, None, "shift", None, "", NOW), [RUN])
    assert badges(shown()) == [Badge("No NaN or Inf", "good")]


def test_that_nothing_is_wrong_is_said_only_of_a_run_that_somebody_judges(
    seed: Seed, shown: Shown, alerts: AlertStore
) -> None:
    raised(seed, alerts)
    calm = Badge("No open alerts", "good")
    assert calm not in badges(shown())
    alerts.beat(Vital("host:1", "host", 1, NOW, 1, 10, (RUN,), ()))
    assert calm not in badges(shown())
    alerts.beat(Vital("host:1", "host", 1, NOW, 1, 10, (), ()))
    assert calm in badges(shown())


def test_the_table_counts_what_somebody_has_to_know_of(seed: Seed, source: Source, alerts: AlertStore) -> None:
    raised(seed, alerts, alarmed.SPIKE, alarmed.JITTER, alarmed.BACK, alarmed.RANKS)
    said = hypertext(runs.view(source, "/run/", "", runs.Order())[0])
    assert '<span class="alert-count warn" title="Loss spike, A rank differs · 3 ranks">2<' in said
    alerts.commit(RUN, "1", {}, Changes((alarmed.NORM,), (), ()))
    assert 'class="alert-count bad"' in hypertext(runs.view(source, "/run/", "", runs.Order())[0])
