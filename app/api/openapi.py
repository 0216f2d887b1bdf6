"""``GET /api/openapi.json``, made from the table of routes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.access.policy import NEEDS
from app.api import alert_schemas, note_schemas, rank_schemas, schemas, snapshot_schemas
from app.api.answers import Json
from app.api.routes import JSON, ROUTES, Parameter, Route

SCHEMAS_OF = (schemas, rank_schemas, alert_schemas, note_schemas, snapshot_schemas)
WAYS: Mapping[str, Mapping[str, str]] = {
    "token": {"type": "http", "scheme": "bearer"},
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "tidewatch_session_web",
        "description": "The name ends with the port of the address, where it has one. What writes repeats the page's "
        "data-seal as X-Tidewatch-Token.",
    },
}
VERSION = "1.0.0"  # of the API, not of the program: it changes when an answer changes


def description(prefix: str, *, asks: bool = False) -> dict[str, Json]:
    """OpenAPI 3.1 of every route below ``prefix``. ``asks``: whether a token or a session is needed."""
    return {
        **({"security": [{one: []} for one in WAYS]} if asks else {}),
        "openapi": "3.1.0",
        "info": {"title": "Tidewatch", "version": VERSION, "description": "Training runs, live. Every GET only reads."},
        "paths": _paths(prefix),
        "components": {
            "schemas": _plain({name: one for some in SCHEMAS_OF for name, one in some.SCHEMAS.items()}),
            "securitySchemes": _plain(WAYS),
        },
    }


def _paths(prefix: str) -> dict[str, Json]:
    found: dict[str, dict[str, Json]] = {}
    for route in ROUTES:
        found.setdefault(_path(prefix, route), {})[route.method.lower()] = _operation(route)
    return {**found}


def _path(prefix: str, route: Route) -> str:
    # api/runs/<run>/series → api/runs/{run}/series
    return prefix + re.sub(r"<(\w+)>", r"{\1}", route.path)


def _operation(route: Route) -> dict[str, Json]:
    answers: dict[str, Json] = {"200": {"description": route.about, "content": _content(route)}}
    for status, why in {**route.refusals, **_shut(route)}.items():
        answers[str(status)] = {"description": why, "content": {JSON: {"schema": _reference("Error")}}}
    if route.endpoint in ("readyz", "healthz"):
        answers["503"] = {"description": route.refusals[503], "content": {JSON: {"schema": _reference("Ready")}}}
    return {
        "operationId": route.endpoint,
        "summary": route.about,
        "parameters": [_parameter(one) for one in route.parameters],
        **(_sent(route.body) if route.body else {}),
        "responses": answers,
        **({"security": []} if _need(route) == "public" else {}),
    }


def _need(route: Route) -> str:
    return NEEDS[f"api.{route.endpoint}"]


def _shut(route: Route) -> dict[int, str]:
    """Why the gate or the guard may refuse."""
    foreign = "Asked for by another site's page"
    if _need(route) == "public":
        return {403: f"{foreign}."}
    viewers = ", or by somebody who may look and not write" if _need(route) == "editor" else ""
    return {
        401: "Nobody is logged in, where a password is needed.",
        403: f"{foreign}{viewers}.",
        429: "Too many wrong tokens.",
    }


def _sent(name: str) -> dict[str, Json]:
    return {"requestBody": {"required": True, "content": {JSON: {"schema": _reference(name)}}}}


def _content(route: Route) -> dict[str, Json]:
    return {
        media: {"schema": _reference(name)} if name else {"schema": {"type": "string"}}
        for media, name in route.answers.items()
    }


def _reference(name: str) -> dict[str, Json]:
    return {"$ref": f"#/components/schemas/{name}"}


def _parameter(one: Parameter) -> dict[str, Json]:
    return {
        "name": one.name,
        "in": one.where,
        "required": one.where == "path",
        "description": one.about,
        "schema": _plain(one.schema),
    }


def _plain(schema: object) -> Json:
    """The same with dicts and lists alone, which is what JSON knows."""
    if isinstance(schema, dict):
        return {str(name): _plain(one) for name, one in schema.items()}
    if isinstance(schema, list | tuple):
        return [_plain(one) for one in schema]
    if schema is None or isinstance(schema, str | int | float):
        return schema
    raise TypeError(f"{schema!r} is no JSON")
