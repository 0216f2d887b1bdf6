"""Why a run has no summaries is told apart as far as its files tell."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.diagnosis.row import Plan, Row
from app.diagnosis.rules.summaries import Summaries
from app.diagnosis.unwritten import Found, Unwritten, unwritten
from app.diagnosis.watch import Watch
from app.words.rank_remedies import remedy
from app.words.remedies import REMEDIES
from collector.wire.records import Cursor, FileState

LOG = Cursor("log/rank_0/info.log", "log", 0)
EVENTS = Cursor("tensorboard/rank_0/events.out.tfevents.1.host", "tensorboard", 0)
SEALED = FileState("summary/rank_0/events.out.events.summary.1.0.host_MS", "broken", "permission denied")
ELSEWHERE = FileState("/other/events.out.tfevents.1.host", "broken", "permission denied")
STARTED = {"configuration:parallel_config": '{"data_parallel": "2"}'}
NOTHING = Found("/data/job", {}, [LOG], [], {0})


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (NOTHING, Unwritten()),
        (replace(NOTHING, facts=STARTED), Unwritten("B3")),
        (replace(NOTHING, facts={"tensorboard_unset": "unset"}), Unwritten("B3", expects=True)),
        (replace(NOTHING, facts={"tensorboard_dir": "./tensorboard"}), Unwritten("B1", expects=True)),
        (replace(NOTHING, facts={"tensorboard_dir": "/data/job/tb"}), Unwritten("B1", expects=True)),
        (replace(NOTHING, facts={"tensorboard_dir": "/data/jobs/tb"}), Unwritten("B2", expects=True)),
        (replace(NOTHING, facts={"tensorboard_dir": "None"}), Unwritten()),
        (replace(NOTHING, facts={"tensorboard_dir": "./tb", "world_size": "8"}), Unwritten("B6", expects=True)),
        (replace(NOTHING, facts={"tensorboard_dir": "./tb", "world_size": "1"}), Unwritten("B1", expects=True)),
        (replace(NOTHING, cursors=[LOG, EVENTS]), Unwritten("B5", True, 1, 0)),
        (replace(NOTHING, cursors=[LOG, EVENTS], problems=[SEALED]), Unwritten("B4", True, 2, 1)),
        (replace(NOTHING, problems=[ELSEWHERE]), Unwritten()),
    ],
)
def test_the_likeliest_reason_is_told(found: Found, expected: Unwritten) -> None:
    assert unwritten(found) == expected


def rows(count: int, every: float) -> list[Row]:
    return [Row(step, 1e9 + every * step, 2.0, 1e-4, 1.0) for step in range(1, count + 1)]


def said(rule: Summaries, several: list[Row]) -> list[tuple[str, str, int]]:
    watch = Watch.of(Plan())
    watch.summaries = rule
    found = [one for row in several for one in watch.take(row) if one.about == "tb_missing"]
    return [(one.severity, one.rule, one.step) for one in found]


def test_what_is_just_not_flushed_yet_is_no_finding() -> None:
    assert said(Summaries(expects=True, part="B5"), rows(200, 1.0)) == []
    assert said(Summaries(expects=True, part="B5"), rows(50, 60.0)) == []
    assert said(Summaries(expects=True, part="B5"), rows(400, 1.0)) == [("warning", "B5", 301)]


def test_runs_that_nobody_wanted_summaries_of_are_a_note() -> None:
    assert said(Summaries(part="B3"), rows(400, 1.0)) == [("info", "B3", 301)]
    assert said(Summaries(part="B1"), rows(400, 1.0)) == []


@pytest.mark.parametrize(("part", "first"), [("B2", 0), ("B3", 1), ("B4", 3), ("B5", 4), ("B6", 2)])
def test_the_remedy_names_the_likely_cause_first(part: str, first: int) -> None:
    usual = REMEDIES["tb_missing"].causes
    assert remedy("tb_missing", part).causes[0] == usual[first]
    assert set(remedy("tb_missing", part).causes) == set(usual)
