"""The pages without a browser: what they say of a run, and that every callback is wired."""

from __future__ import annotations

import json
import math
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from html import unescape
from typing import Any

import pytest
import redis
from dash import Dash
from dash.development.base_component import Component
from flask.testing import FlaskClient

from app.config import AppConfig
from app.factory import close, create_app
from app.hypertext import hypertext
from app.pages import badges, events, header, notices, runs
from app.pages.shown import RunShown
from app.pages.site import page, way
from app.pages.source import Source
from app.reader import Reader
from app.series.happening import once
from app.store import RedisRunStore
from app.words.browser import BROWSER
from app.words.states import EVENTS, event_word, status_word
from collector.wire import schema
from collector.wire.records import RunEvent, RunId
from tests.support.seed import RUN, Seed, straight
from tests.support.waiting import eventually

NOW = 2_000_000.0


def text(part: object) -> str:
    """All words of a component, as a reader meets them."""
    if isinstance(part, Component):
        return text(getattr(part, "children", None))
    if isinstance(part, list | tuple):
        return "".join(text(one) for one in part)
    return "" if part is None else str(part)


@pytest.fixture
def store(redis_url: str) -> Iterator[RedisRunStore]:
    opened = RedisRunStore(redis_url)
    yield opened
    opened.close()


@pytest.fixture
def source(store: RedisRunStore) -> Source:
    return Source(store, lambda: NOW, Reader(store))


@pytest.fixture
def seed(redis_client: redis.Redis) -> Seed:
    """A run of 300 of 1,000 steps, two a second, that is going on."""
    run = Seed(redis_client, facts={"total_steps": "1000", "pipeline_stages": "4"})
    run.points(straight(range(1, 301), at=NOW - 150, every=0.5))
    run.touched(NOW)
    run.beat(NOW)
    return run


@pytest.fixture
def shown(source: Source, seed: Seed) -> Callable[[], RunShown]:
    """The run as it is in the store when it is called."""

    def read() -> RunShown:
        run = source.run("gpt")
        assert run is not None
        return run

    return read


def test_a_run_that_failed_says_by_which_line(
    shown: Callable[[], RunShown], seed: Seed, redis_client: redis.Redis
) -> None:
    for kind, step, told in (
        ("skip", 290, "is_skip: [ True]"),
        ("skip", 300, "is_skip: [ True]"),
        ("traceback", 300, "ValueError: norm"),
        ("norm_stop", 300, "norm of step 300 has been 3 times"),
    ):
        redis_client.rpush(schema.events(seed.run), RunEvent(kind, step, NOW, told, rank=0, file="a.log").encode())
    run = shown()
    assert "norm of step 300 has been 3 times" in text(header.freshness(run))
    row = text(badges.badge_row(run))
    assert "Stopped by gradient norm" in row
    assert "2Skipped batches" in row


def test_the_header_says_what_the_files_say(shown: Callable[[], RunShown]) -> None:
    said = text(header.header(shown()))
    for words in ("gpt", "Running", "1 rank", "4 pipeline stages", "rank log", "300 / 1,000", "500 ms", "6 min"):
        assert words in said
    assert "one expected every 0.5 s" in said


def test_a_run_without_a_total_has_neither_bar_nor_remaining_time(seed: Seed, shown: Callable[[], RunShown]) -> None:
    seed.client.delete(schema.facts(RUN))
    said = text(header.header(shown()))
    assert "remaining" not in said
    assert "300 /" not in said
    assert header.bar(300, None) == []


def test_a_copy_of_old_files_is_as_old_as_its_last_point(seed: Seed, shown: Callable[[], RunShown]) -> None:
    seed.touched(NOW + 30 * 86_400)
    assert shown().touched == pytest.approx(NOW - 0.5)


def test_a_step_too_short_to_say_is_not_called_zero_seconds(redis_client: redis.Redis, source: Source) -> None:
    seed = Seed(redis_client)
    seed.points(straight(range(1, 301), at=NOW - 1, every=0.001))
    seed.touched(NOW)
    seed.beat(NOW)
    run = source.run("gpt")
    assert run is not None
    assert "expected every" not in text(header.header(run))


def test_a_quiet_run_says_what_that_may_mean(seed: Seed, shown: Callable[[], RunShown]) -> None:
    seed.touched(NOW - 600)
    said = text(header.header(shown()))
    assert "Quiet" in said
    assert "No file has grown for longer than this run ever pauses" in said


def test_a_run_whose_history_is_being_read_says_how_far(seed: Seed, shown: Callable[[], RunShown]) -> None:
    seed.beat(NOW, behind={"gpt": (42_000, 100_000)})
    said = text(header.header(shown()))
    assert "Catching up" in said
    assert "42 % of this run's files is read" in said
    assert "remaining" not in said


