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
_TEXTS = {  # what is printed as it is: names, and numbers that are names
    "worker": r"\d{1,18}",
    "code": r"-?\d{1,9}",
    "rank": r"\d{1,9}",
    "layer": r"\d{1,9}",
    "where": r"\S.{0,250}",
    "why": r"\S.{0,250}",
}
Said = tuple[str, str]
"""The sentence, and a spelling of it: ``<name>`` stands for a number of that name, or for one of the texts."""


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


def _spelling(said: Said) -> Spelling:
    says, pattern = said
    return Spelling(says, re.compile(_PLACE.sub(_group, pattern)))


def _group(place: re.Match[str]) -> str:
    name = place[1]
    return rf"(?P<{name}>{_TEXTS[name]})" if name in _TEXTS else _NUMBER.format(name)


# the first that matches; each line below is followed by what it matches (mindformers 0.3 to 2.1, msrun)
_NORM: Sequence[Said] = (
    # ValueError: Current global norm [47.3] of step 2 has been 2 consecutive times greater than threshold 3.0, stop …
    ("norm_in_row", r"global norm <norm> of step \d+ has been <times> consecutive .{0,40}threshold:? <threshold>"),
    # The global norm 5.1 of step 31 is still greater or equal than threshold 3.0, continue training.
    ("norm_goes_on", r"global norm <norm> of step \d+ is still greater .{0,40}threshold <threshold>"),
    # Current global norm 51.5 is greater equal than threshold 3.0, stop training...
    ("norm_reached", r"global norm <norm> is greater .{0,40}threshold <threshold>"),
    # RuntimeError: TREError occurred......
    ("norm_thrown", r"\bTREError occurred"),
)
_SKIP: Sequence[Said] = (
    # … norm is nan at step 12, skipping the optimizer update (consecutive skipped: 1, total skipped: 4).
    ("skip_in_row", r"gradient norm is <norm> at step .{0,80}consecutive skipped: <times>, total skipped: <total>"),
    # [SkipStepOnNaN] Global gradient norm is nan at step 12, skipping the optimizer update
    ("skip_norm", r"gradient norm is <norm> at step"),
    # opt_global_step: 29, skip_data_grad_norm_threshold: 10.0, is_skip: [ True]
    ("skip_above", r"skip_data_grad_norm_threshold: <threshold>"),
)
_NAN: Sequence[Said] = (
    # There is nan in loss with value nan, terminate training.
    ("nan_loss", r"There is <loss> in loss\b"),
    ("nan_norm", r"There is <norm> in global_norm\b"),
    ("nan_local_norm", r"There is <norm> in local_norm\b"),
    # loss is nan, local_norm is [2.5], global_norm is [nan], terminate training.
    ("nan_three", r"\bloss is <loss>, local_norm is <local>, global_norm is <norm>, terminate"),
    # The current value of loss is NaN, terminate training.   loss is nan, terminate training.
    ("nan_loss", r"\bloss is <loss>, terminate"),
    # global_norm is [nan], terminate training.
    ("nan_norm", r"\bglobal_norm is <norm>, terminate"),
    ("nan_local_norm", r"\blocal_norm is <norm>, terminate"),
    # ValueError: Invalid loss, terminate training.
    ("nan_invalid", r"Invalid loss, terminate"),
    # RuntimeError: [SkipStepOnNaN] The global gradient norm has been NaN/Inf for 3 consecutive steps.
    ("nan_in_row", r"gradient norm has been NaN/Inf for <times> consecutive"),
)
_ERROR: Sequence[Said] = (
    # Worker process 4711 exit with exception. Error code: 1.
    ("error_worker", r"Worker process <worker> exit with exception\. Error code: <code>"),
    # There's worker exits with exception, kill all other workers.
    ("error_workers", r"worker exits with exception, kill all other"),
    # RuntimeError: Distributed job exited with exception. Please check logs in directory: ./msrun_log.
    ("error_job", r"job exited with exception\. Please check logs in directory: (?P<where>\S.{0,200}?)\.?\Z"),
    # Error in training step 5.
    ("error_step", r"Error in training step <step>"),
    # Error saving checkpoint: No space left on device
    ("error_saving", r"Error saving checkpoint: <why>"),
)
_SDC: Sequence[Said] = (
    # SilentCheck detect SDC at step: 12
    ("sdc_found", r"SilentCheck detect SDC"),
    # Start CheckSum at step: 13
    ("sdc_begins", r"Start CheckSum"),
    # Stop CheckSum at step: 14
    ("sdc_ends", r"Stop CheckSum"),
    # CheckSum detects SDC on rank 3
    ("sdc_rank", r"CheckSum detects SDC on rank <rank>"),
    # Detect SDC by SilentCheck and CheckSum, which means training may be unstable.
    ("sdc_both", r"Detect SDC by SilentCheck and CheckSum"),
    # SDC 3 strikes and out on rank: 5
    ("sdc_out", r"SDC <times> strikes and out on rank: <rank>"),
    # Checking device logs at step: 15...
    ("sdc_logs", r"Checking device logs"),
)
_STRESS: Sequence[Said] = (
    # Start to stress detect
    ("stress_begins", r"Start to stress detect"),
    # Stress detection passed
    ("stress_passed", r"Stress detection passed"),
    # Stress detection failed with error code: 174003
    ("stress_failed", r"Stress detection failed with error code: <code>"),
    # RuntimeError: Voltage recovery failed with error code: 174003
    ("stress_voltage", r"Voltage recovery failed with error code: <code>"),
    # STRESS TEST PASSED. ALL Results aligned at step 40
    ("stress_aligned", r"STRESS TEST PASSED"),
    # STRESS TEST FAILED at step 41
    ("stress_differs", r"STRESS TEST FAILED"),
    # Stress tests ended, all passed
    ("stress_ends", r"Stress tests ended"),
)
_MOE: Sequence[Said] = (
    # layer: 3, drop_rate: 0.01230
    ("moe_dropped", r"layer: <layer>, drop_rate: <share>"),
    # [expert load] iter 3: R, layer 2, load: min 0.12, max 3.40, std 0.50, details [1, 2]
    ("moe_load", r"layer <layer>, load: min <low>, max <high>, std <scatter>"),
    # switch hot experts spent time is 1.500000 s.
    ("moe_switched", r"switch hot experts spent time is <seconds> s"),
)
_OVERFLOW: Sequence[Said] = (
    # Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 1024.0
    ("overflow_lowered", r"Skipping step.{0,60}reducing (?:loss scale )?to <scale>"),
    # overflow, still update, loss scale adjust to 1024.0
    ("overflow_updated", r"overflow, still update, loss scale adjust to <scale>"),
    # overflow cond: True
    ("overflow_skipped", r"overflow cond: True"),
)
_START: Sequence[Said] = (
    # Build Callbacks For Train
    ("start_callbacks", r"Build Callbacks For Train"),
    # Starting Init Train Model
    ("start_model", r"Starting Init Train Model"),
    # Start training loop...
    ("start_loop", r"Start training loop"),
)
_RESUME: Sequence[Said] = (
    # Load healthy checkpoint: ./ckpt/rank_0
    ("resume_healthy", r"Load healthy checkpoint: <where>"),
    # Loading checkpoint from: ./ckpt
    ("resume_from", r"Loading checkpoint from: <where>"),
    # Start load resume context from checkpoint
    ("resume_context", r"Start load resume context from"),
    # Start resume training from checkpoint
    ("resume_training", r"Start resume training from"),
)
_COMPILE: Sequence[Said] = (
    # Model Compiling, Please Wait a Moment
    ("compile_model", r"Model Compiling"),
)
_TRAIN: Sequence[Said] = (
    # Starting Training Model
    ("train_model", r"Starting Training Model"),
)
_END: Sequence[Said] = (
    # Training Over!
    ("end_over", r"Training Over!"),
    # Training completed. Final checkpoint saved.
    ("end_saved", r"Training completed\. Final checkpoint saved"),
    # All workers successfully exit!
    ("end_workers", r"All workers successfully exit"),
)
_LINES: Mapping[str, Sequence[Said]] = {
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
SPELLINGS = {kind: [_spelling(one) for one in lines] for kind, lines in _LINES.items()}


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
