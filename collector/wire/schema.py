"""The Redis schema: every key, its type, its content and its lifetime. No other module spells a key.

All keys of one run carry the hash tag ``{run}``, or in Redis Cluster ``{run:NN}`` of one of its shards (wire.shards),
so that they share a slot and one script may touch them together. Keys of a run live until the run is deleted; only a
collector's sign of life expires.

======================================  ======  ==============================================================
key                                     type    content
======================================  ======  ==============================================================
``tw:schema``                           string  SCHEMA_VERSION; checked by every process at start
``tw:runs``                             set     run ids
``tw:collectors``                       set     collector ids (host:pid)
``tw:collector:<id>``                   string  Heartbeat JSON, expires after HEARTBEAT_TTL seconds
``tw:{run}:run``                        hash    name, path, demo, created, committed (Unix seconds, decimal text);
                                                FOLDED_FIELD once anything is folded, PACKED_FIELD once packed: a
                                                new word whenever a series lies otherwise than before;
                                                SHARDS_FIELD of a run that is spread, with ``told_field`` of each shard
``tw:{run}:cursors``                    hash    file → Cursor JSON (the fence of a commit)
``tw:{run}:series``                     hash    sid → SeriesMeta JSON
``tw:{run}:generations``                hash    file \\x1f generation → Generation JSON
``tw:{run}:facts``                      hash    name → text: total_steps, steps_per_epoch, epochs, pipeline_stages …
``tw:{run}:events``                     list    RunEvent JSON, in order of arrival
``tw:{run}:points:<sid>``               string  24-byte points, appended (wire.records); older ones may be gone
``tw:{run}:packed:<sid>``               string  those before them, exact too (wire.packed); absent while there are none
``tw:{run}:folded:<sid>``               string  the oldest, in buckets (wire.folded); absent while there are none
``tw:{run}:live``                       stream  one entry a commit, field LIVE_FIELD, see ``encode_live``
``tw:{run}:outbox``                     stream  what is to be told of the run's alerts, in order: field OUTBOX_FIELD, a
                                                Notice as JSON (app.diagnosis.notify.notice); newest OUTBOX_LENGTH
``tw:channels``                         set     names of the channels that ever had a sender
``tw:sender:{<channel>}``               string  a number that grows with each writing (its fence), a blank, and JSON:
                                                what a channel's sender has read and told
``tw:lease:{<channel>}``                string  which process sends for the channel now; expires within LEASE_SECONDS
``tw:deliveries:{<channel>}``           list    Delivery JSON, newest first, at most DELIVERIES of them
======================================  ======  ==============================================================

Of frozen snapshots (app.sharing.store writes them; people made them, so that nothing can make them again):

======================================  ======  ==============================================================
``tw:{run}:snapshots``                  zset    handle of each snapshot, by when it was made (Unix seconds); the newest
                                                SNAPSHOTS, and all that are open
``tw:{run}:snapshot:<handle>``          hash    SNAPSHOT_FIELDS: what is said of it where it is listed; goes with the
                                                line above
``tw:{run}:frozen:<handle>``            string  what it froze (app.sharing.encoding), deflated JSON; until it expires
``tw:{run}:pins``                       zset    handle of each snapshot that is open, by when it expires (Unix seconds):
                                                while there is one, nothing of the run is folded
======================================  ======  ==============================================================

What the diagnosis keeps (app.diagnosis.store writes it, collectors never do); all of it lives until the run is deleted
but for a worker's sign of life, and can be made again of the points but for what people said:

======================================  ======  ==============================================================
``tw:{run}:alerts``                     hash    alert id → Alert JSON (app.diagnosis.alert)
``tw:{run}:handling``                   hash    alert id → Handling JSON: who acknowledged, resolved or re-opened it
``tw:{run}:diagnosis``                  hash    VERSION_FIELD (the fence between workers), STATE_FIELD (JSON: what the
                                                rules remember, and up to where points were taken), RANKS_FIELD (the
                                                same of the rules about ranks: JSON, deflated)
``tw:mutes``                            hash    mute id → Mute JSON: a class, a run, a rank, or several of them
``tw:diagnosers``                       set     ids of diagnosis workers (host:pid)
``tw:diagnoser:<id>``                   string  Vital JSON, expires after HEARTBEAT_TTL seconds
======================================  ======  ==============================================================

What people write (app.notes.store); it lives until the run is deleted, and cannot be made again of anything:

======================================  ======  ==============================================================
``tw:{run}:notes``                      hash    note id → Note JSON (app.notes.note); each change is told on the live
                                                stream, see ``encode_notes``
======================================  ======  ==============================================================

Readers take what is kept of the folded points, then the packed ones and then ``points:<sid>`` as one series. What goes
from one to the other does so in one script, so whoever reads all three at one moment is right. Packing moves no point's
place in the series; whoever compares the last point that he knows notices a fold as he notices a flush.

Two channels of publish and subscribe, which hold nothing: ``tw:asks`` (LogQuestion JSON, heard by every collector) and
``tw:answer:<id>`` (one answer, or ``NOT_MINE``, of each collector; wire.question).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence

from collector.wire.records import RunId

SCHEMA_VERSION = "1"
HEARTBEAT_TTL = 30  # seconds: fifteen missed beats of two seconds, longer than a garbage collection or a slow disk
LIVE_LENGTH = 10_000  # entries kept for readers that reconnect; older history is read from the series themselves
LIVE_FIELD = "d"
LIVE_POINTS = 2_000  # a commit with more new points than this says "reload" instead of listing them

VERSION_KEY = "tw:schema"
RUNS = "tw:runs"
COLLECTORS = "tw:collectors"
ASKS = "tw:asks"
ASK_SECONDS = 2.0  # for which a page waits for an answer; a collector spends less on one
ANSWER_BYTES = 256 * 1024  # of one answer at most
FOLDED_FIELD = "folded"  # of a run: something of it is folded
MUTES = "tw:mutes"
DIAGNOSERS = "tw:diagnosers"
VERSION_FIELD = "version"
STATE_FIELD = "state"
RANKS_FIELD = "ranks"
SHARDS_FIELD = "shards"  # of a run in a cluster, and of each of its shards: how many there are
PACKED_FIELD = "packed"  # of a run: something of it is packed, and when that last changed
SNAPSHOTS = 500  # of one run that are listed, so long as no more of them are open
SNAPSHOT_FIELDS = ("label", "digest", "expires", "revoked", "used", "uses")
"""Of a snapshot: JSON, the hash of its id, then decimal text: Unix seconds, and how often it was opened."""
HEALTH_FACT = "checkpoint_health/"
"""Begins the name of a fact about one saved checkpoint, by its file's name; its text is 0 (healthy) or 1 (not)."""

