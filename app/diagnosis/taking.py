"""Which points a diagnosis is to be given next, and giving them: the series of the rank that speaks, read in pieces.

The one place where the diagnosis meets stored series; raises StoreAway, and rows.Anew when what is stored does not go
on from what was used: it was flushed, another rank speaks now, or a file turned out to be older.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.diagnosis.block import Block
from app.diagnosis.column import Column, is_older, same
from app.diagnosis.diagnosis import Diagnosis
from app.diagnosis.rows import Anew
from app.diagnosis.speaking import Part, Speakers
from app.diagnosis.wishes import Watched
from app.stored import RunSeries, RunStore
from collector.wire.records import POINT_BYTES, unpack_points

AHEAD = 16  # points of files whose turn has not come
PIECE = 4_096  # points of one series that are read at once: a fifth of a second of rules


def adopt(known: Diagnosis, told: Speakers, watched: Watched) -> None:
    """Take the series that speak now for those that are read. Raises Anew when it is not the same ones and more."""
    blocks = {(one.file, one.generation): one for one in known.rows.blocks}
    found = {(part.file, part.generation): part for part in told.parts}
    if any(one.begun and _is_other(one, found.get(name)) for name, one in blocks.items()):
        raise Anew
    known.rows.blocks = [_grown(blocks.get(name), part) for name, part in found.items()]
    known.evaluations = _gone_on(known.evaluations, told.evaluations)
    for one in known.wishes:
        one.columns = _gone_on(one.columns, watched[one.custom.rule.name])


def _gone_on(columns: Sequence[Column], sids: Sequence[str]) -> list[Column]:
    """The columns of some series, those that were begun among them. Raises Anew when one of these is gone."""
    known = {one.sid: one for one in columns}
    if not {one.sid for one in columns if one.taken} <= set(sids):
        raise Anew
    return [known.get(sid) or Column(sid) for sid in sids]


def _is_other(block: Block, part: Part | None) -> bool:
    """Whether a block that was begun is not what the part is by now."""
    if part is None or (block.source, block.pulse) != (part.source, part.pulse):
        return True
    return any(part.columns.get(name) != column.sid for name, column in block.columns.items())


def _grown(block: Block | None, part: Part) -> Block:
    """The block with every series that the part has."""
    known = block.columns if block is not None and not _is_other(block, part) else {}
    if block is not None and known.keys() == part.columns.keys():
        return block
    columns = {name: known.get(name) or Column(sid) for name, sid in part.columns.items()}
    shape = block.shape if block is not None else None
    return Block(part.file, part.generation, part.source, columns, part.pulse, part.reason, shape)


def refill(store: RunStore, run: RunSeries, known: Diagnosis, piece: int = PIECE) -> bool:
    """Read up to ``piece`` points of each series that has few waiting; whether some were read."""
    wanted = []
    for column, count in _wanted(known, piece):
        if len(column.waiting) <= count // 2:
            wanted.append((column, count))
        else:
            column.whole = False  # as far as is known now
    places = [(one.sid, max(0, one.read - 1), count + 1) for one, count in wanted]
    blocks = store.ranges(run.id, places) if places else ()
    grown = [_fill(column, text, count) for (column, count), text in zip(wanted, blocks, strict=True)]
    for block in known.rows.blocks:
        _refuse_late(block)
    return any(grown)


def _wanted(known: Diagnosis, piece: int) -> Sequence[tuple[Column, int]]:
    """Series and how many points of each. Series that say which rows there are come first: what is read of the others
    after them holds at least what belongs to these. Of files whose turn has not come the beginning is enough."""
    turns: dict[int, int] = {}
    waits = False
    for block in known.rows.ordered():
        turns[id(block)] = AHEAD if waits else piece
        waits |= not block.is_drained
    blocks = [(one, turns.get(id(one), AHEAD)) for one in known.rows.blocks]
    beats = [(one.beat, count) for one, count in blocks]
    others = [(column, count) for one, count in blocks for _, column in one.others]
    wished = [column for one in known.wishes for column in one.columns]
    return [*beats, *others, *((one, piece) for one in [*known.evaluations, *wished])]


def _fill(column: Column, text: bytes, count: int) -> bool:
    """Add what follows the last known point, which was read again to see whether it is still there."""
    points = list(unpack_points(text))
    before = column.newest
    if before is not None and (not points or not same(points[0], before)):
        raise Anew
    whole = len(text) // POINT_BYTES <= count
    new = points[1:] if before is not None else points
    column.add(new, whole=whole)
    return bool(new)


def _refuse_late(block: Block) -> None:
    """A series that begins before rows that were taken already would have been part of them."""
    last = block.beat.last
    if last is None:
        return
    for _, column in block.others:
        if column.taken == 0 and column.waiting and _was_missed(column, last):
            raise Anew


def _was_missed(column: Column, last: Sequence[float]) -> bool:
    step, wall, _ = last
    first = column.waiting[0]
    return first[0] == step or is_older(first, int(step), wall)
