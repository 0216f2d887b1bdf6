"""What was read is made safe: one commit for files of one run, and going on from where the store is."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from collector.batch import Committed, Full
from collector.gather import batch_of, is_worth_storing
from collector.reader import Turns
from collector.ready import Ready
from collector.roster import Roster, RunFiles
from collector.store import RunStore
from collector.wire.records import Cursor, RunId

UNSURE = ""  # version of a run that changed without us: at the next beat every cursor is compared


class Commits:
    """``points``: so many were stored."""

    def __init__(self, roster: Roster, ready: Ready) -> None:
        self.points = 0
        self._roster, self._ready = roster, ready

    def commit(self, now: float, store: RunStore, group: Turns, *, wall: float, bound: int) -> None:
        """Store the turns of files of one run at ``wall``; what is refused is read again. ``bound``: bytes of a file's
        next turn."""
        run = self._roster.runs[group[0][0].run.id]
        worth = [(tracked, turn) for tracked, turn in group if is_worth_storing(tracked, turn)]
        if worth:
            batch = batch_of(run.record, worth)
            answer = store.commit(batch, wall)
            if not isinstance(answer, Committed):
                if isinstance(answer, Full):
                    run.files[answer.file].fill()
                else:
                    self._take_over(now, store, run, answer.stored)
                self._ready.put(now, (tracked for tracked, _ in group))
                return
            run.version = answer.version if answer.before == run.version else UNSURE
            self.points += batch.points
            for (tracked, _), one in zip(worth, batch.progress, strict=True):
                tracked.stored = one.text
        for tracked, turn in group:
            tracked.took(turn, bound)

    def compare(self, now: float, store: RunStore, ids: Collection[RunId]) -> None:
        """Take over the stored cursors of each of the runs that is not as our last commit left it."""
        runs = [self._roster.runs[run] for run in ids]
        versions = store.versions([run.record.id for run in runs])
        changed = [(run, version) for run, version in zip(runs, versions, strict=True) if version != run.version]
        found = store.cursors_of([run.record.id for run, _ in changed]) if changed else []
        for (run, version), cursors in zip(changed, found, strict=True):
            self._take_over(now, store, run, {file: cursors.get(file) for file in run.files})
            run.unmet = {file: text for file, text in cursors.items() if file not in run.files}
            run.version = version

    def _take_over(self, now: float, store: RunStore, run: RunFiles, stored: Mapping[str, str | None]) -> None:
        """The store is elsewhere than we thought: go on from where it is."""
        for file, text in stored.items():
            tracked = run.files.get(file)
            if tracked is not None and tracked.stored != text:
                if is_behind(text, tracked.stored):
                    store.doubt(run.record.id)
                tracked.adopt(text)
                self._ready.put(now, [tracked])


def is_behind(text: str | None, known: str | None) -> bool:
    """Whether a stored cursor is before the one that we knew: points are gone which pages may have been told."""
    if known is None:
        return False
    now, then = Cursor.decode(text) if text else None, Cursor.decode(known)
    return now is None or (now.generation, now.offset) < (then.generation, then.offset)
