"""``health_ckpts.json``: which saved checkpoints can be gone back to (MindFormers 1.6 to 2.1, CheckpointMonitor with
``use_checkpoint_health_monitor``; beside ``log/`` in the output directory).

A list of ``{"is_health": 0, "ckpt_name": "llama_rank_0-1_500.ckpt"}``, where 1 means *not* healthy, written anew as a
whole at every saving: so it may be met half-written, and begins with what was read before. Entries are read one by one
and told as facts by name, so that reading them again changes nothing. Whatever else a file of that name holds is passed
over.
"""

from __future__ import annotations

import json
import posixpath
import re

from collector.parse.parsed import Parsed
from collector.wire.records import ParserState
from collector.wire.schema import HEALTH_FACT

MOST_ENTRIES = 20_000  # of one file; a run with more checkpoints is none
_LONGEST_NAME = 300
_LONGEST_ENTRY = 4096  # bytes; more without a closing brace is no entry
_FLAGS = {"0": "0", "1": "1", "0.0": "0", "1.0": "1", "False": "0", "True": "1"}

# {"is_health": 0, "ckpt_name": "llama_rank_0-1_500.ckpt"}
_ENTRY = re.compile(rb"\{[^{}]*\}")


class HealthRecord:
    """Parser of one such file: facts alone."""

    def parse(self, chunk: bytes, state: ParserState, *, final: bool = False) -> Parsed:
        """The whole entries of the chunk; what stands behind the last one is offered again."""
        count = int(state.get("entries") or 0)
        facts: dict[str, str] = {}
        consumed = 0
        for match in _ENTRY.finditer(chunk):
            consumed = match.end()
            entry = _entry(match[0]) if count < MOST_ENTRIES else None
            if entry is not None:
                count += 1
                facts[HEALTH_FACT + entry[0]] = entry[1]
        if len(chunk) - consumed > _LONGEST_ENTRY:
            opens = chunk.rfind(b"{", len(chunk) - _LONGEST_ENTRY)
            consumed = opens if opens >= 0 else len(chunk)
        return Parsed(consumed, {"entries": count} if count else {}, facts=facts)


def _entry(text: bytes) -> tuple[str, str] | None:
    """Name and flag of one entry; None when it has not both."""
    try:
        told = json.loads(text)
    except ValueError:
        return None
    name, flag = told.get("ckpt_name"), _FLAGS.get(str(told.get("is_health")))
    if not isinstance(name, str) or flag is None:
        return None
    name = posixpath.basename(name.replace("\\", "/"))[:_LONGEST_NAME]
    return (name.encode("utf-8", "replace").decode(), flag) if name else None
