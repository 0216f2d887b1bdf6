"""What a metric says about its rank: the run's loss, the rank's own, a time that all wait for, a time of its own."""

from __future__ import annotations

import re

from collector.wire.metrics import METRICS, TENSORBOARD_ALIASES

UNREDUCED = ("local_loss", "device_local_loss")
LOSSES = ("loss", "lm_loss", "mtp_loss", "load_balancing_loss", "indexer_loss")
SYNCHRONISED = ("step_time", "throughput", "tflops", "tokens_per_second")
# throughput_linearity, B-samples-per-day, steps_per_sec
PACE_TAG = re.compile(r"throughput|per[-_](day|hour|second|sec|s)\b|per_step_time|iteration|step[-_]time")
# device_accum_local_mtp_loss, micro_local_lm_loss
UNREDUCED_TAG = re.compile(r"(device_accum_|micro_)?local_\w*loss")
# mtp-1-loss, lm_loss
LOSS_TAG = re.compile(r"(lm|mtp|indexer|load[-_]balancing)([-_]\d+)?[-_]loss")
# own_compute_time
TIME_TAG = re.compile(r"(?:^|[^a-z])(?:time|times|duration|elapsed|latency|ms|seconds)(?:[^a-z]|$)")
SAMPLES = "_vs_samples"


def canonical(name: str) -> str:
    """A metric's name, of a metric or a tag; a tag without one stays."""
    bare = name.removesuffix(SAMPLES)
    return TENSORBOARD_ALIASES.get(bare, bare)


def is_unreduced(name: str) -> bool:
    """A loss of the rank's own shard: not to be compared between ranks of one tensor-parallel group."""
    return canonical(name) in UNREDUCED or UNREDUCED_TAG.fullmatch(canonical(name)) is not None


def is_loss(name: str) -> bool:
    """A loss, which only one pipeline stage computes."""
    mine = canonical(name)
    return mine in LOSSES or is_unreduced(name) or LOSS_TAG.fullmatch(mine) is not None


def is_reduced(name: str) -> bool:
    """A value that speaks for the run: all ranks should print the same."""
    metric = METRICS.get(canonical(name))
    return metric is not None and metric.scope == "run" and not is_synchronised(name)


def is_synchronised(name: str) -> bool:
    """A pace that is that of the slowest rank on all of them: it names nobody."""
    mine = canonical(name)
    return mine in SYNCHRONISED or (mine not in METRICS and PACE_TAG.search(mine.lower()) is not None)


def is_own_time(name: str) -> bool:
    """A time that a rank spends by itself."""
    return not is_synchronised(name) and TIME_TAG.search(name.lower()) is not None
