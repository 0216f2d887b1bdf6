"""The desk: pages ask for raw lines of a followed log, and a thread of its own reads and answers.

The thread that follows the files does nothing here but look up names (``introduce``), between two of its steps: which
files a run has changes under its hands alone. So a page can name a log, never a path, and new points wait for nobody.
"""

from __future__ import annotations

import logging
import queue
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from types import TracebackType

from collector.errors import StoreAway
from collector.lookup.excerpt import MOST_LINES, Log, excerpt
from collector.lookup.volume import Bytes, Part, Volume
from collector.post import Post
from collector.roster import Roster
from collector.tracked import Tracked
from collector.wire.question import NOT_MINE, LogQuestion, encode_answer
from collector.wire.schema import ASK_SECONDS

LOG = logging.getLogger("collector")
LISTEN_SECONDS = 0.25  # after which the thread looks whether it should end
WORK_SECONDS = 0.4 * ASK_SECONDS  # for one question, so that two who ask at once are both answered
AWAY_SECONDS = 2.0  # between two tries of a Redis that is away or refuses (an ACL without these channels)
MOST_PARTS = 30  # rotated parts of one log that are looked for
SWITCH_SECONDS = 0.0005  # how soon the following thread gets the interpreter back from a search


@dataclass(frozen=True, slots=True)
class Named:
    """A question with the parts of each log that are followed here, oldest first."""

    question: LogQuestion
    logs: tuple[tuple[tuple[Part, ...], float | None], ...]


class Desk:
    """Answers until the block ends; ``ring`` wakes the thread that calls ``introduce``."""

    def __init__(self, post: Post, files: Bytes, host: str, ring: Callable[[], None]) -> None:
        self._post, self._files, self._host, self._ring = post, files, host, ring
        self._asked: queue.SimpleQueue[LogQuestion] = queue.SimpleQueue()
        self._named: queue.SimpleQueue[Named] = queue.SimpleQueue()
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._work, name="tidewatch-desk")

    def __enter__(self) -> Desk:
        sys.setswitchinterval(SWITCH_SECONDS)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._ends.set()
        self._thread.join()
        self._post.close()

    def introduce(self, roster: Roster) -> None:
        """Called between two steps: say which files the questions name that came since the last call."""
        while not self._asked.empty():
            self._named.put(named(self._asked.get(), roster))

    def _work(self) -> None:
        while not self._ends.is_set():
            try:
                text = self._post.take(LISTEN_SECONDS)
                question = None if text is None else _question(text)
                if question is not None:
                    self._serve(question)
            except StoreAway as error:
                LOG.debug("%s", error)
                self._ends.wait(AWAY_SECONDS)

    def _serve(self, question: LogQuestion) -> None:
        self._asked.put(question)
        self._ring()
        while not self._ends.is_set():
            try:
                found = self._named.get(timeout=LISTEN_SECONDS)
            except queue.Empty:
                continue  # a long step is under way
            if self._post.is_awaited(question.id):
                self._post.reply(question.id, self.answer(found))
            return

    def answer(self, found: Named) -> str:
        """The text to be published."""
        deadline = monotonic() + WORK_SECONDS
        logs = [Log(Volume(self._files, parts), wall) for parts, wall in found.logs if parts]
        held = [log for log in logs if log.volume.size]
        if not held:
            return NOT_MINE
        try:
            body = excerpt(found.question, held, lambda: monotonic() > deadline)
        except Exception:  # a fault of ours in reading one log costs one answer, never the desk
            LOG.exception("A question about a log could not be answered.")
            return NOT_MINE
        return encode_answer({**body, "host": self._host})


def named(question: LogQuestion, roster: Roster) -> Named:
    """The followed logs that a question names, each with its rotated parts; whatever else it names is nothing."""
    run = roster.runs.get(question.run)
    files = run.files if run else {}
    return Named(question, tuple((_parts(files, one.file), one.wall) for one in question.logs))


def _parts(files: Mapping[str, Tracked], file: str) -> tuple[Part, ...]:
    names = [*(f"{file}.{number}" for number in range(MOST_PARTS, 0, -1)), file]
    followed = (files[name] for name in names if name in files)
    return tuple(
        Part(one.found.role.file, one.path) for one in followed if one.found.role.source == "log" and not one.missing
    )


def _question(text: bytes) -> LogQuestion | None:
    """None for what is no question of this version."""
    try:
        asked = LogQuestion.decode(text)
        in_bounds = 0 <= asked.before <= MOST_LINES and 0 <= asked.after <= MOST_LINES and len(asked.find) <= 1000
    except (ValueError, TypeError, KeyError):
        return None
    return asked if in_bounds else None
