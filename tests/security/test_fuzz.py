"""Every route is asked what its description does not allow: never a 5xx, always a sentence; and nothing by nobody."""

from __future__ import annotations

import pytest
from flask import Flask
from schemathesis import GenerationMode

from app.access.policy import NEEDS
from app.api.routes import ROUTES, Route
from app.factory import close, create_app
from app.store import RedisRunStore
from tests.security.fuzzing import ASKED, by_description, by_hand, filled
from tests.support.guarded import OUTSIDE, TOKEN, bearer, config
from tests.support.seed import Seed


@pytest.mark.parametrize("route", ASKED, ids=lambda route: f"{route.method} {route.endpoint}")
def test_f3_arguments_and_bodies_that_are_none_are_refused_with_a_sentence(
    server: Flask, seed: Seed, route: Route
) -> None:
    """Oversized, malformed and forged parameters and bodies, on every route."""
    filled(seed.client)
    for tally in (
        by_description(server, route, GenerationMode.NEGATIVE, cases=5, seed=7),
        by_hand(server, route, cases=25, seed=7),
    ):
        assert tally.wrong == []
    assert sum(tally.statuses.values()) == 25


def test_f3_the_same_by_whom_nobody_knows_and_by_whom_all_know(store: RedisRunStore, seed: Seed) -> None:
    """Where a password is needed, forged arguments get no further than right ones."""
    filled(seed.client)
    server = create_app(config(), store).server
    try:
        for route in ASKED:
            known = by_hand(server, route, cases=4, seed=9, Host=OUTSIDE, **bearer(TOKEN))
            nobody = by_hand(server, route, cases=4, seed=9, Host=OUTSIDE)
            assert known.wrong == nobody.wrong == [], route
            assert 401 not in known.statuses, route
            if NEEDS[f"api.{route.endpoint}"] != "public":
                assert set(nobody.statuses) == {401}, route
    finally:
        close(server)


def test_f3_every_route_is_asked() -> None:
    """The live stream alone is not: it has no end, and is tried by itself in test_floods.py."""
    assert {one.endpoint for one in ROUTES} - {one.endpoint for one in ASKED} == {"stream"}
