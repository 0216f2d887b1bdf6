"""The API is asked what its description allows: never a 5xx, never an answer of another shape."""

from __future__ import annotations

from collections.abc import Mapping

import jsonschema_rs
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance, response_schema_conformance

from app.api.openapi import description
from app.api.routes import JSON, ROUTES, Route
from app.config import AppConfig
from app.factory import create_app
from app.store import RedisRunStore
from collector.wire.records import RunId
from tests.support.seed import Seed, straight

ASKED = [route for route in ROUTES if route.endpoint != "stream"]  # a stream has no end
# Without a collector there is no log to answer from, and no id that is made up is an alert's, a mute's or a note's.
NEVER = (
    "log",
    "alert",
    "alert_acknowledge",
    "alert_resolve",
    "alert_reopen",
    "unmute",
    "note_edit",
    "note_remove",
    "snapshot_extend",
    "snapshot_revoke",
)
QUICK = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
# Two that cannot hold here: that exactly one of metric= and tag= is needed cannot be said in a description, and
# schemathesis rewrites prefixItems, so that shapes are checked below by a validator that knows them.
NOT_THESE = [positive_data_acceptance, response_schema_conformance]


def shape(route: Route, status: int) -> dict[str, object]:
    described = description("/")
    name = route.answers[JSON] if status == 200 else "Error"
    return {"$ref": f"#/components/schemas/{name}", "components": described["components"]}


# what makes sense to send, which is not found by chance every time
BODIES: Mapping[str, Mapping[str, object]] = {
    "note_write": {"first": 1, "last": 2, "text": "the warm-up ends"},
    "mute": {"rank": 1},
    "snapshot_make": {"days": 1},
}


def usual(route: Route, query: Mapping[str, str]) -> dict[str, str]:
    """The arguments with names that the store knows, where the route takes names."""
    known = {one.name for one in route.parameters}
    named = {"metric": "loss", "runs": "other" if "run" in known else "gpt,other"}
    return {
        **{name: text for name, text in query.items() if name != "tag"},
        **{one: named[one] for one in named if one in known},
    }


@pytest.mark.parametrize("route", ASKED, ids=lambda route: route.endpoint)
def test_every_answer_is_one_that_the_description_names(store: RedisRunStore, seed: Seed, route: Route) -> None:
    seed.points(straight(range(50)))
    Seed(seed.client, RunId("other"), "/data/other").points(straight(range(40)))
    seed.beat()
    api = schemathesis.openapi.from_wsgi("/api/openapi.json", create_app(AppConfig(), store).server)
    operation = api["/" + route.path.replace("<", "{").replace(">", "}")][route.method]
    statuses = []

    @QUICK
    @given(case=operation.as_strategy())
    def ask(case: schemathesis.Case) -> None:
        if len(statuses) % 4:  # mostly a run and a metric that there are
            case.path_parameters |= {"run": "gpt"} if "run" in case.path_parameters else {}
            case.query = usual(route, case.query)
        if len(statuses) % 4 == 1:
            case.body = BODIES.get(route.endpoint, case.body)
        reply = case.call_and_validate(excluded_checks=NOT_THESE, headers={"Accept-Encoding": "identity"})
        statuses.append(reply.status_code)
        if reply.headers["content-type"][0].startswith(JSON):
            jsonschema_rs.validate(shape(route, reply.status_code), reply.json())

    ask()
    assert statuses
    assert max(statuses) < 500
    assert 200 in statuses or route.endpoint in NEVER
