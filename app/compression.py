"""Text leaves the server compressed for those who can read it so: a page over a slow line is a third of its size.

Columns of points stay as they are (numbers hardly shrink, and they are on their way often), and so does a live stream,
of which each event has to leave at once, and an export, which is larger than memory.
"""

from __future__ import annotations

import gzip
from functools import lru_cache

from flask import Flask, Request, Response, request

TEXTS = ("text/", "application/json", "application/javascript", "image/svg+xml")
STREAM = "text/event-stream"
SMALLEST = 1_000  # bytes; less fits into one packet anyway
FAST, SMALL = 4, 9  # levels of gzip: for what is made for one request, and for what is sent again and again


def install(server: Flask) -> None:
    """Compress what ``server`` answers, where ``wanted`` says so."""
    server.after_request(lambda response: compressed(request, response))


def compressed(asked: Request, response: Response) -> Response:
    """The answer, with a smaller body where that is of use; caches are told in either case that there are two."""
    if not is_text(response.mimetype) or is_made_while_sent(response):
        return response
    response.vary.add("Accept-Encoding")
    if not wanted(response.status_code, dict(response.headers)) or not asked.accept_encodings.quality("gzip"):
        return response
    response.direct_passthrough = False
    body = response.get_data()
    if len(body) < SMALLEST:
        return response
    lasts = "max-age" in response.headers.get("Cache-Control", "")
    response.set_data(_kept(body) if lasts else squeezed(body, FAST))  # sets Content-Length too
    response.headers["Content-Encoding"] = "gzip"
    weaken(response)
    return response


def is_text(mimetype: str | None) -> bool:
    """Whether a body of this kind becomes much smaller."""
    return mimetype is not None and mimetype.startswith(TEXTS) and mimetype != STREAM


def is_made_while_sent(response: Response) -> bool:
    """Whether nobody holds the body whole (an export), as it is of a file."""
    return response.is_streamed and not response.direct_passthrough


def wanted(status: int, headers: dict[str, str]) -> bool:
    """Whether the answer has a whole body that is not compressed yet: a part of one (206) stays as it is."""
    return status in (200, 400, 404, 503) and "Content-Encoding" not in headers and "Content-Range" not in headers


def squeezed(body: bytes, level: int) -> bytes:
    """gzip, the same for the same body."""
    return gzip.compress(body, level, mtime=0)


@lru_cache(maxsize=128)
def _kept(body: bytes) -> bytes:
    """Scripts and styles, of which there are few and every visitor asks for all of them."""
    return squeezed(body, SMALL)


def weaken(response: Response) -> None:
    """Compressed bytes are others than those that a strong tag promises; a weak one is still answered by 304."""
    tag, is_weak = response.get_etag()
    if tag is not None and not is_weak:
        response.set_etag(tag, weak=True)
