"""Real logs, in place: ``read`` finds what ``EXPECTED.json`` says of each, by the names that are printed there."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from collector.errors import InputError
from collector.printed import PrintedSeries
from collector.read import read
from collector.wire.records import unpack_points
from tests.conftest import SHARED

CORPUS = SHARED / "corpus" / "logs"
EXPECTED: dict[str, Any] = json.loads((CORPUS / "EXPECTED.json").read_text()) if CORPUS.exists() else {}
# what EXPECTED.json calls a value → the tag as the log spells it, where that is not the same but for capitals
SPELLED = {
    "thr": "train_throughput_per_npu",
    "lr": "learning_rate",
    "pst": "per step time",
    "step_cost": "step cost",
    "fps": "fps per card",
}
NUMBERED = [name for name, wanted in EXPECTED.items() if wanted["records"]]
SILENT = [name for name, wanted in EXPECTED.items() if not wanted["records"]]

pytestmark = pytest.mark.skipif(not EXPECTED, reason="the real logs beside the project are not here")


def series_of(path: Path) -> dict[str, PrintedSeries]:
    (run,) = read(path).runs.values()
    return {one.tag.lower(): one for one in run.series}


def of(found: dict[str, PrintedSeries], name: str) -> list[tuple[int, float]]:
    """The points of what EXPECTED.json calls ``name``."""
    one = found[name.lower() if name.lower() in found else SPELLED[name]]
    return [(step, value) for step, _, value in unpack_points(one.points)]


def same(value: float, wanted: float | str) -> bool:
    return math.isclose(value, float(wanted), rel_tol=1e-9) or (math.isnan(value) and math.isnan(float(wanted)))


def stands(point: tuple[int, float], wanted: Any) -> bool:
    """A wanted point is (step, value), or a value alone; a step may be told in words, which no reader can print."""
    if not isinstance(wanted, list):
        return same(point[1], wanted)
    return same(point[1], wanted[1]) and (isinstance(wanted[0], str) or point[0] == wanted[0])


@pytest.mark.parametrize("name", NUMBERED)
def test_a_real_log_gives_every_point_that_it_holds(name: str) -> None:
    found = series_of(CORPUS / name)
    assert EXPECTED[name]["metrics"]
    for metric, wanted in EXPECTED[name]["metrics"].items():
        points = of(found, metric)
        values = [value for _, value in points]
        assert len(points) == wanted["count"], metric
        assert stands(points[0], wanted["first"]) and stands(points[-1], wanted["last"]), metric
        assert sum(map(math.isnan, values)) == wanted.get("nan", 0), metric
        if "min" in wanted:
            assert (min(values), max(values)) == (wanted["min"], wanted["max"]), metric
        for point, one in zip(points, wanted.get("points") or points, strict=True):
            assert stands(point, list(one)), metric


@pytest.mark.parametrize("name", SILENT)
def test_a_real_log_without_metrics_gives_none(name: str) -> None:
    try:
        (run,) = read(CORPUS / name).runs.values()
        assert not run.series
    except InputError as error:
        assert "holds no metric" in str(error)


@pytest.mark.parametrize("name", sorted(path.name for path in CORPUS.glob("*.log")))
def test_no_record_of_a_real_log_is_taken_for_torn(name: str) -> None:
    assert "torn_line" not in {one.code for one in read(CORPUS / name).warnings}


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("08-mindspore-grep-prefix-worker-lineno.log", {"loss": 20, "test acc": 20}),
        ("11-lossmonitor-timemonitor-plain.log", {"loss": 3, "lr": 3, "per step time": 4, "epoch time": 4}),
        ("17-rankid-msec-doubled-timestamp.log", {"avg loss": 4, "lr": 4, "overflow": 4}),
        ("20-debug-ms-per-step.log", {"loss": 9, "time": 9}),
        ("29-yolox-overflow-scale.log", {"loss": 6, "lr": 6}),
        ("30-yolov4-sci-lr.log", {"loss": 3, "lr": 3}),
        ("37-informer-cr-tab-inf.log", {"loss": 1480, "train loss": 20}),
        ("39-mindcv-modelarts-logfmt.log", {"loss": 120, "lr": 120}),
        ("55-loss-scale-denormal-and-double-nan.log", {"loss": 1, "loss_objectness": 1}),
        ("58-completed-step-23-fields.log", {"loss": 1, "lm_loss": 1, "moe_z_loss": 1}),
        ("07-mindspore-tqdm-epoch-bars.log", {}),
        ("24-eval-lines-mixed.log", {}),
        ("36-momaorb-single.log", {}),
    ],
)
def test_a_real_log_of_which_nothing_is_told_gives_what_its_lines_say(name: str, counts: dict[str, int]) -> None:
    found = series_of(CORPUS / name)
    assert {tag: len(found[tag].points) // 24 for tag in counts} == counts
    assert counts or not found
