"""What one channel says, whatever happens to alerts, to the channel and to whoever sends."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.diagnosis.notify.desk import Desk, news
from app.diagnosis.notify.letter import Item, Letter
from app.diagnosis.notify.notice import Change, Notice
from app.diagnosis.notify.policy import HOUR, LONGEST, Policy, Quiet, pause
from app.diagnosis.signal import Evidence, Severity, Signal
from collector.wire.records import RunId

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC).timestamp()


def notice(
    alert: str, change: Change = "opened", severity: Severity = "warning", run: str = "r", **more: Any
) -> Notice:
    act = {"opened": "raise", "ended": "clear"}.get(change, "update")
    t = more.pop("t", None)
    signal = Signal(act, "loss_spike", "S1", severity, 10, 9, t, Evidence(5.1, 2.2))  # type: ignore[arg-type]
    return Notice(alert, RunId(run), change, more.pop("at", NOON), signal, **more)


def told(letter: Letter | None) -> list[tuple[str, str]]:
    assert letter is not None
    return sorted((one.kind, one.alert) for one in letter.items)


def send(desk: Desk, now: float) -> Letter | None:
    """One letter on the wire and taken."""
    letter = desk.next(now)
    if letter is not None:
        desk.started(now)
        desk.delivered(now)
    return letter


def test_an_episode_is_told_once_and_its_end_once() -> None:
    desk = Desk(Policy())
    desk.take(notice("a"), NOON)
    desk.take(notice("a"), NOON + 1)
    assert desk.next(NOON + 5) is None
    assert told(send(desk, NOON + 11)) == [("begin", "a")]
    desk.take(notice("a", "ended"), NOON + 60)
    desk.take(notice("a", "ended"), NOON + 61)
    assert told(send(desk, NOON + 75)) == [("end", "a")]
    assert send(desk, NOON + 1000) is None


def test_a_thousand_ranks_that_fail_within_a_minute_are_one_message_within_a_minute() -> None:
    desk, letters = Desk(Policy()), []
    for second in range(120):
        now = NOON + second
        if second < 32:
            for rank in range(32):
                desk.take(notice(f"rank {32 * second + rank}"), now)
        letters += [(now, one)] if (one := send(desk, now)) else []
    ((at, letter),) = letters
    assert len(letter.items) == 1024
    assert at - NOON <= 60


def test_whatever_goes_on_happening_the_first_is_told_within_a_minute() -> None:
    desk = Desk(Policy(wait=10))
    for second in range(60):
        desk.take(notice(f"{second}"), NOON + second)
        if letter := send(desk, NOON + second):
            assert second <= LONGEST
            assert ("begin", "0") in told(letter)
            return
    pytest.fail("nothing was told")


def test_runs_are_told_apart() -> None:
    desk = Desk(Policy())
    for run in ("a", "b"):
        desk.take(notice(run, run=run), NOON)
    assert {one.run for one in (send(desk, NOON + 11), send(desk, NOON + 12)) if one} == {"a", "b"}


def test_what_is_not_grave_enough_is_told_when_it_becomes_so() -> None:
    desk = Desk(Policy(least="critical"))
    desk.take(notice("a"), NOON)
    assert desk.next(NOON + 60) is None
    desk.take(notice("a", "graver", "critical"), NOON + 70)
    assert told(send(desk, NOON + 90)) == [("begin", "a")]
    desk.take(notice("b"), NOON)
    desk.take(notice("b", "ended"), NOON + 100)
    assert desk.next(NOON + 1000) is None


def test_quiet_hours_hold_everything_but_what_is_critical_until_they_are_over() -> None:
    night = Policy(quiet=Quiet(22 * 60, 8 * 60, "Asia/Shanghai"))
    desk, midnight = Desk(night), datetime(2026, 6, 1, 16, tzinfo=UTC).timestamp()
    desk.take(notice("a"), midnight)
    desk.take(notice("b", severity="critical"), midnight)
    assert told(send(desk, midnight + 30)) == [("begin", "b")]
    desk.take(notice("a", "ended"), midnight + HOUR)
    assert send(desk, midnight + 8 * HOUR - 1) is None
    assert told(send(desk, midnight + 8 * HOUR)) == [("begin", "a"), ("end", "a")]


@pytest.mark.parametrize(("hour", "holds"), [(21, False), (22, True), (2, True), (8, False), (12, False)])
def test_quiet_hours_go_over_midnight(hour: int, holds: bool) -> None:
    assert Quiet(22 * 60, 8 * 60).holds(datetime(2026, 6, 1, hour, tzinfo=UTC).timestamp()) is holds


def test_what_nobody_acknowledges_is_told_once_more() -> None:
    desk = Desk(Policy(escalate=1800))
    for alert in ("a", "b"):
        desk.take(notice(alert), NOON)
    assert told(send(desk, NOON + 10)) == [("begin", "a"), ("begin", "b")]
    desk.take(notice("b", "acknowledged", by="li"), NOON + 60)
    assert send(desk, NOON + 1809) is None
    assert send(desk, NOON + 1810) is None  # noticed, and waits for what belongs to it
    assert told(send(desk, NOON + 1820)) == [("escalation", "a")]
    assert send(desk, NOON + 90_000) is None


def test_an_acknowledgement_that_has_run_out_no_longer_counts() -> None:
    desk = Desk(Policy(escalate=600, wait=0))
    desk.take(notice("a"), NOON)
    send(desk, NOON)
    desk.take(notice("a", "acknowledged", until=NOON + 3600), NOON + 1)
    assert send(desk, NOON + 3599) is None
    assert told(send(desk, NOON + 3600)) == [("escalation", "a")]


def test_a_channel_for_escalations_alone_hears_of_the_end_of_those() -> None:
    desk = Desk(Policy(escalate=600, only_escalations=True, wait=0))
    for alert in ("short", "long"):
        desk.take(notice(alert), NOON)
    desk.take(notice("short", "ended"), NOON + 60)
    assert told(send(desk, NOON + 600)) == [("escalation", "long")]
    desk.take(notice("long", "ended"), NOON + 700)
    assert told(send(desk, NOON + 700)) == [("end", "long")]


def test_what_is_told_as_a_warning_is_told_again_as_critical_where_escalations_are_wanted() -> None:
    desk = Desk(Policy(escalate=6000, wait=0))
    desk.take(notice("a"), NOON)
    send(desk, NOON)
    desk.take(notice("a", "graver", "critical"), NOON + 1)
    assert told(send(desk, NOON + 1)) == [("escalation", "a")]


def test_old_rows_are_history() -> None:
    desk = Desk(Policy(wait=0))
    desk.take(notice("a", t=NOON - 25 * HOUR), NOON)
    desk.take(notice("b", t=NOON - HOUR), NOON)
    assert told(send(desk, NOON)) == [("begin", "b")]


def test_what_goes_on_after_all_is_not_told_as_ended() -> None:
    desk = Desk(Policy())
    desk.take(notice("a"), NOON)
    send(desk, NOON + 10)
    desk.take(notice("a", "ended"), NOON + 20)
    desk.take(notice("a", "reopened"), NOON + 21)
    assert send(desk, NOON + 60) is None
    desk.take(notice("a", "ended"), NOON + 70)
    assert told(send(desk, NOON + 80)) == [("end", "a")]


def test_a_letter_that_fails_is_tried_later_and_later_and_given_up_after_a_day() -> None:
    desk, now, tries = Desk(Policy(wait=0, rate=1000)), NOON, []
    desk.take(notice("a"), now)
    going = True
    while going:
        if desk.next(now):
            desk.started(now)
            tries.append(now)
            going = desk.failed(now)
        now += 1
    assert [later - earlier for earlier, later in pairwise(tries)][:5] == [5, 10, 20, 40, 80]
    assert 24 * HOUR <= tries[-1] - NOON <= 24 * HOUR + 600
    assert pause(50) == 600


def test_a_letter_that_was_on_the_wire_when_its_sender_ended_says_so() -> None:
    desk = Desk(Policy(wait=0))
    desk.take(notice("a"), NOON)
    first = desk.next(NOON)
    assert first is not None
    desk.started(NOON)
    after = Desk.restore(json.loads(json.dumps(desk.save())), desk.policy)
    assert after.next(NOON + 1) is None
    assert after.resumed()
    again = after.next(NOON + 1)
    assert again is not None
    assert (again.id, again.unsure) == (first.id, True)


def test_a_new_channel_hears_of_what_goes_on_alone() -> None:
    assert [one.alert for one in news([notice("a"), notice("b"), notice("a", "ended")])] == ["b"]


# ---- histories ----


@dataclass
class History:
    """A channel, its sender, and what arrived: (time, letter's id, items, unsure)."""

    policy: Policy
    now: float = NOON
    saved: str = ""
    wire: list[tuple[float, str, list[Item], bool]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.desk = Desk(self.policy)
        self.keep()

    def keep(self) -> None:
        self.saved = json.dumps(self.desk.save())

    def kill(self) -> None:
        """Whatever was not saved is gone."""
        self.desk = Desk.restore(json.loads(self.saved), self.policy)
        if self.desk.resumed():
            self.keep()

    def take(self, one: Notice) -> None:
        self.desk.take(one, self.now)
        self.keep()

    def look(self, fate: str) -> None:
        letter = self.desk.next(self.now)
        if letter is None:
            return self.keep()
        if fate == "killed before it was marked":
            return self.kill()
        self.desk.started(self.now)
        self.keep()
        if fate == "killed before the wire":
            return self.kill()
        self.wire.append((self.now, letter.id, list(letter.items), letter.unsure))
        if fate == "killed after the wire":
            return self.kill()
        if fate == "refused":
            self.wire.pop()
            self.desk.failed(self.now)
        else:
            self.desk.delivered(self.now)
        return self.keep()

    def sound(self) -> list[Item]:
        """Everything that arrived, each letter once."""
        letters = {id: items for _, id, items, _ in self.wire}
        return [one for items in letters.values() for one in items]


FATES = [
    "taken",
    "taken",
    "taken",
    "refused",
    "killed before it was marked",
    "killed before the wire",
    "killed after the wire",
]
ALERTS = ["a", "b", "c"]
ACTS = st.one_of(
    st.tuples(st.just("open"), st.sampled_from(ALERTS), st.sampled_from(["warning", "critical"])),
    st.tuples(st.sampled_from(["grave", "end", "acknowledge"]), st.sampled_from(ALERTS), st.just("")),
    st.tuples(st.just("wait"), st.sampled_from([1, 30, 600, 7200, 40_000]), st.just("")),
    st.tuples(st.just("look"), st.sampled_from(FATES), st.just("")),
)
POLICIES = st.builds(
    Policy,
    least=st.sampled_from(["warning", "critical"]),
    wait=st.sampled_from([0.0, 10.0]),
    rate=st.sampled_from([1, 3, 50]),
    quiet=st.none()
    | st.builds(Quiet, st.just(13 * 60), st.sampled_from([20 * 60, 6 * 60]), st.just("UTC"), st.booleans()),
    escalate=st.none() | st.just(1800.0),
)


@dataclass
class World:
    """Episodes that begin and end; ``counted`` are the ids of those that were ever grave enough."""

    history: History
    number: Counter[str] = field(default_factory=Counter)
    going: dict[str, str] = field(default_factory=dict)  # letter → its id
    counted: set[str] = field(default_factory=set)

    def play(self, acts: Sequence[tuple[str, Any, str]]) -> None:
        """Let everything happen, then everything end, and let the channel take whatever is left."""
        for act, what, severity in acts:
            self.act(act, what, severity)
        self.settle()
        for what in list(self.going):
            self.end(what)
        self.settle()

    def act(self, act: str, what: Any, severity: Any) -> None:
        if act == "wait":
            self.history.now += what
        elif act == "look":
            self.history.look(what)
        elif act == "open":
            self.open(what, severity)
        elif what in self.going:
            {"grave": self.grave, "end": self.end, "acknowledge": self.acknowledge}[act](what)

    def open(self, what: str, severity: Severity) -> None:
        if what not in self.going:
            self.number[what] += 1
            self.going[what] = f"{what}{self.number[what]}"
            self.history.take(notice(self.going[what], severity=severity))
            self.counted |= {self.going[what]} if self.history.policy.counts(severity) else set()

    def grave(self, what: str) -> None:
        self.history.take(notice(self.going[what], "graver", "critical"))
        self.counted.add(self.going[what])

    def end(self, what: str) -> None:
        self.history.take(notice(self.going.pop(what), "ended"))

    def acknowledge(self, what: str) -> None:
        self.history.take(notice(self.going[what], "acknowledged"))

    def settle(self) -> None:
        for _ in range(70):  # hours: one try in each, and no quiet hours are longer
            self.history.now += HOUR + 1
            self.history.look("taken")


@settings(max_examples=400, deadline=None)
@given(POLICIES, st.lists(ACTS, max_size=40))
@example(
    Policy(wait=0),
    [("open", "a", "warning"), ("look", "refused", ""), *[("wait", 40_000, "")] * 3, ("look", "refused", "")],
)
@example(Policy(wait=0), [("open", "a", "warning"), ("look", "killed after the wire", ""), ("look", "taken", "")])
def test_each_episode_is_told_once_and_its_end_once_whatever_happens(
    policy: Policy, acts: list[tuple[str, Any, str]]
) -> None:
    history = History(policy)
    world = World(history)
    world.play(acts)
    counted = world.counted
    kinds = Counter((one.kind, one.alert) for one in history.sound())
    assert {alert for kind, alert in kinds if kind == "begin"} == counted
    assert {alert for kind, alert in kinds if kind == "end"} == counted
    assert set(kinds.values()) <= {1}
    order = [(one.kind, one.alert) for one in history.sound()]
    assert all(order.index(("begin", alert)) < order.index(("end", alert)) for alert in counted)
    # what is on the wire twice says so
    seen: set[str] = set()
    for _, id, _, unsure in history.wire:
        assert unsure or id not in seen
        seen.add(id)
    for at, _, items, _ in history.wire:
        assert sum(at - HOUR < other <= at for other, *_ in history.wire) <= policy.rate
        if policy.quiet is not None and policy.quiet.holds(at):
            assert policy.quiet.but_critical
            assert any(one.severity == "critical" for one in items)
    assert policy.escalate is not None or not any(one.kind == "escalation" for one in history.sound())
