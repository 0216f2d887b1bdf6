"""Curves of add_scalars belong to the run above them, wherever they are written; other runs below a run do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tensorboardX import SummaryWriter

from collector.follow.discovery import Snapshot, discover
from collector.follow.files import DiskFiles
from collector.follow.subrun import SubRuns, curve_of
from collector.runs import select
from tests.support.event_files import event, simple, text, version

CASE = Path(__file__).parents[1] / "data/cases/17-add-scalars-subruns/input"
NAME = "events.out.tfevents.1700000000.node0"


def look(root: Path) -> Snapshot:
    return discover(DiskFiles(), [str(root)], select)


def parts(snapshot: Snapshot) -> set[tuple[str, str]]:
    """Run and suffix of every file."""
    return {(found.role.run, found.role.suffix) for found in snapshot.files.values()}


def write(path: Path, *records: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(version() + b"".join(records))


def test_curves_of_the_case_are_put_together() -> None:
    joined = SubRuns().joined(DiskFiles(), look(CASE))
    assert parts(joined) == {(".", ""), (".", "/policy"), (".", "/value"), (".", "/entropy")}
    files = [found.role.file for found in joined.files.values()]
    assert len(set(files)) == len(files) == 4


def test_curves_of_a_real_writer_are_put_together(tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path / "job/tensorboard")) as writer:
        writer.add_scalar("loss", 1.0, 1)
        writer.add_scalars("expert_load/layer.0", {"ep_0": 1.0, "ep_1": 2.0}, 1)
    joined = SubRuns().joined(DiskFiles(), look(tmp_path))
    assert parts(joined) == {("job", ""), ("job", "/ep_0"), ("job", "/ep_1")}


@pytest.mark.parametrize(
    "records",
    [[event(1, 1.0, simple("acc", bytes(4)))], [event(1, 1.0, simple("b", bytes(4)), simple("loss", bytes(4)))]],
)
def test_a_run_below_a_run_stays_its_own(tmp_path: Path, records: list[bytes]) -> None:
    write(tmp_path / NAME, event(1, 1.0, simple("loss", bytes(4))))
    write(tmp_path / "loss_small" / NAME, *records)
    assert parts(SubRuns().joined(DiskFiles(), look(tmp_path))) == {(".", ""), ("loss_small", "")}


def test_whose_a_file_is_is_told_by_its_first_scalar_and_then_for_good(tmp_path: Path) -> None:
    write(tmp_path / NAME, event(1, 1.0, simple("loss", bytes(4))))
    below = tmp_path / "loss" / "train" / NAME
    write(below, event(1, 1.0, text("note", "no scalar yet")))
    subruns = SubRuns()
    assert parts(subruns.joined(DiskFiles(), look(tmp_path))) == {(".", "")}
    first = event(1, 1.0, simple("loss", bytes(4)))
    write(below, first)
    assert parts(subruns.joined(DiskFiles(), look(tmp_path))) == {(".", ""), (".", "/train")}
    write(below, first, event(1, 1.0, simple("other", bytes(4))))
    assert parts(subruns.joined(DiskFiles(), look(tmp_path))) == {(".", ""), (".", "/train")}


def test_a_file_that_was_a_run_of_its_own_stays_one(tmp_path: Path) -> None:
    below = tmp_path / "loss" / "train" / NAME
    write(below, event(1, 1.0, simple("loss", bytes(4))))
    subruns = SubRuns()
    assert parts(subruns.joined(DiskFiles(), look(tmp_path))) == {("loss/train", "")}
    write(tmp_path / NAME, event(1, 1.0, simple("lr", bytes(4))))
    assert parts(subruns.joined(DiskFiles(), look(tmp_path))) == {(".", ""), ("loss/train", "")}


def test_what_cannot_be_read_stays_listed(tmp_path: Path) -> None:
    write(tmp_path / NAME, event(1, 1.0, simple("loss", bytes(4))))
    (tmp_path / "loss" / "train" / NAME).mkdir(parents=True)
    (tmp_path / "loss" / NAME).symlink_to(tmp_path / "loss" / "train" / NAME)
    snapshot = look(tmp_path)
    assert set(SubRuns().joined(DiskFiles(), snapshot).files) == set(snapshot.files)


@pytest.mark.parametrize(
    ("below", "tag", "curve"),
    [
        ("loss/pi/policy", "loss/pi", "policy"),
        ("loss_pi_policy", "loss/pi", "policy"),
        ("loss_pi_policy", "loss", "pi_policy"),
        ("loss/pi/policy", "loss", ""),
        ("loss", "loss", ""),
        ("eval", "loss", ""),
    ],
)
def test_directory_and_tag_tell_the_curve(below: str, tag: str, curve: str) -> None:
    assert curve_of(below, tag) == curve
