"""What stands before the message of a line: the clock and, for people, what to leave out.

Console ``asctime - name[file:line] - LEVEL - message``, files ``[LEVEL] asctime [file:line] function: message``
(mindformers/tools/logger.py, 0.3 to 2.1); the name may hold a path, and a spinner may be glued before the clock.
"""

from __future__ import annotations

import re
import time
from calendar import timegm
from datetime import datetime
from functools import lru_cache

ABSENT = float("nan")
_SCALE = (1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6)

# 2025-06-01 10:00:30,099  2023-08-02T21:57:29+08:00  2025-07-01-11:00:00.123.456  2025/06/01 10:00:30
# Sun, 14 May 2023 22:09:09
CLOCK = re.compile(
    rb"(\d{4}[-/]\d\d[-/]\d\d|\d{1,2} [A-Z][a-z]{2} \d{4})[ T-](\d\d):([0-5]\d):(\d\d)"
    rb"(?:[,.](\d{1,6}))?(Z|[+-]\d\d:?\d\d)?"
)
_MONTHS = b"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
# 2025-06-01 10:00:00,000 - mindformers./output/log[callback.py:494] - INFO - message
# [INFO] 2025-06-01 10:00:00,000 [callback.py:313] print_output_info: message
_BEFORE_MESSAGE = re.compile(
    rb"(?:.*? )?- (?:DEBUG|INFO|WARNING|ERROR|CRITICAL) - |\[[A-Z]+\] [\d-]{10}[ T-][\d:,.]+ \[[^\]]*\] [^ ]+: "
)


def clock(text: bytes, start: int, stop: int) -> float:
    """Unix seconds of the first clock between two offsets, in this process's time zone unless it names its own; NaN
    when there is none."""
    match = CLOCK.search(text, start, stop)
    if match is None:
        return ABSENT
    day, hour, minute, second, fraction, zone = match.groups()
    seconds = hour_of(day, hour, zone) + int(minute) * 60 + int(second)
    return seconds + (int(fraction) / _SCALE[len(fraction)] if fraction else 0.0)


@lru_cache(maxsize=256)  # the ranks of one job share their clocks
def hour_of(day: bytes, hour: bytes, zone: bytes | None = None) -> float:
    """Unix seconds of an hour; NaN for a date that does not exist (mktime would invent one). No place has set its
    clocks but at the full hour since 2011."""
    try:
        told = datetime(*_date(day), int(hour)).timetuple()
        return time.mktime(told) if zone is None else float(timegm(told) - _offset(zone))
    except (ValueError, OverflowError):
        return ABSENT


def _date(day: bytes) -> tuple[int, int, int]:
    """Year, month and day of ``2025-06-01``, ``2025/06/01`` or ``14 May 2023``."""
    if day[4:5] in (b"-", b"/"):
        return int(day[:4]), int(day[5:7]), int(day[8:])
    date, month, year = day.split()
    return int(year), _MONTHS.index(month) + 1, int(date)


def _offset(zone: bytes) -> int:
    """Seconds east of Greenwich: ``+08:00``, ``-0530``, ``Z``."""
    digits = zone[1:].replace(b":", b"")
    seconds = int(digits[:2]) * 3600 + int(digits[2:]) * 60 if digits else 0
    return -seconds if zone[:1] == b"-" else seconds


def message(line: bytes) -> bytes:
    """The line without what the logger put before its message."""
    match = _BEFORE_MESSAGE.match(line)
    return line[match.end() :] if match else line
