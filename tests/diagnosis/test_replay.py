"""``python -m app.diagnosis replay``: what it takes, what it writes, and a sentence for each error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.diagnosis.__main__ import main
from app.diagnosis.cases import cases_below
from app.diagnosis.replay import Clock, Shown, told
from app.diagnosis.row import Evaluation, Row

HEAD = "step,t,loss,lr,grad_norm,step_time"


def recorded(folder: Path, *, rows: int = 120, hole: int = 0, meta: dict[str, Any] | None = None) -> Path:
    """A case of ten-second steps; ``hole`` is a step after which nothing came for an hour."""
    folder.mkdir(parents=True)
    lines = [f"{k},{1000 + 10 * k + (3600 if hole and k > hole else 0)},2.5,1e-4,0.5,10" for k in range(1, rows + 1)]
    (folder / "train.csv").write_text("\n".join([HEAD, *lines]) + "\n")
    (folder / "meta.json").write_text(json.dumps(meta or {"li": 1, "total_steps": 5000, "t_end": 1000 + 10 * rows + 5}))
    return folder


def replayed(path: Path, tmp_path: Path) -> list[dict[str, Any]]:
    out = tmp_path / "alerts.json"
    assert main(["replay", str(path), "--out", str(out)]) == 0
    found: list[dict[str, Any]] = json.loads(out.read_text())
    return found


def test_a_split_its_cases_and_one_case_are_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = recorded(tmp_path / "public" / "cases" / "p001", hole=60)
    for path in (tmp_path / "public", tmp_path / "public" / "cases", case):
        (found,) = replayed(path, tmp_path)
        assert (found["case"], found["class"], found["step"], found["severity"]) == ("p001", "stall", 60, "critical")
        assert 1600 < found["t"] < 1600 + 3600
        assert "1 alerts in 120 rows of 1 cases" in capsys.readouterr().out


def test_a_table_alone_is_taken_by_its_name(tmp_path: Path) -> None:
    rows = [f"{k},{3.0 - k / 1000},{'' if k % 50 else 2.0 + max(0, k - 200) / 500}" for k in range(1, 601)]
    path = tmp_path / "real.csv"
    path.write_text("\n".join(["step,loss,eval_loss", *rows]) + "\n")
    (found,) = replayed(path, tmp_path)
    assert (found["case"], found["class"]) == ("real.csv", "overfit")
    assert replayed(path.parent, tmp_path) == [found]


def test_silence_counts_up_to_the_end_of_the_recording(tmp_path: Path) -> None:
    silent = recorded(tmp_path / "silent", meta={"total_steps": 5000, "t_end": 9000})
    done = recorded(tmp_path / "done", meta={"total_steps": 120, "t_end": 9000})
    assert [one["class"] for one in replayed(silent, tmp_path)] == ["stall"]
    assert replayed(done, tmp_path) == []


def test_summaries_that_were_never_seen_are_missed(tmp_path: Path) -> None:
    case = recorded(tmp_path / "case", meta={"total_steps": 5000, "tb_expected": True, "t_end": 2200})
    (case / "tb.csv").write_text("step,t,loss\n")
    assert [(one["class"], one["step"]) for one in replayed(case, tmp_path)] == [("tb_missing", 51)]
    (case / "tb.csv").write_text("step,t,loss\n1,1130,2.5\n")
    assert replayed(case, tmp_path) == []


def test_what_was_known_comes_in_the_order_of_time(tmp_path: Path) -> None:
    case = recorded(tmp_path / "case", rows=4)
    (case / "eval.csv").write_text("step,t,eval_loss\n2,1025,2.6\n4,1041,2.5\n")
    (case / "tb.csv").write_text("step,t,loss\n1,1015,2.5\n")
    (found,) = cases_below(case)
    kinds = [(type(one), one.step if isinstance(one, Row | Evaluation) else 0) for one in told(found)]
    rows = [[(Clock, 0), (Row, step)] for step in (1, 2, 3, 4)]
    assert kinds == [*rows[0], (Shown, 0), *rows[1], (Evaluation, 2), *rows[2], *rows[3], (Evaluation, 4), (Clock, 0)]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "does not exist: name a folder of cases"),
        (lambda path: path.mkdir(), "holds no case: a case is a folder"),
        (lambda path: path.write_text("step,loss\n1,abc\n"), "cannot be read (could not convert string"),
        (lambda path: path.write_text("loss\n2.5\n"), "a row without step"),
        (lambda path: path.write_bytes(b"step,loss\n\xff\xfe,1\n"), "cannot be read"),
    ],
    ids=["missing", "empty", "words", "no step", "binary"],
)
def test_what_cannot_be_read_is_one_sentence(
    make: Any, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cases.csv"
    make(path)
    assert main(["replay", str(path), "--out", str(tmp_path / "out.json")]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"diagnosis: {path}") and words in said and said.count("\n") == 1
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize("text", ["", "[]", '{"events": 3, "total_steps": "x", "parallel": 5}'])
def test_a_broken_description_is_one_sentence(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = recorded(tmp_path / "case")
    (case / "meta.json").write_text(text)
    code = main(["replay", str(case), "--out", str(tmp_path / "out.json")])
    assert (code, capsys.readouterr().err.count("\n")) == (2, 1)


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = recorded(tmp_path / "case")
    assert main(["replay", str(case), "--out", str(tmp_path / "none" / "out.json")]) == 2
    assert "is no folder; make it, or name another" in capsys.readouterr().err
