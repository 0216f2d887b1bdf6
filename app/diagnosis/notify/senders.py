"""The threads that send: one for each channel, so that a slow one keeps no other waiting."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from app.cluster_store import opened
from app.diagnosis.notify.album import Album
from app.diagnosis.notify.box import Box
from app.diagnosis.notify.carrier import Carrier
from app.diagnosis.notify.letter import Letter
from app.diagnosis.notify.sender import Sender
from app.diagnosis.notify.settings import Channel
from app.diagnosis.rules.custom import UserRule
from app.stored import StoreAway

LOG = logging.getLogger(__name__)
LOOK_SECONDS = 1.0
CACHE_BYTES = 2**20  # of the store that pictures are drawn from: nothing of it is read twice
WRONG_SECONDS = 60.0  # until a sender is tried again that failed in a way that nobody foresaw


@contextmanager
def sending(
    channels: Sequence[Channel], url: str, home: str, who: str, rules: Sequence[UserRule] = ()
) -> Iterator[None]:
    """Within the block messages are sent; ``url`` is Redis', ``home`` the pages', ``who`` names this process, ``rules``
    are people's own."""
    ending = threading.Event()
    store = opened(url, cache_bytes=CACHE_BYTES)
    album = Album(store, rules)
    threads = [
        threading.Thread(target=_run, args=(one, url, home, who, ending, album), name=one.name) for one in channels
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ending.set()
        for thread in threads:
            thread.join()
        store.close()


def _run(channel: Channel, url: str, home: str, who: str, ending: threading.Event, album: Album) -> None:
    box = Box(url, channel.name, who)
    carrier = Carrier(channel.target, channel.allow_internal, channel.proxy)
    sender = Sender(channel, box, carrier, home, time.time, picture=_pictures(carrier, album))
    try:
        pause = 0.0
        while not ending.wait(pause):
            pause = _turn(sender)
        box.leave()
    except StoreAway:
        pass  # the lease runs out by itself
    finally:
        box.close()


def _pictures(carrier: Carrier, album: Album) -> Callable[[Letter], bytes]:
    """Draws for a channel that takes pictures; of no other anything is read."""
    return lambda letter: album.picture(letter) if carrier.takes_pictures else b""


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
