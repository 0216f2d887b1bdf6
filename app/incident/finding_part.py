"""One finding on the page of a bundle: what, where, what it means, what to do. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from dash import html
from dash.development.base_component import Component

from app.api.answers import Json
from app.figures.numbers import count
from app.language import gettext as _
from app.markup import attributes
from app.notes.plain import shown
from app.words.alerts import SEVERITIES

Found = Mapping[str, Json]


def finding(one: Found, number: int) -> Component:
    """An article; what helps is folded for all but the open ones. The curves know it by its ``number``."""
    severity = str(one["severity"])
    badge = html.Span(str(SEVERITIES.get(severity, severity)), className=f"badge {severity}")  # type: ignore[call-overload]  # a word of ours
    way = html.Button(_("Show"), type="button", **attributes(data_steps=f"{one['first_step']},{one['last_step']}"))
    head = html.Div([badge, html.H3(f"{number} · {shown(str(one['name']))}"), way], className="what")
    where = html.P(_(" · ").join(_where(one)), className="quiet")
    more = html.Details([html.Summary(_("Meaning, evidence, what to do")), *_help(one)], open=one["state"] == "open")
    return html.Article([head, where, html.P(shown(str(one["says"]))), more])


def _where(one: Found) -> Iterator[str]:
    first, last = int(cast(int, one["first_step"])), int(cast(int, one["last_step"]))
    if first == last:
        yield _("step %(step)s", step=count(first))
    else:
        yield _("steps %(first)s to %(last)s", first=count(first), last=count(last))
    if spans := cast(Sequence[Sequence[int]], one["ranks"]):
        told = [f"{low}" if low == high else f"{low}–{high}" for low, high in spans[:20]]
        yield _("ranks: %(ranks)s", ranks=", ".join(told) + (" …" if len(spans) > 20 else ""))
    states = {"open": _("open"), "acknowledged": _("acknowledged"), "resolved": _("over")}
    yield states.get(str(one["state"]), str(one["state"]))
    ack = cast(Mapping[str, str] | None, one["ack"])
    if ack:
        yield shown(_("acknowledged by %(name)s", name=ack["by"]) + (f": {ack['note']}" if ack["note"] else ""))


def _copy(copy: Mapping[str, str]) -> tuple[Component, Component]:
    return html.P(_("%(title)s:", title=shown(copy["title"]))), html.Pre(
        shown(copy["text"]), className="copy", tabIndex="0"
    )


def _help(one: Found) -> Iterator[Component]:
    yield html.P(shown(str(one["meaning"])))
    if grounds := cast(Sequence[tuple[str, str]], one["grounds"]):
        rows = [html.Tr([html.Th(shown(str(name)), scope="row"), html.Td(shown(str(text)))]) for name, text in grounds]
        yield html.Table(html.Tbody(rows), className="grounds")
    if causes := cast(Sequence[str], one["causes"]):
        yield html.P(_("Likely causes:"))
        yield html.Ul([html.Li(shown(text)) for text in causes])
    if steps := cast(Sequence[str], one["steps"]):
        yield html.P(_("What to do:"))
        yield html.Ol([html.Li(shown(text)) for text in steps])
    if copies := cast(Sequence[Mapping[str, str]], one["copies"]):
        texts = [part for copy in copies for part in _copy(copy)]
        yield html.Details([html.Summary(_("Texts to copy")), *texts])
    if back := cast(Mapping[str, Json] | None, one["rollback"]):
        yield html.P(shown(_("Way back: %(advice)s", advice=back["advice"])))
