"""The reader of live streams in a cluster, whose nodes have some of them each."""

from __future__ import annotations

import selectors
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress

from app.follower import FOLLOW_SECONDS, answering
from app.nodes import Nodes
from app.stored import LiveEntry, StoreAway
from app.waiting import Wait
from collector.wire import schema
from collector.wire.records import RunId


class ClusterFollower:
    """LiveFollower with a connection for each run, at the node that has it."""

    def __init__(self, nodes: Nodes) -> None:
        """No connection is made before the first read."""
        self._nodes = nodes
        self._waits: dict[RunId, Wait] = {}
        self._bell, self._ring = socket.socketpair()
        self._bell.setblocking(False)
        self._ring.setblocking(False)

    def read(self, positions: Mapping[RunId, str], seconds: float) -> Mapping[RunId, Sequence[LiveEntry]]:
        """See LiveFollower."""
        try:
            with answering():
                self._wait_for(positions)
                found = {run: self._waits[run].take() for run in self._answered(seconds)}
            if any(one.age > FOLLOW_SECONDS for one in self._waits.values()):
                raise StoreAway("Redis does not answer; pages fill again when it is back.")
        except StoreAway:
            self._nodes.forget()  # another node may have the stream now
            raise
        return {run: entries for run, entries in found.items() if entries}

    def wake(self) -> None:
        """See LiveFollower."""
        with suppress(OSError):
            self._ring.send(b"!")

    def close(self) -> None:
        """See LiveFollower."""
        self._wait_for({})
        self._bell.close()
        self._ring.close()

    def _wait_for(self, positions: Mapping[RunId, str]) -> None:
        """Ask for what is not asked for yet, and no longer for anything else."""
        for run, one in list(self._waits.items()):
            if positions.get(run) != one.position:
                self._waits.pop(run).drop()
        for run, position in positions.items():
            if run not in self._waits:
                self._waits[run] = self._begin(run, position)

    def _begin(self, run: RunId, position: str) -> Wait:
        return self._nodes.at(schema.live(run), lambda node: node.wait(run, position))

    def _answered(self, seconds: float) -> list[RunId]:
        """The runs for which there is an answer, as soon as there is one."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._bell, selectors.EVENT_READ)
            for run, one in self._waits.items():
                selector.register(one, selectors.EVENT_READ, run)
            ready = [key.data for key, _ in selector.select(seconds)]
        with suppress(OSError):
            self._bell.recv(1024)
        return [run for run in ready if run is not None]
