"""``GET /api/runs/<run>/preview.png``: a run in one picture."""

from __future__ import annotations

from flask import Response, request

from app.api.route import PNG
from app.previews.asked import parse
from app.previews.previews import FRESH, Previews


def picture(previews: Previews, run: str) -> Response:
    """The answer to the request; 304 where the caller has the picture. Raises Refused, StoreAway."""
    image = previews.of(run, parse(request.args))
    response = Response(image.png, mimetype=PNG)
    response.set_etag(image.tag)
    response.cache_control.private = True
    response.cache_control.max_age = int(FRESH)
    response.headers["Vary"] = "Accept-Language, Cookie, X-Tidewatch-Language"
    response.make_conditional(request)
    return response
