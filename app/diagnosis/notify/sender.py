"""One channel's sender: takes what is new, lets the desk decide, sends, and writes down what came of it.

It may be killed anywhere. Before a letter is on the wire it is marked as being sent; whoever finds it so later sends it
once more and says that it may be a repeat, because no chat tells what has arrived. Nothing else is ever sent twice.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from app.diagnosis.notify.box import Box
from app.diagnosis.notify.delivery import Delivery, Outcome
from app.diagnosis.notify.desk import Desk, news
from app.diagnosis.notify.letter import Letter
from app.diagnosis.notify.message import Message
from app.diagnosis.notify.settings import Channel
from app.diagnosis.notify.shape import Answer
from app.stored import StoreAway
from app.words.letters import message
from collector.wire.records import RunId

LOG = logging.getLogger(__name__)
SENDING_SECONDS = 30.0  # for which the lease is held while a message is on the wire: longer than its usual waits


class Carries(Protocol):
    """What takes a message to a channel."""

    def send(self, message: Message) -> Answer: ...


@dataclass(slots=True)
class Sender:
    """``home`` is the address of the pages. ``desk`` is None while another process sends, or nothing was read yet.
    ``picture`` draws one for a letter, empty for none."""

    channel: Channel
    box: Box
    carrier: Carries
    home: str
    clock: Callable[[], float]
    desk: Desk | None = None
    number: int = 0
    positions: Mapping[RunId, str] = field(default_factory=dict)
    log: list[Delivery] = field(default_factory=list)  # not written yet
    picture: Callable[[Letter], bytes] = lambda _: b""

    def turn(self) -> None:
        """One look. Raises StoreAway; then the next look goes on where this one ended."""
        if not self.box.is_mine():
            self.desk = None
            return
        if self.desk is not None and self.log:
            self._save()
        desk = self.desk or self._load()
        if desk is None:
            return
        self._take(desk)
        if self.desk is not None and (letter := desk.next(self.clock())) is not None:
            self._send(desk, letter)

    def _load(self) -> Desk | None:
        kept = self.box.load()
        self.number, self.positions = kept.number, kept.positions
        if kept.desk is None:
            self.desk = Desk(self.channel.policy)
            return self.desk if self._begin(self.desk) else None
        self.desk = Desk.restore(kept.desk, self.channel.policy)
        letter = self.desk.letter
        if letter is not None and any((one.id, one.outcome) == (letter.id, "sent") for one in self.log):
            self.desk.delivered(self.clock())  # we know it, and could not write it down
        elif self.desk.resumed() and letter is not None:
            self._note(letter, "interrupted", "the sender was ended while it sent this")
            return self.desk if self._save() else None
        return self.desk

    def _begin(self, desk: Desk) -> bool:
        """A channel that is new hears of what goes on, not of all that ever was."""
        found = self.box.news({})
        for one in news(found.notices):
            desk.take(one, self.clock())
        self.positions = found.positions
        return self._save()

    def _take(self, desk: Desk) -> None:
        found = self.box.news(self.positions)
        if found.notices:
            for one in found.notices:
                desk.take(one, self.clock())
            self.positions = found.positions
            self._save()
        self.positions = found.positions

    def _send(self, desk: Desk, letter: Letter) -> None:
        words = message(letter, self.home, self.channel.language)
        if not letter.tries:  # what was refused goes without: it may have been the picture
            words = replace(words, picture=self.picture(letter))
        if not self._start(desk):
            return
        answer = self.carrier.send(words)
        now = self.clock()
        if answer.taken:
            desk.delivered(now)
            self._note(letter, "sent", answer.said, words.title)
        else:
            going = desk.failed(now)
            self._note(letter, "refused" if going else "given_up", answer.said, words.title)
            LOG.warning("A message was not taken. channel=%s answer=%s", self.channel.name, answer.said)
        self._save()

    def _start(self, desk: Desk) -> bool:
        """Mark the letter as being sent. Only when that is written it may be."""
        desk.started(self.clock())
        started, self.desk = self.desk, None  # read again, unless all goes well: the mark is not true before
        if not self.box.is_mine(SENDING_SECONDS):
            return False
        self.desk = started
        try:
            return self._save()
        except StoreAway:
            self.desk = None
            raise

    def _note(self, letter: Letter, outcome: Outcome, said: str, title: str = "") -> None:
        known = title or message(letter, self.home, self.channel.language).title
        self.log.append(
            Delivery(self.clock(), letter.id, letter.run, known, len(letter.items), outcome, letter.tries, said)
        )

    def _save(self) -> bool:
        """Whether this sender is still the one that writes. The log is kept until it is written."""
        if self.desk is None:
            return False
        if not self.box.save(self.number, self.desk.save(), self.positions, self.log):
            self.desk = None
            self.log.clear()  # another sender goes on, and tells of the letter itself
            return False
        self.number += 1
        self.log.clear()
        return True
