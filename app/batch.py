"""Thousands of equal questions to Redis at once: packed and read one by one they take ten times as long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

AT_ONCE = 2_048  # commands; Redis holds the answers of so many until they are read


class Connection(Protocol):
    """What redis-py's connections can do."""

    def send_packed_command(self, command: Sequence[bytes]) -> None:
        """Send bytes as they are."""
        ...

    def read_response(self) -> object:
        """The next answer."""
        ...

    def disconnect(self) -> None:
        """End it; it connects again when it is used again."""
        ...


def asked(connection: Connection, commands: Sequence[bytes]) -> list[object]:
    """The answers, in order."""
    try:
        return [one for start in range(0, len(commands), AT_ONCE) for one in _asked(connection, commands[start:])]
    except BaseException:
        connection.disconnect()  # answers that were not read would be taken for those of the next question
        raise


def _asked(connection: Connection, commands: Sequence[bytes]) -> Iterator[object]:
    mine = commands[:AT_ONCE]
    connection.send_packed_command([b"".join(mine)])
    for _ in mine:
        answer = connection.read_response()
        if isinstance(answer, Exception):
            raise answer
        yield answer


def lengths(keys: Sequence[bytes]) -> list[bytes]:
    """STRLEN of each key, as it is sent."""
    return [b"*2\r\n$6\r\nSTRLEN\r\n$%d\r\n%s\r\n" % (len(key), key) for key in keys]


def ends(places: Sequence[tuple[bytes, int]]) -> list[bytes]:
    """GETRANGE of each key from a byte to its end, as it is sent."""
    words = {start: b"%d" % start for _, start in places}
    tails = {start: b"$%d\r\n%s\r\n$2\r\n-1\r\n" % (len(word), word) for start, word in words.items()}
    head = b"*4\r\n$8\r\nGETRANGE\r\n$%d\r\n%s\r\n"
    return [head % (len(key), key) + tails[start] for key, start in places]


def part(key: bytes, first: int, last: int) -> bytes:
    """GETRANGE of some bytes of a key, both ends inclusive, as it is sent."""
    return b"*4\r\n$8\r\nGETRANGE\r\n$%d\r\n%s\r\n%s" % (len(key), key, span(first, last))


def span(first: int, last: int) -> bytes:
    """Some bytes of a key, both ends inclusive, as they are sent behind it."""
    low, high = b"%d" % first, b"%d" % last
    return b"$%d\r\n%s\r\n$%d\r\n%s\r\n" % (len(low), low, len(high), high)


def spans(places: Sequence[tuple[bytes, bytes]]) -> list[bytes]:
    """GETRANGE of each key and ``span``, as it is sent."""
    head = b"*4\r\n$8\r\nGETRANGE\r\n$%d\r\n%s\r\n"
    return [head % (len(key), key) + some for key, some in places]


def beginnings(places: Sequence[tuple[bytes, int]]) -> list[bytes]:
    """GETRANGE of each key from its first byte to another, inclusive, as it is sent."""
    words = {last: span(0, last) for _, last in places}
    return spans([(key, words[last]) for key, last in places])


def at_one_moment(commands: Sequence[bytes]) -> list[bytes]:
    """The same in one transaction; its last answer holds theirs."""
    return [b"*1\r\n$5\r\nMULTI\r\n", *commands, b"*1\r\n$4\r\nEXEC\r\n"]


def ranges(places: Sequence[tuple[bytes, int, int]]) -> list[bytes]:
    """GETRANGE of each key from a byte to another, inclusive, as it is sent."""
    head = b"*4\r\n$8\r\nGETRANGE\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n"
    words = [(key, b"%d" % start, b"%d" % end) for key, start, end in places]
    return [head % (len(key), key, len(start), start, len(end), end) for key, start, end in words]


def fields(key: bytes, names: Sequence[bytes]) -> bytes:
    """HMGET, as it is sent."""
    words = b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in (key, *names))
    return b"*%d\r\n$5\r\nHMGET\r\n%s" % (len(names) + 2, words)
