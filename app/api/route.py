"""What one address of the API is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Schema = Mapping[str, object]

JSON = "application/json"
OCTETS = "application/octet-stream"
EVENTS = "text/event-stream"
TEXT = "text/plain"
PNG = "image/png"
ZIP = "application/zip"
HTML = "text/html"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument: in the path, the query or a header."""

    name: str
    about: str
    schema: Schema
    where: str = "query"


@dataclass(frozen=True, slots=True)
class Route:
    """One address. ``answers`` maps a media type of 200 to the name of its schema (None = not JSON); ``body`` is the
    schema of what is sent. Every GET only reads."""

    path: str  # as Flask spells it, below the prefix
    endpoint: str
    about: str
    answers: Mapping[str, str | None]
    parameters: tuple[Parameter, ...] = ()
    refusals: Mapping[int, str] = field(default_factory=dict)
    method: str = "GET"
    body: str | None = None


RUN = Parameter("run", "Id of the run, as /api/runs lists it.", {"type": "string"}, "path")
