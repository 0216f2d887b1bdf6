"""``test-notify``: one sample message to one address, and what the channel answered."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from app.diagnosis.notify.carrier import Carrier
from app.diagnosis.notify.letter import Item, Letter
from app.diagnosis.notify.message import Message
from app.diagnosis.notify.notice import Notice
from app.diagnosis.notify.target import BadTarget, Target, target
from app.diagnosis.signal import Evidence, Signal
from app.language import LANGUAGES, gettext, speaking
from app.words.letters import message
from collector.wire.records import RunId

USER_ERROR, REFUSED = 2, 1
EVIDENCE = Evidence(5.1, 2.2, 0.05, 60.0, 5.1 / 2.2, 5, (("gradient_ratio", 66.0),))


def add(commands: Any) -> None:
    """Add the command to a parser's commands."""
    trying = commands.add_parser(
        "test-notify",
        help="send a sample message",
        description="Send a sample message to a channel, and say what it answered. Exit code 0: it was taken.",
    )
    trying.add_argument(
        "url",
        metavar="URL",
        help="a webhook of Feishu, DingTalk, WeCom or Slack as it was given to you; https://… for JSON; "
        "feishu+https://… and so on for a host of its own; anything of apprise, such as mailtos://…",
    )
    trying.add_argument("--secret", default="", help="what the channel's messages are signed with")
    trying.add_argument("--lang", choices=LANGUAGES, default="en", help="language of the message")
    trying.add_argument("--allow-internal", action="store_true", help="the address may be inside the network")
    trying.set_defaults(command=run)


def run(options: argparse.Namespace) -> int:
    """Send it; returns the exit code."""
    try:
        to = target(options.url, options.secret)
    except BadTarget as error:
        print(f"test-notify: {error}", file=sys.stderr)
        return USER_ERROR
    answer = Carrier(to, options.allow_internal).send(sample(options.lang, time.time()))
    print(f"{told(to)} {'took the message' if answer.taken else 'did not take the message'}: {answer.said}")
    return 0 if answer.taken else REFUSED


def told(to: Target) -> str:
    """Which channel that was, without its secrets."""
    return f"{to.kind} ({to.shown})"


def sample(language: str, now: float) -> Message:
    """A message as a loss spike would make one, under a name that says what it is."""
    with speaking(language):
        run = RunId(gettext("a test message"))
    signal = Signal("raise", "loss_spike", "S1", "warning", 31219, 31216, now, EVIDENCE)
    item = Item("begin", Notice("loss_spike-a1-31216", run, "opened", now, signal), now)
    return message(Letter("test", run, [item], now, now), "", language)
