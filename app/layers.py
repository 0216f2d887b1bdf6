"""Series of which older points are packed or folded: what lies in up to three strings, read as one series.

How a series lies in them is remembered, read on that assumption, and proved behind what was read: whatever packs or
folds leaves another word at the run, so one that is still the same vouches for all; else each series is looked at
again. Packing and folding go one way, so what lay alike before and afterwards lay so all the time, and nothing has to
be read at one moment. Packing moves no place; a fold makes the series shorter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar, cast

from app import batch
from app.packed import Rows, unpacked
from app.strings import Cut, Strings
from collector.wire import schema
from collector.wire.folded import HEAD, head_of, kept_of
from collector.wire.packed import HEAD as COUNT
from collector.wire.packed import front_size
from collector.wire.records import POINT_BYTES, RunId

AT_ONCE = 2_048  # series that are read with one question
REMEMBERED = 200_000  # series of which it is remembered how they lie
ALL = batch.span(0, -1)
FRONT_BYTES = 256  # read to know the front of a packed string: enough for 32,000 points

T = TypeVar("T")
Place = tuple[str, int, int]
"""Series, place in it, and how many points from there on."""
Ask = Callable[[Sequence[bytes]], list[object]]
"""Commands that are packed already → their answers."""
Flags = tuple[bytes | None, bytes | None]
"""What is said of a run: the word of the last change of how a series lies, and whether anything is folded."""


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """As long as the flags of a run are the same, how some of its series lie for sure."""

    flags: Flags = (None, None)
    sure: dict[str, Strings] = field(default_factory=dict)

    @property
    def is_folded(self) -> bool:
        """Whether anything of the run is."""
        return self.flags[1] is not None


class Layers:
    """Reads with ``ask``; safe to share between threads."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._moments: dict[RunId, Moment] = {}  # of runs of which anything is packed or folded
        self._guesses: dict[RunId, dict[str, Strings]] = {}  # how series lay when they were last asked for

    def noted(self, run_id: RunId, flags: object) -> bool:
        """Whether anything of a run is packed or folded, by the answer to ``flags_of``."""
        packed, folded = cast(Flags, flags)
        if packed is None and folded is None:
            self._moments.pop(run_id, None)  # it never was, or there was a flush
            return False
        if self._moment(run_id).flags != (packed, folded):
            self._moments[run_id] = Moment((packed, folded))
        return True

    def has(self, run_id: RunId) -> bool:
        """Whether anything of a run was packed or folded when it was last asked."""
        return run_id in self._moments

    def is_folded(self, run_id: RunId) -> bool:
        """The same of what is folded."""
        return self._moment(run_id).is_folded

    def _moment(self, run_id: RunId) -> Moment:
        return self._moments.get(run_id) or Moment()

    def lengths(self, run_id: RunId, sids: Sequence[str]) -> list[int]:
        """How many points each series can be read as."""
        found = list[int]()
        for some in _groups(sids):
            while (counts := self._counted(run_id, some)) is None:
                pass  # only after something was packed or folded that was not known of
            found += counts
        return found

    def read(self, run_id: RunId, places: Sequence[Place]) -> list[bytes]:
        """The points of each place."""
        found = list[bytes]()
        for some in _groups(places):
            while (blocks := self._tried(run_id, some)) is None:
                pass  # the same
            found += blocks
        return found

    def _counted(self, run_id: RunId, sids: Sequence[str]) -> list[int] | None:
        """The lengths if all of the series lie as was remembered."""
        moment = self._moment(run_id)
        lies = self._remembered(run_id, sids, moment)
        exact = batch.lengths([schema.points(run_id, sid).encode() for sid in sids])
        sizes = self._proved(run_id, dict(zip(sids, lies, strict=True)), moment, exact)
        if sizes is None:
            return None
        return [size // POINT_BYTES + one.before for size, one in zip(cast(list[int], sizes), lies, strict=True)]

    def _tried(self, run_id: RunId, places: Sequence[Place]) -> list[bytes] | None:
        """The points of each place if all of the series lie as was remembered."""
        moment = self._moment(run_id)
        sids = [sid for sid, _, _ in places]
        lies = self._remembered(run_id, sids, moment)
        cuts = [Cut.of(one, at, count) for (_, at, count), one in zip(places, lies, strict=True)]
        exact = batch.spans(
            [(schema.points(run_id, sid).encode(), cut.exact) for sid, cut in zip(sids, cuts, strict=True)]
        )
        older = {place: cut for place, cut in enumerate(cuts) if cut.at < cut.lies.before}
        asked = [*exact, *_asked(run_id, [(sids[place], cut) for place, cut in older.items()])]
        answers = self._proved(run_id, dict(zip(sids, lies, strict=True)), moment, asked)
        if answers is None:
            return None
        found = cast(list[bytes], answers)
        for place, block in zip(older, _blocks(list(older.values()), iter(found[len(places) :])), strict=True):
            found[place] = block + found[place]
        return found[: len(places)]

    def _proved(
        self, run_id: RunId, lies: Mapping[str, Strings], moment: Moment, asked: Sequence[bytes]
    ) -> list[object] | None:
        """The answers if the series lay like that all the time; else it is forgotten how they do."""
        unsure = [(sid, one) for sid, one in lies.items() if moment.sure.get(sid) is not one]
        looks = _looks(run_id, unsure, is_folded=moment.is_folded)
        *answers, now = self._ask([*asked, *looks, flags_of(run_id)])
        self.noted(run_id, now)
        same = tuple(cast(Flags, now)) == moment.flags
        stale = _stale(unsure, cast(list[bytes], answers[len(asked) :]))
        for sid in stale:
            self._guesses.get(run_id, {}).pop(sid, None)
        is_new = self.is_folded(run_id) and not moment.is_folded  # then no look told of it
        if stale or is_new or (not same and len(unsure) < len(lies)):
            return None
        if same and moment.flags[0] is not None:
            moment.sure.update(unsure)
        return answers[: len(asked)]

    def _remembered(self, run_id: RunId, sids: Sequence[str], moment: Moment) -> list[Strings]:
        """How series lie; asked for where that is not remembered."""
        guesses = self._guesses.setdefault(run_id, {})
        usable = {
            sid: one
            for sid in sids
            if (one := moment.sure.get(sid) or guesses.get(sid)) and (moment.is_folded or not one.kept)
        }
        if missing := [sid for sid in sids if sid not in usable]:
            usable |= self._learned(run_id, missing, moment)
        return [usable[sid] for sid in sids]

    def _learned(self, run_id: RunId, sids: Sequence[str], moment: Moment) -> dict[str, Strings]:
        """How series lie; what is folded and packed of them at one moment."""
        asked = batch.beginnings([(schema.packed(run_id, sid).encode(), FRONT_BYTES - 1) for sid in sids])
        kept = [0] * len(sids)
        if not moment.is_folded:
            *answers, now = self._ask([*asked, flags_of(run_id)])
        else:
            heads = batch.beginnings([(schema.folded(run_id, sid).encode(), HEAD.size - 1) for sid in sids])
            *_, together, now = self._ask([*batch.at_one_moment([*asked, *heads]), flags_of(run_id)])
            answers = cast(list[object], together)
            kept = [head_of(head)[1] for head in cast(list[bytes], answers[len(sids) :])]
        fronts = self._whole(run_id, sids, cast(list[bytes], answers[: len(sids)]))
        found = {sid: Strings.of(*one) for sid, *one in zip(sids, kept, fronts, strict=True)}
        if sum(map(len, self._guesses.values())) > REMEMBERED:
            self._guesses.clear()
        self._guesses.setdefault(run_id, {}).update(found)
        if tuple(cast(Flags, now)) == moment.flags and moment.flags[0] is not None:
            moment.sure.update(found)
        return found

    def _whole(self, run_id: RunId, sids: Sequence[str], texts: Sequence[bytes]) -> list[bytes]:
        """The front of each packed string, by the beginning of it."""
        longer = {sid: front_size(text) for sid, text in zip(sids, texts, strict=True) if front_size(text) > len(text)}
        asked = batch.beginnings([(schema.packed(run_id, sid).encode(), size - 1) for sid, size in longer.items()])
        again = dict(zip(longer, cast(list[bytes], self._ask(asked)), strict=True)) if longer else {}
        return [again.get(sid, text[: front_size(text)]) for sid, text in zip(sids, texts, strict=True)]


def flags_of(run_id: RunId) -> bytes:
    """The question for ``Flags``, as it is sent."""
    return batch.fields(schema.run(run_id).encode(), (schema.PACKED_FIELD.encode(), schema.FOLDED_FIELD.encode()))


def _groups(some: Sequence[T]) -> Iterator[list[T]]:
    left = iter(some)
    while group := list(islice(left, AT_ONCE)):
        yield group


def _asked(run_id: RunId, older: Sequence[tuple[str, Cut]]) -> list[bytes]:
    """Of each cut the folded string if it is wanted, and then the chunks if any are."""
    asked = list[tuple[bytes, bytes]]()
    for sid, cut in older:
        if cut.is_kept:
            asked.append((schema.folded(run_id, sid).encode(), ALL))
        if cut.kinds:
            asked.append((schema.packed(run_id, sid).encode(), cut.chunks))
    return batch.spans(asked)


def _blocks(older: Sequence[Cut], answers: Iterator[bytes]) -> list[bytes]:
    """The points of each cut that are older than the exact string, by the answers to ``_asked``."""
    kept, bodies = list[bytes](), list[bytes]()
    for cut in older:
        kept.append(_kept(cut, next(answers)) if cut.is_kept else b"")
        bodies.append(next(answers) if cut.kinds else b"")
    rows = unpacked([cut.kinds for cut in older], bodies)
    return [before + _packed(cut, some) for cut, before, some in zip(older, kept, rows, strict=True)]


def _kept(cut: Cut, folded: bytes) -> bytes:
    return kept_of(folded)[cut.at * POINT_BYTES : (cut.at + cut.count) * POINT_BYTES]


def _packed(cut: Cut, rows: Rows) -> bytes:
    return rows[max(0, cut.begin) : max(0, cut.begin + cut.count)].tobytes()


def _looks(run_id: RunId, lies: Sequence[tuple[str, Strings]], *, is_folded: bool) -> list[bytes]:
    """Of each series what is as long as the front of its packed string; then the head of its folded one."""
    fronts = [(schema.packed(run_id, sid).encode(), max(COUNT.size, len(one.front)) - 1) for sid, one in lies]
    heads = [(schema.folded(run_id, sid).encode(), HEAD.size - 1) for sid, _ in lies if is_folded]
    return batch.beginnings([*fronts, *heads])


def _stale(lies: Sequence[tuple[str, Strings]], looked: Sequence[bytes]) -> list[str]:
    """The series that do not lie like that, by the answers to ``_looks``."""
    fronts = zip(lies, looked[: len(lies)], strict=True)
    heads = zip(lies, looked[len(lies) :], strict=False)
    found = [sid for (sid, one), front in fronts if front != one.front]
    return found + [sid for (sid, one), head in heads if head_of(head)[1] != one.kept]
