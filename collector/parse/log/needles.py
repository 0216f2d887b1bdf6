"""Find, before anything is read: the few places of a text that may matter, by comparing four bytes at a time.

Most lines of a log hold nothing. Two searches over the whole text find those that may, at about a nanosecond a byte for
all needles together, so that no other line is ever looked at:

* An *anchor* is a word of four letters (``step``, ``iter``, ``poch`` …) that every metric has near. It is compared at
  every offset, upper and lower case alike; the byte behind it then leaves out ``steps``, ``step_parallel``, ``step'``.
* A *phrase* is longer. Of any seven bytes of it, its core, four lie at an offset that four divides, wherever it
  stands; so it is enough to look up every fourth offset in a table of hashes, and then to compare what was found.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Offsets = NDArray[np.int64]

_SMALL = 1 << 12  # bytes: what a live run appends is searched sooner for one anchor after the other
_BLOCK = 1 << 18  # bytes searched at once: what is computed on the way stays in the second-level cache
_FOLD = np.uint32(0x20202020)  # lower case; digits and most punctuation have the bit already


@dataclass(frozen=True, slots=True)
class Hit:
    """Where a needle was found; an anchor is told in lower case."""

    at: int
    needle: bytes


# the bytes that may stand behind each anchor; None: any
_ANCHORS: tuple[tuple[bytes, bytes | None], ...] = (
    (b"step", b' :=["\t'),
    (b"iter", b" :=[sa\t"),
    (b"poch", b" :=[.,\t"),
    (b"/s/p", None),
    (b"lr:[", None),
)


def _word(four: bytes) -> int:
    return int.from_bytes(four, "little")


_WORDS = np.array([_word(four) for four, _ in _ANCHORS], dtype="<u4") | _FOLD
_BEHIND = dict(_ANCHORS)


def anchors(text: bytes, begin: int, end: int) -> list[Hit]:
    """All anchors between two offsets, in order."""
    if end - begin <= _SMALL:
        lower = text[begin:end].lower()
        return _followed(text, sorted(at + begin for anchor in _BEHIND for at in _each(lower, anchor)), end)
    found: list[Offsets] = []
    for block in range(begin, end, _BLOCK):
        for phase in range(4):
            start = block + phase
            count = min((_BLOCK - phase + 3) // 4, max(end - start, 0) // 4)
            if count > 0:
                found.append(_anchored(np.frombuffer(text, "<u4", count, start) | _FOLD, start))
    return _followed(text, np.sort(np.concatenate(found)).tolist(), end)


def _each(text: bytes, needle: bytes) -> Iterator[int]:
    """Every place of a needle."""
    at = text.find(needle)
    while at >= 0:
        yield at
        at = text.find(needle, at + 1)


def _anchored(words: NDArray[np.uint32], start: int) -> Offsets:
    hit = words == _WORDS[0]
    for word in _WORDS[1:]:
        hit |= words == word
    return np.flatnonzero(hit) * 4 + start


def _followed(text: bytes, offsets: list[int], end: int) -> list[Hit]:
    """Of some anchors those whose next byte may stand there."""
    kept: list[Hit] = []
    for at in offsets:
        anchor = text[at : at + 4].lower()
        behind = _BEHIND.get(anchor, b"")
        if behind is None or (at + 4 < end and text[at + 4] in behind):
            kept.append(Hit(at, anchor))
    return kept


_CORE = 7  # bytes: the fewest of which four always lie at an offset that four divides
_MIX = np.uint32(2654435761)  # Knuth's multiplier: spreads the bits of a word over the upper half
_SHIFT = np.uint32(16)


# What lines without any phrase are full of: a core is chosen that shares as little of it as can be.
_COMMON = (
    b"mindformers/trainer/base_trainer.py training, Training, callbacks, _parallel, Parameter params network worker "
    b"checkpoint, ckpt_ saved global_batch_size = overflow cond loss_scale _norm: evaluate, pipeline expert config "
    b"step, stage strategy loading initial init Init offset, shards greater consecutive time, times devices default_ "
    b"complete process, exit switch For Eval recompute from the is to of and a in with on for - ERROR"
)


def _core(needle: bytes) -> int:
    """Where the seven bytes begin by which a needle is found."""
    words = [needle[at : at + 4] for at in range(len(needle) - 3)]
    common = [word in _COMMON or not word[1:].strip() for word in words]
    return min(range(len(needle) - _CORE + 1), key=lambda at: sum(common[at : at + 4]))


class Phrases:
    """A set of needles of seven bytes or more that are looked for together."""

    def __init__(self, needles: Iterable[bytes]) -> None:
        self._parts: dict[int, list[tuple[bytes, int]]] = {}  # word → (needle, offset of the word in it)
        self._table = np.zeros(1 << 16, dtype=np.bool_)
        for needle in needles:
            core = _core(needle)
            for offset in range(core, core + 4):
                self._parts.setdefault(_word(needle[offset : offset + 4]), []).append((needle, offset))
        words = np.array(list(self._parts), dtype="<u4")
        self._table[(words * _MIX) >> _SHIFT] = True

    def hits(self, text: bytes, begin: int, end: int) -> list[Hit]:
        """Every needle between two offsets, in order of its first byte."""
        found = [hit for block in range(begin, end, _BLOCK) for hit in self._block(text, begin, block, end)]
        return sorted(found, key=lambda hit: hit.at)

    def _block(self, text: bytes, begin: int, block: int, end: int) -> Iterator[Hit]:
        count = (min(block + _BLOCK, end) - block) // 4
        if not count:
            return
        for place, word in self._places(text, block, count):
            for needle, offset in self._parts.get(word, ()):
                at = block + place * 4 - offset
                if at >= begin and text.startswith(needle, at) and at + len(needle) <= end:
                    yield Hit(at, needle)

    def _places(self, text: bytes, start: int, count: int) -> Iterable[tuple[int, int]]:
        """Which of so many words from ``start`` on may be part of a core: their number and the word."""
        if count <= _SMALL // 4:
            few = struct.unpack_from(f"<{count}I", text, start)
            return [(place, word) for place, word in enumerate(few) if word in self._parts]
        words = np.frombuffer(text, "<u4", count, start)
        places = np.flatnonzero(self._table[(words * _MIX) >> _SHIFT])
        return zip(places.tolist(), words[places].tolist(), strict=True)
