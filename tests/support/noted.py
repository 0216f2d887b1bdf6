"""Notes on the run of tests.support.alarmed: on a step, on stretches, near one another, and one that would do harm
where it was taken for more than text."""

from __future__ import annotations

import time
from dataclasses import replace

from app.notes.note import Note
from app.notes.store import NoteStore
from collector.wire.records import RunId
from tests.support.alarmed import RUN

BEGAN = time.time()  # of this module; ages are those of the moment in which a note is written
HARM = (
    '<img src=x onerror="window.harmed=1"><script>window.harmed=1</script> **bold** '
    '<a href="javascript:harmed=1">a</a> '
    "[b](javascript:window.harmed=1) javascript:window.harmed=1 data:text/html,<script>harmed=1</script> "
    "{{7*7}} ${7*7} \x1b[31mred \u202egpj.exe https://user:secret@example.org/ ]]>"
)
STEP = Note("000000000001", 120, 120, "raised the learning rate by hand", "night shift", BEGAN - 9_000)
RANGE = Note(
    "000000000002",
    300,
    420,
    "slow: files moved\nsee https://example.org/ticket/42 (and https://例子.测试/路径).",
    "夜班",
    BEGAN - 5_000,
    BEGAN - 400,
    "night shift",
    2,
)
NEAR = Note("000000000003", 301, 301, "close to the other", "shift", BEGAN - 100)
HARMFUL = Note("000000000004", 520, 520, HARM, "<b onclick=harmed=1>Eve</b>", BEGAN - 50)
NOTES = (STEP, RANGE, NEAR, HARMFUL)


def clocked(one: Note) -> Note:
    """As old as it is said to be, now."""
    since = time.time() - BEGAN
    return replace(one, created=one.created + since, edited=None if one.edited is None else one.edited + since)


def write(url: str, *notes: Note, run: RunId = RUN) -> None:
    """Keep them, as the API does."""
    store = NoteStore(url)
    try:
        assert [store.add(run, clocked(one)) for one in notes] == ["written"] * len(notes)
    finally:
        store.close()
