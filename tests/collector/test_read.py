"""``read`` prints every scalar of a file or directory, and says in words what it cannot read."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
import struct
from pathlib import Path
from typing import Any

import pytest

from collector.errors import InputError
from collector.read import read, run
from collector.whole_file import parsed_file
from tests.conftest import SHARED
from tests.support.event_files import event, simple

DATA = Path(__file__).parents[1] / "data"
FIXTURES = DATA / "fixtures"
LINE = "{ step:[    3/ 1000], loss:  10.536092, lr: 9.999780e-05, grad_norm:        nan, throughput: 715.78T }"


def printed(path: Path, tag: str | None = None) -> dict[str, Any]:
    """What the command prints, as a strict reader of JSON understands it."""
    out = io.StringIO()
    assert run(path, form="json", tag=tag, out=out) == 0
    return json.loads(out.getvalue(), parse_constant=pytest.fail)


def number(value: float | str) -> float:
    return float(value)


def agree(have: list[Any], wanted: list[Any]) -> bool:
    """The same (step, value) pairs, to single precision; NaN agrees with NaN."""
    if [pair[0] for pair in have] != [pair[0] for pair in wanted]:
        return False
    pairs = [(number(one[1]), number(other[1])) for one, other in zip(have, wanted, strict=True)]
    return all(math.isclose(a, b, rel_tol=1e-6) or (math.isnan(a) and math.isnan(b)) for a, b in pairs)


@pytest.mark.parametrize("rank", range(8))
def test_each_rank_of_a_job_is_a_run_of_its_own(rank: int) -> None:
    found = read(FIXTURES / "tensorboard/mf2.1.0_graph_tensorboard_8ranks")
    assert list(found.runs) == [f"tensorboard/rank_{number}" for number in range(8)]
    series = found.runs[f"tensorboard/rank_{rank}"].series
    assert {one.rank for one in series} == {rank}
    (loss,) = (one for one in series if one.tag == "loss")
    assert (len(loss.points) // 24, loss.metric, loss.source) == (60, "loss", "tensorboard")


def test_sub_runs_of_add_scalars_keep_their_directory_and_tag() -> None:
    found = read(FIXTURES / "tensorboard/mf2.1.0_graph_tensorboard_add_scalars")
    name = "tensorboard/rank_0/max_attention_logit/decoder.layers.0.self_attention.core_attention/head_1"
    (series,) = found.runs[name].series
    assert series.tag == "max_attention_logit/decoder.layers.0.self_attention.core_attention"
    assert (series.metric, series.rank) == (None, 0)


def test_logs_are_named_by_their_path_and_a_single_file_by_its_name() -> None:
    folder = FIXTURES / "logs/mf1.3.2_eval_nan_resume"
    assert set(read(folder).runs) == {
        "msrun_log/worker_0.log",
        "msrun_log/worker_0.first_run.log",
        "output/log/rank_0/info.log",
    }
    log = folder / "output/log/rank_0/info.log"
    found = printed(log)["runs"]["info.log"]
    assert found["path"] == str(log)
    (loss,) = (one for one in found["series"] if one["tag"] == "loss")
    assert (len(loss["points"]), loss["rank"], loss["metric"]) == (320, 0, "loss")


def test_two_files_of_one_directory_are_one_curve_and_going_back_is_told() -> None:
    found = printed(FIXTURES / "mindspore_summary/ms_record_resumed/summary_dir")
    (loss,) = found["runs"]["."]["series"]
    assert [step for step, _, _ in loss["points"]] == [*range(1, 61), *range(41, 121)]
    assert [warned["code"] for warned in found["warnings"]] == ["steps_went_back"]
    assert found["warnings"][0]["detail"] == "loss: from step 60 to step 41"


def test_a_clock_that_was_put_back_is_told_once_a_run(tmp_path: Path) -> None:
    walls = (100.0, 100.2, 99.9, 101.0, 41.0, 42.0)
    records = [event(step, wall, simple("a", bytes(4)), simple("b", bytes(4))) for step, wall in enumerate(walls)]
    (tmp_path / "events.out.tfevents.1.a").write_bytes(b"".join(records))
    (warned,) = printed(tmp_path)["warnings"]
    assert (warned["code"], warned["detail"]) == ("clock_went_back", "a: by 60 s at step 4")


def test_an_unfinished_record_is_told() -> None:
    found = printed(FIXTURES / "mindspore_summary/ms_truncated_tail")
    assert [warned["code"] for warned in found["warnings"]] == ["truncated_tail"]


CASES = sorted((DATA / "cases").glob("*/expected.json"))


@pytest.mark.parametrize("case", CASES, ids=[path.parent.name for path in CASES])
def test_reported_situations_are_read(case: Path) -> None:
    check(case.parent)


BIG = [SHARED / "cases" / name for name in ("16-12345-tags", "27-log-huge-line", "32-14000-points-no-sampling")]


@pytest.mark.skipif(not all(case.exists() for case in BIG), reason="the large cases beside the project are not here")
def test_large_situations_are_read() -> None:
    for case in BIG:
        check(case)


def check(case: Path) -> None:
    expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))
    found = printed(case / "input")
    assert set(found["runs"]) == set(expected["runs"])
    for name, tags in expected["runs"].items():
        curves = {one["tag"]: [(p[0], p[2]) for p in one["points"]] for one in found["runs"][name]["series"]}
        for tag, facts in tags.items():
            have = curves.get(tag, [])
            assert agree(have, facts.get("points", have)), tag
            for wanted in (*facts.get("spot", []), *facts.get("must_include", [])):
                assert any(agree([point], [wanted]) for point in have), (tag, wanted)
            assert len(have) == facts.get("count", len(have))
    assert [one["code"] for one in found["warnings"]] == [one["code"] for one in expected["warnings"]]


def test_non_finite_numbers_and_absent_clocks_are_strict_json(tmp_path: Path) -> None:
    (tmp_path / "run.log").write_text(LINE)
    series = {one["tag"]: one for one in printed(tmp_path)["runs"]["run.log"]["series"]}
    assert series["grad_norm"]["points"] == [[3, None, "NaN"]]
    assert series["throughput"]["metric"] == "tflops"


def test_csv_has_a_line_for_every_point(tmp_path: Path) -> None:
    (tmp_path / "run.log").write_text(LINE)
    out, complaints = io.StringIO(), io.StringIO()
    run(tmp_path, form="csv", tag="loss|norm", out=out, complaints=complaints)
    assert list(csv.reader(io.StringIO(out.getvalue()))) == [
        ["run", "tag", "metric", "rank", "source", "step", "wall", "value"],
        ["run.log", "loss", "loss", "", "log", "3", "", "10.536092"],
        ["run.log", "grad_norm", "grad_norm", "", "log", "3", "", "NaN"],
    ]
    assert complaints.getvalue() == ""


def test_only_tags_that_were_asked_for_are_printed() -> None:
    found = printed(FIXTURES / "logs/mf0.8.0_sink/msrun_log", tag="^l")
    assert [one["tag"] for one in found["runs"]["worker_0.log"]["series"]] == ["loss", "lr", "loss_scale"]


def test_a_file_of_any_name_is_read_when_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "nohup.out").write_text(LINE)
    assert len(printed(tmp_path / "nohup.out")["runs"]["nohup.out"]["series"]) == 4


def test_a_link_to_above_and_a_link_to_nowhere_are_told(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "logs/seed_article", tmp_path / "real")
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "broken").symlink_to("none")
    found = printed(tmp_path)
    assert set(found["runs"]) == {"real/sample.log"}
    assert {(one["code"], one["file"]) for one in found["warnings"]} == {
        ("symlink_loop", "loop"),
        ("broken_symlink", "broken"),
    }


@pytest.mark.parametrize(("tail", "code"), [(bytes(40), "zero_filled_tail"), (b"\1" * 40, "bad_length_crc")])
def test_a_tail_that_is_no_record_is_told(tmp_path: Path, tail: bytes, code: str) -> None:
    (source,) = (FIXTURES / "mindspore_summary/ms_record_nan_inf").rglob("*_MS")
    (tmp_path / source.name).write_bytes(source.read_bytes() + tail)
    found = printed(tmp_path)
    assert [one["code"] for one in found["warnings"]] == [code]
    assert len(found["runs"]["."]["series"][0]["points"]) == 120


def test_a_damaged_record_costs_itself_and_is_told(tmp_path: Path) -> None:
    (source,) = (FIXTURES / "mindspore_summary/ms_record_nan_inf").rglob("*_MS")
    data = bytearray(source.read_bytes())
    (length,) = struct.unpack_from("<Q", data, 0)
    second = 16 + length
    data[second + 14] ^= 1
    (tmp_path / source.name).write_bytes(data)
    found = printed(tmp_path)
    assert [one["code"] for one in found["warnings"]] == ["bad_data_crc"]
    assert len(found["runs"]["."]["series"][0]["points"]) == 119


@pytest.mark.parametrize("piece", [1, 100, 5000])
def test_a_file_is_read_whole_in_pieces_of_any_size(piece: int) -> None:
    path = str(FIXTURES / "logs/mf0.8.0_sink/msrun_log/worker_0.log")
    pieces = [one.scalars for one in parsed_file(path, "log", piece) if hasattr(one, "scalars")]
    assert sum(len(scalars.get("loss", b"")) for scalars in pieces) == 60 * 24


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("missing", None, "cannot be read: no such file or directory"),
        ("empty", {}, "holds nothing to read: looked for info.log"),
        ("other", {"model.ckpt": b"\0", "notes.txt": b"hello"}, "holds nothing to read: looked for info.log"),
        ("notes.txt", b"the loss was 3", "holds no metric that is known: looked for info.log"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_sentence(
    tmp_path: Path, name: str, content: dict[str, bytes] | bytes | None, says: str
) -> None:
    path = tmp_path / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        path.mkdir()
        for file, data in content.items():
            (path / file).write_bytes(data)
    with pytest.raises(InputError, match=says) as told:
        run(path, form="json", tag=None, out=io.StringIO())
    assert str(path) in str(told.value)


def test_a_pattern_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--tag '\\(' is not a regular expression"):
        run(tmp_path, form="json", tag="(", out=io.StringIO())
