"""``test-notify``: one sample message to one address, and what the channel answered."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from typing import Any

import numpy as np

from app.diagnosis.notify.carrier import Carrier
from app.diagnosis.notify.letter import Item, Letter
from app.diagnosis.notify.message import Message
from app.diagnosis.notify.notice import Notice
from app.diagnosis.notify.target import BadTarget, Target, target
from app.diagnosis.signal import Evidence, Signal
from app.figures.picture import Picture, Trace, png
from app.language import LANGUAGES, gettext, speaking
from app.words.letters import message
from collector.wire.records import RunId

USER_ERROR, REFUSED = 2, 1
STEP = 31_216
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
    carrier, told_of = Carrier(to, options.allow_internal), sample(options.lang, time.time())
    answer = carrier.send(replace(told_of, picture=curve()) if carrier.takes_pictures else told_of)
    print(f"{told(to)} {'took the message' if answer.taken else 'did not take the message'}: {answer.said}")
    return 0 if answer.taken else REFUSED


def told(to: Target) -> str:
    """Which channel that was, without its secrets."""
    return f"{to.kind} ({to.shown})"


def curve() -> bytes:
    """The picture that goes with the sample: a loss that falls, and the spike."""
    steps = np.arange(STEP - 300, STEP + 300)
    values = 2.2 - (steps - STEP) / 20_000 + np.random.default_rng(STEP).normal(0.0, 0.03, len(steps))
    values[300:304] = EVIDENCE.value, 4.1, 3.2, 2.6
    return png(Picture("loss", [Trace("loss", steps, values)], (STEP, STEP + 3), ("median", 2.2)))


def sample(language: str, now: float) -> Message:
    """A message as a loss spike would make one, under a name that says what it is."""
    with speaking(language):
        run = RunId(gettext("a test message"))
    signal = Signal("raise", "loss_spike", "S1", "warning", STEP + 3, STEP, now, EVIDENCE)
    item = Item("begin", Notice(f"loss_spike-a1-{STEP}", run, "opened", now, signal), now)
    return message(Letter("test", run, [item], now, now), "", language)
