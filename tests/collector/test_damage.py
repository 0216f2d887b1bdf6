"""Damaged event files: no later record is lost, nothing is invented, and what may still come is waited for."""

from __future__ import annotations

import json
import os
import stat
import time
from pathlib import Path

import pytest

from collector.follow.files import DiskFiles, Missing
from collector.parse.event.tensorboard import TensorBoardEvents
from collector.parse.parsers import parser_for
from collector.read import read
from collector.wire.records import unpack_points
from tests.support import event_files as files
from tests.support.event_files import Outcome, event

TENSORBOARD = TensorBoardEvents()
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"


def loss(step: int) -> bytes:
    return event(step, step / 2, files.simple("loss", bytes(3) + b"\x3f"))


def many(first: int, last: int) -> bytes:
    return b"".join(map(loss, range(first, last + 1)))


def steps(found: Outcome, tag: str = "loss") -> list[int]:
    return [step for step, _, _ in unpack_points(found.scalars.get(tag, b""))]


FOREIGN = {
    "a sentence": b"[WARNING] somebody redirected a log into this file\n" * 3,
    "one byte": b"\x07",
    "junk": bytes(range(1, 256)) * 4,
    "a length that is damaged": b"\xff" + loss(99)[1:],
    "the beginning of a record": loss(99)[:17],
    "more than is kept in hand": b"all work and no play makes Jack a dull boy\n" * 60_000,
}


@pytest.mark.parametrize("foreign", FOREIGN.values(), ids=FOREIGN)
def test_behind_bytes_that_are_no_record_reading_goes_on(foreign: bytes) -> None:
    found = Outcome(TENSORBOARD, many(1, 3) + foreign + many(4, 600))
    assert steps(found) == list(range(1, 601))
    assert sum(found.counts.values()) == 1


def test_foreign_bytes_of_any_length_take_no_memory() -> None:
    parser, state, kept = TENSORBOARD, dict[str, bool](), b""
    for piece in [many(1, 3), *[b"x" * 2**20] * 8, many(4, 5)]:
        kept += piece
        parsed = parser.parse(kept, state)
        kept, state = kept[parsed.consumed :], dict(parsed.state)  # type: ignore[arg-type]
        assert len(kept) < 3 * 2**20
    assert parsed.scalars["loss"] and not kept


def test_a_record_that_was_torn_by_another_writer_costs_itself_alone() -> None:
    """A writer died in the middle of a record and another one appended: the length spans the new records."""
    long = files.frame(b"\x09" + bytes(8) + files.message(4, bytes(range(256)) * 8))
    found = Outcome(TENSORBOARD, many(1, 3) + long[:300] + many(4, 200))
    assert steps(found) == list(range(1, 201))
    assert found.counts == {"bad_data_crc": 1}


def test_a_torn_record_whose_length_ends_where_another_begins_hides_nothing() -> None:
    torn = files.frame(b"\x09" + bytes(len(loss(1))))[:17]
    content = many(1, 2) + torn + many(3, 6)
    found = Outcome(TENSORBOARD, content)
    assert steps(found) == [1, 2, 3, 4, 5, 6]
    assert found.counts == {"bad_data_crc": 1}


def test_a_torn_record_is_found_out_when_the_writer_is_silent() -> None:
    content = many(1, 3) + files.frame(bytes(5000))[:300] + many(4, 5)
    waiting = Outcome(TENSORBOARD, content, final=False)
    assert (steps(waiting), waiting.retry) == ([1, 2, 3], False)
    assert steps(Outcome(TENSORBOARD, content)) == [1, 2, 3, 4, 5]


def test_zeros_that_become_data_are_waited_for() -> None:
    """NFS shows the size before the page: the hole may even have data behind it already."""
    whole = many(1, 400)
    for hole in (slice(8192, len(whole)), slice(8192, 12288)):
        early = bytearray(whole)
        early[hole] = bytes(len(early[hole]))
        parsed = TENSORBOARD.parse(bytes(early), {})
        assert parsed.retry and parsed.consumed < 8192 and not parsed.counts
        rest = TENSORBOARD.parse(whole[parsed.consumed :], parsed.state)
        found = [step for one in (parsed, rest) for step, _, _ in unpack_points(one.scalars["loss"])]
        assert found == list(range(1, 401))


def test_a_record_that_ends_in_zeros_may_be_unfinished() -> None:
    content = many(1, 3)[:-20] + bytes(20)
    assert TENSORBOARD.parse(content, {}).retry
    found = Outcome(TENSORBOARD, content)
    assert found.retry and found.counts == {} and steps(found) == [1, 2]


def test_a_hole_that_stays_is_passed_over_when_the_writer_has_gone_far_ahead() -> None:
    content = many(1, 10) + bytes(4096) + many(11, 3000)
    found = Outcome(TENSORBOARD, content, final=False)
    assert steps(found) == list(range(1, 3001))
    assert found.counts == {"bad_length_crc": 1}


def test_a_damaged_last_record_waits_for_the_one_behind_it() -> None:
    damaged = bytearray(many(1, 2))
    damaged[-6] ^= 1
    assert TENSORBOARD.parse(bytes(damaged), {}).retry
    found = Outcome(TENSORBOARD, bytes(damaged) + loss(3), [len(damaged)])
    assert (steps(found), found.counts) == ([1, 3], {"bad_data_crc": 1})
    assert Outcome(TENSORBOARD, bytes(damaged)).counts == {"bad_data_crc": 1}


