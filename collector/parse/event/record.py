"""One record after the other: the decoder that reads every form of an event, and takes nothing for granted."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from collector.parse.event.columns import Columns
from collector.parse.event.protobuf import BrokenMessage, fields, messages, signed, varint
from collector.parse.event.shape import FindScalar

_DOUBLE = struct.Struct("<d").unpack_from
_FLOAT = struct.Struct("<f").unpack_from
_LONGEST_HEAD = 512  # bytes of a plain scalar's record that are remembered: its tag, and a dozen more

Number = float | None
ReadValue = Callable[[bytes], "Value"]
Facts = Callable[["Event"], dict[str, str]]


@dataclass(frozen=True, slots=True)
class Value:
    """One Summary.Value: its tag and its number, or None when it is no scalar; ``text`` for a text summary."""

    tag: str
    number: Number
    text: str | None = None


@dataclass(frozen=True, slots=True)
class ScalarForm:
    """How one format writes a scalar: ``key`` is the one byte before the float that ends a plain record, ``read``
    decodes every other form, ``find`` says where the number is in a form that repeats; ``facts`` reads what a record
    says of the run, and ``start`` is the field of Event that announces a new session."""

    key: int
    read: ReadValue
    find: FindScalar
    facts: Facts
    start: int = 0


@dataclass(frozen=True, slots=True)
class Event:
    """One record: its values, and the fields of Event that hold neither wall, step nor values."""

    step: int
    wall: float
    values: list[Value]
    others: list[tuple[int, bytes]]


@dataclass(frozen=True, slots=True)
class Start:
    """A new session begins with the record of this index; ``step`` is the first that it will write."""

    index: int
    step: int
    wall: float


def decode_all(
    records: list[bytes], form: ScalarForm, columns: Columns, plain: dict[bytes, list[float]], *, points: bool
) -> Start | None:
    """Decode records up to the first that announces a new session after ``points``.

    Most records hold one plain scalar and differ from an earlier one in wall, step and the last four bytes alone; so
    what lies between is looked up whole, in ``plain``, the memory of earlier calls with the same columns, then among
    what any chunk held lately; only what was never seen is decoded field by field."""
    for index, data in enumerate(records):
        # 09 wall(8) 10 step(varint) 2a … 0a tag 15 float(4)
        if len(data) > 20 and data[0] == 0x09 and data[9] == 0x10:
            step, at = data[10], 11
            if step > 0x7F:
                step, at = _step(data)
            head = data[at:-4]
            column = plain.get(head)
            if column is None and (tag := _plain_tag(head, form)) is not None:
                column = plain[head] = columns.of(tag)
            if column is not None:
                column += (step, _DOUBLE(data, 1)[0], _FLOAT(data, len(data) - 4)[0])
                continue
        start = _decode(data, form, columns)
        if start is not None and (points or columns.any):
            return Start(index, start.step, start.wall)
    return None


def decode_one(data: bytes, form: ScalarForm) -> list[tuple[str, int, float, float]] | None:
    """The scalars (tag, step, wall, value) of one record; None when it says something of the run or is broken."""
    try:
        event = event_of(data, form)
        if is_start(event, form) or form.facts(event):
            return None
    except (BrokenMessage, struct.error):
        return None
    return [(one.tag, event.step, event.wall, one.number) for one in event.values if one.number is not None]


def event_of(data: bytes, form: ScalarForm) -> Event:
    """All fields of one record. Raises BrokenMessage or struct.error when it is none."""
    step, wall, values, others = 0, float("nan"), list[Value](), list[tuple[int, bytes]]()
    for number, wire, value in fields(data):
        if number == 1 and wire == 1:
            wall = _DOUBLE(value if isinstance(value, bytes) else bytes(8))[0]
        elif number == 2 and isinstance(value, int):
            step = signed(value)
        elif number == 5 and wire == 2 and isinstance(value, bytes):
            values += [form.read(one) for key, one in messages(value) if key == 1]
        elif wire == 2 and isinstance(value, bytes):
            others.append((number, value))
    return Event(step, wall, values, others)


def _decode(data: bytes, form: ScalarForm, columns: Columns) -> Event | None:
    """Add what a record holds; the event itself if it announces a new session."""
    try:
        event = event_of(data, form)
        announced = is_start(event, form)
        columns.facts.update(form.facts(event))
    except (BrokenMessage, struct.error):
        columns.broken += 1
        return None
    for one in event.values:
        if one.number is not None:
            columns.of(one.tag).extend((event.step, event.wall, one.number))
    return event if announced else None


def is_start(event: Event, form: ScalarForm) -> bool:
    """Whether it announces a new session: SessionLog {1 status}, where 1 is START, 2 is STOP and 3 is CHECKPOINT."""
    sessions = (fields(value) for number, value in event.others if number == form.start)
    return any((key, value) == (1, 1) for session in sessions for key, _, value in session)


def _step(data: bytes) -> tuple[int, int]:
    try:
        step, at = varint(data, 10)
    except BrokenMessage:
        return 0, len(data)
    return signed(step), at


def _plain_tag(head: bytes, form: ScalarForm) -> str | None:
    """The tag, if ``head`` (all between the step and the last four bytes) begins a summary of one value of tag and
    number alone."""
    return _known_tag(head, form.key) if len(head) <= _LONGEST_HEAD else None


@lru_cache(maxsize=1 << 14)  # a live run appends the same few tags again and again, each time in a chunk of its own
def _known_tag(head: bytes, form_key: int) -> str | None:
    # 2a 0f 0a 0d 0a 04 'loss' 15, then four bytes
    if head[-1:] != bytes((form_key,)):
        return None
    try:
        ((number, outer, summary),) = fields(head + bytes(4))
        ((key, inner, value),) = fields(summary if isinstance(summary, bytes) else b"")
        (first, text, tag), (_, wire, _) = fields(value if isinstance(value, bytes) else b"")
    except ValueError:  # BrokenMessage, or another count of fields
        return None
    if (number, outer, key, inner, first, text) != (5, 2, 1, 2, 1, 2) or wire != 5:
        return None
    return clean_tag(tag) if isinstance(tag, bytes) else None


def clean_tag(tag: bytes) -> str:
    """A tag as text; the separator of series identities (wire.records) is the one character that it may not hold."""
    return tag.decode("utf-8", "replace").replace("\x1f", "\ufffd")
