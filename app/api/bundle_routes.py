"""The address of incident bundles."""

from __future__ import annotations

from app.api.route import HTML, RUN, ZIP, Parameter, Route

ROUTES: tuple[Route, ...] = (
    Route(
        "api/runs/<run>/bundle",
        "bundle",
        "All that is known about a stretch of a run as one archive: a page that needs no network, a picture, points, "
        "findings, notes, settings, lines of logs, a list with hashes. Secrets are masked, hosts and paths told in "
        "other words. Without from= and to= it is about the worst open alert, else the newest steps.",
        {ZIP: None, HTML: None},
        (
            RUN,
            Parameter("from", "First step, inclusive.", {"type": "integer"}),
            Parameter("to", "Last step, inclusive.", {"type": "integer"}),
            Parameter("form", "The archive, or its page alone.", {"enum": ["zip", "html"], "default": "zip"}),
        ),
        {
            400: "An argument makes no sense.",
            404: "There is no such run, or it has no points there.",
            413: "The archive would be too large; ask for fewer steps.",
            429: "As many bundles are being made as at once; ask again in a moment.",
            503: "Redis does not answer.",
        },
    ),
)
