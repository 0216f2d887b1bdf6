"""The pure parts of what a page does with alerts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from app.factory import ASSETS
from app.words.browser import browser_words
from tests.support.curves import ask

PURE = (
    *("codec", "numbers", "words", "arrivals", "clock", "view", "elements", "ranks-says", "ranks-answer"),
    *("alert-words", "alert-view", "alert-marks", "alert-acts", "rereading", "run-alerts", "ranks-alerts"),
)


@pytest.fixture(scope="module")
def scripts(browser: Browser) -> Iterator[Page]:
    """A blank page that knows the pure scripts and the English dictionary."""
    page = browser.new_page()
    page.evaluate("document.body.append(Object.assign(document.createElement('div'), {id: 'shell'}))")
    page.evaluate("words => { document.getElementById('shell').dataset.words = words; }", json.dumps(browser_words()))
    for name in PURE:
        page.add_script_tag(path=ASSETS / f"{name}.js")
    yield page
    page.close()


def alert(name: str, **told: Any) -> dict[str, Any]:
    plain: dict[str, Any] = dict.fromkeys(("cause", "raised_wall", "rank", "ack")) | dict.fromkeys(
        ("attempt", "count"), 1
    )
    plain |= {"id": name, "name": name, "class": "loss_spike", "severity": "warning", "state": "open", "muted": False}
    plain |= {"first_step": 100, "raised_step": 100, "last_step": 110, "ranks": []}
    return {**plain, **told}


def lists(page: Page, alerts: list[dict[str, Any]], **chosen: str) -> dict[str, Any]:
    wanted = json.dumps({"about": "", "severity": "", "rank": "", **chosen})
    found = f"tidewatch.alertWords.lists({json.dumps(alerts)}, {wanted})"
    folded = "[...consequences].map(([id, all]) => [id, all.map((one) => one.id)])"
    said = f"({{now, past, consequences}}) => ({{now, past, of: {folded}}})"
    told: dict[str, Any] = ask(page, f"({said})({found})")
    return {**told, **{name: [one["id"] for one in told[name]] for name in ("now", "past")}}


def test_what_is_to_be_looked_at_comes_first_then_the_gravest_then_the_newest(scripts: Page) -> None:
    told = lists(
        scripts,
        [
            alert("old"),
            alert("new", raised_step=200),
            alert("seen", state="acknowledged", severity="critical"),
            alert("grave", severity="critical"),
            alert("note", severity="info", raised_step=300),
            alert("over", state="resolved", severity="critical"),
            alert("hushed", muted=True, raised_step=400),
        ],
    )
    assert told["now"] == ["grave", "new", "old", "note", "seen", "hushed"]
    assert told["past"] == ["over"]


def test_a_consequence_is_folded_unless_its_cause_is_not_shown(scripts: Page) -> None:
    alerts = [alert("cause", severity="critical"), alert("child", cause="cause"), alert("orphan", cause="lost")]
    told = lists(scripts, alerts)
    assert (told["now"], told["of"]) == (["cause", "orphan"], [["cause", ["child"]]])
    assert lists(scripts, alerts, severity="warning")["now"] == ["child", "orphan"]


@pytest.mark.parametrize(("rank", "expected"), [("5", ["ranks"]), ("7", []), ("", ["ranks", "run"])])
def test_the_filter_knows_every_rank_of_an_alert(scripts: Page, rank: str, expected: list[str]) -> None:
    alerts = [alert("run"), alert("ranks", ranks=[[0, 1], [4, 6]], raised_step=101)]
    assert lists(scripts, alerts, rank=rank)["now"] == expected


def test_the_window_has_room_for_what_was_usual_before(scripts: Page) -> None:
    made = "tidewatch.alertView.steps({first_step: %d, last_step: %d, raised_step: %d}, %d)"
    assert ask(scripts, made % (1000, 1004, 1001, 1)) == [975, 1029]
    assert ask(scripts, made % (1000, 1004, 1001, 50)) == [0, 2254]
    assert ask(scripts, made % (1000, 3000, 1200, 1)) == [0, 4000]


@pytest.mark.parametrize(
    ("state", "last", "expected"),
    [("open", 206, "since step 201"), ("acknowledged", 600, "since step 201"), ("resolved", 206, "steps 201 to 206")],
)
def test_what_is_not_over_is_told_since_its_first_step(scripts: Page, state: str, last: int, expected: str) -> None:
    told = json.dumps(alert("a", state=state, first_step=201, raised_step=206, last_step=last))
    assert ask(scripts, f"tidewatch.alertWords.place({told})") == expected


def test_of_marks_that_stand_near_one_another_the_gravest_is_drawn(scripts: Page) -> None:
    found = [
        {"px": 100, "panel": "loss", "alert": alert("a")},
        {"px": 106, "panel": "loss", "alert": alert("b", severity="critical")},
        {"px": 106, "panel": "lr", "alert": alert("c")},
        {"px": 300, "panel": "loss", "alert": alert("d", state="resolved", severity="critical")},
        {"px": 304, "panel": "loss", "alert": alert("e")},
    ]
    told = ask(scripts, f"tidewatch.alertMarks.together({json.dumps(found)}).map((m) => [m.alert.id, m.more])")
    assert sorted(told) == [["b", 1], ["c", 0], ["e", 1]]


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [("5", "linear", 150), ("0", "linear", 200), ("99", "linear", 100), ("100", "log", 100), ("0", "log", None)],
)
def test_a_value_stands_where_the_axis_has_it(scripts: Page, value: str, kind: str, expected: float | None) -> None:
    low_high = [0, 10] if kind == "linear" else [0, 2]
    axis = json.dumps({"range": low_high, "type": kind, "offset": 100, "length": 100})
    assert ask(scripts, f"tidewatch.alertMarks.height({value}, {axis})") == expected


@pytest.mark.parametrize(
    ("state", "muted", "expected"),
    [
        ("open", "false", ["acknowledge", "resolve", "mute"]),
        ("acknowledged", "false", ["reopen", "resolve", "mute"]),
        ("resolved", "true", ["reopen", "unmute"]),
    ],
)
def test_what_can_be_said_follows_from_the_state(scripts: Page, state: str, muted: str, expected: list[str]) -> None:
    assert ask(scripts, f"tidewatch.alertActs.acts({{state: '{state}', muted: {muted}}})") == expected


def test_the_mutes_that_cover_an_alert_are_found(scripts: Page) -> None:
    mutes = [
        {"id": "class", "class": "loss_spike", "run": None, "rank": None},
        {"id": "other", "class": "nan_inf", "run": None, "rank": None},
        {"id": "run", "class": None, "run": "gpt", "rank": None},
        {"id": "elsewhere", "class": None, "run": "glm", "rank": None},
        {"id": "rank", "class": None, "run": "gpt", "rank": 5},
        {"id": "another", "class": None, "run": "gpt", "rank": 8},
    ]
    one = json.dumps(alert("a", ranks=[[4, 6]]))
    found = ask(scripts, f"tidewatch.alertActs.covering({json.dumps(mutes)}, {one}, 'gpt').map(({{id}}) => id)")
    assert found == ["class", "run", "rank"]


def test_the_list_is_read_again_when_an_acknowledgement_ends(scripts: Page) -> None:
    made = "tidewatch.runAlerts.patience([{ack: {until: %s}}, {ack: null}, {ack: {until: null}}], 1000)"
    assert ask(scripts, made % "1010") == 10_250
    assert ask(scripts, made % "999") == 60_000


def test_on_the_map_an_open_parent_leaves_the_sign_to_its_rows(scripts: Page) -> None:
    rows = [
        {"isParent": True, "isOpen": True, "ranks": [[0, 3]]},
        {"isParent": False, "ranks": [[0, 0]]},
        {"isParent": False, "ranks": [[1, 1]]},
        {"isParent": True, "isOpen": False, "ranks": [[4, 7]]},
    ]
    alerts = [
        alert("a", ranks=[[1, 1]], raised_step=20),
        alert("b", ranks=[[5, 6]], raised_step=25),
        alert("c", ranks=[[0, 9]], raised_step=99),
    ]
    made = (
        f"tidewatch.ranksAlerts.places({json.dumps(alerts)}, {json.dumps(rows)}, [0, 4], {{steps: [10, 20, 30], m: 3}})"
    )
    assert ask(scripts, f"{made}.map(({{alert, row, column}}) => [alert.id, row, column])") == [
        ["a", 2, 1],
        ["b", 3, 2],
    ]
