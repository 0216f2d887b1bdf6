"""Every address of the API: the one table that registration, OpenAPI and tests read."""

from __future__ import annotations

from app.api.alert_routes import ROUTES as OF_ALERTS
from app.api.bundle_routes import ROUTES as OF_BUNDLES
from app.api.export_routes import ROUTES as OF_EXPORTS
from app.api.note_routes import ROUTES as OF_NOTES
from app.api.preview_routes import ROUTES as OF_PREVIEWS
from app.api.route import EVENTS, JSON, OCTETS, RUN, TEXT, Parameter, Route, Schema
from app.api.snapshot_routes import ROUTES as OF_SNAPSHOTS

__all__ = ["EVENTS", "JSON", "OCTETS", "ROUTES", "RUN", "TEXT", "Parameter", "Route", "Schema"]

_WHOLE: Schema = {"type": "integer"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_TEXT: Schema = {"type": "string"}

_SERIES = (
    Parameter("metric", "Canonical name of a metric, such as loss; either this or tag.", _TEXT),
    Parameter("tag", "A tag as the file spells it; either this or metric.", _TEXT),
    Parameter("rank", "Rank; without it the rank that speaks for the run.", _COUNT),
    Parameter("source", "One source alone.", {"type": "string", "enum": ["tensorboard", "mindspore", "log"]}),
    Parameter(
        "attempt",
        "all: by attempt, then by arrival. latest: one value a step, of the newest attempt that has done it. "
        "A number from 1: that attempt.",
        {"type": "string", "pattern": "^(all|latest|[1-9][0-9]{0,8})$", "default": "all"},
    ),
    Parameter("start", "First step, inclusive.", _WHOLE),
    Parameter("end", "Last step, inclusive.", _WHOLE),
    Parameter("points", "At most so many points (at least 8); 0 = every one.", {**_COUNT, "default": 2000}),
)
_SECONDS: Schema = {"type": "number"}
_CURVES = (
    Parameter("metric", "Canonical name of a metric, such as loss; may be repeated, r3:loss is that of rank 3.", _TEXT),
    Parameter("tag", "A tag as the file spells it; may be repeated, r3:local_loss is that of rank 3.", _TEXT),
    Parameter("rank", "Rank of all that name none; without it the rank that speaks for the run.", _COUNT),
    *(one for one in _SERIES if one.name in ("source", "start", "end", "points")),
    Parameter(
        "attempt",
        "latest: one value a step, of the newest attempt that has done it. all: one attempt after the other. "
        "A number from 1: that attempt.",
        {"type": "string", "pattern": "^(all|latest|[1-9][0-9]{0,8})$", "default": "latest"},
    ),
    Parameter("since", "First moment in Unix seconds, inclusive; instead of start and end.", _SECONDS),
    Parameter("until", "Last moment in Unix seconds, inclusive; instead of start and end.", _SECONDS),
    Parameter("ghosts", "1: with latest, also the tails that earlier attempts lost.", {"enum": ["0", "1"]}),
)
_SINCE = (
    Parameter("since", "Stream id from which to go on, such as `stream` of a series.", _TEXT),
    Parameter("Last-Event-ID", "The same, as browsers send it when they connect again.", _TEXT, "header"),
)
_LISTED = Parameter("metrics", "0: without the list of metrics, which of a run with many tags is long.", _TEXT)
_NAMES = (
    Parameter("metric", "A canonical metric to tell in full; repeatable, at most 100 names in all.", _TEXT),
    Parameter("tag", "A tag without a canonical name to tell in full; repeatable.", _TEXT),
    Parameter("rank", "Whose points and newest value to tell; without it the rank that speaks for the run.", _COUNT),
)
_HAPPENED = (
    Parameter("kind", "Kinds, comma-separated, such as checkpoint,restart; without it all.", _TEXT),
    Parameter("start", "First step, inclusive; what names no step is left out then.", _WHOLE),
    Parameter("end", "Last step, inclusive.", _WHOLE),
    Parameter("limit", "At most so many, the newest.", {"type": "integer", "minimum": 1, "default": 5000}),
)
_LOG = (
    Parameter("rank", "Whose log; without it that of the rank that speaks for the run.", _COUNT),
    Parameter("file", "A log by its name, as an event or `sources` of the run tells it; wins over rank.", _TEXT),
    Parameter("around", "A step; the line that names the nearest one is the match.", _WHOLE),
    Parameter("wall", "Unix seconds; tells attempts apart, and is a place of its own.", {"type": "number"}),
    Parameter("before", "Lines in front of it.", {**_COUNT, "maximum": 500, "default": 20}),
    Parameter("after", "Lines behind it.", {**_COUNT, "maximum": 500, "default": 40}),
    Parameter("find", "A text to search for, from the place on, in any case.", {**_TEXT, "maxLength": 200}),
    Parameter("direction", "On which side to search or to page on.", {"enum": ["next", "previous"], "default": "next"}),
    Parameter("from", "A position of an earlier answer, from which to go on.", _TEXT),
)
_RUNS = Parameter("runs", "Ids of the runs with commas between them, such as a,b; the first is compared with.", _TEXT)
_COMPARED = (
    Parameter("metric", "Canonical name of a metric.", {**_TEXT, "default": "loss"}),
    Parameter("tag", "A tag as the files spell it, instead of a metric.", _TEXT),
)
_BASELINE = (
    Parameter("runs", "Ids of one to twenty earlier runs, with commas between them.", _TEXT),
    *_COMPARED,
    Parameter("x", "By which the runs are put side by side.", {"enum": ["step", "tokens"], "default": "step"}),
    Parameter("points", "At most so many places.", {**_WHOLE, "minimum": 1, "maximum": 10_000, "default": 2000}),
)
_RANKS = (
    Parameter("metric", "Canonical name of a metric; without it the first there is per rank.", _TEXT),
    Parameter("tag", "A tag as the file spells it, instead of a metric.", _TEXT),
    Parameter("start", "First step, inclusive.", _WHOLE),
    Parameter("end", "Last step, inclusive.", _WHOLE),
    Parameter(
        "columns",
        "At most so many columns; of several steps each rank shows the value that is farthest from its usual one.",
        {**_WHOLE, "minimum": 1, "maximum": 10_000, "default": 500},
    ),
    Parameter(
        "attempt",
        "latest: each step of the newest attempt that has done it. A number from 1: that attempt.",
        {"type": "string", "pattern": "^(latest|[1-9][0-9]{0,8})$", "default": "latest"},
    ),
    Parameter("ranks", "Some of the ranks, such as 0-7,16.", _TEXT),
    Parameter(
        "fold",
        "One row for several ranks: none, node, stage or group; of several such as node,stage,none the first that "
        "gives more than one row, else the last.",
        {"type": "string", "default": "none"},
    ),
    Parameter(
        "older",
        "Columns that are too many to be held: left out, or joined, several into one that shows what is farthest from "
        "usual; each question reads on, until exact_from is null.",
        {"enum": ["left", "joined"], "default": "left"},
    ),
    Parameter(
        "form", "columns: as columns, whatever Accept says.", {"enum": ["accept", "columns"], "default": "accept"}
    ),
)
_VERBOSE = Parameter("verbose", "Give every check with its reason.", _TEXT)

_NONE = {404: "There is no such run, metric, tag, rank or attempt."}
_AWAY = {503: "Redis does not answer."}
_NOT_READY = {503: "Not ready, and why."}
_BAD = {400: "An argument makes no sense."}

ROUTES: tuple[Route, ...] = (
    Route("api/runs", "runs", "Every run in one line.", {JSON: "Runs"}, (), _AWAY),
    Route(
        "api/runs/<run>", "run", "Everything small about one run.", {JSON: "Run"}, (RUN, _LISTED), {**_NONE, **_AWAY}
    ),
    Route(
        "api/runs/<run>/series",
        "series",
        "One curve, whole or reduced without losing an extreme. As columns: n float64 steps, walls and values, then n "
        "uint8 sources, little endian, with the rest in X-Tidewatch-Meta.",
        {JSON: "Series", OCTETS: None},
        (RUN, *_SERIES),
        {**_BAD, **_NONE, **_AWAY},
    ),
    Route(
        "api/runs/<run>/tags",
        "tags",
        "What can be shown of a run: one entry a metric, one a tag without a canonical name. Without arguments every "
        "name (points and last are null); with names only those, told in full.",
        {JSON: "Tags"},
        (RUN, *_NAMES),
        {**_BAD, 404: "There is no such run.", **_AWAY},
    ),
    Route(
        "api/runs/<run>/curves",
        "curves",
        "Many curves of one window. One body, little endian: u32 length of the JSON, the JSON, zeros up to a multiple "
        "of eight, then for each of its curves and then of its ghosts n float64 steps, walls and values, n int32 "
        "attempts, n uint8 sources, and zeros up to a multiple of eight.",
        {OCTETS: None},
        (RUN, *_CURVES),
        {**_BAD, 404: "There is no such run or attempt.", **_AWAY},
    ),
    Route(
        "api/runs/<run>/ranks",
        "ranks",
        "What every rank says of one metric: a row a rank, or a fold of ranks, and a column a step. As columns: u32 "
        "length of the JSON, the JSON without the values but with n and m, zeros up to a multiple of eight, m float64 "
        "steps and walls, then n by m, row by row, float32 values and deviations (folded: low, mid, high, worst) and "
        "uint8 kinds (0 a number, 1 missing, 2 NaN, 3 and 4 infinities, 5 zero by design, 6 frozen), little endian.",
        {JSON: "Ranks", OCTETS: None},
        (RUN, *_RANKS),
        {**_BAD, 404: "There is no such run, metric, tag or attempt.", **_AWAY},
    ),
    Route(
        "api/runs/<run>/ranks/first",
        "ranks_first",
        "To which ranks NaN, an infinity, a spike or a stall came first, by their own steps, and those that followed. "
        "Of a stall it is each rank's last step.",
        {JSON: "RanksFirst"},
        (
            RUN,
            Parameter("what", "What came.", {"enum": ["nan", "inf", "spike", "stall"], "default": "nan"}),
            *_RANKS[:2],
            Parameter("at", "A step near which it happened; without it the last time.", _WHOLE),
        ),
        {**_BAD, 404: "There is no such run, metric or tag.", **_AWAY},
    ),
    Route(
        "api/runs/<run>/ranks/states",
        "ranks_states",
        "How many ranks are in which state, gravest first, each with its lowest rank.",
        {JSON: "RanksStates"},
        (RUN, *_RANKS[:2]),
        {**_BAD, 404: "There is no such run, metric, tag or attempt.", **_AWAY},
    ),
    Route(
        "api/runs/<run>/ranks/errors",
        "ranks_errors",
        "The first error line of each rank in the newest attempt that has some, equal ones at equal frames together, "
        "the fewest ranks first. `trace` is the exception that ended the first traceback, where it is another line; "
        "`frames` are its places, outermost first.",
        {JSON: "RanksErrors"},
        (RUN,),
        {**_BAD, 404: "There is no such run.", **_AWAY},
    ),
    Route(
        "api/runs/<run>/events",
        "events",
        "What happened, oldest first, of all ranks, each thing once: what lines of the logs tell, and what curves tell "
        "(restart, loss_scale, overflow, lr_phase). `detail` has names and numbers of its kind.",
        {JSON: "Events"},
        (RUN, *_HAPPENED),
        {**_BAD, 404: "There is no such run.", **_AWAY},
    ),
    Route(
        "api/runs/<run>/log",
        "log",
        "Raw lines of one rank's log, asked of the collector that follows it: around a step or a moment, or where a "
        "text is found; without any of these the newest.",
        {JSON: "Log"},
        (RUN, *_LOG),
        {**_BAD, 404: "There is no such run, or the rank has no log.", 503: "No collector answers, or Redis does not."},
    ),
    Route(
        "api/runs/<run>/stream",
        "stream",
        "Server-Sent Events: `ready` once, then `points` with new ones, and `reload` when history must be read again.",
        {EVENTS: None},
        (RUN, *_SINCE),
        {**_BAD, 404: "There is no such run.", 503: "Redis does not answer, or every stream is open."},
    ),
    Route(
        "api/runs/<run>/baseline",
        "baseline",
        "What earlier runs did at the same place, as a corridor in steps of this run, and how many steps it is behind.",
        {JSON: "Baseline"},
        (RUN, *_BASELINE),
        {**_BAD, 404: "There is no such run, or it does not say how many tokens a step is.", **_AWAY},
    ),
    Route(
        "api/compare",
        "compare",
        "Two to twenty runs side by side: last and best value, and the value at the last place that all have reached.",
        {JSON: "Comparison"},
        (
            _RUNS,
            *_COMPARED,
            Parameter("x", "Which place is common.", {"enum": ["step", "relative", "tokens"], "default": "step"}),
        ),
        {**_BAD, **_AWAY},
    ),
    Route(
        "api/compare/configuration",
        "compare_configuration",
        "The settings in which one to twenty runs differ, or all of them; null where a run does not have the key.",
        {JSON: "Settings"},
        (_RUNS, Parameter("all", "1: also what does not differ.", {"enum": ["0", "1"], "default": "0"})),
        {**_BAD, **_AWAY},
    ),
    *OF_ALERTS,
    *OF_EXPORTS,
    *OF_NOTES,
    *OF_PREVIEWS,
    *OF_SNAPSHOTS,
    *OF_BUNDLES,
    Route("api/openapi.json", "openapi", "This description.", {JSON: "Description"}),
    Route("livez", "livez", "200 as long as the process answers.", {JSON: "Live"}),
    Route(
        "readyz",
        "readyz",
        "Redis, collectors, diagnosis.",
        {JSON: "Ready"},
        (_VERBOSE,),
        {503: "Not ready, and why."},
    ),
    Route("healthz", "healthz", "The same as readyz.", {JSON: "Ready"}, (_VERBOSE,), _NOT_READY),
    Route("metrics", "metrics", "Measurements for Prometheus.", {TEXT: None}),
)
