"""A note: what somebody wrote about a step or a stretch of steps of a run. Pure."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, fields

NOTE_ID = re.compile(r"[0-9a-f]{12}")
TEXT = 2_000  # characters: what belongs to more is a document, to which a note can link
LINES = 100
MOST = 500  # of one run: more are no help to a reader, and a page reads all of them


@dataclass(frozen=True, slots=True)
class Note:
    """``first`` to ``last`` are steps, inclusive, and equal for a single one. ``text`` is plain and may have several
    lines; ``created`` and ``edited`` (None: never) are Unix seconds of the server's clock. ``editor`` edited it last.
    ``version`` counts from 1 and grows with each edit: who edits says which one was seen."""

    id: str
    first: int
    last: int
    text: str
    author: str
    created: float
    edited: float | None = None
    editor: str = ""
    version: int = 1

    def encode(self) -> str:
        """JSON text."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def decode(cls, text: str | bytes) -> Note:
        """What ``encode`` wrote, perhaps of a later version, whose further fields are passed over."""
        known = {one.name for one in fields(cls)}
        return cls(**{name: value for name, value in json.loads(text).items() if name in known})

    def touches(self, start: int | None, end: int | None) -> bool:
        """Whether some of its steps lie in [start, end]; None is open."""
        return (end is None or self.first <= end) and (start is None or self.last >= start)

    @property
    def place(self) -> tuple[int, int, float, str]:
        """Sorts notes by step, then by age."""
        return self.first, self.last, self.created, self.id
