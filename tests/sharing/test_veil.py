"""What a snapshot tells of the machines that it came from: nothing, or their names; secrets never."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from app.configuration import configuration
from app.diagnosis.handling import Ack, Handling, Mute
from app.notes.note import Note
from app.sharing.encoding import decoded, encoded, lean_cursor
from app.sharing.snapshot import End, Label, Moment, Snapshot
from app.sharing.veil import Veil
from app.stored import StoredRun
from collector.wire.records import Cursor, FileState, Generation, Heartbeat, RunEvent, RunId, RunRecord, SeriesMeta

RUN = RunId("gpt")
ROOT = "/data/someone/llm/gpt"
FILES = ["log/rank_0/info.log", "tb/events.out.tfevents.17.node-07.4.0", "tb/events.out.tfevents.17.node-08.4.0"]
CONFIGURATION = {"train_dataset.path": f"{ROOT}/x.mindrecord", "hub.token": "hf_abcdefghijklmnop", "lr": "1e-4"}
NOTE = Note("0123456789ab", 1, 2, f'password: hunter2", "by node-07 in {ROOT}', "shift", 1.0)


def moment() -> Moment:
    metas = [SeriesMeta(file, 0, "loss", "loss", number, "log") for number, file in enumerate(FILES)]
    cursors = {file: Cursor(file, "log", 0, 10, 0, "m", 7, 3.5, {"a": 1}, {"x": 2}, "node-07") for file in FILES}
    run = StoredRun(
        RunRecord(RUN, "gpt", ROOT),
        1.0,
        None,
        "5-1",
        {one.sid: one for one in metas},
        cursors,
        [Generation(file, 0, "first", None, 0) for file in FILES],
        {"configuration:train": json.dumps(CONFIGURATION), "seq_length": "4096", "output": ROOT, "version": "2.10.0"},
        (),
    )
    beat = Heartbeat("node-07:12", "node-07", 12, (ROOT,), 5.0, 1, 2, 0, (FileState(FILES[0], "broken", f"in {ROOT}"),))
    said = Handling(Ack("shift", None, "node-08 is slow, token=abcdefghijklmnopqrstuv", 1.0))
    mute = Mute(None, RUN, None, "shift", None, f"see {ROOT}/README", 1.0)
    ends = {one.sid: End(10 + number, 5, 3, 2**32 - 1) for number, one in enumerate(metas)}
    return Moment(run, ends, {RUN: 3}, [beat], [], {"a": said}, [mute], True, [NOTE.encode()])


def told(*, names: bool) -> Moment:
    label = Label("h", RUN, 1.0, "shift", 2.0, names=names)
    return Veil(Snapshot(label, moment())).moment()[0]


def test_what_was_encoded_comes_back() -> None:
    one = moment()
    cursors = {file: lean_cursor(cursor) for file, cursor in one.run.cursors.items()}  # a parser's memory is left out
    assert decoded(encoded(one)) == replace(one, run=replace(one.run, cursors=cursors))


def test_hosts_and_paths_are_told_by_other_names_and_each_file_has_one() -> None:
    snapshot = Snapshot(Label("h", RUN, 1.0, "shift", 2.0), moment())
    veil = Veil(snapshot)
    found, real = veil.moment()
    whole = repr(found)
    assert all(one not in whole for one in ("node-0", "someone", ROOT, "hunter2", "hf_abc", "abcdefghijklmnopqrstuv"))
    assert len(set(veil.files.values())) == len(FILES)
    assert set(real.values()) == set(moment().ends)
    assert {found.ends[sid] for sid in found.run.series} == set(moment().ends.values())
    assert {one.file for one in found.run.series.values()} == set(found.run.cursors) == set(veil.files.values())
    line = RunEvent(
        "error", 1, None, f"{ROOT}/train.py failed on node-08", 0, FILES[1], 0, (f"{ROOT}/train.py:3 main",)
    )
    event = veil.event(line)
    assert event.file == veil.files[FILES[1]]
    assert "host-2" in event.text
    assert ROOT not in repr(event)


def test_settings_stay_settings() -> None:
    facts = told(names=False).run.facts
    found = configuration(facts)
    assert found["train.lr"] == "1e-4"
    assert "•••" in found["train.hub.token"]
    assert found["train.train_dataset.path"] == "…/x.mindrecord"
    assert (facts["seq_length"], facts["version"]) == ("4096", "2.10.0")


def test_a_note_stays_a_note() -> None:
    (note,) = map(Note.decode, told(names=False).notes)
    assert replace(note, text="") == replace(NOTE, text="")
    assert "hunter2" not in note.text


def test_with_names_only_secrets_are_missing() -> None:
    found = told(names=True)
    assert found.run.record.path == ROOT
    assert found.run.cursors.keys() == set(FILES)
    assert found.beats[0].host == "node-07"
    whole = repr(found)
    assert all(one not in whole for one in ("hunter2", "hf_abc", "abcdefghijklmnopqrstuv"))


def test_two_files_that_would_be_called_alike_are_not() -> None:
    one = moment()
    metas = [SeriesMeta(file, 0, "loss", "loss", 0, "log") for file in ("/a/b/c/d/e/x.log", "/a/b/c/z/e/x.log")]
    run = replace(one.run, series={meta.sid: meta for meta in metas}, cursors={}, generations=[])
    veil = Veil(
        Snapshot(Label("h", RUN, 1.0, "", 2.0), replace(one, run=run, ends={meta.sid: End(1) for meta in metas}))
    )
    assert len(set(veil.files.values())) == 2
    assert len(veil.moment()[1]) == 2


@pytest.mark.parametrize("text", ["", "{", "[1]", '"x"', "null"])
def test_a_section_that_is_none_is_no_harm(text: str) -> None:
    one = moment()
    run = replace(one.run, facts={"configuration:train": text})
    found = Veil(Snapshot(Label("h", RUN, 1.0, "", 2.0), replace(one, run=run))).moment()[0]
    assert configuration(found.run.facts) == {}