OUTBOX_FIELD = "d"
OUTBOX_LENGTH = 10_000  # entries: a sender that was away for longer than so many has missed the oldest
CHANNELS = "tw:channels"
DELIVERIES = 500  # of one channel
LEASE_SECONDS = 10  # while nothing is sent; longer than a sender may hang in between two looks

RunKey = Callable[[RunId], str]
"""Gives one of a run's keys."""

LivePoint = tuple[str, int | None, str, int, int, float, float]
"""metric, rank, source, generation, step, wall, value."""


def collector(collector_id: str) -> str:
    """Sign of life of one collector."""
    return f"tw:collector:{collector_id}"


def answer(question_id: str) -> str:
    """Channel on which one question is answered."""
    return f"tw:answer:{question_id}"


def run(run_id: RunId) -> str:
    """Facts about the run that every commit refreshes."""
    return f"tw:{{{run_id}}}:run"


def told_field(shard: int) -> str:
    """Field of a run: the last commit of a shard of which the run's live stream tells."""
    return f"told:{shard:02d}"


def shards_told(fields: Iterable[bytes]) -> list[int]:
    """The shards of which the fields of a run say that something was told: those that hold anything."""
    prefix = told_field(0).partition(":")[0].encode() + b":"
    return sorted(int(one[len(prefix) :]) for one in fields if one.startswith(prefix))


