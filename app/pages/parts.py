"""What the clock renews on the run page, part by part: to add one, write its module and enter it here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from dash import html
from dash.development.base_component import Component

from app.ids import Ids
from app.pages.badges import badge_row
from app.pages.costs import costs_card
from app.pages.events import event_card
from app.pages.header import header
from app.pages.ledger import ledger_card
from app.pages.ranks import rank_card
from app.pages.shown import RunShown

ids = Ids("run")


@dataclass(frozen=True, slots=True)
class Part:
    """One part. ``place``: above everything, below the curves, or beside them; ``card`` gives it a frame of its own,
    which is not there while ``render`` has nothing to say."""

    name: str
    render: Callable[[RunShown], Sequence[Component]]
    place: Literal["top", "below", "side"]
    card: bool = False


PARTS: Sequence[Part] = (
    Part("head", header, "top"),
    Part("badges", badge_row, "top"),
    Part("events", event_card, "side", card=True),
    Part("ranks", rank_card, "side", card=True),
    Part("ledger", ledger_card, "below", card=True),
    Part("costs", costs_card, "side", card=True),
)


def frames(place: str) -> list[Component]:
    """The elements that hold the parts of one place."""
    return [frame(part) for part in PARTS if part.place == place]


def frame(part: Part) -> Component:
    """One part's element; the clock renews what is in it."""
    return html.Div(id=ids(part.name), className="card part" if part.card else "part")


def rendered(run: RunShown) -> dict[str, list[Component]]:
    """The id of each part's element and what is in it now."""
    return {ids(part.name): list(part.render(run)) for part in PARTS}