def test_a_run_that_nobody_follows_says_how_to_follow_it(seed: Seed, shown: Callable[[], RunShown]) -> None:
    seed.client.delete(schema.COLLECTORS)
    run = shown()
    assert run.state == "collector_away"
    assert "python -m collector follow" in text(header.header(run))


def test_a_second_attempt_tells_where_it_resumed_and_what_was_done_twice(
    seed: Seed, shown: Callable[[], RunShown]
) -> None:
    seed.points(straight(range(281, 311), at=NOW + 100, every=0.5))
    assert "Attempt 2, resumed at step 281, 20 steps done twice (10 s of work)." in text(header.attempt_line(shown()))


def test_good_news_is_told_too(seed: Seed, shown: Callable[[], RunShown]) -> None:
    seed.points([(1, NOW, 0.0)], metric="overflow")
    assert [badge.text for badge in badges.badges(shown())] == ["No NaN or Inf", "No overflow"]


def test_bad_news_is_counted(seed: Seed, shown: Callable[[], RunShown]) -> None:
    seed.points([(301, NOW, math.nan), (302, NOW, math.inf)])
    seed.points([(1, NOW, 1.0), (2, NOW, 0.0)], metric="overflow")
    seed.touched(NOW, counts={"bad_data_crc": 3})
    told = {badge.text: (badge.count, badge.tone) for badge in badges.badges(shown())}
    assert told == {"NaN or Inf": (2, "bad"), "Overflow": (1, "warn"), "Unreadable records": (3, "warn")}


def test_a_run_without_a_step_has_no_verdict(redis_client: redis.Redis, source: Source) -> None:
    seed = Seed(redis_client)
    seed.touched(NOW)
    seed.beat(NOW)
    run = source.run("gpt")
    assert run is not None
    assert badges.badges(run) == []
    assert "no training step has been written yet" in text(header.header(run))


def test_what_every_rank_tells_is_told_once() -> None:
    told = [RunEvent("checkpoint", 200, 10.0 + rank, "saved", rank) for rank in range(8)]
    [event] = once(told)
    assert (event.wall, event.ranks) == (10.0, tuple(range(8)))
    assert events.place(event) == "step 200, 8 ranks"


def test_a_burst_is_one_event_of_many_steps() -> None:
    burst = once([RunEvent("overflow", step, float(step), "overflow", 0) for step in (7, 8, 9, 20)])
    assert [(event.step, event.last_step, event.times) for event in burst] == [(20, 20, 1), (7, 9, 3)]
    assert events.place(burst[1]) == "steps 7 to 9, rank 0"


def test_a_traceback_without_a_clock_stands_where_it_was_printed() -> None:
    told = [
        RunEvent("start", None, 100.0, "start", 0, file="a"),
        RunEvent("traceback", 9, None, "ValueError", 0, file="a"),
        RunEvent("eval", 5, 50.0, "eval", 0, file="b"),
    ]
    assert [event.kind for event in once(told)] == ["traceback", "start", "eval"]


def test_a_run_of_one_rank_need_not_name_it() -> None:
    [event] = once([RunEvent("checkpoint", 200, 10.0, "saved", 0)])
    assert events.place(event, of_many=False) == "step 200"


def test_events_come_newest_first_and_only_so_many() -> None:
    many = once([RunEvent("eval", 10 * step, float(step), "", 0) for step in range(1, events.SHOWN + 2)])
    assert many[0].step == 10 * (events.SHOWN + 1)
    assert events.summary(many) == f"newest {events.SHOWN} of {events.SHOWN + 1}"
    assert text(events.event_list(many)).count("Evaluation") == events.SHOWN


def test_no_event_is_said_in_a_sentence() -> None:
    assert "will be listed here" in text(events.event_list([]))
    assert events.summary([]) == ""


def test_the_table_shows_each_run_in_one_row(source: Source, seed: Seed) -> None:
    shown, count, rest = runs.view(source, "/run/", "", runs.Order())
    said = text(shown)
    for words in ("gpt", "Running", "300 / 1,000", "9.7", "500 ms"):
        assert words in said
    assert (count, rest) == ("1", 0)


def test_of_many_runs_the_first_are_shown_and_the_rest_is_counted(source: Source, seed: Seed) -> None:
    for number in range(5):
        Seed(seed.client, run=RunId(f"run-{number}")).touched(NOW)
    shown, count, rest = runs.view(source, "/run/", "", runs.Order(), most=2)
    assert (count, rest) == ("6", 4)
    assert hypertext(shown).count("data-pick") == 2
    assert 'data-rows="102"' in hypertext(runs.more(2, rest))


