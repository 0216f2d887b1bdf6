"""Names of runs, tags and ranks: each is itself and nothing else, however it is spelled."""

from __future__ import annotations

import ast
import re
import unicodedata
from urllib.parse import quote

import pytest
import redis
from flask.testing import FlaskClient

from app.diagnosis.handling import Mute
from collector.follow.discovery import Found
from collector.parse.select import FileRole, run_id
from collector.runs import Naming, readable
from collector.wire import schema
from collector.wire.records import RunId
from tests.app.test_alerts_api import NAN
from tests.support.seed import Seed, straight
from tests.test_architecture import MODULES

GLOBS = ["*", "gp*", "g?t", "[a-z]*", "[!x]pt", "../*", "**", "gpt*", "{gpt}", "gpt}:run", "gpt}:points:*", "\\g\\p\\t"]
# Redis' commands that take a pattern, or everything
PATTERNS = {"keys", "scan", "scan_iter", "psubscribe", "punsubscribe", "flushall", "flushdb", "sort"}
TWINS = [
    ("a/b", "a%2Fb"),
    ("a/b", "a--b"),
    ("a/b", "a\\b"),
    (unicodedata.normalize("NFC", "modèle"), unicodedata.normalize("NFD", "modèle")),
    ("gpt", "gрt"),  # a Cyrillic letter
    ("gpt", "GPT"),
    ("gpt", "gpt "),
    ("gpt", "ｇｐｔ"),  # full width
    ("gpt", "gpt\u200b"),
    ("any", "none"),
    ("a b", "a-b"),
    ("a", "./a"),
    ("a", "a/."),
    ("x\udcff", "x\udcfe"),
    ("x\udcff", "x\ufffd"),
    ("run", ""),
]


@pytest.mark.parametrize("name", GLOBS)
def test_a8_a_pattern_in_the_place_of_a_run_matches_nothing(client: FlaskClient, seed: Seed, name: str) -> None:
    """Every address of a run is asked with a pattern that would match one, were it taken for one."""
    seed.points(straight(range(10)))
    spelled = quote(name, safe="")
    for below in ("", "/series?metric=loss", "/tags", "/events", "/alerts", "/log", "/stream", "/curves?metric=loss"):
        assert client.get(f"/api/runs/{spelled}{below}").status_code in (400, 404), below


def test_a8_a_run_that_is_called_like_a_pattern_is_only_itself(client: FlaskClient, seed: Seed) -> None:
    """A run whose id is `*` is in the store: it shows its own points and nothing of the others."""
    seed.points(straight(range(10)))
    Seed(seed.client, RunId("*"), "/data/star").points(straight(range(3)))
    assert client.get("/api/runs/*/series?metric=loss").json["total"] == 3
    assert client.get("/api/runs/gpt/series?metric=loss").json["total"] == 10


def test_a8_nothing_of_the_product_asks_redis_by_a_pattern() -> None:
    """No module uses a command that takes a pattern or touches everything."""
    used = {
        f"{module.name} calls {node.func.attr}"
        for module in MODULES
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in PATTERNS
        if not (isinstance(node.func.value, ast.Name) or node.func.attr in ("keys", "sort"))
    }
    assert used == set()
    scripts = [module.text for module in MODULES if "redis.call" in module.text]
    assert scripts
    assert [one for one in scripts if re.search(r"redis\.call\(['\"](KEYS|SCAN|FLUSH|CONFIG)", one, re.I)] == []


