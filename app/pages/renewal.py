"""What of a page has changed since the browser was last told: only that is sent, since a browser that is told the same
again works as hard as if it were new."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from dash import no_update
from dash.development.base_component import Component
from plotly.utils import PlotlyJSONEncoder

Content = Sequence[Component] | str


def digest(content: Content) -> str:
    """Short and equal for what looks equal."""
    text = json.dumps(content, cls=PlotlyJSONEncoder)  # what Dash itself writes components with
    return hashlib.blake2b(text.encode(), digest_size=9).hexdigest()


def renewed(contents: Sequence[Content], told: Sequence[str]) -> tuple[list[object], list[str]]:
    """Each content, or no_update where its digest is the one in ``told`` (which may be short); the digests now."""
    now = [digest(one) for one in contents]
    before = [*told, *[""] * len(now)]
    return [no_update if new == old else one for one, new, old in zip(contents, now, before, strict=False)], now
