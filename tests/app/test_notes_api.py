"""Notes through the API: written, listed, edited by one of two, deleted; and what is refused, with which sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import jsonschema_rs
import pytest
from flask.testing import FlaskClient

from app.api.notes import STEP
from app.api.openapi import description
from app.notes.note import LINES, MOST, NOTE_ID, TEXT, Note
from app.store import RedisRunStore
from collector.wire import schema
from collector.wire.records import RunId
from tests.app.conftest import NOW
from tests.support.seed import RUN, Seed, straight

URL = "/api/runs/gpt/notes"
SAID = {"first": 10, "last": 20, "text": "loss spike\nnew data", "author": "夜班"}


@pytest.fixture
def run(seed: Seed) -> Seed:
    seed.points(straight(range(100)))
    return seed


def write(client: FlaskClient, **also: object) -> dict[str, Any]:
    reply = client.post(URL, json={**SAID, **also})
    assert reply.status_code == 200, reply.json
    found: dict[str, Any] = reply.json
    return found


def listed(client: FlaskClient, query: str = "") -> list[str]:
    return [one["text"] for one in client.get(URL + query).json["notes"]]


def check(name: str, body: object) -> None:
    jsonschema_rs.validate({"$ref": f"#/components/schemas/{name}", "components": description("/")["components"]}, body)


def test_a_note_is_written_and_listed(client: FlaskClient, run: Seed) -> None:
    made = write(client)
    assert NOTE_ID.fullmatch(made["id"])
    expected = {**SAID, "id": made["id"], "created": NOW, "edited": None, "editor": "", "version": 1}
    assert made == expected
    body = client.get(URL).json
    assert body == {"run": "gpt", "total": 1, "notes": [expected], "name": "", "may_write": True}
    check("Notes", body)
    check("Note", made)


def test_a_note_of_one_step_needs_no_last_one(client: FlaskClient, run: Seed) -> None:
    reply = client.post(URL, json={"first": 7, "text": "here", "author": "Han"})
    assert (reply.json["first"], reply.json["last"]) == (7, 7)


def test_notes_are_found_by_the_steps_that_they_touch(client: FlaskClient, run: Seed) -> None:
    write(client, text="range")
    write(client, first=50, last=50, text="step")
    assert listed(client) == ["range", "step"]
    assert listed(client, "?start=15&end=30") == ["range"]
    assert listed(client, "?start=21") == ["step"]
    assert listed(client, "?end=9") == []
    assert client.get(f"{URL}?end=9").json["total"] == 2


def test_lines_are_kept_and_spelled_alike(client: FlaskClient, run: Seed) -> None:
    assert write(client, text="  one\r\ntwo\rthree\n ")["text"] == "one\ntwo\nthree"
    markup = "<script>alert(1)</script> **bold** [x](javascript:alert(1)) \x1b[31m \u202e"
    assert write(client, text=markup)["text"] == markup.strip()


def test_an_edit_says_who_and_when_and_leaves_the_author(client: FlaskClient, run: Seed) -> None:
    made = write(client)
    sent = {"first": 11, "text": "other", "author": "Han", "version": 1}
    reply = client.put(f"{URL}/{made['id']}", json=sent)
    assert reply.status_code == 200
    after = {**made, "first": 11, "last": 11, "text": "other", "edited": NOW, "editor": "Han", "version": 2}
    assert reply.json == after
    assert client.get(URL).json["notes"] == [after]


def test_of_two_edits_the_later_is_told_the_newer_text(client: FlaskClient, run: Seed) -> None:
    made = write(client)
    address = f"{URL}/{made['id']}"
    assert client.put(address, json={**SAID, "text": "mine", "author": "Han", "version": 1}).status_code == 200
    late = client.put(address, json={**SAID, "text": "yours", "version": 1})
    assert late.status_code == 409
    assert late.json["error"] == "Han has changed this note meanwhile; here is how it is now."
    assert late.json["note"]["text"] == "mine"
    check("Error", late.json)
    assert client.delete(f"{address}?version=1").status_code == 409
    assert listed(client) == ["mine"]


def test_a_note_is_deleted_as_it_was_read_or_whatever_it_is(client: FlaskClient, run: Seed) -> None:
    one, other = write(client), write(client)
    assert client.delete(f"{URL}/{one['id']}?version=1").json == one
    assert client.delete(f"{URL}/{other['id']}").status_code == 200
    assert listed(client) == []
    again = client.delete(f"{URL}/{one['id']}")
    assert (again.status_code, again.json) == (404, {"error": f"Run gpt has no note '{one['id']}'."})
    assert client.put(f"{URL}/{one['id']}", json={**SAID, "version": 1}).status_code == 404


STEPS = "must be a step: a whole number from 0 on."
WORDS = f"text must be of 1 to {TEXT} characters, in at most {LINES} lines."
REFUSED: Mapping[str, tuple[Mapping[str, object], str]] = {
    "no first": ({"first": None}, f"first {STEPS}"),
    "text as first": ({"first": "10"}, f"first {STEPS}"),
    "before the run": ({"first": -1}, f"first {STEPS}"),
    "half a step": ({"first": 1.5}, f"first {STEPS}"),
    "yes as a step": ({"first": True}, f"first {STEPS}"),
    "no number": ({"last": float("nan")}, f"last {STEPS}"),
    "too far": ({"last": STEP}, f"last {STEPS}"),
    "backwards": ({"last": 9}, "last must not be before first: a note is about a step, or about one to a later one."),
    "no text": ({"text": ""}, WORDS),
    "blanks": ({"text": " \n\t"}, WORDS),
    "a number as text": ({"text": 7}, WORDS),
    "too long": ({"text": "x" * (TEXT + 1)}, WORDS),
    "too many lines": ({"text": "x\n" * LINES + "x"}, WORDS),
    "half a character": ({"text": "\ud800"}, WORDS),
    "no author": ({"author": " "}, "author must be a text of at most 80 characters."),
    "a bidi author": ({"author": "a\u202eb"}, "author must be a text of at most 80 characters."),
    "a long author": ({"author": "x" * 81}, "author must be a text of at most 80 characters."),
    "what nobody knows": ({"colour": "red"}, "Unknown field 'colour'; known are first, last, text, author."),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_makes_no_sense_is_refused_with_a_sentence(client: FlaskClient, run: Seed, case: str) -> None:
    also, sentence = REFUSED[case]
    reply = client.post(URL, data=json.dumps({**SAID, **also}), content_type="application/json")
    assert (reply.status_code, reply.json) == (400, {"error": sentence})
    assert listed(client) == []


@pytest.mark.parametrize("version", [None, 0, "1", True, 1.0, 2**31])
def test_an_edit_names_the_version_that_was_read(client: FlaskClient, run: Seed, version: object) -> None:
    reply = client.put(f"{URL}/{write(client)['id']}", json={**SAID, "version": version})
    assert reply.status_code == 400
    assert "version must be the one that was read" in reply.json["error"]


@pytest.mark.parametrize("note", ["nobody", "*", "0123456789AB", "0123456789abc", "%00"])
def test_an_id_that_is_none_is_404(client: FlaskClient, run: Seed, note: str) -> None:
    assert client.put(f"{URL}/{note}", json={**SAID, "version": 1}).status_code == 404
    assert client.delete(f"{URL}/{note}").status_code == 404


def test_what_is_no_json_or_too_long_is_not_read(client: FlaskClient, run: Seed) -> None:
    assert client.post(URL, data=json.dumps(SAID), content_type="text/plain").status_code == 415
    assert client.post(URL, data=SAID).status_code == 415
    assert client.post(URL, json={**SAID, "text": "x" * 40_000}).status_code == 413
    assert client.post(URL, json=[1]).status_code == 400
    assert listed(client) == []


@pytest.mark.parametrize("query", ["?start=x", "?end=1.5", "?about=loss"])
def test_arguments_that_make_no_sense_are_refused(client: FlaskClient, run: Seed, query: str) -> None:
    assert client.get(URL + query).status_code == 400


def test_another_site_writes_no_note(client: FlaskClient, run: Seed) -> None:
    assert client.post(URL, json=SAID, headers={"Origin": "https://evil.test"}).status_code == 403
    assert client.post(URL, json=SAID, headers={"Sec-Fetch-Site": "same-site"}).status_code == 403
    assert listed(client) == []


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_run_that_there_is_not_has_no_notes(client: FlaskClient, run: Seed, method: str) -> None:
    reply = getattr(client, method)("/api/runs/nobody/notes", **({"json": SAID} if method == "post" else {}))
    assert reply.status_code == 404


def test_a_run_takes_so_many_and_no_more(client: FlaskClient, run: Seed) -> None:
    several = [Note(f"{number:012x}", 1, 1, "x", "shift", NOW) for number in range(MOST)]
    run.client.hset(schema.notes(RUN), mapping={one.id: one.encode() for one in several})
    reply = client.post(URL, json=SAID)
    assert (reply.status_code, reply.json) == (409, {"error": f"Run gpt has {MOST} notes already; delete some."})


@pytest.mark.parametrize("name", ["a b", "a:b", "a#b?c", "50%", "a%2Fb", "训练-第1次", "*", "a{b}c", "javascript:x"])
def test_notes_of_runs_of_any_name_are_their_own(client: FlaskClient, run: Seed, name: str) -> None:
    Seed(run.client, RunId(name), f"/data/{name}").points(straight(range(10)))
    address = f"/api/runs/{quote(name, safe='')}/notes"
    made = client.post(address, json=SAID)
    assert made.status_code == 200
    assert [one["id"] for one in client.get(address).json["notes"]] == [made.json["id"]]
    assert listed(client) == []
    assert client.delete(f"{URL}/{made.json['id']}").status_code == 404
    assert client.delete(f"{address}/{made.json['id']}").status_code == 200


def test_a_longest_text_fits_however_it_is_spelled(client: FlaskClient, run: Seed) -> None:
    body = json.dumps({**SAID, "text": "😀" * TEXT}, ensure_ascii=True)
    reply = client.post(URL, data=body, content_type="application/json")
    assert (reply.status_code, len(reply.json["text"])) == (200, TEXT)


def test_refusals_are_said_in_the_language_of_who_asks(client: FlaskClient, run: Seed) -> None:
    reply = client.post(URL, json={**SAID, "first": -1}, headers={"Accept-Language": "zh-CN"})
    assert reply.json["error"] == "first 必须是一个步数：从 0 起的整数。"


def test_a_note_is_told_on_the_live_stream(client: FlaskClient, run: Seed, store: RedisRunStore) -> None:
    before = store.run(RUN)
    assert before is not None
    write(client)
    told = store.live_after(RUN, before.position)
    assert told is not None
    assert [(one.notes, one.alerts, one.reload) for one in told] == [(1, 0, False)]
