"""What known lines about a job and its troubles say, as names and numbers, for a page to put into words. Pure.

``says`` in a detail names the sentence (app/words/browser/told.py); what else is in it fills the sentence's places.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.series.happening import Detail, Happening

# 51.5   [51.542484]   [nan]   -inf   9.99978e-05
_NUMBER = r"\[?\s{{0,9}}(?P<{}>[-+]?(?:nan|inf|NaN|Inf|\d{{1,30}}(?:\.\d{{0,30}})?(?:[eE][-+]?\d{{1,5}})?))\s{{0,9}}\]?"
_PLACE = re.compile(r"(?<!\?P)<(\w+)>")
_TEXTS = ("worker", "code", "rank", "layer", "where", "why")  # names and what is printed as it is


@dataclass(frozen=True, slots=True)
class Spelling:
    """One spelling of a line; its groups are the values of the sentence ``says``."""

    says: str
    pattern: re.Pattern[str]

    def read(self, text: str) -> Detail | None:
        """The values of a line, None when it is another one."""
        match = self.pattern.search(text)
        if match is None:
            return None
        found = {name: value for name, value in match.groupdict().items() if value is not None}
        return {"says": self.says, **{name: one if name in _TEXTS else float(one) for name, one in found.items()}}


def _spelled(says: str, pattern: str) -> Spelling:
    """``<name>`` in a pattern is a number of that name."""
    return Spelling(says, re.compile(_PLACE.sub(lambda place: _NUMBER.format(place[1]), pattern)))


# the first that matches; each line below is followed by what it matches (mindformers 0.3 to 2.1, msrun)
_NORM = (
    # ValueError: Current global norm [47.3] of step 2 has been 2 consecutive times greater than threshold 3.0, stop …
    _spelled(
        "norm_in_row", r"global norm <norm> of step \d+ has been <times> consecutive .{0,40}threshold:? <threshold>"
    ),
    # The global norm 5.1 of step 31 is still greater or equal than threshold 3.0, continue training.
    _spelled("norm_goes_on", r"global norm <norm> of step \d+ is still greater .{0,40}threshold <threshold>"),
    # Current global norm 51.5 is greater equal than threshold 3.0, stop training...
    _spelled("norm_reached", r"global norm <norm> is greater .{0,40}threshold <threshold>"),
    # RuntimeError: TREError occurred......
    _spelled("norm_thrown", r"\bTREError occurred"),
)
_SKIP = (
    # … norm is nan at step 12, skipping the optimizer update (consecutive skipped: 1, total skipped: 4).
    _spelled(
        "skip_in_row", r"gradient norm is <norm> at step .{0,80}consecutive skipped: <times>, total skipped: <total>"
    ),
    # [SkipStepOnNaN] Global gradient norm is nan at step 12, skipping the optimizer update
    _spelled("skip_norm", r"gradient norm is <norm> at step"),
    # opt_global_step: 29, skip_data_grad_norm_threshold: 10.0, is_skip: [ True]
    _spelled("skip_above", r"skip_data_grad_norm_threshold: <threshold>"),
)
_NAN = (
    # There is nan in loss with value nan, terminate training.
    _spelled("nan_loss", r"There is <loss> in loss\b"),
    _spelled("nan_norm", r"There is <norm> in global_norm\b"),
    _spelled("nan_local_norm", r"There is <norm> in local_norm\b"),
    # loss is nan, local_norm is [2.5], global_norm is [nan], terminate training.
    _spelled("nan_three", r"\bloss is <loss>, local_norm is <local>, global_norm is <norm>, terminate"),
    # The current value of loss is NaN, terminate training.   loss is nan, terminate training.
    _spelled("nan_loss", r"\bloss is <loss>, terminate"),
    # global_norm is [nan], terminate training.
    _spelled("nan_norm", r"\bglobal_norm is <norm>, terminate"),
    _spelled("nan_local_norm", r"\blocal_norm is <norm>, terminate"),
    # ValueError: Invalid loss, terminate training.
    _spelled("nan_invalid", r"Invalid loss, terminate"),
    # RuntimeError: [SkipStepOnNaN] The global gradient norm has been NaN/Inf for 3 consecutive steps.
    _spelled("nan_in_row", r"gradient norm has been NaN/Inf for <times> consecutive"),
)
_ERROR = (
    # Worker process 4711 exit with exception. Error code: 1.
    _spelled(
        "error_worker", r"Worker process (?P<worker>\d{1,18}) exit with exception\. Error code: (?P<code>-?\d{1,9})"
    ),
    # There's worker exits with exception, kill all other workers.
    _spelled("error_workers", r"worker exits with exception, kill all other"),
    # RuntimeError: Distributed job exited with exception. Please check logs in directory: ./msrun_log.
    _spelled("error_job", r"job exited with exception\. Please check logs in directory: (?P<where>\S.{0,200}?)\.?\Z"),
    # Error in training step 5.
    _spelled("error_step", r"Error in training step <step>"),
    # Error saving checkpoint: No space left on device
    _spelled("error_saving", r"Error saving checkpoint: (?P<why>\S.{0,250})"),
)
_SDC = (
    # SilentCheck detect SDC at step: 12
    _spelled("sdc_found", r"SilentCheck detect SDC"),
    # Start CheckSum at step: 13
    _spelled("sdc_begins", r"Start CheckSum"),
    # Stop CheckSum at step: 14
    _spelled("sdc_ends", r"Stop CheckSum"),
    # CheckSum detects SDC on rank 3
    _spelled("sdc_rank", r"CheckSum detects SDC on rank (?P<rank>\d{1,9})"),
    # Detect SDC by SilentCheck and CheckSum, which means training may be unstable.
    _spelled("sdc_both", r"Detect SDC by SilentCheck and CheckSum"),
    # SDC 3 strikes and out on rank: 5
    _spelled("sdc_out", r"SDC <times> strikes and out on rank: (?P<rank>\d{1,9})"),
    # Checking device logs at step: 15...
    _spelled("sdc_logs", r"Checking device logs"),
)
_STRESS = (
    # Start to stress detect
    _spelled("stress_begins", r"Start to stress detect"),
    # Stress detection passed
    _spelled("stress_passed", r"Stress detection passed"),
    # Stress detection failed with error code: 174003
    _spelled("stress_failed", r"Stress detection failed with error code: (?P<code>-?\d{1,9})"),
    # RuntimeError: Voltage recovery failed with error code: 174003
    _spelled("stress_voltage", r"Voltage recovery failed with error code: (?P<code>-?\d{1,9})"),
    # STRESS TEST PASSED. ALL Results aligned at step 40
    _spelled("stress_aligned", r"STRESS TEST PASSED"),
    # STRESS TEST FAILED at step 41
    _spelled("stress_differs", r"STRESS TEST FAILED"),
    # Stress tests ended, all passed
    _spelled("stress_ends", r"Stress tests ended"),
)
_MOE = (
    # layer: 3, drop_rate: 0.01230
    _spelled("moe_dropped", r"layer: (?P<layer>\d{1,9}), drop_rate: <share>"),
    # [expert load] iter 3: R, layer 2, load: min 0.12, max 3.40, std 0.50, details [1, 2]
    _spelled("moe_load", r"layer (?P<layer>\d{1,9}), load: min <low>, max <high>, std <scatter>"),
    # switch hot experts spent time is 1.500000 s.
    _spelled("moe_switched", r"switch hot experts spent time is <seconds> s"),
)
_OVERFLOW = (
    # Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 1024.0
    _spelled("overflow_lowered", r"Skipping step.{0,60}reducing (?:loss scale )?to <scale>"),
    # overflow, still update, loss scale adjust to 1024.0
    _spelled("overflow_updated", r"overflow, still update, loss scale adjust to <scale>"),
    # overflow cond: True
    _spelled("overflow_skipped", r"overflow cond: True"),
)
_START = (
    # Build Callbacks For Train
    _spelled("start_callbacks", r"Build Callbacks For Train"),
    # Starting Init Train Model
    _spelled("start_model", r"Starting Init Train Model"),
    # Start training loop...
    _spelled("start_loop", r"Start training loop"),
)
_RESUME = (
    # Load healthy checkpoint: ./ckpt/rank_0
    _spelled("resume_healthy", r"Load healthy checkpoint: (?P<where>\S.{0,250})"),
    # Loading checkpoint from: ./ckpt
    _spelled("resume_from", r"Loading checkpoint from: (?P<where>\S.{0,250})"),
    # Start load resume context from checkpoint
    _spelled("resume_context", r"Start load resume context from"),
    # Start resume training from checkpoint
    _spelled("resume_training", r"Start resume training from"),
)
_COMPILE = (
    # Model Compiling, Please Wait a Moment
    _spelled("compile_model", r"Model Compiling"),
)
_TRAIN = (
    # Starting Training Model
    _spelled("train_model", r"Starting Training Model"),
)
_END = (
    # Training Over!
    _spelled("end_over", r"Training Over!"),
    # Training completed. Final checkpoint saved.
    _spelled("end_saved", r"Training completed\. Final checkpoint saved"),
    # All workers successfully exit!
    _spelled("end_workers", r"All workers successfully exit"),
)
SPELLINGS: Mapping[str, Sequence[Spelling]] = {
    "skip": _SKIP,
    "norm_spike": _NORM,
    "norm_stop": _NORM,
    "nan_stop": _NAN,
    "error": _ERROR,
    "sdc": _SDC,
    "stress": _STRESS,
    "moe": _MOE,
    "overflow": _OVERFLOW,
    "start": _START,
    "resume": _RESUME,
    "compile": _COMPILE,
    "train": _TRAIN,
    "end": _END,
}


def values(kind: str, text: str) -> Detail:
    """What a line of this kind says; nothing when it is spelled in no known way."""
    found = (one.read(text) for one in SPELLINGS.get(kind, ()))
    return next((one for one in found if one is not None), {})


def told(one: Happening) -> Happening:
    """The same with what its line says, where that is known."""
    return replace(one, detail={**one.detail, **values(one.kind, one.text)}) if one.kind in SPELLINGS else one


def joined(lines: Iterable[Happening]) -> list[Happening]:
    """The same lines; one that skips a batch without its norm has that of the next line, which names it."""
    known = list(lines)
    norms = {(one.attempt, one.step): one.detail for one in known if one.kind in ("norm_spike", "norm_stop")}
    return [_with_norm(one, norms.get((one.attempt, one.step), {})) for one in known]


def _with_norm(one: Happening, spike: Detail) -> Happening:
    if one.kind != "skip" or one.detail.get("says") != "skip_above" or "norm" not in spike:
        return one
    return replace(one, detail={**one.detail, "says": "skip_norm_above", "norm": spike["norm"]})
