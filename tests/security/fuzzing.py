"""``python -m tests.security.fuzzing --cases 10000``: the API is asked what its description allows and what it does
not, by who has logged in and by who has not; prints how many were asked, and what was answered."""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import jsonschema_rs
import redis
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode

from app.api.openapi import description
from app.api.routes import JSON, ROUTES, Route
from app.config import AppConfig
from app.factory import close, create_app
from app.store import RedisRunStore
from collector.wire.records import RunId
from tests.support.guarded import OUTSIDE, TOKEN, bearer, config
from tests.support.redis_server import RedisServer
from tests.support.seed import Seed, straight

ASKED = [route for route in ROUTES if route.endpoint != "stream"]  # a stream has no end
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
# What no generator of descriptions writes: bodies, types and arguments that are none.
BODIES = [
    b"",
    b"null",
    b"[]",
    b"[" * 2_000,
    b"{",
    b'{"a":' * 300,
    b"\xff\xfe\x00",
    b'"' + b"a" * 9_000 + b'"',
    b'{"by": "\\ud800"}',
    b'{"by": {"a": []}, "minutes": "x", "rank": 1e400}',
    b'{"first": -1, "last": 9223372036854775808, "text": null}',
    b"a=1&b=2",
    b" " * 70_000,
]
TYPES = [
    JSON,
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "",
    "a/b;" + "c" * 99,
]
TEXTS = [
    "",
    "\x00",
    "-1",
    "1e999",
    "NaN",
    "9" * 400,
    "a" * 5_000,
    "../..",
    "%",
    "{}",
    "'\"<>",
    "\u202e",
    "0-0",
    "1,2,,",
    "*",
]


@dataclass
class Tally:
    """What was asked and answered."""

    cases: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def hear(self, what: str, status: int, kind: str, body: bytes) -> None:
        """Note an answer, and what is wrong with it."""
        self.cases += 1
        self.statuses[status] += 1
        if status >= 500 and status != 503:
            self.wrong.append(f"{status} for {what}")
        elif status >= 400 and not is_sentence(kind, body):
            self.wrong.append(f"{status} without a sentence for {what}: {body[:80]!r}")


def is_sentence(kind: str, body: bytes) -> bool:
    """Whether an error says why: {"error": "…"}, and a page to whom opened one."""
    if kind.startswith("text/html"):
        return b"<h1>" in body
    try:
        told = json.loads(body)
    except ValueError:
        return False
    return isinstance(told, dict) and (isinstance(told.get("error"), str) or "checks" in told or "status" in told)


def shape(route: Route, status: int) -> dict[str, object] | None:
    """What an answer has to be like."""
    name = route.answers.get(JSON) if status == 200 or route.endpoint in ("readyz", "healthz") else "Error"
    return name and {"$ref": f"#/components/schemas/{name}", "components": description("/")["components"]}


def by_description(
    server: Flask, route: Route, mode: GenerationMode, *, cases: int, seed: int, **headers: str
) -> Tally:
    """Ask one route what schemathesis makes of its description."""
    tally, chance = Tally(), random.Random(seed)
    api = schemathesis.openapi.from_dict(dict(description("/")))
    api.app, api.location = server, "/api/openapi.json"
    operation = api["/" + route.path.replace("<", "{").replace(">", "}")][route.method]
    quiet = settings(
        max_examples=cases,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
        phases=[Phase.generate],
    )

    @seeded(seed)
    @quiet
    @given(case=operation.as_strategy(generation_mode=mode))
    def ask(case: schemathesis.Case) -> None:
        if "run" in (case.path_parameters or {}) and chance.random() < 0.7:
            case.path_parameters = {**case.path_parameters, "run": "gpt"}
        reply = case.call(headers={"Accept-Encoding": "identity", **headers})
        kind = (reply.headers.get("content-type") or [""])[0]
        what = f"{route.method} {case.formatted_path} {case.query} {str(case.body)[:200]}"
        tally.hear(what, reply.status_code, kind, reply.content)
        told = shape(route, reply.status_code) if kind.startswith(JSON) else None
        if told and not jsonschema_rs.is_valid(told, reply.json()):
            tally.wrong.append(f"an answer of another shape for {what}")

    with contextlib.suppress(Unsatisfiable):  # a route without arguments can be asked nothing that is wrong
        ask()
    return tally


def by_hand(server: Flask, route: Route, *, cases: int, seed: int, **headers: str) -> Tally:
    """Ask one route what no description would make."""
    tally, chance = Tally(), random.Random(seed)
    client = server.test_client()
    names = [one.name for one in route.parameters if f"<{one.name}>" not in route.path]
    for _ in range(cases):
        path = "/" + route.path.replace("<run>", "gpt" if chance.random() < 0.8 else "x")
        for word in ("alert", "mute", "note", "snapshot"):
            path = path.replace(f"<{word}>", chance.choice(["a", "a" * 300, "\u202e", "%00"]))
        query = {name: chance.choice(TEXTS) for name in chance.sample(names, min(len(names), chance.randrange(4)))}
        told = {
            "Content-Type": chance.choice(TYPES),
            "Accept": chance.choice(["*/*", JSON, "text/html", "\x7f"]),
            **headers,
        }
        reply = client.open(path, method=route.method, query_string=query, data=chance.choice(BODIES), headers=told)
        tally.hear(f"{route.method} {path} {query}", reply.status_code, reply.content_type or "", reply.get_data())
        reply.close()
    return tally


def filled(client: redis.Redis) -> None:
    """Two runs and a collector that lives."""
    seed = Seed(client)
    seed.points(straight(range(50)))
    Seed(client, RunId("other"), "/data/other").points(straight(range(40)))
    seed.beat()


def together(tallies: list[Tally]) -> Tally:
    whole = Tally()
    for one in tallies:
        whole.cases += one.cases
        whole.statuses += one.statuses
        whole.wrong += one.wrong
    return whole


def everything(server: Flask, cases: int, seed: int, say: Callable[[str], None] = print, **headers: str) -> Tally:
    """About so many cases over all routes, in both modes and by hand."""
    each = -(-cases // (3 * len(ASKED)))
    tallies = []
    for route in ASKED:
        found = together(
            [
                *(by_description(server, route, mode, cases=each, seed=seed, **headers) for mode in MODES),
                by_hand(server, route, cases=each, seed=seed, **headers),
            ]
        )
        say(f"{route.method:6} {route.path:44} {found.cases:6} cases  {dict(sorted(found.statuses.items()))}")
        tallies.append(found)
    return together(tallies)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    redis_server = RedisServer().start()
    store = RedisRunStore(redis_server.url)
    servers = [create_app(one, store).server for one in (AppConfig(redis_url=redis_server.url), config())]
    try:
        with redis.Redis.from_url(redis_server.url) as client:
            filled(client)
        found = together(
            [
                everything(servers[0], options.cases * 6 // 10, options.seed),
                everything(servers[1], options.cases * 3 // 10, options.seed + 1, Host=OUTSIDE, **bearer(TOKEN)),
                everything(servers[1], -(-options.cases // 10), options.seed + 2, Host=OUTSIDE),
            ]
        )
    finally:
        for server in servers:
            close(server)
        store.close()
        redis_server.close()
    print(f"{found.cases} cases: {dict(sorted(found.statuses.items()))}, {len(found.wrong)} wrong")
    print("\n".join(found.wrong[:50]))
    return 1 if found.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
