"""Commands and YAML to copy, by class of trouble and by version of MindFormers. Key names are those of its sources.

Graph mode has the same keys from 1.6 to 2.1, older ones have fewer; PyNative has a configuration of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from flask_babel.speaklater import LazyString

from app.diagnosis.signal import Class
from app.language import lazy_gettext as _

Language = Literal["yaml", "shell", "json"]
Mode = Literal["graph", "pynative"]
Version = tuple[int, ...]
EVERY: Version = (0,)


@dataclass(frozen=True, slots=True)
class Copy:
    """``text`` is copied as it is. ``since`` is the first version that knows it, ``mode`` the trainer that does, None:
    both."""

    title: LazyString
    text: str
    language: Language = "yaml"
    mode: Mode | None = None
    since: Version = EVERY

    def fits(self, version: Version | None, mode: Mode | None) -> bool:
        """Whether a run of that version and mode knows it; what is not known of a run leaves nothing out."""
        return (version is None or version >= self.since) and (None in (mode, self.mode) or mode == self.mode)


STOP_AT_NAN = Copy(_("Stop at the first NaN"), "check_for_nan_in_loss_and_grad: True", mode="graph", since=(1, 3, 2))
SKIP_NAN = Copy(
    _("Skip steps whose gradient is NaN, stop after ten"),
    "training:\n  use_skip_step_on_nan: True\n  max_consecutive_skipped_steps: 10",
    mode="pynative",
    since=(2, 1),
)
CLIP = Copy(
    _("Clip gradients"),
    "runner_wrapper:\n  type: MFTrainOneStepCell\n  use_clip_grad: True\n  max_grad_norm: 1.0    # 0.5 is tighter",
    mode="graph",
)
CLIP_PYNATIVE = Copy(
    _("Clip gradients"), "training:\n  max_norm: 1.0    # 0.5 is tighter", mode="pynative", since=(2, 0)
)
BF16 = Copy(
    _("Compute in BF16"),
    'model:\n  model_config:\n    compute_dtype: "bfloat16"\n    layernorm_compute_dtype: "float32"\n'
    '    softmax_compute_dtype: "float32"',
    mode="graph",
    since=(1, 6),
)
BF16_OLD = Copy(
    _("Compute in BF16 (models of before 1.6)"),
    'model:\n  model_config:\n    compute_dtype: "bfloat16"\n    layernorm_compute_type: "float32"\n'
    '    softmax_compute_type: "float32"',
    mode="graph",
)
SKIP_DATA = Copy(
    _("Skip batches with an extreme gradient norm"),
    "use_skip_data_by_global_norm: True\nmonitor_config:\n  monitor_on: True\n"
    "  global_norm_spike_threshold: 3.0          # far above this run's usual norm\n"
    "  global_norm_spike_count_threshold: 10     # stops after so many in a row",
    mode="graph",
    since=(1, 6),
)
LOCAL_NORMS = Copy(
    _("Norms of each layer and rank (costs time: for debugging)"),
    "monitor_config:\n  monitor_on: True\n  local_norm_format: ['log', 'tensorboard']\n"
    "  device_local_norm_format: ['log', 'tensorboard']",
    mode="graph",
    since=(1, 6),
)
LOCAL_NORMS_PYNATIVE = Copy(
    _("Norms of each layer and rank (costs time: for debugging)"),
    'monitor:\n  train_state: {local_norm: ".*", device_norm: True}',
    mode="pynative",
    since=(2, 0),
)
LOCAL_LOSSES = Copy(
    _("Each rank's own loss (costs time: for debugging)"),
    "monitor_config:\n  monitor_on: True\n  local_loss_format: ['log', 'tensorboard']\n"
    "  device_local_loss_format: ['log', 'tensorboard']",
    mode="graph",
    since=(1, 6),
)
LOWER_RATE = Copy(
    _("Lower the learning rate, lengthen the warm-up"),
    "lr_schedule:\n  learning_rate: 5.e-6    # 0.5 to 0.9 of what it was\n  warmup_ratio: 0.03",
    mode="graph",
)
BETAS = Copy(_("Let the second moments follow sooner"), "optimizer:\n  type: AdamW\n  betas: [0.9, 0.95]", mode="graph")
SCALE = Copy(
    _("Dynamic loss scale with a longer window"),
    "runner_wrapper:\n  scale_sense:\n    type: DynamicLossScaleUpdateCell\n    loss_scale_value: 65536\n"
    "    scale_factor: 2\n    scale_window: 1000",
    mode="graph",
)
RESUME = Copy(
    _("Go back to a checkpoint"),
    "load_checkpoint: ./output/checkpoint    # of the step before the onset\nresume_training: True",
    mode="graph",
)
EVALUATE = Copy(_("Evaluate more often"), "do_eval: True\neval_step_interval: 200", mode="graph")
SUMMARIES = Copy(
    _("Write event files"),
    "tensorboard:\n  tensorboard_dir: ./output/tensorboard    # below the followed directory\n"
    "  tensorboard_queue_size: 10",
    mode="graph",
    since=(1, 6),
)
SUMMARIES_PYNATIVE = Copy(
    _("Write event files"),
    "monitor:\n  tensorboard: {output_dir: ./output/tensorboard, log_interval: 1, queue_size: 1000}",
    mode="pynative",
    since=(2, 1),
)
TIMERS = Copy(
    _("Write step times"),
    "tensorboard:\n  tensorboard_dir: ./output/tensorboard\n  log_timers_to_tensorboard: True",
    mode="graph",
    since=(1, 6),
)
PROFILE = Copy(
    _("Profile five steps"),
    "profile: True\nprofile_start_step: 100\nprofile_stop_step: 105\nprofile_communication: True\nprofile_level: 1",
    mode="graph",
)
SDC = Copy(
    _("Look for silent data corruption (with NPU_ASD_ENABLE=1 and MS_SDC_DETECT_ENABLE=1)"),
    "callbacks:\n  - type: SDCMonitor\n    step_interval: 10",
    mode="graph",
    since=(1, 6),
)
STRESS = Copy(
    _("Test the cards under stress"),
    "callbacks:\n  - type: StressDetectCallBack\n    detection_interval: 1000\n    num_detections: 3",
    mode="graph",
    since=(1, 6),
)
LOG_EACH = Copy(
    _("Print each step while you look for it"),
    "callbacks:\n  - type: MFLossMonitor\n    per_print_times: 1",
    mode="graph",
)

OVERFLOW_MODE = Copy(
    _("Let overflows become Inf and NaN, so that they are seen"),
    "export MS_ASCEND_CHECK_OVERFLOW_MODE=INFNAN_MODE",
    "shell",
)
DUMP = Copy(
    _("Find the first overflowing operator: save as dump.json, then start again from before the onset"),
    '{"common_dump_settings": {"op_debug_mode": 3, "dump_mode": 0, "path": "/tmp/dump", "net_name": "net",\n'
    '  "iteration": "all", "saved_data": "tensor", "input_output": 0, "kernels": [], "support_device": [0]},\n'
    ' "e2e_dump_settings": {"enable": true, "trans_flag": true}}',
    "json",
)
DUMP_ON = Copy(_("Switch the dump on"), "export MINDSPORE_DUMP_CONFIG=$PWD/dump.json", "shell")
MSPROF = Copy(
    _("Profile a running process, and write the report"),
    "msprof --dynamic=on --output=./prof --pid=PID    # then: start, and stop after some steps\n"
    "msprof --export=on --output=./prof",
    "shell",
)
STACK = Copy(_("The stack of a process"), "py-spy dump --pid PID", "shell")
CARDS = Copy(_("The cards of this host"), "npu-smi info", "shell")
HCCL = Copy(
    _("Timeouts of collective operations"),
    "grep -rniE 'hccl.*(timeout|time out)|EI0002|EI0006' ~/ascend/log | head",
    "shell",
)
PROCESSES = Copy(
    _("The processes of the job on this host"),
    "ps -eo pid,stat,etime,args | grep -E '[r]un_mindformer|[m]srun'",
    "shell",
)
LAST_LINES = Copy(_("What each rank said last"), "tail -n 3 msrun_log/worker_*.log", "shell")
FILES = Copy(
    _("Event files, their sizes and owners"),
    "find . -name '*tfevents*' -printf '%TT %s %u %m %p\\n' | sort | tail",
    "shell",
)
WRITTEN_TO = Copy(
    _("The directories that the job's event files go to"),
    "grep -rhoE \"Set tensorboard path to '[^']*'\" output/log msrun_log | sort | uniq -c",
    "shell",
)
READABLE = Copy(_("Let others read event files"), "chmod -R a+rX ./output/tensorboard ./output/summary", "shell")
CORRUPTION = Copy(_("Watch for silent data corruption"), "export NPU_ASD_ENABLE=1 MS_SDC_DETECT_ENABLE=1", "shell")

COPIES: Mapping[Class, Sequence[Copy]] = {
    "nan_inf": (STOP_AT_NAN, SKIP_NAN, OVERFLOW_MODE, DUMP, DUMP_ON, BF16, BF16_OLD, CLIP, CLIP_PYNATIVE, LOWER_RATE),
    "loss_spike": (RESUME, SKIP_DATA, CLIP, CLIP_PYNATIVE, LOCAL_NORMS, LOCAL_NORMS_PYNATIVE),
    "divergence": (RESUME, LOWER_RATE, CLIP, CLIP_PYNATIVE, BETAS, SDC, CORRUPTION),
    "jitter": (LOWER_RATE, LOG_EACH),
    "plateau": (LOG_EACH, LOCAL_NORMS, LOCAL_NORMS_PYNATIVE),
    "overfit": (EVALUATE,),
    "grad_explode": (CLIP, CLIP_PYNATIVE, LOWER_RATE, SKIP_DATA, LOCAL_NORMS, LOCAL_NORMS_PYNATIVE),
    "grad_vanish": (LOCAL_NORMS, LOCAL_NORMS_PYNATIVE, BF16, BF16_OLD, SCALE),
    "loss_scale": (BF16, BF16_OLD, SCALE, OVERFLOW_MODE, DUMP, DUMP_ON, LOWER_RATE),
    "rank_outlier": (LOCAL_LOSSES, STRESS, SDC, CORRUPTION, CARDS),
    "tb_missing": (FILES, SUMMARIES, SUMMARIES_PYNATIVE),
    "stall": (PROCESSES, LAST_LINES, HCCL, STACK, CARDS),
    "throughput": (MSPROF, PROFILE, TIMERS, CARDS),
    "step_regress": (RESUME, LAST_LINES),
    "lr_anomaly": (LOG_EACH,),
    "custom": (),
}
OF_PARTS: Mapping[tuple[Class, str], Sequence[Copy]] = {
    ("rank_outlier", "K1"): (STOP_AT_NAN, SKIP_NAN, OVERFLOW_MODE, DUMP, DUMP_ON, LOCAL_LOSSES, STRESS, CARDS),
    ("rank_outlier", "K2"): (HCCL, STRESS, SDC, CORRUPTION, CARDS),
    ("rank_outlier", "K3"): (STACK, LAST_LINES, LOCAL_LOSSES),
    ("tb_missing", "B2"): (WRITTEN_TO, FILES, SUMMARIES, SUMMARIES_PYNATIVE),
    ("tb_missing", "B3"): (SUMMARIES, SUMMARIES_PYNATIVE),
    ("tb_missing", "B4"): (FILES, READABLE),
    ("tb_missing", "B5"): (FILES, SUMMARIES),
    ("tb_missing", "B6"): (FILES, WRITTEN_TO),
    ("throughput", "K5"): (CARDS, MSPROF, PROFILE),
}


def copies(about: Class, version: Version | None = None, mode: Mode | None = None, rule: str = "") -> list[Copy]:
    """What helps with a class of trouble, or with a part of its rule, as far as MindFormers ``version`` knows it."""
    found = [one for one in OF_PARTS.get((about, rule), COPIES[about]) if one.fits(version, mode)]
    is_new = version is not None and version >= BF16.since
    return [one for one in found if not (is_new and one is BF16_OLD)]


def version_of(text: str) -> Version | None:
    """``(1, 8, 0)`` of ``1.8.0rc1``; None of what is no version."""
    # 1.8.0rc1
    found = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", text)
    return None if found is None else tuple(int(one) for one in found.groups(default="0"))
