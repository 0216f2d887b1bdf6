"""Series of which older points are packed or folded: what lies in up to three strings, read as one series.

How a series lies in them is remembered, read on that assumption, and looked at again behind what was read. Packing and
folding go one way, so what lay alike before and afterwards lay so all the time: nothing has to be read at one moment.
Packing moves no place; a fold makes the series shorter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, islice
from typing import TypeVar, cast

from app import batch
from app.packed import Rows, unpacked
from collector.wire import schema
from collector.wire.folded import HEAD, head_of, kept_of
from collector.wire.packed import CHUNK_POINTS, SIZES, front_size, kinds_of
from collector.wire.packed import HEAD as COUNT
from collector.wire.records import POINT_BYTES, RunId

AT_ONCE = 500  # series that are read with one question
REMEMBERED = 200_000  # series of which it is remembered how they lie
FRONT_BYTES = 256  # read to know the front of a packed string: enough for 32,000 points
NEAR = 2048  # bytes between the front and the first chunk wanted that are read along rather than asked for apart

T = TypeVar("T")
Place = tuple[str, int, int]
"""Series, place in it, and how many points from there on."""
Ask = Callable[[Sequence[bytes]], list[object]]
"""Commands that are packed already → their answers."""


@dataclass(frozen=True, slots=True)
class Strings:
    """How a series lies in its strings: how many points are kept of the folded ones, the front of its packed string and
    the head of that, where each chunk behind it begins and the last one ends, and how many points come before the exact
    string."""

    kept: int
    front: bytes
    head: bytes
    starts: Sequence[int]
    before: int

    @staticmethod
    @lru_cache(maxsize=4096)  # most series of a run lie alike
    def of(kept: int, front: bytes) -> Strings:
        """By what is kept, and by the front."""
        kinds = kinds_of(front)
        starts = accumulate((SIZES[kind] for kind in kinds), initial=len(front))
        return Strings(kept, front, front[: COUNT.size], tuple(starts), kept + len(kinds) * CHUNK_POINTS)

    def chunks(self, at: int, count: int) -> tuple[int, int]:
        """In which chunks points from a place on lie: the first, and the one behind the last."""
        if at >= self.before or at + count <= self.kept:
            return 0, 0
        most = len(self.starts) - 1
        return max(0, at - self.kept) // CHUNK_POINTS, min(most, -(-(at + count - self.kept) // CHUNK_POINTS))


@dataclass(frozen=True, slots=True)
class Wanted:
    """Of a place: how its series lies, and which of its chunks are wanted."""

    at: int
    count: int
    lies: Strings
    first: int
    last: int

    @property
    def is_far(self) -> bool:
        """Whether chunks are wanted, and asked for apart from the front."""
        return self.first < self.last and self.lies.starts[self.first] > NEAR

    @property
    def front_end(self) -> int:
        """The last byte that is read of the packed string from its beginning."""
        if self.first == self.last:
            return COUNT.size - 1
        return len(self.lies.front) - 1 if self.is_far else self.lies.starts[self.last] - 1


class Layers:
    """Reads with ``ask``; safe to share between threads. ``is_folded``: whether any of the run may be."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._known: dict[tuple[RunId, str], Strings] = {}

    def lengths(self, run_id: RunId, sids: Sequence[str], *, is_folded: bool) -> list[int]:
        """How many points each series can be read as."""
        found = list[int]()
        for some in _groups(sids):
            while (counts := self._counted(run_id, some, is_folded=is_folded)) is None:
                pass  # only after something was packed or folded that was not known of
            found += counts
        return found

    def read(self, run_id: RunId, places: Sequence[Place], *, is_folded: bool) -> list[bytes]:
        """The points of each place."""
        found = list[bytes]()
        for some in _groups(places):
            while (blocks := self._tried(run_id, some, is_folded=is_folded)) is None:
                pass  # the same
            found += blocks
        return found

    def _counted(self, run_id: RunId, sids: Sequence[str], *, is_folded: bool) -> list[int] | None:
        """The same if all of them lie as was remembered; else that is forgotten."""
        lies = self._lies(run_id, sids, is_folded=is_folded)
        exact = batch.lengths([schema.points(run_id, sid).encode() for sid in sids])
        answers = self._ask([*exact, *_looks(run_id, sids, lies, {}, is_folded=is_folded)])
        if not self._is_so(run_id, sids, lies, {}, cast(list[bytes], answers[len(sids) :])):
            return None
        sizes = cast(list[int], answers[: len(sids)])
        return [size // POINT_BYTES + one.before for size, one in zip(sizes, lies, strict=True)]

    def _tried(self, run_id: RunId, places: Sequence[Place], *, is_folded: bool) -> list[bytes] | None:
        """The points of each place if all of the series lie as was remembered; else that is forgotten."""
        sids = [sid for sid, _, _ in places]
        lies = self._lies(run_id, sids, is_folded=is_folded)
        older = {
            place: Wanted(at, count, one, *one.chunks(at, count))
            for place, ((_, at, count), one) in enumerate(zip(places, lies, strict=True))
            if at < one.before
        }
        asked = _asked(run_id, places, lies, older)
        looks = _looks(run_id, sids, lies, older, is_folded=is_folded)
        answers = cast(list[bytes], self._ask([*asked, *looks]))
        found, far, looked = answers[: len(sids)], answers[len(sids) : len(asked)], answers[len(asked) :]
        if not self._is_so(run_id, sids, lies, older, looked):
            return None
        for place, block in _older(older, iter(far), looked).items():
            found[place] = block + found[place]
        return found

    def _is_so(
        self,
        run_id: RunId,
        sids: Sequence[str],
        lies: Sequence[Strings],
        older: Mapping[int, Wanted],
        looked: Sequence[bytes],
    ) -> bool:
        """Whether series lie as was remembered, by the answers to ``_looks``; what does not is forgotten."""
        stale = [place for place, one in enumerate(lies) if not _lies_so(one, looked[place], older.get(place))]
        stale += [place for place, head in enumerate(looked[len(sids) :]) if head_of(head)[1] != lies[place].kept]
        for place in stale:
            self._known.pop((run_id, sids[place]), None)
        return not stale

    def _lies(self, run_id: RunId, sids: Sequence[str], *, is_folded: bool) -> list[Strings]:
        """How series lie; asked for where that is not remembered."""
        known = {sid: self._known.get((run_id, sid)) for sid in sids}
        lies = {sid: one for sid, one in known.items() if one and (is_folded or not one.kept)}
        if missing := [sid for sid in known if sid not in lies]:
            answers = self._together(_fronts(run_id, missing, is_folded=is_folded))
            lies |= self._learned(run_id, missing, answers, is_folded=is_folded)
        return [lies[sid] for sid in sids]

    def _learned(
        self, run_id: RunId, sids: Sequence[str], answers: Sequence[bytes], *, is_folded: bool
    ) -> Mapping[str, Strings]:
        """How series lie, out of the answers to ``_fronts``."""
        count = len(sids)
        kept = [head_of(text)[1] for text in answers[count:]] if is_folded else [0] * count
        texts = dict(zip(sids, answers[:count], strict=True))
        if longer := [sid for sid, text in texts.items() if front_size(text) > len(text)]:
            keys = [(schema.packed(run_id, sid).encode(), front_size(texts[sid]) - 1) for sid in longer]
            fronts = cast(list[bytes], self._ask([batch.part(key, 0, last) for key, last in keys]))
            texts |= zip(longer, fronts, strict=True)
        found = {
            sid: Strings.of(count, text[: front_size(text)])
            for (sid, text), count in zip(texts.items(), kept, strict=True)
        }
        if len(self._known) > REMEMBERED:
            self._known.clear()
        self._known.update(((run_id, sid), one) for sid, one in found.items())
        return found

    def _together(self, commands: Sequence[bytes]) -> list[bytes]:
        """The answers as of one moment."""
        return cast(list[bytes], self._ask(batch.at_one_moment(commands))[-1])


def _groups(some: Sequence[T]) -> Iterator[list[T]]:
    left = iter(some)
    while group := list(islice(left, AT_ONCE)):
        yield group


def _fronts(run_id: RunId, sids: Sequence[str], *, is_folded: bool) -> list[bytes]:
    """Of each series the beginning of what is packed; then the head of what is folded of each."""
    asked = batch.beginnings([(schema.packed(run_id, sid).encode(), FRONT_BYTES - 1) for sid in sids])
    if is_folded:
        asked += batch.beginnings([(schema.folded(run_id, sid).encode(), HEAD.size - 1) for sid in sids])
    return asked


def _asked(run_id: RunId, places: Sequence[Place], lies: Sequence[Strings], older: Mapping[int, Wanted]) -> list[bytes]:
    """Of all places the points of the exact string; then the chunks that are far from the front."""
    exact = [
        (schema.points(run_id, sid).encode(), *bytes_of(at - one.before, count))
        for (sid, at, count), one in zip(places, lies, strict=True)
    ]
    far = [
        (schema.packed(run_id, places[place][0]).encode(), one.lies.starts[one.first], one.lies.starts[one.last] - 1)
        for place, one in older.items()
        if one.is_far
    ]
    return batch.ranges([*exact, *far])


def _looks(
    run_id: RunId, sids: Sequence[str], lies: Sequence[Strings], older: Mapping[int, Wanted], *, is_folded: bool
) -> list[bytes]:
    """Of all series what tells how they lie now: packed strings from their beginning, with chunks that are near; then
    the folded strings, whole where they are needed."""
    ends = [COUNT.size - 1] * len(sids)
    for place, one in older.items():
        ends[place] = one.front_end
    packed = [schema.packed(run_id, sid).encode() for sid in sids]
    asked = batch.beginnings(list(zip(packed, ends, strict=True)))
    if not is_folded:
        return asked
    whole = [-1 if place in older and older[place].at < one.kept else HEAD.size - 1 for place, one in enumerate(lies)]
    folded = [schema.folded(run_id, sid).encode() for sid in sids]
    return asked + batch.beginnings(list(zip(folded, whole, strict=True)))


def _lies_so(lies: Strings, front: bytes, wanted: Wanted | None) -> bool:
    """Whether what was read of the beginning of a packed string is as was remembered."""
    expected = lies.front if wanted and wanted.first < wanted.last else lies.head
    return front.startswith(expected) if expected else not front


def _older(older: Mapping[int, Wanted], far: Iterator[bytes], looked: Sequence[bytes]) -> dict[int, bytes]:
    """Of the places that begin before the exact string, their points there."""
    kinds, bodies = list[bytes](), list[bytes]()
    for place, one in older.items():
        kinds.append(kinds_of(one.lies.front)[one.first : one.last])
        bodies.append(next(far) if one.is_far else looked[place][one.lies.starts[one.first] :] if kinds[-1] else b"")
    rows = unpacked(kinds, bodies)
    folded = looked[len(looked) // 2 :]  # where anything was asked for of these
    return {
        place: (_kept(one, folded[place]) if one.at < one.lies.kept else b"") + _packed(one, some)
        for (place, one), some in zip(older.items(), rows, strict=True)
    }


def _kept(wanted: Wanted, folded: bytes) -> bytes:
    return kept_of(folded)[wanted.at * POINT_BYTES : (wanted.at + wanted.count) * POINT_BYTES]


def _packed(wanted: Wanted, rows: Rows) -> bytes:
    begin = wanted.at - wanted.lies.kept - wanted.first * CHUNK_POINTS
    return rows[max(0, begin) : max(0, begin + wanted.count)].tobytes()


def bytes_of(at: int, count: int) -> tuple[int, int]:
    """First and last byte of points in their string, of those that are not before its beginning."""
    end = (at + count) * POINT_BYTES
    return (max(0, at) * POINT_BYTES, end - 1) if end > 0 else (1, 0)
