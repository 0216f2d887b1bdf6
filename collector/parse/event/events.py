"""What TensorBoard's and MindSpore's event files share: the walk from frames to points.

Both frame their records alike and agree on Event {1 wall_time double, 2 step int64, 5 summary {1 value {1 tag …}}}
(tensorflow/core/util/event.proto, mindspore summary.proto); they differ in how a value holds its number.

Three ways lead through a chunk: records that repeat in a cycle (cycle.py), records in any order (scan.py), and one
record after the other, which reads everything and is what the other two must agree with.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from collector.parse.event import cycle, damage, scan
from collector.parse.event.columns import Columns
from collector.parse.event.framing import Frames, frames
from collector.parse.event.record import ScalarForm, decode_all, decode_one
from collector.parse.event.rows import points_of
from collector.parse.parsed import Parsed, Restart
from collector.wire.records import ParserState

SMALL = 16 * 1024  # bytes: what a live run appends is read one by one before numpy has looked at it
FEWEST_SINGLY, MOST_SINGLY = 4, 4096  # records read one by one before the fast ways are tried (again)
SLICE = 512  # records that are cut out of a chunk before they are decoded: one of them may end the generation
MOST_PASSES = 15


def parse_events(chunk: bytes, state: ParserState, form: ScalarForm, *, final: bool) -> Parsed:
    """The points of the whole frames at the beginning of ``chunk``."""
    reading = _Reading(chunk, form, final, points=bool(state.get("points")), lost=bool(state.get("lost")))
    reading.read()
    return reading.parsed()


@dataclass(slots=True)
class _Reading:
    chunk: bytes
    form: ScalarForm
    final: bool
    points: bool  # whether the file had a point before this chunk
    lost: bool  # whether the chunk begins amid bytes that are no frames
    at: int = 0
    misses: int = 0  # how often in a row no cycle was worth it, and for how many scans none is looked for
    passes: int = 0
    columns: Columns = field(default_factory=Columns)
    plain: dict[bytes, list[float]] = field(default_factory=dict)  # of decode_all
    counts: dict[str, int] = field(default_factory=dict)
    restarted: Restart | None = None
    retry: bool = False

    def read(self) -> None:
        """Go through the chunk up to what is not there yet: record by record where there is little, where a checksum is
        wrong, and for longer and longer after the fast ways have led nowhere."""
        doubtful, patience, singly = 0, 1, FEWEST_SINGLY
        while True:
            small = len(self.chunk) - self.at < SMALL
            if singly > 0 or self.at < doubtful or small:
                few = singly > 0 and self.at >= doubtful and not small
                cut = frames(self.chunk, self.at, limit=singly if few else SLICE)
                singly -= max(1, len(cut.data))
                if not self._take(cut) or (cut.stop != "limit" and not self._resume(cut)):
                    return
                continue
            before = self.at
            doubtful = self._many()
            is_worth_it = self.at - before >= SMALL
            patience = 1 if is_worth_it else min(patience * 2, MOST_SINGLY)
            singly = patience

    def _many(self) -> int:
        """Read on the fast ways as far as they lead; returns up to where records must be read one by one."""
        before = self.at
        if self.passes:
            self.passes -= 1
        else:
            doubtful = self._cycles()
            if doubtful or self.at - before >= SMALL:
                self.misses = 0
                return doubtful
            self.misses = self.passes = min(2 * self.misses + 1, MOST_PASSES)
        return self._scan()

    def _cycles(self) -> int:
        found = cycle.find_cycle(self.chunk, self.at, self.form.find)
        if found is None:
            return 0
        start, layout = found
        self._take(frames(self.chunk, self.at, limit=0, until=start))
        blocks, damaged = cycle.repetitions(self.chunk, self.at, layout)
        for rows in blocks:
            for tag, points in points_of(rows, layout):
                self.columns.add(tag, points.tobytes())
            self.at += rows.size
        self.lost = False
        return self.at + damaged if damaged else 0

    def _scan(self) -> int:
        scanned = scan.scan(self.chunk, self.at, self.form.find, lambda data: decode_one(data, self.form))
        if scanned is None:
            return self.at + scan.BLOCK
        for tag, points in scanned.points():
            self.columns.add(tag, points)
        self.at, self.lost = scanned.end, False
        return 0

    def _take(self, cut: Frames) -> bool:
        """Decode frames. False when one of them announces a new start after points."""
        start = decode_all(cut.data, self.form, self.columns, self.plain, points=self.points)
        self.lost = self.lost and not cut.data
        self.at = cut.end
        if start is not None:
            self.at = cut.starts[start.index]
            self.restarted = Restart(start.wall, f"session started at step {start.step}")
        return start is None

    def _resume(self, cut: Frames) -> bool:
        """Find where frames go on. False when nothing more can be read now."""
        found = damage.resume(self.chunk, cut, final=self.final)
        if found is None:
            self.retry = cut.stop != "incomplete"
            return False
        if not self.lost:
            self._count(found.code, 1)
        self.at, self.lost = found.at, not found.proven
        self.retry = self.lost
        return found.proven

    def _count(self, code: str, count: int) -> None:
        if count:
            self.counts[code] = self.counts.get(code, 0) + count

    def parsed(self) -> Parsed:
        """What was found."""
        self._count("broken_record", self.columns.broken)
        memory = {"points": self.points or self.columns.any, "lost": self.lost}
        return Parsed(
            consumed=self.at,
            state={name: True for name, is_so in memory.items() if is_so},
            scalars=self.columns.packed(),
            facts=self.columns.facts,
            counts=self.counts,
            restarted=self.restarted,
            retry=self.retry,
        )
