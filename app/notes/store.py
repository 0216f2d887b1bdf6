"""Where notes are kept, beside the run that they are about; each change is told on the run's live stream by the script
that makes it, so that open pages show it at once. People wrote them: they cannot be made again of files."""

from __future__ import annotations

from typing import Literal, cast

from app.diagnosis.client import Client
from app.follower import answering
from app.notes.note import MOST, Note
from collector.wire import schema
from collector.wire.records import RunId

Written = Literal["written", "full", "no run", "no note", "changed"]
ANSWERS: tuple[Written, ...] = ("written", "full", "no run", "no note", "changed")

# KEYS run notes live
# ARGV note id, note, most, live entry, live field, live length
ADD = """
if redis.call('EXISTS', KEYS[1]) == 0 then return 2 end
if redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[3]) then return 1 end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('XADD', KEYS[3], 'MAXLEN', '~', ARGV[6], '*', ARGV[5], ARGV[4])
return 0
"""

# KEYS notes live
# ARGV note id, note ("" = remove it), version that was seen, live entry, live field, live length
CHANGE = """
local kept = redis.call('HGET', KEYS[1], ARGV[1])
if not kept then return 3 end
if (cjson.decode(kept)['version'] or 1) ~= tonumber(ARGV[3]) then return 4 end
if ARGV[2] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) end
redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[6], '*', ARGV[5], ARGV[4])
return 0
"""


class NoteStore:
    """Safe to share between threads. Every method raises StoreAway while Redis is away."""

    def __init__(self, url: str) -> None:
        """``url`` as REDIS_URL; no connection is made before the first question."""
        self._client = Client(url)

    def close(self) -> None:
        """Close every connection."""
        self._client.close()

    def notes(self, run_id: RunId) -> list[Note]:
        """Every note of a run, in order of their steps."""
        with answering():
            texts = cast(list[bytes], self._client.redis.hvals(schema.notes(run_id)))
        return sorted(map(Note.decode, texts), key=lambda one: one.place)

    def note(self, run_id: RunId, note_id: str) -> Note | None:
        """One of them."""
        with answering():
            text = cast(bytes | None, self._client.redis.hget(schema.notes(run_id), note_id))
        return None if text is None else Note.decode(text)

    def add(self, run_id: RunId, note: Note) -> Written:
        """Keep a new one: written, full, or no run."""
        return self._write(ADD, (schema.run, schema.notes, schema.live), run_id, [note.id, note.encode(), MOST])

    def change(self, run_id: RunId, note: Note) -> Written:
        """Keep it instead of the version before it: written, no note, or changed, when that is no longer the newest."""
        said: list[str | int] = [note.id, note.encode(), note.version - 1]
        return self._write(CHANGE, (schema.notes, schema.live), run_id, said)

    def remove(self, run_id: RunId, note_id: str, version: int) -> Written:
        """Forget one as it was in ``version``: written, no note, or changed."""
        return self._write(CHANGE, (schema.notes, schema.live), run_id, [note_id, "", version])

    def _write(self, script: str, keys: tuple[schema.RunKey, ...], run_id: RunId, said: list[str | int]) -> Written:
        arguments = [*said, schema.encode_notes(1), schema.LIVE_FIELD, schema.LIVE_LENGTH]
        with answering():
            answer = cast(int, self._client.run(script, [key(run_id) for key in keys], arguments))
        return ANSWERS[answer]
