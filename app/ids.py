"""Component ids, each spelled once: those of one page through ``Ids``, those that pages share as constants."""

from __future__ import annotations

from dataclasses import dataclass

URL = "url"  # dcc.Location
TICK = "tick"  # the one dcc.Interval; assets/renewal.js presses it for "r"
ASKED = "asked"  # dcc.Store: where the browser is and what it has
RENEWED = "renewed"  # dcc.Store: what is different from that
PAGE = "page"  # where the current page is put
NAV = "nav"


@dataclass(frozen=True, slots=True)
class Ids:
    """Ids of one page: ``Ids("runs")("table")`` is ``runs-table``."""

    page: str

    def __call__(self, name: str) -> str:
        """The id of the component ``name``."""
        return f"{self.page}-{name}"
