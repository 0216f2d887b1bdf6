"""Components of ``dash.html`` as the text that a browser reads: pages are there before any script is.

A page that Dash's renderer builds from JSON costs a reader about a second before the first curve, and each renewal
makes some 160 components look whether it is about them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from dash.development.base_component import Component

Content = Component | str | int | float | None | Sequence["Content"]

NAMESPACE = "dash_html_components"
FIELD = ("dash_core_components", "Input")  # HTML's <input>, which dash.html does not have
EMPTY = frozenset(("area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"))
RENAMED = {"className": "class", "htmlFor": "for"}
# the capital of "minHeight"
CAPITAL = re.compile(r"[A-Z]")
NOTHING: Mapping[str, str] = {}


def hypertext(content: Content, filled: Mapping[str, str] = NOTHING) -> str:
    """``content`` as HTML. An element whose id is in ``filled`` holds that text, which is HTML already, instead of its
    children. TypeError for what is not of ``dash.html``: nothing would make it alive."""
    if content is None:
        return ""
    if isinstance(content, Component):
        return element(content, filled)
    if isinstance(content, str | int | float):
        return escape(str(content), quote=False)
    return "".join(hypertext(one, filled) for one in content)


def element(component: Component, filled: Mapping[str, str]) -> str:
    """One element with everything in it."""
    told = component.to_plotly_json()  # type: ignore[no-untyped-call]
    if told["namespace"] != NAMESPACE and (told["namespace"], told["type"]) != FIELD:
        raise TypeError(f"{told['type']} is no element of HTML; it lives in Dash's own frame alone")
    tag, props = told["type"].lower(), told["props"]
    opened = f"<{tag}{''.join(written(props))}>"
    if tag in EMPTY:
        return opened
    held = filled.get(props.get("id", ""))
    inside = hypertext(props.get("children"), filled) if held is None else held
    return f"{opened}{inside}</{tag}>"


def written(props: Mapping[str, Any]) -> Iterator[str]:
    """Attributes as they stand in the tag. Any: what Dash's components hold."""
    for name, value in props.items():
        if name == "children" or value is None or value is False:
            continue
        spelled = RENAMED.get(name, name.lower())
        text = style(value) if name == "style" else str(value)
        yield f" {spelled}" if value is True else f' {spelled}="{escape(text)}"'


def style(rules: Mapping[str, str | float]) -> str:
    """``{"minHeight": "3px"}`` → ``min-height:3px``."""
    return ";".join(f"{CAPITAL.sub(lambda one: f'-{one[0].lower()}', name)}:{value}" for name, value in rules.items())
