"""The threads that send: one for each channel, so that a slow one keeps no other waiting."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from app.diagnosis.notify.box import Box
from app.diagnosis.notify.carrier import Carrier
from app.diagnosis.notify.sender import Sender
from app.diagnosis.notify.settings import Channel
from app.stored import StoreAway

LOG = logging.getLogger(__name__)
LOOK_SECONDS = 1.0
WRONG_SECONDS = 60.0  # until a sender is tried again that failed in a way that nobody foresaw


@contextmanager
def sending(channels: Sequence[Channel], url: str, home: str, who: str) -> Iterator[None]:
    """Within the block messages are sent; ``url`` is Redis', ``home`` the pages', ``who`` names this process."""
    ending = threading.Event()
    threads = [threading.Thread(target=_run, args=(one, url, home, who, ending), name=one.name) for one in channels]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ending.set()
        for thread in threads:
            thread.join()


def _run(channel: Channel, url: str, home: str, who: str, ending: threading.Event) -> None:
    box = Box(url, channel.name, who)
    sender = Sender(channel, box, Carrier(channel.target, channel.allow_internal, channel.proxy), home, time.time)
    try:
        pause = 0.0
        while not ending.wait(pause):
            pause = _turn(sender)
        box.leave()
    except StoreAway:
        pass  # the lease runs out by itself
    finally:
        box.close()


def _turn(sender: Sender) -> float:
    """One look; seconds until the next."""
    try:
        sender.turn()
    except StoreAway as error:
        LOG.warning("%s", error)
    except Exception:  # one letter that cannot be made must not end the channel without a word
        LOG.exception("A sender failed and is tried again later. channel=%s", sender.channel.name)
        sender.desk = None
        return WRONG_SECONDS
    return LOOK_SECONDS
