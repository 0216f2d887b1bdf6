"""Frozen snapshots in tests: made through the API, and asked everything that a link opens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote, urlsplit

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.api.routes import ROUTES
from app.config import AppConfig
from app.factory import close, create_app
from app.sharing.table import SHARED
from app.stored import RunStore

NOW = 1_000_200.0
SECRET = b"0" * 32  # of every server in these tests, as of the processes of one dashboard

# What is asked of each endpoint beside its bare address, which is asked of all.
ASKED: dict[str, Sequence[str]] = {
    "run": ("?metrics=0",),
    "series": ("?metric=loss", "?metric=loss&points=0&attempt=all", "?metric=lr&attempt=latest", "?metric=loss&rank=3"),
    "tags": ("?metric=loss&metric=lr",),
    "curves": ("?metric=loss&metric=lr&ghosts=1", "?metric=loss&attempt=all&start=5&end=60", "?metric=r3:loss"),
    "ranks": ("?metric=loss", "?metric=loss&form=columns", "?metric=lr&fold=node", "?metric=loss&start=3&end=9"),
    "ranks_first": ("?what=stall", "?what=nan&metric=loss"),
    "ranks_states": ("?metric=loss",),
    "events": ("?kind=checkpoint&limit=3",),
    "alerts": ("?state=open",),
    "notes": ("?start=0&end=10",),
    "alerts_export": ("?format=csv",),
    "export": ("?metric=loss",),
    "export_csv": ("?metric=loss&start=3&end=30",),
    "export_jsonl": ("?metric=lr",),
    "export_parquet": ("?metric=loss&rank=1",),
    "compare_configuration": ("?runs=gpt&all=1",),
    "preview": ("?page=ranks", "?metric=loss&start=2&end=20"),
}


@dataclass(frozen=True)
class Link:
    """What an editor was told when a snapshot was made."""

    told: dict[str, Any]

    @property
    def path(self) -> str:
        """The address of the run's own page, whichever was frozen."""
        return urlsplit(self.told["url"]).path.removesuffix("/ranks")

    @property
    def token(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def id(self) -> str:
        return cast(str, self.told["id"])


@contextmanager
def serving(store: RunStore, now: float = NOW, **options: Any) -> Iterator[FlaskClient]:
    """A server on a store; each has what it keeps to itself, and the same secret."""
    server: Flask = create_app(AppConfig(secret=SECRET, **options), store, clock=lambda: now).server
    try:
        yield server.test_client()
    finally:
        close(server)


def freeze(client: FlaskClient, run: str, **wish: object) -> Link:
    """A snapshot of a run as it is now."""
    reply = client.post(f"/api/runs/{quote(run, safe='')}/snapshots", json=wish)
    assert reply.status_code == 200, reply.text
    return Link(reply.json)


def questions(run: str, alert: str = "none") -> list[str]:
    """Every address below a token, with some arguments each."""
    named = {"<run>": quote(run, safe=""), "<alert>": quote(alert, safe="")}
    found = list[str]()
    for route in ROUTES:
        if route.method == "GET" and route.endpoint in SHARED:
            path = route.path
            for name, value in named.items():
                path = path.replace(name, value)
            found += [f"/{path}{query}" for query in ("", *ASKED.get(route.endpoint, ()))]
    return found


def answers(client: FlaskClient, base: str, asked: Sequence[str]) -> dict[str, tuple[int, bytes]]:
    """Each question → status and body."""
    replies: dict[str, TestResponse] = {one: client.get(base + one, buffered=True) for one in asked}
    return {one: (reply.status_code, reply.data) for one, reply in replies.items()}