def test_the_address_says_what_is_searched_for_how_the_table_is_sorted_and_how_long_it_is(
    source: Source, seed: Seed
) -> None:
    asked = runs.Asked.of("?q=glm+4&sort=loss&rows=150&nobody=1")
    assert (asked.text, str(asked.order), asked.rows) == ("glm 4", "loss", 150)
    assert 'value="glm 4"' in hypertext(list(runs.frame(asked.text)))
    shown = hypertext(list(runs.page(source, "/run/", "?sort=loss").parts.values()))
    assert 'aria-sort="ascending"' in shown
    assert 'data-sort="-loss"' in shown  # what a press on it gives


@pytest.mark.parametrize("query", ["", "?sort=-nobody&rows=x", "?rows=-3", "?rows=9999999999", "?rows=٣"])
def test_an_address_that_says_nothing_of_use_asks_for_the_usual(query: str) -> None:
    assert runs.Asked.of(query) == runs.Asked()


def test_a_search_takes_every_word(source: Source, seed: Seed) -> None:
    found = source.runs()
    assert runs.matching(found, "G pt") == found
    assert runs.matching(found, "gpt other") == []


def test_a_run_that_lacks_the_value_comes_last_either_way(source: Source, seed: Seed) -> None:
    empty = Seed(seed.client, run=RunId("empty"))
    empty.touched(NOW)
    for text_of_order in ("loss", "-loss"):
        assert [run.id for run in runs.ordered(source.runs(), runs.Order.of(text_of_order))] == ["gpt", "empty"]


def test_a_press_on_the_sorted_column_turns_it_round() -> None:
    order = runs.Order().pressed("loss")
    assert str(order) == "-loss"
    assert str(order.pressed("loss")) == "loss"
    assert str(order.pressed("name")) == "name"


def test_without_a_run_the_page_says_where_is_looked(source: Source, seed: Seed) -> None:
    assert "/data" in text(notices.no_runs(source.roots()))
    assert "python -m collector follow" in text(notices.no_runs([]))


@pytest.mark.parametrize(
    ("path", "words"),
    [("nowhere", "There is nothing at this address"), ("run/no-such", "There is no run “no-such”")],
)
def test_an_unknown_address_is_a_page_with_a_way_out(source: Source, path: str, words: str) -> None:
    said = text(page(source, "/", path).frame())
    assert words in said
    assert "All runs" in said


def test_the_way_leads_from_all_runs_to_this_one() -> None:
    assert text(way("/mon/", "run/a%2Fb")) == "Runsa/bRank map"


def test_a_word_that_is_not_known_is_said_as_it_is_spelled() -> None:
    assert str(event_word("power_cut").text) == "Power cut"
    assert str(status_word("power_cut").text) == "Power cut"


def test_every_kind_of_event_that_a_collector_writes_has_a_word() -> None:
    kinds = str(RunEvent.__doc__).split("``")[3].split()
    assert set(kinds) == set(EVENTS)


@pytest.fixture
def app(store: RedisRunStore, redis_url: str) -> Iterator[Dash]:
    made = create_app(AppConfig(redis_url=redis_url), store)
    yield made
    close(made.server)


@pytest.fixture
def client(app: Dash) -> FlaskClient:
    return app.server.test_client()


def test_two_applications_in_one_process_are_both_whole(app: Dash, store: RedisRunStore, redis_url: str) -> None:
    second = create_app(AppConfig(redis_url=redis_url), store)
    answers = [one.server.test_client().get("/_dash-dependencies").json for one in (app, second)]
    close(second.server)
    assert answers[0] == answers[1]
    assert {one["output"] for one in answers[0]} >= {"asked.data", "renewed.data"}


def shell_of(document: str) -> dict[str, str]:
    """The attributes of the shell in a page."""
    opened = re.search(r'<div [^>]*id="shell"[^>]*>', document)
    assert opened is not None
    return {name: unescape(value) for name, value in re.findall(r'([a-z-]+)="([^"]*)"', opened[0])}


def test_the_shell_hands_the_scripts_their_words(client: FlaskClient) -> None:
    shell = shell_of(client.get("/").text)
    assert set(json.loads(shell["data-words"])) == set(BROWSER)
    assert abs(float(shell["data-now"]) - time.time()) < 60


def test_a_document_holds_its_page(client: FlaskClient, seed: Seed) -> None:
    run = client.get("/run/gpt?x=wall").text
    assert "300 / 1,000" in run
    assert json.loads(shell_of(run)["data-told"])["kind"] == "run/gpt"
    assert "There is no run “nobody”" in client.get("/run/nobody").text
    assert ">gpt</a>" in client.get("/").text


