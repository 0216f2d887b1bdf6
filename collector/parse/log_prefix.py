"""What stands before the message of a line: the clock and, for people, what to leave out.

Console ``asctime - name[file:line] - LEVEL - message``, files ``[LEVEL] asctime [file:line] function: message``
(mindformers/tools/logger.py, 0.3 to 2.1); the name may hold a path, and a spinner may be glued before the clock.
"""

from __future__ import annotations

import re
import time
from functools import lru_cache

ABSENT = float("nan")
_SCALE = (1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6)

# 2025-06-01 10:00:30,099  2023-08-02T21:57:29  2025-07-01-11:00:00.123.456
CLOCK = re.compile(rb"(\d{4}-\d\d-\d\d)[ T-](\d\d:\d\d):(\d\d)(?:[,.](\d{1,6}))?")
# 2025-06-01 10:00:00,000 - mindformers./output/log[callback.py:494] - INFO - message
# [INFO] 2025-06-01 10:00:00,000 [callback.py:313] print_output_info: message
_BEFORE_MESSAGE = re.compile(
    rb"(?:.*? )?- (?:DEBUG|INFO|WARNING|ERROR|CRITICAL) - |\[[A-Z]+\] [\d-]{10}[ T-][\d:,.]+ \[[^\]]*\] [^ ]+: "
)


def clock(text: bytes, start: int, stop: int) -> float:
    """Unix seconds of the first clock between two offsets, in this process's time zone; NaN when there is none."""
    match = CLOCK.search(text, start, stop)
    if match is None:
        return ABSENT
    day, minute, second, fraction = match.groups()
    return _minute(day, minute) + int(second) + (int(fraction) / _SCALE[len(fraction)] if fraction else 0.0)


@lru_cache(maxsize=256)  # a record and its progress line, and the ranks of one job, share their clocks
def wall_of(text: bytes | None) -> float:
    """Unix seconds of a clock's own text; NaN when there is none."""
    return clock(text, 0, len(text)) if text else ABSENT


@lru_cache(maxsize=256)
def _minute(day: bytes, minute: bytes) -> float:
    """Unix seconds of a local minute; NaN for a date that does not exist (mktime would invent one)."""
    try:
        return time.mktime(time.strptime(f"{day.decode()} {minute.decode()}", "%Y-%m-%d %H:%M"))
    except (ValueError, OverflowError):
        return ABSENT


def message(line: bytes) -> bytes:
    """The line without what the logger put before its message."""
    match = _BEFORE_MESSAGE.match(line)
    return line[match.end() :] if match else line
