"""Paths tell which files are read, and what run and rank they belong to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.parse.select import FileRole, role_of, run_id, run_name

EVENTS = "events.out.tfevents.1748772000.node0"
SUMMARY = "events.out.events.summary.1795952295.5.node0_MS"
LINEAGE = SUMMARY.replace("_MS", "_lineage")


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("x/output/log/rank_0/info.log", FileRole("x", "x", "output/log/rank_0/info.log", "log", 0)),
        ("x/output/log/rank_0/info.log.5", FileRole("x", "x", "output/log/rank_0/info.log.5", "log", 0)),
        ("x/log/rank_12/mindformers.log", FileRole("x", "x", "log/rank_12/mindformers.log", "log", 12)),
        ("x/msrun_log/worker_0.log", FileRole("x", "x", "msrun_log/worker_0.log", "log", 0)),
        ("x/msrun_log/worker_7.first_run.log", FileRole("x", "x", "msrun_log/worker_7.first_run.log", "log", 7)),
        ("worker_10.0.0.7_node1_12.log", FileRole(".", ".", "worker_10.0.0.7_node1_12.log", "log", 12)),
        (f"x/tensorboard/rank_3/{EVENTS}", FileRole("x", "x", f"tensorboard/rank_3/{EVENTS}", "tensorboard", 3)),
        (f"x/worker/tensorboard/{EVENTS}", FileRole("x", "x", f"worker/tensorboard/{EVENTS}", "tensorboard", None)),
        (
            f"x/tensorboard/rank_0/max_attention_logit/decoder.0/head_1/{EVENTS}",
            FileRole(
                "x",
                "x",
                f"tensorboard/rank_0/max_attention_logit/decoder.0/head_1/{EVENTS}",
                "tensorboard",
                0,
                "/head_1",
            ),
        ),
        (f"a/b/{EVENTS}", FileRole("a/b", "a/b", EVENTS, "tensorboard", None)),
        (f"x/summary_dir/{SUMMARY}", FileRole("x", "x", f"summary_dir/{SUMMARY}", "mindspore", 5)),
        (f"x/summary_dir/{LINEAGE}", FileRole("x", "x", f"summary_dir/{LINEAGE}", "mindspore", 5)),
        (f"x/summary/rank_2/{SUMMARY}", FileRole("x", "x", f"summary/rank_2/{SUMMARY}", "mindspore", 2)),
        ("seed/sample.log", FileRole("seed/sample", "seed", "sample.log", "log", None, own=True)),
    ],
)
def test_a_path_tells_run_rank_and_source(path: str, role: FileRole) -> None:
    assert role_of(path) == role


@pytest.mark.parametrize(
    "path",
    [
        "x/output/log/rank_0/error.log",
        "x/output/log/rank_0/error.log.1",
        "x/msrun_log/scheduler.log",
        "x/summary_dir/events.out.events.summary.1795952295.5.node0_explain",
        f"x/.{EVENTS}.a1b2c3",
        f"x/{EVENTS}.tmp",
        f"x/.~tmp~/{EVENTS}",
        "x/plog/plog-4711_20250601.log",
        "x/checkpoint/model-1_2.ckpt",
        "x/metrics.csv",
    ],
)
def test_what_holds_no_metric_of_its_own_is_not_read(path: str) -> None:
    assert role_of(path) is None


def test_the_watched_directory_lends_its_rank() -> None:
    role = role_of("info.log", "/data/x/output/log/rank_4")
    assert role is not None and role.rank == 4


@pytest.mark.parametrize(
    ("root", "name"),
    [
        ("/data/x", "x"),
        ("/data/x/output/log", "x"),
        ("/data/x/output/log/rank_0", "x"),
        ("/output", "output"),
        ("/", "run"),
    ],
)
def test_a_run_at_the_root_is_named_after_the_nearest_directory_that_says_something(root: str, name: str) -> None:
    assert run_name(root, ".") == name
    assert run_name(root, "a/b") == "a/b"


@pytest.mark.parametrize(
    ("name", "slug"),
    [("llama", "llama"), ("exp/lr_1e-5", "exp--lr_1e-5"), ("训练-第1次", "训练-第1次"), ("模型/第2次", "模型--第2次")],
)
def test_plain_names_keep_their_letters(name: str, slug: str) -> None:
    assert run_id(name) == slug


NAMES = st.text(st.sampled_from("ab-/. ~é训{}\n0"), max_size=6) | st.text(max_size=20)


@given(NAMES, NAMES)
def test_no_two_names_share_an_id(one: str, other: str) -> None:
    assert (run_id(one) == run_id(other)) == (one == other)


@given(NAMES | st.text(min_size=150, max_size=400))
def test_an_id_is_one_path_segment_that_a_url_may_hold(name: str) -> None:
    slug = run_id(name)
    assert 0 < len(slug) <= 160
    assert not set(slug) & set("/{}?#% \n\0") and slug.strip(".")
    assert run_id(slug) == slug or slug != name  # an id of a plain name is that name's own
