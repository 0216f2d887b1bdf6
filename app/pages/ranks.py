"""``/run/<id>/ranks``: every rank of a run, as a map of ranks and steps. assets/ranks.js reads and fills it; here is
told what it begins with."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from urllib.parse import parse_qs, quote, unquote, urlencode

from dash import dcc, html
from dash.development.base_component import Component

from app.figures import numbers
from app.ids import Ids
from app.language import gettext as _
from app.language import ngettext
from app.markup import attributes
from app.names import SeriesKey, names_of
from app.pages import notices
from app.pages.clocks import clock_line
from app.pages.page import Page
from app.pages.share_menu import share_menu
from app.pages.shown import RunShown
from app.pages.source import Source
from app.pages.strip import log_drawer
from app.stored import LeanRun, StoreAway

ids = Ids("ranks")
CLOCKS = ids("clocks")
BEHIND = "/ranks"  # behind the address of a run
# run/gpt-1/ranks
PATH = re.compile(rf"run/([^/]+){BEHIND}")
MANY = 256  # ranks from which on rows begin folded, and COLUMNS at most, as in assets/ranks-ahead.js
COLUMNS = 500
LEVELS = ("node", "stage", "group", "none")  # what the rows may be, as there: the chosen one, else one behind it
ASKING = ("metric", "view", "x", "lang")  # what in the address makes the scripts ask otherwise
UNRESERVED = "!~*'()"  # that encodeURIComponent leaves as they are
# What tells most of one rank alone comes first: numbers that are reduced over ranks are the same on all of them.
PREFERRED = ("local_loss", "device_local_loss", "device_local_norm", "step_time", "loss", "grad_norm")


def run_of(path: str) -> str | None:
    """The run whose ranks a path shows; None for another page."""
    found = PATH.fullmatch(path)
    return unquote(found[1]) if found else None


def page(source: Source, home: str, path: str, run_id: str, query: str = "", before: str = "") -> Page:
    """The page at ``path`` with ``query`` behind it; a browser that shows it (``before`` is its kind) keeps it while
    Redis is away."""
    try:
        run = source.lean(run_id)
        clocks = source.clocks(run) if run else []
    except StoreAway:
        return Page(path, lambda: ()) if before == path else Page(f"{path}?", lambda: (notices.store_away(),))
    if run is None:
        return Page(f"{path}?", lambda: (notices.no_such_run(run_id, home),))
    ahead = tuple if names(query, ASKING) else partial(first_question, home, run, query)
    return Page(path if is_shared(run) else f"{path}?", partial(layout, run), {CLOCKS: clock_line(clocks)}, ahead)


def first_question(home: str, run: LeanRun, query: str = "") -> list[str]:
    """The address that assets/ranks-ahead.js asks first, spelled as a browser does; none where there is nothing."""
    found = ranks_of(run)
    name = first_metric(found)
    if not name:
        return []
    is_tag, many = name.startswith("tag:"), len(set[int]().union(*found.values())) > MANY
    named = {"tag": name.removeprefix("tag:")} if is_tag else {"metric": name}
    asked = {**named, "columns": str(COLUMNS), "fold": fold(query) if many else "none", "form": "columns"}
    spelled = urlencode(asked, safe="*").replace("~", "%7E")
    return [f"{home}api/runs/{quote(run.id, safe=UNRESERVED)}/ranks?{spelled}"]


def fold(query: str) -> str:
    """The level that an address names, and those that take its place where all of it would be one row."""
    by = parse_qs(query).get("by", [""])[0]
    return ",".join(LEVELS[LEVELS.index(by) :] if by in LEVELS else LEVELS)


def names(query: str, some: Sequence[str]) -> bool:
    """Whether a query names one of these."""
    return not parse_qs(query, keep_blank_values=True).keys().isdisjoint(some)


def is_shared(run: LeanRun) -> bool:
    """Whether two ranks have the same metric or tag, so that there is something to show; nearly always soon found."""
    first: dict[str, int] = {}
    known = ((one.metric or one.tag, one.rank) for one in run.series.values() if one.rank is not None)
    return any(first.setdefault(name, rank) != rank for name, rank in known)


def layout(run: LeanRun) -> Sequence[Component]:
    """The page before anything is read: what to read first is told to the script."""
    found = ranks_of(run)
    count = len(set[int]().union(*found.values()))
    begins = attributes(data_ranks=run.id, data_metric=first_metric(found), data_count=str(count))
    side = html.Div([chosen_card(), list_card()], className="ranks-beside")
    main = html.Div([map_card(), html.Div([first_card(), errors_card()], className="ranks-cards")], className="main")
    both = html.Div([main, side], className="ranks-both")
    return [html.Div([head(run, count), both, log_drawer(run.id)], id="ranks", className="ranks", **begins)]


def ranks_of(run: LeanRun) -> Mapping[str, set[int]]:
    """Which ranks have what; metrics and tags as assets/ranks-state.js spells them. Of ten thousand ranks in one go."""
    found: defaultdict[str, set[int]] = defaultdict(set)
    for one in run.series.values():
        if one.rank is not None:
            found[one.metric or f"tag:{one.tag}"].add(one.rank)
    return found


def first_metric(found: Mapping[str, set[int]]) -> str:
    """What is shown unless the address says otherwise; "" where no two ranks have the same."""
    several = [name for name, ranks in found.items() if len(ranks) > 1]
    preferred = [name for name in PREFERRED if name in several]
    others = sorted(several, key=lambda name: (name.startswith("tag:"), -len(found[name]), name))
    return next(iter([*preferred, *others]), "")


def head(run: LeanRun, ranks: int) -> Component:
    """Title, and whose ranks these are."""
    count = ngettext("%(count)s rank in all", "%(count)s ranks in all", ranks, count=numbers.count(ranks))
    title = html.H1(_("Ranks of %(name)s", name=run.id))
    told = [html.Span(count, className="hint"), html.Span(className="ranks-layout hint")]
    return html.Div([title, *told, html.Div(id=CLOCKS, className="ranks-clocks")], className="ranks-head")


def map_card() -> Component:
    """The map with its controls and its legend."""
    keys = _("drag to zoom, double-click for all; + and − unfold and fold")
    title = [html.H2(_("Rank by step")), html.Span(keys, className="hint"), controls()]
    notice = html.P(className="ranks-notice", role="status")
    legend = html.Div(className="ranks-legend")
    said = html.Div(className="ranks-said hidden-text", **attributes(aria_live="polite"))
    return html.Section([html.Header(title), notice, frame(), legend, said], className="card ranks-card")


def frame() -> Component:
    """What scrolls, and in it the canvas, which always fills what is in sight."""
    said = _(
        "Map of ranks and steps: arrow keys read the cells, Enter opens one, plus and minus unfold and fold, "
        "0 shows all"
    )
    room = html.Div(html.Canvas(), className="ranks-room")
    scroll = html.Div(room, className="ranks-scroll", tabIndex="0", role="group", **attributes(aria_label=said))
    return html.Div(scroll, className="ranks-frame")


def controls() -> Component:
    """What is shown, how, over what, and what a row is."""
    metric = html.Select(id=ids("metric"))
    return html.Div(
        [
            html.Div([html.Label(_("Metric"), htmlFor=ids("metric")), metric], className="labelled"),
            choice("show", _("Colour"), {"deviation": _("Deviation"), "value": _("Value")}),
            choice("x", _("X axis"), {"step": _("Steps"), "wall": _("Time")}),
            choice(
                "by",
                _("Rows by"),
                {"node": _("Node"), "stage": _("Stage"), "group": _("Group"), "none": _("Rank")},
            ),
            button(_("Unfold all"), data_fold="open"),
            button(_("Fold all"), data_fold="closed"),
            button(_("Show everything"), hidden=True, data_all=""),
            share_menu(),
        ],
        className="controls",
    )


def button(text: str, *, hidden: bool = False, **values: str) -> Component:
    """A button of the controls."""
    return html.Button(text, className="button", type="button", hidden=hidden, **attributes(**values))


def choice(name: str, label: str, words: Mapping[str, str]) -> Component:
    """Buttons of which one holds."""
    buttons = [
        html.Button(word, type="button", **attributes(aria_pressed="false", **{f"data_{name}": value}))
        for value, word in words.items()
    ]
    return html.Div(buttons, className="choice", role="group", **attributes(aria_label=label))


def chosen_card() -> Component:
    """The rank of the chosen cell."""
    title = html.Header(html.H2(_("Chosen rank")))
    return html.Section([title, html.Div(className="ranks-chosen")], className="card ranks-side")


def list_card() -> Component:
    """Every rank with its state."""
    label = html.Label(_("Show"), htmlFor=ids("filter"))
    states = html.Div([label, html.Select(id=ids("filter"))], className="labelled")
    title = html.Header([html.H2(_("All ranks")), html.Div(states, className="controls")])
    return html.Section([title, html.Div(className="ranks-list")], className="card ranks-all")


def first_card() -> Component:
    """Which rank was first to have a NaN, an infinity, a spike or a stall."""
    words = {"nan": _("NaN"), "inf": _("Inf"), "spike": _("Spike"), "stall": _("Stall")}
    step = dcc.Input(type="number", min="0", placeholder=_("the last"), id=ids("first-step"))
    at = html.Form(
        [html.Label(_("at step"), htmlFor=ids("first-step")), step, html.Button(_("Look"), className="button")],
        className="ranks-at",
    )
    title = html.Header(
        [html.H2(_("Who was first")), html.Div([choice("what", _("Kind"), words), at], className="controls")]
    )
    return html.Section([title, html.Div(className="ranks-first")], className="card ranks-first-card")


def errors_card() -> Component:
    """First error lines, what few ranks say before what many say."""
    hint = html.Span(_("first error line of each rank, the rarest first"), className="hint")
    title = html.Header([html.H2(_("Odd ones out")), hint])
    return html.Section([title, html.Div(className="ranks-errors")], className="card ranks-errors-card")


def rank_card(run: RunShown) -> list[Component]:
    """The part of a run's page: how many ranks there are, and the way to them; nothing where there is one."""
    ranks = run.ranks
    if len(ranks) < 2:
        return []
    told = _(
        "%(count)s ranks wrote something: each one's numbers at each step are on a map.",
        count=numbers.count(len(ranks)),
    )
    way = html.A(
        _("Show every rank"), href=run.ranks_at or f"{quote(run.id, safe=UNRESERVED)}{BEHIND}", className="button"
    )
    names = names_of(SeriesKey(run.run.series), is_tag=False)
    metric = next((name for name in PREFERRED if name in names), "")
    # Asked for when the curves are drawn: assets/rank-states.js.
    states = [html.P(**attributes(data_rank_states=run.id, data_metric=metric))] if metric else []
    return [html.Header(html.H2(_("Rank map"))), html.Div([html.P(told), *states, way], className="ranks-part")]
