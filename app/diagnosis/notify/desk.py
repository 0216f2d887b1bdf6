"""What one channel has still to say: takes notices, makes letters of them, remembers what was told. Pure.

Whoever sends saves the desk after each change and before anything that the change allows: then a sender may be killed
anywhere, and the next one goes on. A letter is ``started`` before it is on the wire; found so by the next sender, it is
sent once more and says that it may be a repeat, since no chat can be asked what it has received.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from app.diagnosis.memory import Saved, restore, save
from app.diagnosis.notify.letter import Item, Kind, Letter, letter
from app.diagnosis.notify.notice import Notice
from app.diagnosis.notify.policy import DAY, HOUR, LONGEST, Policy, pause
from app.diagnosis.opening import GRAVITY
from collector.wire.records import RunId

FORGOTTEN = 30 * DAY  # an episode that has not ended for so long was left behind by its run
PATIENCE, ENOUGH = DAY, 20  # a letter is given up after both: so long, and so many tries


@dataclass(slots=True)
class Standing:
    """An episode that goes on. ``since`` is when it was first known here; ``told`` and ``escalated``: it is in a letter
    or waits for one; ``acknowledged`` until when (infinite: for good)."""

    notice: Notice
    since: float
    told: bool = False
    escalated: bool = False
    acknowledged: float = 0.0


@dataclass(slots=True)
class Desk:
    """``standing`` by the episode's id, ``waiting`` by kind and id; ``tries`` are the times of those of the last hour;
    ``letter`` is under way."""

    policy: Policy
    standing: dict[str, Standing] = field(default_factory=dict)
    waiting: dict[str, Item] = field(default_factory=dict)
    letter: Letter | None = None
    tries: list[float] = field(default_factory=list)

    def take(self, notice: Notice, now: float) -> None:
        """One more change of an episode. What is older than a day when it is first heard of is history, no news."""
        known = self.standing.get(notice.alert)
        if notice.change == "acknowledged":
            self._acknowledge(notice)
        elif notice.change == "ended":
            self._end(notice, now)
        elif known is None:
            self._open(notice, now)
        elif GRAVITY[notice.signal.severity] > GRAVITY[known.notice.signal.severity]:
            self._worsen(known, notice, now)

    def _open(self, notice: Notice, now: float) -> None:
        if notice.signal.t is not None and now - notice.signal.t >= DAY:
            return
        fresh = self.standing[notice.alert] = Standing(notice, now)
        if self.waiting.pop(_key("end", notice.alert), None):
            fresh.told = True  # it goes on, and nobody has heard otherwise
        else:
            self._begin(fresh, now)

    def _begin(self, one: Standing, now: float) -> None:
        if self.policy.counts(one.notice.signal.severity) and not self.policy.only_escalations:
            one.told = True
            self._wait("begin", one.notice, now)

    def _worsen(self, known: Standing, notice: Notice, now: float) -> None:
        known.notice = notice
        waits = self.waiting.get(_key("begin", notice.alert))
        if waits is not None:
            self._wait("begin", notice, waits.since)
        elif not known.told:
            self._begin(known, now)
        elif notice.signal.severity == "critical" and self.policy.escalate is not None:
            self._escalate(known, now)

    def _escalate(self, known: Standing, now: float) -> None:
        if not known.escalated and self.policy.counts(known.notice.signal.severity):
            known.escalated = True
            self._wait("escalation", known.notice, now)

    def _end(self, notice: Notice, now: float) -> None:
        known = self.standing.pop(notice.alert, None)
        late = self.waiting.pop(_key("escalation", notice.alert), None)
        if known is not None and (known.told or (known.escalated and late is None)):
            signal = replace(notice.signal, severity=known.notice.signal.severity)  # as grave as what it is the end of
            self._wait("end", replace(notice, signal=signal), now)

    def _acknowledge(self, notice: Notice) -> None:
        known = self.standing.get(notice.alert)
        if known is not None:
            known.acknowledged = float("inf") if notice.until is None else notice.until
            if self.waiting.pop(_key("escalation", notice.alert), None):
                known.escalated = False

    def _wait(self, kind: Kind, notice: Notice, since: float) -> None:
        self.waiting[_key(kind, notice.alert)] = Item(kind, notice, since)

    def next(self, now: float) -> Letter | None:
        """The letter that may be sent now."""
        self._tidy(now)
        if self.letter is None:
            self.letter = self._compose(now)
        one = self.letter
        if one is None or one.due > now or one.is_sending or not self.policy.speaks(one.severity, now):
            return None
        return one if len(self.tries) < self.policy.rate else None

    def _tidy(self, now: float) -> None:
        self.tries = [one for one in self.tries if one > now - HOUR]
        for alert in [alert for alert, one in self.standing.items() if one.since < now - FORGOTTEN]:
            del self.standing[alert]
        if self.policy.escalate is not None and self.letter is None:
            for one in self.standing.values():
                self._remind(one, now, self.policy.escalate)

    def _remind(self, one: Standing, now: float, after: float) -> None:
        is_untold = _key("begin", one.notice.alert) in self.waiting
        if now - one.since >= after and one.acknowledged <= now and not is_untold:
            self._escalate(one, now)

    def _compose(self, now: float) -> Letter | None:
        if len(self.tries) >= self.policy.rate:
            return None
        free: dict[RunId, list[Item]] = {}
        for one in self.waiting.values():
            if self.policy.speaks(one.severity, now):
                free.setdefault(one.notice.run, []).append(one)
        for run, items in free.items():
            if self._is_ripe([one.since for one in items], now):
                for one in items:
                    del self.waiting[_key(one.kind, one.alert)]
                return letter(run, items, now)
        return None

    def _is_ripe(self, times: Sequence[float], now: float) -> bool:
        return now - max(times) >= self.policy.wait or now - min(times) >= LONGEST

    def started(self, now: float) -> None:
        """The letter is about to be on the wire."""
        if self.letter is not None:
            self.letter.is_sending = True
            self.letter.tries += 1
            self.tries.append(now)

    def delivered(self, now: float) -> None:
        """The channel has taken it: from now on somebody may be expected to acknowledge."""
        for one in self.letter.items if self.letter else ():
            if one.kind == "begin" and one.alert in self.standing:
                self.standing[one.alert].since = now
        self.letter = None

    def failed(self, now: float) -> bool:
        """The channel has not: it is tried again, later and later. False: it is given up."""
        one = self.letter
        if one is None:
            return False
        one.is_sending = False
        one.due = now + pause(one.tries)
        if now - one.composed > PATIENCE and one.tries >= ENOUGH:
            self.letter = None
        return self.letter is not None

    def resumed(self) -> bool:
        """Another sender may have sent the letter and ended before it could say so. Whether that is so."""
        one = self.letter
        if one is None or not one.is_sending:
            return False
        one.is_sending, one.unsure = False, True
        return True

    def save(self) -> Saved:
        """Everything but the policy, as JSON values."""
        return {
            "standing": {alert: save(one) for alert, one in self.standing.items()},
            "waiting": [save(one) for one in self.waiting.values()],
            "letter": None if self.letter is None else save(self.letter),
            "tries": self.tries,
        }

    @classmethod
    def restore(cls, saved: Saved, policy: Policy) -> Desk:
        """One that goes on where ``save`` was called."""
        standing = {alert: restore(Standing, one) for alert, one in saved.get("standing", {}).items()}
        waiting = [restore(Item, one) for one in saved.get("waiting", [])]
        under_way = saved.get("letter")
        return cls(
            policy,
            standing,
            {_key(one.kind, one.alert): one for one in waiting},
            None if under_way is None else restore(Letter, under_way),
            list(saved.get("tries", [])),
        )


def _key(kind: Kind, alert: str) -> str:
    return f"{kind} {alert}"


def news(notices: Iterable[Notice]) -> list[Notice]:
    """What a channel that has just been set up is told: episodes that go on."""
    known = list(notices)
    over = {one.alert for one in known if one.change == "ended"}
    return [one for one in known if one.alert not in over]
