"""Questions of RunStore about what is new, for a store in which nothing changes any more."""

from __future__ import annotations

from collections.abc import Sequence

from app.stored import LiveEntry, LiveFollower
from collector.wire.question import LogQuestion
from collector.wire.records import RunId


class Still:
    """Nothing comes, and nobody is there who could be asked."""

    def ask(self, question: LogQuestion, seconds: float) -> bytes | None:
        """Nobody follows these files."""
        return None

    def marks(self, run_ids: Sequence[RunId]) -> Sequence[bytes]:
        """Nothing changes."""
        return [b""] * len(run_ids)

    def live_after(self, run_id: RunId, position: str) -> Sequence[LiveEntry] | None:
        """Nothing comes."""
        return ()

    def live_before(self, run_id: RunId, position: str, count: int) -> Sequence[LiveEntry]:
        """Nothing comes."""
        return ()

    def follow(self) -> LiveFollower:
        """There is nothing to wait for: whoever asks is at the wrong store."""
        raise TypeError("This store does not change.")
