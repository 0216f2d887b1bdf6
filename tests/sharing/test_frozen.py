"""A frozen run shows what the run was, and goes on to, whatever becomes of the run."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import pytest

from app.cluster_store import opened
from app.diagnosis.handling import Ack, Handling
from app.diagnosis.store import AlertStore
from app.notes.note import Note
from app.notes.store import NoteStore
from app.stored import RunStore
from collector.store import Store
from collector.wire.records import Heartbeat
from tests.support.alarmed import JITTER, SPIKE, raise_at
from tests.support.committing import RANKS, RUN, Writer, history, meta
from tests.support.folding import pack_oldest
from tests.support.freezing import answers, freeze, questions, serving

PAGES = ("", "/ranks", "?x=wall&view=3..40", "?lang=zh")
ASKED = [*questions(RUN, SPIKE.id), *PAGES]
NOTE = Note("0123456789ab", 3, 9, "loss jumps", "shift", 1_000_100.0)


@pytest.fixture
def store(url: str) -> Iterator[RunStore]:
    found = opened(url)
    yield found
    found.close()


def told(url: str) -> None:
    """What diagnosis and people say of the run."""
    raise_at(url, RUN, (SPIKE, JITTER))
    notes = NoteStore(url)
    assert notes.add(RUN, NOTE) == "written"
    notes.close()


def beat(store: Store) -> None:
    store.beat(Heartbeat("host-0:1", "host-0", 1, ("/data",), 1_000_199.0, 2, 10, 0), [RUN])


@pytest.mark.parametrize("seed", [0])
def test_it_shows_what_the_run_itself_shows_at_that_moment(
    seed: int, url: str, store: RunStore, writer: Writer
) -> None:
    history(writer, seed)
    told(url)
    beat(writer.stores[0])
    asked = questions(RUN, SPIKE.id)
    with serving(store) as client:
        link = freeze(client, RUN, names=True)
        live, frozen = answers(client, "", asked), answers(client, link.path, asked)
    for one in asked:
        assert frozen[one] == as_reader(live[one]), one


def as_reader(told: tuple[int, bytes]) -> tuple[int, bytes]:
    """Who has a link writes nothing."""
    return told[0], told[1].replace(b'"may_write":true', b'"may_write":false')


@pytest.mark.parametrize("seed", range(2))
def test_whatever_becomes_of_the_run_every_answer_stays_the_same_to_the_byte(
    seed: int, url: str, store: RunStore, writer: Writer
) -> None:
    history(writer, seed)
    told(url)
    beat(writer.stores[0])
    with serving(store) as client:
        link = freeze(client, RUN, view="x=wall")
        before = answers(client, link.path, ASKED)
        refused = {one for one, (status, _) in before.items() if status != 200}
        # These have to be told of what.
        assert refused == {"/api/runs/gpt/series", "/api/runs/gpt/curves", "/api/compare/configuration"}
        goes_on(url, writer, random.Random(seed))
        assert answers(client, "", ["/api/runs/gpt"]) != before["/api/runs/gpt"]
        kept = answers(client, link.path, ASKED)
    with serving(store) as another:
        read_anew = answers(another, link.path, ASKED)
    for one in ASKED:
        assert kept[one] == before[one], one
        assert read_anew[one] == before[one], one


def goes_on(url: str, writer: Writer, dice: random.Random) -> None:
    """More of everything, in any order: points, late points, series, ranks, attempts, verdicts, notes, packing."""
    acts = [
        lambda: history_of(writer, dice),
        lambda: writer.write(dice.randrange(RANKS), range(4), generation=dice.randrange(2, 9)),
        lambda: writer.write(RANKS + dice.randrange(4), range(500, 520)),
        lambda: writer.write(dice.randrange(RANKS), range(2)),
        lambda: said(url),
        lambda: pack_oldest(url, 128, meta(dice.randrange(RANKS)).sid),
    ]
    for act in dice.sample(acts, len(acts)) * 3:
        act()


def history_of(writer: Writer, dice: random.Random) -> None:
    for _ in range(20):
        writer.write(dice.randrange(RANKS), range(200, 200 + dice.choice((1, 40))), generation=2)


def said(url: str) -> None:
    alerts, notes = AlertStore(url), NoteStore(url)
    alerts.handle(RUN, SPIKE.id, Handling(Ack("shift", None, "seen", 1_000_300.0)), None)
    notes.remove(RUN, NOTE.id, 1)
    notes.add(RUN, Note("ffffffffffff", 1, 1, "later", "Wang", 1_000_400.0))
    alerts.close()
    notes.close()


def test_no_other_run_is_there(store: RunStore, writer: Writer) -> None:
    history(writer, 0)
    with serving(store) as client:
        link = freeze(client, RUN)
        for path in questions("another"):
            if "/another" in path:
                refused = client.get(link.path + path).status_code
                assert refused in ((400, 404) if path.endswith(("/series", "/curves")) else (404,)), path
        assert [one["id"] for one in client.get(f"{link.path}/api/runs").json] == [RUN]
        assert client.get(f"{link.path}/api/runs/gpt/notes").json["may_write"] is False
        assert json.loads(client.get(f"{link.path}/api/runs/gpt").data)["id"] == RUN