def test_a8_taking_back_a_mute_takes_back_that_one(client: FlaskClient, seed: Seed) -> None:
    """A pattern, and a run that has the name of a placeholder, in the place of the mute that is to be deleted."""
    seed.points(straight(range(10)))
    Seed(seed.client, RunId("any"), "/data/any").points(straight(range(3)))
    for body in ({"rank": 3, "by": "shift"}, {"run": "any", "rank": 3, "by": "shift"}, {"run": "gpt", "by": "shift"}):
        assert client.post("/api/mutes", json=body).status_code in (200, 201)
    listed = [one["id"] for one in client.get("/api/mutes").json]
    assert len(listed) == len(set(listed)) == 3
    for pattern in ("*", "any.*", "any.[a-z]*.any", "..%2F*", "%2e%2e"):
        assert client.delete(f"/api/mutes/{quote(pattern, safe='%')}").status_code in (404, 405), pattern
    assert client.delete("/api/mutes/any.any.3").status_code in (200, 204)
    left = client.get("/api/mutes").json
    assert sorted(str(one["run"]) for one in left) == ["any", "gpt"]


def test_d6_no_two_names_have_one_id() -> None:
    """Spellings that a person, a browser or a file system may take for one another."""
    for one, other in TWINS:
        assert run_id(readable(one)) != run_id(readable(other)), (one, other)
    mutes = [Mute(None, run, 3, "shift", None, "", 0.0).id for run in (None, "any", "none", "None", "any.any")]
    assert len(set(mutes)) == len(mutes)


def test_d6_an_id_is_a_segment_of_an_address_as_it_is() -> None:
    """Whatever a run is called, its id holds nothing that an address, a glob or a hash tag of Redis gives a meaning."""
    for name in [*GLOBS, *(one for pair in TWINS for one in pair), "a#b", "a?b", "a%b", "a:b", "{x}", "a\nb", "观潮 1"]:
        found = run_id(readable(name))
        assert not set(found) & set("/\\#?%*[]{}:;&=+ \n\"'<>`|^"), found
        assert found.isprintable()


def test_d6_twins_are_followed_as_two_runs(client: FlaskClient, seed: Seed) -> None:
    """Both spellings of a name are in the store; each address shows its own."""
    nfc, nfd = (unicodedata.normalize(form, "modèle") for form in ("NFC", "NFD"))
    for number, run in enumerate((nfc, nfd, "gpt", "gрt"), 3):
        Seed(seed.client, RunId(run), f"/data/{run}").points(straight(range(number)))
    for number, run in enumerate((nfc, nfd, "gpt", "gрt"), 3):
        assert client.get(f"/api/runs/{quote(run)}/series?metric=loss").json["total"] == number
    assert {one["id"] for one in client.get("/api/runs").json} == {nfc, nfd, "gpt", "gрt"}


def test_d6_an_encoded_slash_is_no_other_run(client: FlaskClient, seed: Seed) -> None:
    """`a%2Fb`, `a%252Fb` and a letter that is encoded twice: none of them opens the run a--b or gpt."""
    seed.points(straight(range(5)))
    Seed(seed.client, RunId("a--b"), "/data/a/b").points(straight(range(4)))
    for spelled in ("a%2Fb", "a%252Fb", "a/b", "g%2570t", "gpt%00", "gpt%20", "gpt.", "gpt/"):
        assert client.get(f"/api/runs/{spelled}").status_code in (308, 404), spelled
        assert (">gpt<" in client.get(f"/run/{spelled}").text) == (spelled == "gpt/"), spelled


def test_d6_a_name_that_is_no_text_can_be_given(redis_client: redis.Redis) -> None:
    """The name that is given with --run may hold bytes that are no UTF-8; it is stored, and the same on all hosts."""
    found = Found("/data/x/info.log", "/data/x", FileRole(".", ".", "info.log", "log", None, own=True))
    run = Naming("pr\udcffod").run_of(found)
    assert run.name == "pr\ufffdffod"
    assert redis_client.set(schema.run(run.id), run.name)


def test_a8_a_mute_of_one_run_covers_no_other() -> None:
    """A mute whose run is a pattern, put into the store by other means."""
    assert not Mute(None, "g*", None, "shift", None, "", 0.0).covers("gpt", NAN, 1.0)
    assert Mute(None, "gpt", None, "shift", None, "", 0.0).covers("gpt", NAN, 1.0)
