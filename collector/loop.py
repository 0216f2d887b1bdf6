"""The loop around the service: clock, signals, notifications, and what is said to the person at the terminal."""

from __future__ import annotations

import logging
import os
import signal
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import PurePath
from types import FrameType

from collector.ask import Desk
from collector.config import Config
from collector.errors import StoreAway
from collector.follow.bell import Bell
from collector.follow.files import DiskFiles
from collector.follow.touched import NOTHING
from collector.follow.watch import Watch
from collector.follow.yard import Yard
from collector.health import Identity
from collector.parse.select import role_of
from collector.post import RedisPost
from collector.progress import Progress
from collector.retention import Retention
from collector.runs import Naming
from collector.service import Pace, Service
from collector.store import Store

LOG = logging.getLogger("collector")
STEPS_A_SECOND = (
    100  # beyond that a short rest gathers what many growing files bring, instead of a commit for each line
)
REST, LONGEST_REST = 0.02, 0.25  # seconds
AWAY_SECONDS = 2.0  # between two tries of a cluster that was never there; one Redis the service tries by itself
BRIEF = 0.005  # seconds of a step that a few growing files need


class Stop:
    """Set by SIGTERM and SIGINT; the commit that is under way is finished first."""

    asked = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.asked = True


@contextmanager
def signals(bell: Bell) -> Iterator[Stop]:
    """SIGTERM and SIGINT ring the bell and set the flag, until the block ends."""
    stop = Stop()
    before = {one: signal.signal(one, stop) for one in (signal.SIGTERM, signal.SIGINT)}
    wakeup = signal.set_wakeup_fd(bell.write, warn_on_full_buffer=False)
    try:
        yield stop
    finally:
        signal.set_wakeup_fd(wakeup)
        for one, handler in before.items():
            signal.signal(one, handler)


def follow(roots: Sequence[str], config: Config, naming: Naming) -> None:
    """Follow the roots (absolute paths) until a signal asks to stop. Raises ``errors.InputError`` for a URL that is not
    understood and ``errors.StoreTooNew``."""
    host = config.hostname or socket.gethostname()
    who = Identity(f"{host}:{os.getpid()}", host, os.getpid())
    service = Service(roots, who, naming, Pace(config.poll_seconds, config.idle_seconds, config.read_bytes))
    yard = Yard(roots, everywhere=config.follow_links)
    files = DiskFiles(fresh=config.poll_only, yard=yard)
    with ExitStack() as stack:
        bell = stack.enter_context(Bell())
        stop = stack.enter_context(signals(bell))
        store = _opened(config.redis_url, bell, stop)
        if store is None:
            return
        stack.callback(store.close)
        retention = Retention(int(config.keep_mb * 2**20), store.shelf, service.roster.runs)
        watch = None if config.poll_only else stack.enter_context(Watch(roots, bell, _is_ours))
        logging.getLogger("watchdog").setLevel(logging.CRITICAL)  # what it loses, the next poll finds
        desk = stack.enter_context(Desk(RedisPost(config.redis_url), DiskFiles(yard=yard), who.host, bell.ring))
        LOG.info("Following %s into Redis at %s.", ", ".join(roots), store.address)
        _turn_around(service, files, store, watch, bell, stop, desk, retention)
        _leave(store, who)
    LOG.info("Stopped.")


def _opened(url: str, bell: Bell, stop: Stop) -> Store | None:
    """The store, of a cluster once one of its nodes answers; None when a signal asked to stop before that."""
    told = False
    while not stop.asked:
        try:
            return Store(url)
        except StoreAway as error:
            if not told:
                LOG.warning("%s: start it, or name another with --redis. Until then nothing is read.", error)
            told = True
            bell.wait(AWAY_SECONDS)
    return None


def _turn_around(
    service: Service,
    files: DiskFiles,
    store: Store,
    watch: Watch | None,
    bell: Bell,
    stop: Stop,
    desk: Desk,
    retention: Retention,
) -> None:
    started = time.time() - time.monotonic()  # steady from here on: a clock that is set must not stop the looking
    second, steps, snapshot, met = 0, 0, service.snapshot, False
    progress = Progress(LOG.info)
    while not stop.asked:
        now = started + time.monotonic()
        service.skew = time.time() - now
        wait = service.step(now, files, store, watch.hints.take() if watch else NOTHING)
        desk.introduce(service.roster)
        if watch:
            watch.tell(growth=not service.looks)
        if watch and service.snapshot is not snapshot:
            _cover(service, watch, changed=service.snapshot.directories != snapshot.directories)
            snapshot = service.snapshot
        if service.news or not met:
            progress.clear()
        met = _say(service, store, met)
        progress.show(now, service.backlog)
        steps = steps + 1 if int(now) == second else 0
        second = int(now)
        if wait > 0:
            time.sleep(_rest(started + time.monotonic() - now, REST if steps > STEPS_A_SECOND else 0.0))
        due = retention.turn(started + time.monotonic())
        if wait > 0:
            bell.wait(min(wait, due))
    progress.clear()


def _rest(took: float, least: float) -> float:
    """Seconds to rest after a step that read all there was: twice as long as it took, so that what a thousand growing
    files bring is gathered in a few commits a second, and costs a third of a core at most."""
    return max(least, min(LONGEST_REST, 2 * took) if took > BRIEF else 0.0)


def _cover(service: Service, watch: Watch, *, changed: bool) -> None:
    if not changed and not watch.short_of:
        return
    watch.cover(service.snapshot.directories, service.snapshot.links)
    if watch.trouble and not service.trouble:
        service.news.append(watch.trouble)
    service.trouble = watch.trouble or (service.trouble if watch.short_of else "")


def _say(service: Service, store: Store, met: bool) -> bool:
    """Print the service's news; the first time also what it found, and what is wrong with the server. Returns whether
    that has been said."""
    for sentence in service.news:
        LOG.warning("%s", sentence)
    service.news.clear()
    if met or not service.has_met_all:
        return met
    count = len(service.snapshot.files)
    if count:
        LOG.info("Found %d files of %d runs.", count, len(service.roster.runs))
    else:
        LOG.warning("Nothing to follow there yet. Looked for %s; still looking.", LOOKED_FOR)
    if said := store.concern():
        LOG.warning("%s", said)
    return True


LOOKED_FOR = (
    "MindFormers logs (info.log, worker_N.log, *.log), TensorBoard event files (*tfevents*) "
    "and MindSpore summaries (*.out.events.summary.*)"
)


def _leave(store: Store, who: Identity) -> None:
    try:
        store.leave(who.collector)
    except StoreAway:
        LOG.debug("The sign of life expires by itself.")


def _is_ours(path: str) -> bool:
    return role_of(PurePath(path).name) is not None
