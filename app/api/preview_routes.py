"""The address of pictures."""

from __future__ import annotations

from app.api.route import PNG, RUN, Parameter, Route, Schema
from app.figures.preview import HEIGHT, LEAST_HEIGHT, LEAST_WIDTH, MOST_HEIGHT, MOST_WIDTH, WIDTH
from app.language import LANGUAGES
from app.previews.asked import LONGEST, MOST_NAMES, PAGES, THEMES

_NAME: Schema = {"type": "string", "minLength": 1, "maxLength": LONGEST}
_STEP: Schema = {"type": "integer"}

_PREVIEW = (
    Parameter("page", "curves: a few panels. ranks: the map of one metric of all ranks.", {"enum": [*PAGES]}),
    Parameter(
        "metric",
        f"Canonical name of a metric; may be repeated, up to {MOST_NAMES} panels, on the page of ranks once. "
        "r3:loss is that of rank 3. Without it what every run begins with.",
        _NAME,
    ),
    Parameter("tag", "The same for a tag as the file spells it.", _NAME),
    Parameter("start", "First step, inclusive.", _STEP),
    Parameter("end", "Last step, inclusive.", _STEP),
    Parameter("width", "Pixels.", {**_STEP, "minimum": LEAST_WIDTH, "maximum": MOST_WIDTH, "default": WIDTH}),
    Parameter("height", "Pixels.", {**_STEP, "minimum": LEAST_HEIGHT, "maximum": MOST_HEIGHT, "default": HEIGHT}),
    Parameter("theme", "Of the picture.", {"enum": [*THEMES], "default": "light"}),
    Parameter("lang", "Its language; without it that of the request.", {"enum": [*LANGUAGES]}),
)

ROUTES: tuple[Route, ...] = (
    Route(
        "api/runs/<run>/preview.png",
        "preview",
        "A run in one picture, for link previews and wherever no browser draws. It has an ETag, and is kept for ten "
        "seconds.",
        {PNG: None},
        (RUN, *_PREVIEW),
        {
            400: "An argument makes no sense.",
            404: "There is no such run, metric or tag.",
            503: "Redis does not answer, or too many pictures are being drawn.",
        },
    ),
)
