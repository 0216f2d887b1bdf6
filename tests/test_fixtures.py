"""The whole way, from files through a collector process and Redis to the HTTP API: a table of what each fixture holds.

The numbers were counted from the files with grep and a ten-line record walk, not with this project's own readers.
Every fixture is followed at once, below one root, as a shared directory of many jobs would be.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.factory import create_server
from tests.conftest import SHARED
from tests.support.collecting import collector
from tests.support.redis_server import RedisServer
from tests.support.waiting import eventually

FIXTURES = Path(__file__).parent / "data" / "fixtures"
Ends = tuple[int, tuple[int, float], tuple[int, float]]  # count, (first step, value), (last step, value)


@dataclass(frozen=True)
class Expected:
    """One run: its ranks, and per metric how many points, the first and the last."""

    path: str
    ranks: list[int]
    metrics: dict[str, Ends]
    attempts: int = 1
    nan: dict[str, int] = field(default_factory=dict)


NAN = math.nan
TABLE = [
    Expected(
        "logs/mf0.3.0_nosink",
        [0],
        {
            "loss": (60, (1, 11.161), (60, 6.449)),
            "lr": (60, (1, 1e-05), (60, 1e-05)),
            "step_time": (60, (1, 30099.476), (60, 737.517)),
            "loss_scale": (60, (1, 65536.0), (60, 16384.0)),
            "overflow": (60, (1, 0), (60, 0)),
        },
    ),
    Expected(
        "logs/mf0.8.0_sink",
        [0],
        {"loss": (60, (1, 11.161), (60, 6.449)), "throughput": (60, (1, 0.27), (60, 10.85))},
    ),
    Expected(
        "logs/mf1.0.2_overflow",
        [0],
        {"loss": (250, (1, 11.161), (250, 2.457)), "loss_scale": (250, (1, 65536.0), (250, 2048.0))},
    ),
    Expected(
        "logs/mf1.3.2_eval_nan_resume",
        [0],
        {
            "loss": (320, (1, 11.161), (300, 2.343)),
            "grad_norm": (320, (1, 1.5126462), (300, 0.56902856)),
            "eval_loss": (6, (50, 7.155732), (300, 2.453116)),
        },
        attempts=2,
        nan={"loss": 1, "grad_norm": 1, "eval_loss": 1},
    ),
    Expected(
        "logs/mf1.6.0_pp2_state_monitor",
        [0, 7],
        {"loss": (200, (1, 11.161), (200, 2.848)), "tflops": (200, (1, 136.215), (200, 5538.324))},
    ),
    Expected("logs/mf1.8.0_state_monitor_log", [0], {"loss": (40, (1, 11.161245), (40, 7.703831))}),
    Expected("logs/mf2.1.0_graph_grouped_lr", [0], {"loss": (25, (1, 11.161245), (25, 8.845966))}),
    Expected(
        "logs/mf2.1.0_graph_moe_nan_crash",
        [0],
        {"loss": (220, (1, 11.161245), (220, NAN)), "eval_loss": (2, (100, 4.874674), (200, 2.958037))},
        nan={"loss": 1},
    ),
    Expected("logs/mf2.1.0_graph_no_lr_no_norm", [0], {"loss": (20, (1, 11.161245), (20, 9.203098))}),
    Expected("logs/mf2.1.0_graph_norm_spike_skip", [0], {"loss": (72, (1, 11.161245), (72, 5.88437))}),
    Expected(
        "logs/mf2.1.0_pynative_pp2",
        [0, 7],
        {"loss": (220, (1, 10.765179), (220, 2.349554)), "tflops": (220, (1, 681.52), (220, 714.78))},
        nan={"loss": 1},
    ),
    Expected(
        "logs/seed_article/sample",
        [],
        {"loss": (1, (10, 2.4312), (10, 2.4312)), "lr": (1, (10, 1.25e-4), (10, 1.25e-4))},
    ),
    Expected(
        "tensorboard/mf2.1.0_graph_tensorboard_8ranks",
        list(range(8)),
        {
            "loss": (60, (1, 11.161245346069336), (60, 6.449402809143066)),
            "throughput": (60, (1, 0.2657853662967682), (60, 10.847208976745605)),
            "local_loss": (60, (1, 11.181065559387207), (60, 6.47498893737793)),
        },
    ),
    Expected(
        "tensorboard/mf2.1.0_graph_tensorboard_add_scalars",
        [0],
        {"loss": (12, (1, 11.161245346069336), (12, 9.995281219482422))},
    ),
    Expected(
        "tensorboard/mf2.1.0_graph_tensorboard_nan",
        [0],
        {"loss": (30, (1, 11.161245346069336), (30, 8.425820350646973))},
        nan={"loss": 1, "grad_norm": 1},
    ),
    Expected(
        "tensorboard/mf2.1.0_pynative_tensorboard",
        [7],
        {
            "loss": (110, (1, 10.765178680419922), (110, 3.852555751800537)),
            "tflops": (110, (1, 681.5159301757812), (110, 701.0944213867188)),
        },
    ),
    Expected(
        "mindspore_summary/ms_collector_default",
        [0],
        {"loss": (63, (1, 23.304424285888672), (120, 0.006146782077848911))},
    ),
    Expected(
        "mindspore_summary/ms_collector_loss_only",
        [0],
        {"loss": (122, (1, 8.548714637756348), (120, 0.005701464135199785))},
    ),
    Expected("mindspore_summary/ms_record_mixed", [0], {"loss": (40, (1, 4.0), (40, 0.10000000149011612))}),
    Expected(
        "mindspore_summary/ms_record_nan_inf",
        [0],
        {"loss": (120, (1, 4.96999979019165), (120, 1.399999976158142))},
        nan={"loss": 1},
    ),
    Expected(
        "mindspore_summary/ms_record_resumed",
        [0],
        {"loss": (140, (1, 5.881192207336426), (120, 0.5453076958656311))},
        attempts=2,
    ),
    Expected(
        "mindspore_summary/ms_record_scalars",
        [0],
        {
            "loss": (300, (1, 11.284460067749023), (300, 2.163980007171631)),
            "lr": (300, (1, 1.9999999949504854e-06), (300, 9.999999747378752e-05)),
            "grad_norm": (300, (1, 1.3309530019760132), (300, 0.9579904675483704)),
            "loss_scale": (300, (1, 65536.0), (300, 65536.0)),
        },
    ),
    Expected(
        "mindspore_summary/ms_truncated_tail", [0], {"loss": (20, (1, 11.284460067749023), (20, 9.463204383850098))}
    ),
]


@dataclass(frozen=True)
class Watched:
    """An API client on a store that a collector process is filling."""

    client: FlaskClient
    root: Path

    def runs(self) -> dict[str, str]:
        """Directory below the root → run id."""
        rows = self.client.get("/api/runs").get_json()
        return {row["name"]: row["id"] for row in rows}

    def get(self, path: str) -> Any:
        return json.loads(self.client.get(path).get_data(as_text=True))

    def points(self, run: str, metric: str) -> list[list[Any]]:
        return self.get(f"/api/runs/{run}/series?metric={metric}&points=0").get("points", [])


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    root = tmp_path_factory.mktemp("jobs")
    shutil.copytree(FIXTURES, root, dirs_exist_ok=True)
    server = RedisServer().start()
    with collector(root, server.url):
        client = create_server({"REDIS_URL": server.url}).test_client()
        yield Watched(client, root)
    server.close()


def number(value: float | str) -> float:
    return float(str(value).replace("Infinity", "inf"))


def same(got: list[Any], want: tuple[int, float]) -> bool:
    value = number(got[2])
    both_nan = math.isnan(value) and math.isnan(want[1])
    return bool(got[0] == want[0]) and (both_nan or math.isclose(value, want[1], rel_tol=1e-6))


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.path)
def test_the_api_returns_every_point_of_a_fixture_exactly_once(watched: Watched, row: Expected) -> None:
    run = eventually(lambda: watched.runs().get(row.path), seconds=20)
    for metric, (count, first, last) in row.metrics.items():
        eventually(lambda: len(watched.points(run, metric)) >= count, seconds=20)  # noqa: B023 - called at once
        points = watched.points(run, metric)
        assert len(points) == count
        assert same(points[0], first), points[0]
        assert same(points[-1], last), points[-1]
    for metric, nans in row.nan.items():
        assert sum(math.isnan(number(point[2])) for point in watched.points(run, metric)) == nans


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.path)
def test_the_run_says_its_ranks_and_attempts(watched: Watched, row: Expected) -> None:
    run = eventually(lambda: watched.runs().get(row.path), seconds=20)
    details = eventually(lambda: watched.get(f"/api/runs/{run}"))
    assert details["ranks"] == row.ranks
    assert len(details["attempts"]) == row.attempts, details["attempts"]
    listed = {one["metric"] for one in details["metrics"] if one["metric"]}
    assert set(row.metrics) <= listed


def test_every_fixture_is_one_run_and_nothing_else_is(watched: Watched) -> None:
    names = eventually(lambda: len(watched.runs()) >= len(TABLE) and set(watched.runs()), seconds=20)
    assert names == {row.path for row in TABLE}


REAL = [
    ("logs/01-mindformers-msrun-worker0-spinner.log", "worker_0.log", 1337, (2, 2.248), (2674, 1.489)),
    (
        "mindspore_summary/summary-resnet18-64/events.out.events.summary.1669561943.0.master_MS",
        None,
        1781,
        (1, 40.29306411743164),
        (89000, 37.01478576660156),
    ),
    (
        "mindspore_summary/summary-resnet18-64continue/events.out.events.summary.1669643735.0.master_MS",
        None,
        1781,
        (1, 36.88985061645508),
        (89000, 33.107582092285156),
    ),
    ("logs/44-mindformers-r2-pynative.log", "worker_7.log", 2, (1, 11.813965), (2, 11.755612)),
]


@pytest.mark.skipif(not (SHARED / "corpus").is_dir(), reason="real files are not here")
@pytest.mark.parametrize(("source", "name", "count", "first", "last"), REAL, ids=lambda value: str(value)[:40])
def test_the_api_returns_every_loss_of_a_real_file(
    watched: Watched, source: str, name: str | None, count: int, first: tuple[int, float], last: tuple[int, float]
) -> None:
    original = SHARED / "corpus" / source
    job = watched.root / "real" / original.parent.name / original.stem[:20]
    job.mkdir(parents=True)
    shutil.copy(original, job / (name or original.name))
    run = eventually(lambda: watched.runs().get(str(job.relative_to(watched.root))), seconds=20)
    eventually(lambda: len(watched.points(run, "loss")) >= count, seconds=20)
    points = watched.points(run, "loss")
    assert len(points) == count
    assert same(points[0], first)
    assert same(points[-1], last)
