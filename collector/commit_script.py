"""The one script by which a run changes in Redis, and what it is given. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from collector.batch import Batch, live_entry
from collector.wire import schema
from collector.wire.records import RunId, RunRecord, SeriesMeta

Argument = str | bytes | int

# KEYS run cursors series generations facts events live, then one for each block of points.
# ARGV version name path demo live maxlen field limit shards, then seven counted groups:
#   fence {file expected ""=absent}, cursors {file text}, series {sid text}, generations {id text}, facts {name text},
#   events {text}, points {bytes}
# Nothing is written before every cursor has been compared and every series has been measured (APPEND beyond the limit
# would fail with half of the commit done); so a refusal leaves no trace.
COMMIT = """
local at = 9
local function group(width)
  local count = tonumber(ARGV[at + 1])
  local first = at + 2
  at = at + 1 + count * width
  return first, count
end
local fence, fenced = group(2)
local stale = false
for i = 0, fenced - 1 do
  if (redis.call('HGET', KEYS[2], ARGV[fence + 2 * i]) or '') ~= ARGV[fence + 2 * i + 1] then stale = true end
end
if stale then
  local stored = {}
  for i = 0, fenced - 1 do stored[i + 1] = redis.call('HGET', KEYS[2], ARGV[fence + 2 * i]) or '' end
  return {0, unpack(stored)}
end
local after = at
for skipped = 1, 4 do group(2) end
group(1)
local first, count = group(1)
for i = 0, count - 1 do
  if redis.call('STRLEN', KEYS[8 + i]) + #ARGV[first + i] > tonumber(ARGV[8]) then return {2, i} end
end
at = after
for key = 2, 5 do
  first, count = group(2)
  for i = 0, count - 1 do redis.call('HSET', KEYS[key], ARGV[first + 2 * i], ARGV[first + 2 * i + 1]) end
end
first, count = group(1)
for i = 0, count - 1 do redis.call('RPUSH', KEYS[6], ARGV[first + i]) end
first, count = group(1)
for i = 0, count - 1 do redis.call('APPEND', KEYS[8 + i], ARGV[first + i]) end
local before = redis.call('HGET', KEYS[1], 'committed') or ''
redis.call('HSETNX', KEYS[1], 'created', ARGV[1])
redis.call('HSET', KEYS[1], 'name', ARGV[2], 'path', ARGV[3], 'demo', ARGV[4], 'committed', ARGV[1])
if ARGV[9] ~= '0' then redis.call('HSET', KEYS[1], 'shards', ARGV[9]) end
redis.call('XADD', KEYS[7], 'MAXLEN', '~', ARGV[6], '*', ARGV[7], ARGV[5])
return {1, ARGV[1], before}
"""

# KEYS run live
# ARGV: version name path demo live maxlen field shards count, then pairs of shard field and its version: first as
# many as count says, which are new; the others are for a run whose own slot has lost what was told of them.
# Of a run that is spread, after the commit in a shard, which lies in another slot: what is said of the run as a whole.
ANNOUNCE = """
local lost = redis.call('HSETNX', KEYS[1], 'created', ARGV[1])
redis.call('HSETNX', KEYS[1], 'shards', ARGV[8])
redis.call('HSET', KEYS[1], 'name', ARGV[2], 'path', ARGV[3], 'demo', ARGV[4], 'committed', ARGV[1])
local last = lost == 1 and #ARGV or 9 + 2 * tonumber(ARGV[9])
for i = 10, last, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[6], '*', ARGV[7], ARGV[5])
return 1
"""
SHARD_LENGTH = 100  # entries of a shard's own stream: nobody follows it, its last one tells whether anything was added


def keys_of(batch: Batch, home: RunId) -> list[str]:
    """KEYS of the script, for files that lie in ``home``."""
    return [
        schema.run(home),
        schema.cursors(home),
        schema.series(home),
        schema.generations(home),
        schema.facts(home),
        schema.events(home),
        schema.live(home),
        *(schema.points(home, block.meta.sid) for block in batch.blocks),
    ]


def announcement(
    run: RunRecord, version: str, live: str, *, last: Sequence[str], told: Mapping[int, str]
) -> tuple[list[str], list[Argument]]:
    """KEYS and ARGV of ANNOUNCE: ``live`` is the entry, ``told`` the version of each shard that it tells of, ``last``
    what is known of every shard, empty where nothing is."""
    head: list[Argument] = [version, run.name, run.path, int(run.demo), live]
    head += [schema.LIVE_LENGTH, schema.LIVE_FIELD, len(last), len(told)]
    others = {number: text for number, text in enumerate(last) if text and number not in told}
    pairs: list[Argument] = []
    for number, text in (*told.items(), *others.items()):
        pairs += [schema.told_field(number), text]
    return [schema.run(run.id), schema.live(run.id)], [*head, *pairs]


def arguments_of(
    batch: Batch, described: Iterable[SeriesMeta], version: str, limit: int, shards: int = 0
) -> list[Argument]:
    """ARGV of the script: ``described`` are series that are new, ``limit`` the bytes that one may have, ``shards`` how
    many the run has."""
    run = batch.run
    live = schema.encode_live([], total=batch.points, events=len(batch.events)) if shards else live_entry(batch)
    head: list[Argument] = [version, run.name, run.path, int(run.demo), live]
    head += [SHARD_LENGTH if shards else schema.LIVE_LENGTH, schema.LIVE_FIELD, limit, shards]
    generations = ((f"{one.file}\x1f{one.generation}", one.encode()) for one in batch.generations)
    return [
        *head,
        *_pairs((one.cursor.file, one.expected or "") for one in batch.progress),
        *_pairs((one.cursor.file, one.text) for one in batch.progress),
        *_pairs((meta.sid, meta.encode()) for meta in described),
        *_pairs(generations),
        *_pairs((batch.facts or {}).items()),
        len(batch.events),
        *(event.encode() for event in batch.events),
        len(batch.blocks),
        *(block.points for block in batch.blocks),
    ]


def _pairs(pairs: Iterable[tuple[str, str]]) -> list[Argument]:
    flat: list[Argument] = [part for pair in pairs for part in pair]
    return [len(flat) // 2, *flat]
