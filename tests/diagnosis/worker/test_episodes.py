"""Signals → alerts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.diagnosis.alert import Alert, spans
from app.diagnosis.episodes import MOST, Episodes
from app.diagnosis.handling import Ack, Handling, Mute, standing, state
from app.diagnosis.notices import changes
from app.diagnosis.signal import Evidence, Signal
from collector.wire.records import RunId

RAISE = Signal("raise", "loss_spike", "S1", "warning", 105, 101, 1e9, Evidence(5.0, 2.0, 0.1, 30.0, 2.5, 3))
CLEAR = replace(RAISE, act="clear", step=130, t=1e9 + 30)


def only(episodes: Episodes) -> Alert:
    (one,) = episodes.alerts.values()
    return one


def test_an_episode_is_one_alert_from_its_beginning_to_its_end() -> None:
    found = Episodes()
    found.take([RAISE], 2)
    assert only(found).id == "loss_spike-a2-101"
    worse = replace(RAISE, act="update", step=110, severity="critical", rule="S2", evidence=Evidence(9.0))
    found.take([worse], 2)
    assert (only(found).severity, only(found).rule, only(found).evidence.value) == ("critical", "S2", 9.0)
    found.take([CLEAR], 2)
    one = only(found)
    assert (one.is_open, one.first_step, one.raised_step, one.last_step) == (False, 101, 105, 130)
    assert (one.raised_wall, one.ended_wall, one.count) == (1e9, 1e9 + 30, 1)


def test_ranks_that_fall_ill_at_one_row_are_one_alert_until_the_last_is_well() -> None:
    found = Episodes()
    ill = [replace(RAISE, about="rank_outlier", rank=rank) for rank in (5, 4, 9)]
    found.take(ill, 1)
    one = only(found)
    assert (one.id, one.rank, one.ranks) == ("rank_outlier-a1-101-r4", 4, ((4, 5), (9, 9)))
    found.take([replace(CLEAR, about="rank_outlier", rank=rank) for rank in (4, 9)], 1)
    assert only(found).is_open
    found.take([replace(CLEAR, about="rank_outlier", rank=5)], 1)
    assert not only(found).is_open


def test_a_consequence_names_the_alert_that_is_its_cause() -> None:
    found = Episodes()
    cause = replace(RAISE, about="nan_inf", severity="critical")
    found.take([replace(RAISE, cause="nan_inf"), cause], 1)  # said in one row, in any order
    assert found.alerts["loss_spike-a1-101"].cause == "nan_inf-a1-101"


def test_people_s_own_rules_are_told_apart_by_name() -> None:
    found = Episodes()
    found.take([replace(RAISE, about="custom", rule="norm / high"), replace(RAISE, about="custom", rule="b")], 1)
    assert list(found.alerts) == ["custom.b-a1-101", "custom.norm-high-a1-101"]
    found.take([replace(CLEAR, about="custom", rule="b")], 1)
    assert [one.is_open for one in found.alerts.values()] == [False, True]


def test_of_very_many_alerts_the_oldest_that_are_over_are_dropped() -> None:
    found = Episodes()
    found.take([replace(RAISE, about="nan_inf", first_step=1)], 1)
    for step in range(2, MOST + 5):
        found.take([replace(RAISE, first_step=step)], 1)
        found.take([CLEAR], 1)
    assert len(found.alerts) == MOST
    assert "nan_inf-a1-1" in found.alerts


def test_an_alert_comes_back_from_its_text() -> None:
    found = Episodes()
    found.take([replace(RAISE, rank=3, evidence=Evidence(float("nan"), beside=(("grad_norm", 3.0),)))], 1)
    assert repr(Alert.decode(only(found).encode())) == repr(only(found))


@pytest.mark.parametrize(
    ("ranks", "expected"), [([], ()), ([3], ((3, 3),)), ([2, 0, 1, 7, 1], ((0, 2), (7, 7)))], ids=str
)
def test_ranks_are_told_as_spans(ranks: list[int], expected: tuple[tuple[int, int], ...]) -> None:
    assert spans(ranks) == expected


# What people say


def alert(**given: object) -> Alert:
    found = Episodes()
    found.take([RAISE], 1)
    return replace(only(found), **given)  # type: ignore[arg-type]


def test_an_acknowledgement_holds_until_its_time() -> None:
    said = Handling(Ack("shift", 100.0, "", 50.0))
    assert [state(alert(), said, now) for now in (99.0, 100.0)] == ["acknowledged", "open"]


@pytest.mark.parametrize(
    ("is_open", "verdict", "count", "expected"),
    [
        (True, "", 0, "open"),
        (False, "", 0, "resolved"),
        (True, "resolved", 1, "resolved"),
        (True, "resolved", 0, "open"),
        (False, "reopened", 1, "open"),
    ],
    ids=["goes on", "over", "said to be over", "raised again since", "said to go on"],
)
def test_what_people_say_holds_for_the_episode_that_they_saw(
    is_open: bool, verdict: str, count: int, expected: str
) -> None:
    assert state(alert(is_open=is_open), Handling(verdict=verdict, count=count), 0.0) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "covers"),
    [
        ({"about": "loss_spike"}, True),
        ({"about": "nan_inf"}, False),
        ({"run": "gpt"}, True),
        ({"run": "other"}, False),
        ({"rank": 5}, True),
        ({"rank": 8}, False),
        ({"about": "loss_spike", "rank": 8}, False),
        ({"until": 9.0}, False),
    ],
    ids=str,
)
def test_a_mute_covers_what_all_of_it_fits(given: dict[str, object], covers: bool) -> None:
    said = {"about": None, "run": None, "rank": None, "by": "", "until": None, "note": "", "at": 0.0, **given}
    assert Mute(**said).covers("gpt", alert(ranks=((4, 6),)), 10.0) is covers  # type: ignore[arg-type]


def test_what_is_muted_explained_or_a_note_does_not_count() -> None:
    several = [alert(), alert(cause="x"), alert(severity="info"), alert(is_open=False)]
    assert [one.counts for one in standing("gpt", several, {}, [], 0.0)] == [True, False, False, False]
    mute = Mute(None, "gpt", None, "", None, "", 0.0)
    assert not any(one.counts for one in standing("gpt", several, {}, [mute], 0.0))


# What is told


def told(before: Alert | None, now: Alert, at: float = 1e9 + 60) -> list[str]:
    stored = {} if before is None else {before.id: before}
    return [one.change for one in changes(RunId("gpt"), stored, {now.id: now}, at, 0.0).notices]


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        (None, alert(), ["opened"]),
        (alert(), alert(), []),
        (alert(), alert(severity="critical"), ["graver"]),
        (alert(severity="critical"), alert(), []),
        (alert(), alert(is_open=False), ["ended"]),
        (None, alert(is_open=False), ["opened", "ended"]),
        (alert(is_open=False), alert(count=2), ["opened"]),
        (None, alert(cause="nan_inf-a1-1"), []),
    ],
    ids=["new", "as before", "graver", "milder", "over", "came and went", "again", "a consequence"],
)
def test_each_change_is_told_once(before: Alert | None, now: Alert, expected: list[str]) -> None:
    assert told(before, now) == expected


def test_history_is_no_news() -> None:
    assert told(None, alert(), at=1e9 + 3600) == []
    assert told(None, alert(raised_wall=None), at=1e9 + 3600) == ["opened"]