def test_a_new_session_opens_a_generation_once_there_were_points() -> None:
    """Summary writers of TensorFlow 1 announce a start, after which TensorBoard forgets the steps from there on."""
    first = files.version() + files.session(0, 1.0) + many(1, 5)
    content = first + files.session(3, 9.0, status=3) + files.session(3, 9.0) + many(3, 4)
    found = Outcome(TENSORBOARD, content)
    assert steps(found) == [1, 2, 3, 4, 5, 3, 4]
    assert found.restarts == [len(first) + len(files.session(3, 9.0, status=3))]
    parsed = TENSORBOARD.parse(content, {})
    assert parsed.restarted is not None and parsed.restarted.wall == 9.0


def test_a_git_lfs_pointer_is_told_once_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "events.out.tfevents.1.a").write_bytes(POINTER)
    (warned,) = read(tmp_path).warnings
    assert warned.code == "git_lfs_pointer" and "git lfs pull" in warned.detail
    assert Outcome(TENSORBOARD, POINTER).consumed == 0  # so that the file itself is read when it comes


def test_a_summary_that_its_owner_alone_may_read_is_told_with_the_remedy(tmp_path: Path) -> None:
    path = tmp_path / "events.out.events.summary.1700000000.0.node0_MS"
    path.write_bytes(many(1, 2))
    path.chmod(stat.S_IRUSR)
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o755)
    found = as_somebody_else(lambda: DiskFiles().read(str(path), 0, 100), path)
    assert isinstance(found, Missing) and not found.gone
    assert "permission denied" in found.reason and "chmod a+r" in found.reason


def as_somebody_else(look, path: Path):  # type: ignore[no-untyped-def]
    """Root may read everything, so it becomes nobody for a moment; anybody else loses the permission."""
    if os.geteuid() != 0:
        path.chmod(0)
        return look()
    os.seteuid(65534)
    try:
        return look()
    finally:
        os.seteuid(0)


def test_summaries_say_in_their_lineage_how_they_were_trained() -> None:
    (path,) = (Path(__file__).parents[1] / "data/fixtures/mindspore_summary").rglob("*_lineage")
    found = Outcome(parser_for("mindspore"), path.read_bytes())
    assert found.facts == {
        "lineage:dataset": "GeneratorDataset",
        "lineage:optimizer": "Momentum",
        "lineage:learning_rate": "0.02",
        "lineage:loss_function": "MSELoss",
        "lineage:epochs": "2",
        "lineage:parallel_mode": "stand_alone",
        "lineage:device_num": "1",
        "lineage:batch_size": "1",
        "lineage:dataset_size": "60",
        "lineage:network": "Net",
    }


def test_a_configuration_says_how_the_run_is_laid_out() -> None:
    layout = (
        "{'data_parallel': 4, 'model_parallel': 2, 'pipeline_stage': 2, 'gradient': {'data_parallel': 9}, 'x': None}"
    )
    content = (
        event(1, 1.0, files.text("parallel_config/text_summary", layout))
        + event(1, 1.0, files.text("runner_config/text_summary", "{'epochs': 2, 'batch_size': 1, 'sink_mode': True}"))
        + event(1, 1.0, files.text("lr_schedule/text_summary", "{'type': 'CosineWithWarmUpLR', 'warmup_steps': 100}"))
        + event(1, 1.0, files.text("notes", "{'data_parallel': 77}"))
    )
    told = {name: value for name, value in Outcome(TENSORBOARD, content).facts.items() if not name.startswith("text:")}
    whole = {
        name.partition(":")[2]: json.loads(told.pop(name)) for name in list(told) if name.startswith("configuration:")
    }
    assert whole.keys() == {"parallel_config", "runner_config", "lr_schedule"}
    assert whole["runner_config"] == {"epochs": "2", "batch_size": "1", "sink_mode": "True"}
    assert told == {
        "data_parallel": "4",
        "model_parallel": "2",
        "pipeline_stages": "2",
        "epochs": "2",
        "batch_size": "1",
        "lr_schedule": "CosineWithWarmUpLR",
        "warmup_steps": "100",
    }


def test_damage_again_and_again_takes_time_by_its_length_alone() -> None:
    content = b"".join(loss(step) + b"?" * 30 for step in range(1, 5001))
    began = time.process_time()
    found = Outcome(TENSORBOARD, content)
    assert steps(found) == list(range(1, 5001)) and found.counts == {"bad_length_crc": 4999}
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "unit",
    [b"\0" + loss(1), loss(1)[:-1] + loss(2), files.session(1, 1.0) + loss(1), loss(1) + files.frame(b"\x09")],
    ids=["a byte between", "torn", "sessions", "odd records"],
)
def test_a_megabyte_of_oddities_takes_a_few_seconds_at_most(unit: bytes) -> None:
    content = unit * (2**20 // len(unit))
    began = time.process_time()
    found = Outcome(TENSORBOARD, content)
    assert len(steps(found)) >= 2**20 // len(unit) - 1
    assert time.process_time() - began < 8
