"""Canonical metric names, their units, and what each framework calls them (reference: MindFormers 0.3 to 2.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from collector.wire.records import Source


@dataclass(frozen=True, slots=True)
class Metric:
    """One canonical metric. ``scope`` says whether a value speaks for the run (reduced over ranks) or for its rank."""

    name: str
    unit: str
    better: Literal["lower", "higher", "none"]
    scope: Literal["run", "rank"]


METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("loss", "", "lower", "run"),
        Metric("eval_loss", "", "lower", "run"),
        Metric("lr", "", "none", "run"),
        Metric("grad_norm", "", "none", "run"),
        Metric("loss_scale", "", "none", "run"),
        Metric("overflow", "", "lower", "run"),
        Metric("throughput", "samples/s/NPU", "higher", "run"),
        Metric("tokens_per_second", "tokens/s", "higher", "run"),
        Metric("tflops", "TFLOPS/NPU", "higher", "run"),
        Metric("step_time", "ms", "lower", "run"),
        Metric("lm_loss", "", "lower", "run"),
        Metric("mtp_loss", "", "lower", "run"),
        Metric("load_balancing_loss", "", "lower", "run"),
        Metric("indexer_loss", "", "lower", "run"),
        Metric("batch_size", "samples", "none", "run"),
        Metric("consumed_samples", "samples", "none", "run"),
        Metric("local_loss", "", "lower", "rank"),
        Metric("device_local_loss", "", "lower", "rank"),
        Metric("device_local_norm", "", "none", "rank"),
    )
}

# What a file calls it → canonical name. One table a source: "throughput" means samples in graph mode's event files
# and TFLOPS in PyNative's, so the few tags that need more than their name are settled in collector/normalise.py.
# Logs of many programs are read, so a log's tag is also looked up in lower case ("Loss", "Learning_rate").
LOG_ALIASES: Mapping[str, str] = {
    "loss": "loss",
    "eval_loss": "eval_loss",
    "lr": "lr",
    "global_norm": "grad_norm",
    "grad_norm": "grad_norm",
    "loss_scale": "loss_scale",
    "overflow cond": "overflow",
    "overflow": "overflow",
    "samples/s/p": "throughput",
    "train_throughput_per_npu": "tflops",
    "per_step_time": "step_time",
    "time": "step_time",
    "lm_loss": "lm_loss",
    "mtp_loss": "mtp_loss",
    "load_balancing_loss": "load_balancing_loss",
    "indexer_loss": "indexer_loss",
    "global_batch_size": "batch_size",
    "consumed_samples": "consumed_samples",
    "local_loss": "local_loss",
    "device_loss": "device_local_loss",
    "device_local_norm": "device_local_norm",
    # LossMonitor, TimeMonitor, MindSpore's model zoo
    "total_loss": "loss",
    "train_loss": "loss",
    "train loss": "loss",
    "avg loss": "loss",
    "learning_rate": "lr",
    "cur_lr": "lr",
    "per step time": "step_time",
    "avg step time": "step_time",
    "step time": "step_time",
    "step cost": "step_time",
    "fps per card": "throughput",
    # Megatron and what is derived of it
    "lm loss": "loss",
    "learning rate": "lr",
    "grad norm": "grad_norm",
    "loss scale": "loss_scale",
    "elapsed time per iteration (ms)": "step_time",
    "global batch size": "batch_size",
    "consumed samples": "consumed_samples",
}

TENSORBOARD_ALIASES: Mapping[str, str] = {
    "loss": "loss",
    "learning-rate": "lr",
    "grad-norm": "grad_norm",
    "loss-scale": "loss_scale",
    "model-flops-throughput-per-npu": "tflops",
    "iteration-time": "step_time",
    "lm-loss": "lm_loss",
    "mtp-loss": "mtp_loss",
    "load-balancing-loss": "load_balancing_loss",
    "indexer-loss": "indexer_loss",
    "batch-size": "batch_size",
    "local_loss": "local_loss",
    "local_lm_loss": "local_loss",
    "device_loss": "device_local_loss",
    "device_accum_local_lm_loss": "device_local_loss",
    "device_local_norm": "device_local_norm",
}

MINDSPORE_ALIASES: Mapping[str, str] = {
    "loss": "loss",
    "loss/auto": "loss",
    "learning_rate": "lr",
    "lr": "lr",
    "grad_norm": "grad_norm",
    "loss_scale": "loss_scale",
    "eval_loss": "eval_loss",
}

ALIASES: Mapping[Source, Mapping[str, str]] = {
    "log": LOG_ALIASES,
    "tensorboard": TENSORBOARD_ALIASES,
    "mindspore": MINDSPORE_ALIASES,
}
