"""A page at one moment, and what of it another browser than ours would have to be told anew."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from dash.development.base_component import Component

from app.hypertext import Content, hypertext


@dataclass(frozen=True, slots=True)
class Page:
    """``kind`` is equal as long as only ``parts`` become others: the path, and whether there is such a run. ``frame``
    makes everything, with an element of its id for each part; a part that is not named stays as it is. ``ahead`` gives
    the addresses that its scripts will ask first of all, ``said`` what describes the page in one line."""

    kind: str
    frame: Callable[[], Sequence[Component]]
    parts: Mapping[str, Content] = field(default_factory=dict)
    ahead: Callable[[], Sequence[str]] = tuple
    said: Callable[[], str] = str

    def written(self) -> dict[str, str]:
        """Each part's id and its HTML."""
        return {name: hypertext(content) for name, content in self.parts.items()}


class Told(TypedDict):
    """What a browser has: the kind of its page and the digest of each part."""

    kind: str
    parts: dict[str, str]


class Renewal(TypedDict):
    """What is sent to a browser: ``page`` and ``way`` (HTML) where all is another, the parts that are others, and what
    the browser has then."""

    path: str
    page: str | None
    way: str | None
    parts: dict[str, str]
    told: Told


def digest(text: str) -> str:
    """Short, and equal for equal text."""
    return hashlib.blake2b(text.encode(), digest_size=9).hexdigest()


def told(page: Page, written: Mapping[str, str]) -> Told:
    """What a browser has that shows ``page``."""
    return {"kind": page.kind, "parts": {name: digest(text) for name, text in written.items()}}


def renewed(path: str, page: Page, way: Content, before: Told) -> Renewal | None:
    """What has to be sent to who has ``before``; None where nothing has changed."""
    written = page.written()
    now = told(page, written)
    if page.kind != before["kind"]:
        whole = hypertext(list(page.frame()), written)
        return {"path": path, "page": whole, "way": hypertext(way), "parts": {}, "told": now}
    changed = {name: written[name] for name, one in now["parts"].items() if before["parts"].get(name) != one}
    now["parts"] = before["parts"] | now["parts"]
    return {"path": path, "page": None, "way": None, "parts": changed, "told": now} if changed else None
