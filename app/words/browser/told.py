"""What lines about a job and its troubles say, in words: the sentences that app/series/telling.py names."""

from __future__ import annotations

from collections.abc import Mapping

from flask_babel.speaklater import LazyString

from app.language import lazy_gettext as _

WORDS: Mapping[str, LazyString] = {
    "told_norm_in_row": _("gradient norm {norm} above {threshold}, {times} in a row"),
    "told_norm_goes_on": _("gradient norm {norm} still at or above {threshold}, training goes on"),
    "told_norm_reached": _("gradient norm {norm} at or above {threshold}"),
    "told_norm_thrown": _("training was ended by a TREError, to be resumed"),
    "told_skip_in_row": _("gradient norm {norm}, {times} in a row, {total} in all"),
    "told_skip_norm": _("gradient norm {norm}"),
    "told_skip_above": _("gradient norm above {threshold}"),
    "told_skip_norm_above": _("gradient norm {norm} above {threshold}"),
    "told_nan_loss": _("loss {loss}"),
    "told_nan_norm": _("gradient norm {norm}"),
    "told_nan_local_norm": _("local gradient norm {norm}"),
    "told_nan_three": _("loss {loss}, local gradient norm {local}, gradient norm {norm}"),
    "told_nan_invalid": _("the loss is not a finite number"),
    "told_nan_in_row": _("gradient norm NaN or Inf for {times} steps in a row"),
    "told_error_worker": _("worker process {worker} ended with error code {code}"),
    "told_error_workers": _("a worker ended with an error, all others are stopped"),
    "told_error_job": _("the job ended with an error, its logs are in {where}"),
    "told_error_step": _("training step {step} failed"),
    "told_error_saving": _("the checkpoint was not saved: {why}"),
    "told_sdc_found": _("SilentCheck suspects it"),
    "told_sdc_begins": _("CheckSum begins"),
    "told_sdc_ends": _("CheckSum ends"),
    "told_sdc_rank": _("CheckSum finds it on rank {rank}"),
    "told_sdc_both": _("SilentCheck and CheckSum both find it"),
    "told_sdc_out": _("rank {rank} has had it {times} times and is given up"),
    "told_sdc_logs": _("device logs are being checked"),
    "told_stress_begins": _("begins"),
    "told_stress_passed": _("passed"),
    "told_stress_failed": _("failed with error code {code}"),
    "told_stress_voltage": _("voltage recovery failed with error code {code}"),
    "told_stress_aligned": _("passed, all results agree"),
    "told_stress_differs": _("failed, results differ"),
    "told_stress_ends": _("all tests ended"),
    "told_moe_dropped": _("layer {layer} dropped a share of {share} of its tokens"),
    "told_moe_load": _("layer {layer}: load {low} to {high}, standard deviation {scatter}"),
    "told_moe_switched": _("hot experts switched in {seconds} s"),
    "told_overflow_lowered": _("optimizer step left out, loss scale lowered to {scale}"),
    "told_overflow_updated": _("parameters updated all the same, loss scale {scale}"),
    "told_overflow_skipped": _("optimizer step left out"),
    "told_start_callbacks": _("callbacks are being built"),
    "told_start_model": _("the model is being initialised"),
    "told_start_loop": _("the training loop begins"),
    "told_resume_healthy": _("from the healthy checkpoint {where}"),
    "told_resume_from": _("from {where}"),
    "told_resume_context": _("the state of training is being loaded from a checkpoint"),
    "told_resume_training": _("from a checkpoint"),
    "told_compile_model": _("the model is being compiled"),
    "told_train_model": _("the first steps follow"),
    "told_end_over": _("training is complete"),
    "told_end_saved": _("training is complete, the last checkpoint is saved"),
    "told_end_workers": _("all workers ended without an error"),
}
