"""The list of routes: every one that the application has is in it, below any prefix, and no other."""

from __future__ import annotations

import pytest

from app.access.policy import NEEDS, named, need
from app.config import AppConfig
from app.factory import create_app
from app.store import RedisRunStore


@pytest.mark.parametrize("prefix", ["/", "/watch/", "/a/b/"])
def test_every_route_is_listed_and_no_other(prefix: str) -> None:
    store = RedisRunStore("redis://127.0.0.1:1/0")  # nothing is asked of it
    server = create_app(AppConfig(prefix=prefix), store).server
    known = {named(one.endpoint, prefix) for one in server.url_map.iter_rules()}
    assert known - set(NEEDS) == set(), "list it in app/access/policy.py: it is refused to everybody until then"
    assert set(NEEDS) - known == set(), "no such route any more"


def test_what_is_not_listed_needs_what_nobody_has() -> None:
    assert need("api.something_new", "/") is None
    assert need(None, "/") is None
