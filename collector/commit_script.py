"""The one script by which a run changes in Redis, and what it is given. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from collector.batch import Batch, live_entry
from collector.wire import schema
from collector.wire.records import SeriesMeta

Argument = str | bytes | int

# KEYS run cursors series generations facts events live, then one for each block of points.
# ARGV version name path demo live maxlen field limit, then seven counted groups:
#   fence {file expected ""=absent}, cursors {file text}, series {sid text}, generations {id text}, facts {name text},
#   events {text}, points {bytes}
# Nothing is written before every cursor has been compared and every series has been measured (APPEND beyond the limit
# would fail with half of the commit done); so a refusal leaves no trace.
COMMIT = """
local at = 8
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
redis.call('XADD', KEYS[7], 'MAXLEN', '~', ARGV[6], '*', ARGV[7], ARGV[5])
return {1, ARGV[1], before}
"""


def keys_of(batch: Batch) -> list[str]:
    """KEYS of the script."""
    run = batch.run.id
    return [
        schema.run(run),
        schema.cursors(run),
        schema.series(run),
        schema.generations(run),
        schema.facts(run),
        schema.events(run),
        schema.live(run),
        *(schema.points(run, block.meta.sid) for block in batch.blocks),
    ]


def arguments_of(batch: Batch, described: Iterable[SeriesMeta], version: str, limit: int) -> list[Argument]:
    """ARGV of the script: ``described`` are series that are new, ``limit`` the bytes that one may have."""
    run = batch.run
    head: list[Argument] = [version, run.name, run.path, int(run.demo), live_entry(batch)]
    head += [schema.LIVE_LENGTH, schema.LIVE_FIELD, limit]
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