def asked(client: FlaskClient, path: str, told: Mapping[str, object], query: str = "") -> dict[str, Any]:
    """What a browser is answered that is at ``path`` and has ``told``; nothing where nothing has changed. Any: JSON."""
    question = {
        "output": "renewed.data",
        "outputs": {"id": "renewed", "property": "data"},
        "inputs": [{"id": "asked", "property": "data", "value": {"path": path, "query": query, **told}}],
        "changedPropIds": ["asked.data"],
    }
    response: dict[str, Any] = client.post("/_dash-update-component", json=question).json["response"]
    return response["renewed"]["data"] if response else {}


@pytest.mark.parametrize("path", ["/", "/run/gpt", "/compare", "/nowhere", "/run/nobody"])
def test_a_page_that_is_there_is_not_sent_again(client: FlaskClient, seed: Seed, path: str) -> None:
    def is_quiet() -> bool:
        told = json.loads(shell_of(client.get(path).text)["data-told"])
        return asked(client, path, told) == {}

    eventually(is_quiet)  # a clock's minute may turn between page and question, once


def test_what_has_changed_is_sent_and_nothing_else(client: FlaskClient, seed: Seed) -> None:
    told = json.loads(shell_of(client.get("/run/gpt").text)["data-told"])
    seed.points([(301, time.time(), math.nan)])
    answer = asked(client, "/run/gpt", told)
    assert answer["page"] is None
    assert "301 / 1,000" in answer["parts"]["run-head"]
    assert "NaN or Inf" in answer["parts"]["run-badges"]
    assert "run-banner" not in answer["parts"]
    assert asked(client, "/run/gpt", answer["told"]) == {}


def test_at_another_address_all_of_the_page_is_sent(client: FlaskClient, seed: Seed) -> None:
    told = json.loads(shell_of(client.get("/").text)["data-told"])
    answer = asked(client, "/run/gpt", told)
    assert "300 / 1,000" in answer["page"]
    assert answer["way"].count("<a ") == 3
    back = asked(client, "/", answer["told"], "?q=nothing")
    assert 'value="nothing"' in back["page"]
    assert "No run has" in back["page"]


def test_a_run_that_begins_becomes_a_page_and_one_that_goes_stays_under_a_sentence(
    client: FlaskClient, redis_client: redis.Redis, request: pytest.FixtureRequest
) -> None:
    told = json.loads(shell_of(client.get("/run/gpt").text)["data-told"])
    request.getfixturevalue("seed")
    answer = asked(client, "/run/gpt", told)
    assert "300 / 1,000" in answer["page"]
    redis_client.flushall()
    gone = asked(client, "/run/gpt", answer["told"])
    assert (gone["page"], list(gone["parts"])) == (None, ["run-banner"])
    assert gone["parts"]["run-banner"] == "This run is no longer in the store."


def test_the_document_runs_our_scripts_alone_and_keeps_dashs_for_later(client: FlaskClient, seed: Seed) -> None:
    for address in ("/", "/run/gpt", "/run/nobody"):
        told, _, later = client.get(address).text.partition('<template id="dash-scripts">')
        tags = [one.split('"')[0] for one in told.split('<script src="')[1:]]
        assert [one.rpartition("-")[0] for one in tags] == ["/bundle/scripts"]
        assert "dash_renderer" in later
        assert not [one for one in ("polyfill", "dash_table", "plotly") if one in later]
        assert ('rel="preload" as="script" href="/assets/plotly-basic' in told) is address.startswith("/run")


def test_the_worker_is_served_but_no_script_of_the_page(client: FlaskClient) -> None:
    assert 'src="/assets/stream-worker.js' not in client.get("/").text
    scripts = next(part for part in client.get("/").text.split('"') if part.startswith("/bundle/scripts-"))
    assert "/* ---- stream.js ---- */" in client.get(scripts).text
    assert "onconnect" not in client.get(scripts).text
    with client.get("/assets/stream-worker.js") as answer:
        assert "onconnect" in answer.text


def test_a_page_that_takes_long_is_sent_without_what_is_not_read_yet_and_filled_then(
    client: FlaskClient, seed: Seed, monkeypatch: pytest.MonkeyPatch
) -> None:
    let = threading.Event()
    read = Source.run
    monkeypatch.setattr(Source, "run", lambda source, name: let.wait(30) and read(source, name))
    document = client.get("/run/gpt").text
    let.set()
    assert "data-panels" in document  # the curves can be asked for
    assert "300 / 1,000" not in document
    answer = asked(client, "/run/gpt", json.loads(shell_of(document)["data-told"]))
    assert answer["page"] is None
    assert "300 / 1,000" in answer["parts"]["run-head"]