def cursors(run_id: RunId) -> str:
    """Where each file has been read to."""
    return f"tw:{{{run_id}}}:cursors"


def series(run_id: RunId) -> str:
    """Register of the run's series."""
    return f"tw:{{{run_id}}}:series"


def generations(run_id: RunId) -> str:
    """Why each generation of each file began."""
    return f"tw:{{{run_id}}}:generations"


def facts(run_id: RunId) -> str:
    """What the files say of the run: total steps, batch size, layout."""
    return f"tw:{{{run_id}}}:facts"


def events(run_id: RunId) -> str:
    """Lifecycle events in order of arrival."""
    return f"tw:{{{run_id}}}:events"


def points(run_id: RunId, sid: str) -> str:
    """Packed points of one series."""
    return f"tw:{{{run_id}}}:points:{sid}"


def packed(run_id: RunId, sid: str) -> str:
    """Older points of one series, packed."""
    return f"tw:{{{run_id}}}:packed:{sid}"


def folded(run_id: RunId, sid: str) -> str:
    """Older points of one series, folded."""
    return f"tw:{{{run_id}}}:folded:{sid}"


def live(run_id: RunId) -> str:
    """Stream of commits for pages that are open."""
    return f"tw:{{{run_id}}}:live"


def outbox(run_id: RunId) -> str:
    """What is to be told of the run's alerts, written with each change of one."""
    return f"tw:{{{run_id}}}:outbox"


def sender(channel: str) -> str:
    """What one channel's sender has read and told; in one slot with its deliveries."""
    return f"tw:sender:{{{channel}}}"


def lease(channel: str) -> str:
    """Which process sends for one channel."""
    return f"tw:lease:{{{channel}}}"


def deliveries(channel: str) -> str:
    """What became of the messages of one channel."""
    return f"tw:deliveries:{{{channel}}}"


def alerts(run_id: RunId) -> str:
    """What the diagnosis found."""
    return f"tw:{{{run_id}}}:alerts"


def handling(run_id: RunId) -> str:
    """What people said of alerts."""
    return f"tw:{{{run_id}}}:handling"


def notes(run_id: RunId) -> str:
    """What people wrote about steps of a run."""
    return f"tw:{{{run_id}}}:notes"


def diagnosis(run_id: RunId) -> str:
    """What the rules remember of a run."""
    return f"tw:{{{run_id}}}:diagnosis"


def diagnoser(worker_id: str) -> str:
    """Sign of life of one diagnosis worker."""
    return f"tw:diagnoser:{worker_id}"


def snapshots(run_id: RunId) -> str:
    """Which snapshots were made of a run."""
    return f"tw:{{{run_id}}}:snapshots"


def snapshot(run_id: RunId, handle: str) -> str:
    """What is said of one of them."""
    return f"tw:{{{run_id}}}:snapshot:{handle}"


def frozen(run_id: RunId, handle: str) -> str:
    """What it froze."""
    return f"tw:{{{run_id}}}:frozen:{handle}"


def pins(run_id: RunId) -> str:
    """What keeps a run's points from being folded; in a cluster of each home."""
    return f"tw:{{{run_id}}}:pins"


def encode_alerts(count: int) -> str:
    """That ``count`` alerts changed (at least 1), for the open pages: an entry without points; readers that do not know
    ``a`` see an empty commit."""
    return _without_points("a", count)


def encode_notes(count: int) -> str:
    """The same of ``count`` notes that changed, as ``notes``."""
    return _without_points("notes", count)


def _without_points(about: str, count: int) -> str:
    return json.dumps({"p": [], "n": 0, "e": 0, "reload": False, about: count}, separators=(",", ":"))


def encode_live(entries: Sequence[LivePoint], *, total: int, events: int, reload: bool = False) -> str:
    """One commit for the open pages: its canonical points (NaN and infinities as Python's json spells them), or,
    above LIVE_POINTS or for ``reload``, none of them and the word that the series are to be read again."""
    reload = reload or len(entries) > LIVE_POINTS
    listed = [] if reload else list(entries)
    return json.dumps({"p": listed, "n": total, "e": events, "reload": reload}, separators=(",", ":"))
