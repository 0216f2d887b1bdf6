"""What files call their values becomes canonical names; the values stay."""

from __future__ import annotations

import pytest

from collector.normalise import canonical, located, normalise
from collector.parse.parsed import Parsed
from collector.parse.select import FileRole
from collector.wire.metrics import ALIASES, METRICS
from collector.wire.records import RunEvent, Source, pack_point

LOG = FileRole("x", "x", "log/rank_3/info.log", "log", 3)


@pytest.mark.parametrize(
    ("source", "tag", "rank", "unit", "metric"),
    [
        ("log", "loss", 0, "", "loss"),
        ("log", "global_norm", 0, "", "grad_norm"),
        ("log", "overflow cond", 0, "", "overflow"),
        ("log", "samples/s/p", 0, "", "throughput"),
        ("log", "train_throughput_per_npu", 0, "", "tflops"),
        ("log", "throughput", 7, "T", "tflops"),
        ("log", "throughput", None, "tokens/s", "tokens_per_second"),
        ("log", "throughput", None, "", None),
        ("log", "device_accum_local_lm_loss", 0, "", "device_local_loss"),
        ("log", "eval/PPL", 0, "", None),
        ("tensorboard", "learning-rate", 0, "", "lr"),
        ("tensorboard", "throughput", 0, "", "throughput"),
        ("tensorboard", "throughput", None, "", "tflops"),
        ("tensorboard", "loss_vs_samples", 0, "", None),
        ("tensorboard", "local_lm_loss", 0, "", "local_loss"),
        ("mindspore", "loss/auto", 0, "", "loss"),
        ("mindspore", "learning_rate", 0, "", "lr"),
    ],
)
def test_a_tag_has_one_canonical_name(
    source: Source, tag: str, rank: int | None, unit: str, metric: str | None
) -> None:
    assert canonical(source, tag, rank=rank, state={"throughput_unit": unit}) == metric


def test_every_alias_names_a_metric_that_exists() -> None:
    assert {name for table in ALIASES.values() for name in table.values()} <= set(METRICS)


def test_blocks_carry_what_the_path_tells() -> None:
    block = pack_point(1, 2.0, 3.0)
    (made,) = normalise(LOG, 2, Parsed(10, {}, {"loss": block}))
    assert made.points == block
    assert (made.meta.file, made.meta.generation, made.meta.tag) == ("log/rank_3/info.log", 2, "loss")
    assert (made.meta.metric, made.meta.rank, made.meta.source) == ("loss", 3, "log")


def test_a_sub_run_of_add_scalars_lengthens_its_tag_and_stands_for_no_metric() -> None:
    role = FileRole("x", "x", "tensorboard/rank_0/loss/policy/events", "tensorboard", 0, "/policy")
    (made,) = normalise(role, 0, Parsed(10, {}, {"loss": pack_point(1, 2.0, 3.0)}))
    assert (made.meta.tag, made.meta.metric) == ("loss/policy", None)


def test_events_are_placed() -> None:
    (event,) = located(LOG, 1, [RunEvent("eval", 50, 1.5, "Eval result")])
    assert event == RunEvent("eval", 50, 1.5, "Eval result", rank=3, file="log/rank_3/info.log", generation=1)
