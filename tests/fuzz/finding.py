"""An input for which something did not hold: recognised, made small, kept."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.targets import Target

FOUND = Path(__file__).parent / "found"
LONGEST_KEPT = 65_536  # bytes: what stays larger after minimising is reported, and kept out of the repository


@dataclass(frozen=True, slots=True)
class Finding:
    """``kind`` is what two inputs with one cause share."""

    target: str
    kind: str
    detail: str
    data: bytes

    @property
    def name(self) -> str:
        """File name of the kept input."""
        return f"{self.target}-{hashlib.sha256(self.data).hexdigest()[:10]}"


def tried(target: Target, data: bytes) -> Finding | None:
    """The finding that ``data`` is, if it is one."""
    try:
        target.check(data)
    except Exception as error:
        return Finding(target.name, f"{type(error).__name__} {place(error)}", f"{type(error).__name__}: {error}", data)
    return None


def place(error: BaseException) -> str:
    """The innermost function that the error came out of, and for a broken promise the promise."""
    trace, name = error.__traceback__, ""
    while trace is not None:
        code = trace.tb_frame.f_code
        name = f"{Path(code.co_filename).stem}.{code.co_name}"
        trace = trace.tb_next
    return f"{name} {re.sub(r'[0-9]+', '#', str(error).partition(':')[0])[:30]}"


def minimised(finding: Finding, again: Callable[[bytes], Finding | None], tries: int = 400) -> Finding:
    """The smallest input found within so many tries that still is a finding of the same kind."""
    best, size = finding, max(1, len(finding.data) // 2)
    tries = min(tries, 20 + (100 << 20) // max(1, len(finding.data)))  # a large input takes seconds to try
    while size and tries:
        at, shrunk = 0, False
        while at < len(best.data) and tries:
            tries -= 1
            smaller = again(best.data[:at] + best.data[at + size :])
            if smaller is not None and smaller.kind == finding.kind:
                best, shrunk = smaller, True
            else:
                at += size
        size = size if shrunk and size > 1 and tries else size // 2
    return best


def keep(finding: Finding, folder: Path = FOUND) -> Path:
    """Write the input where the tests will try it from now on."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / finding.name
    path.write_bytes(finding.data)
    return path
