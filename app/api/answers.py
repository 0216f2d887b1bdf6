"""Strict JSON answers: NaN and infinities as words, errors as one sentence in the caller's language.

Pages show these sentences to their readers; who names no language (a script, curl) reads English.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np
from flask import Response

from app.language import gettext as _
from app.series.curve import SOURCES, Curve, Floats
from app.stored import StoreAway

Json = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None


class Refused(Exception):
    """A question that cannot be answered: an HTTP status and the sentence that the caller reads."""

    def __init__(self, status: int, sentence: str, beside: Mapping[str, Json] | None = None) -> None:
        """``sentence`` names what is wrong and what would be right; ``beside`` is what a script needs to go on."""
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.beside = beside or {}


def answer(body: Json, status: int = 200) -> Response:
    """``body`` as JSON; numbers in it must be finite (``number`` sees to that)."""
    text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(text, status, mimetype="application/json")


def refusal(error: Refused) -> Response:
    """The answer to a question that cannot be answered."""
    return answer({"error": error.sentence, **error.beside}, error.status)


def away(error: StoreAway) -> Response:
    """503: Redis does not answer, in the caller's language."""
    why = type(error.__cause__ or error).__name__
    return answer({"error": _("Redis does not answer (%(why)s); pages fill again when it is back.", why=why)}, 503)


def number(value: float | None) -> float | str | None:
    """A value for JSON: ``NaN``, ``Infinity`` and ``-Infinity`` as words."""
    if value is None or np.isfinite(value):
        return value
    return "NaN" if np.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def rows(curve: Curve) -> list[list[Json]]:
    """``[step, wall, value, source]`` of each point; wall null without a clock."""
    walls: list[float | None] = curve.walls.tolist()
    for at in np.flatnonzero(~np.isfinite(curve.walls)):
        walls[at] = None
    names = [SOURCES[one] for one in curve.sources.tolist()]
    return [list(row) for row in zip(curve.steps.tolist(), walls, _worded(curve.values), names, strict=True)]


def _worded(values: Floats) -> list[float | str | None]:
    words: list[float | str | None] = values.tolist()
    for at in np.flatnonzero(~np.isfinite(values)):
        words[at] = number(float(values[at]))
    return words


def columns(curve: Curve, meta: Mapping[str, Json]) -> Response:
    """Little-endian columns, one after the other: n float64 steps, walls, values, then n uint8 sources."""
    parts = (curve.steps.astype("<f8"), curve.walls.astype("<f8"), curve.values.astype("<f8"), curve.sources)
    reply = Response(b"".join(part.tobytes() for part in parts), mimetype="application/octet-stream")
    told = {**meta, "n": len(curve)}
    reply.headers["X-Tidewatch-Meta"] = json.dumps(told, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return reply
