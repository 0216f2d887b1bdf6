"""What the scripts of comparisons say: the pick on the runs page, the compare page, the baseline of a run."""

from __future__ import annotations

from collections.abc import Mapping

from flask_babel.speaklater import LazyString

from app.language import lazy_gettext as _

WORDS: Mapping[str, LazyString] = {
    "off": _("off"),
    "pick_none": _("Tick runs to compare them"),
    "pick_one": _("1 run ticked; tick another"),
    "pick_full": _("{most} runs are as many as can be compared"),
    "pick_some": _("{count} runs ticked"),
    "pick_compare": _("Compare {count} runs"),
    "compare_few": _("Two runs at least are needed: tick them in the table of runs and press Compare."),
    "compare_many": _("{count} runs are asked for; {most} at most can be told apart. Take some out of the address."),
    "compare_missing": _("There is no run {names}: it was deleted, or the address is misspelled."),
    "compare_without": _("{names}: no points of {metric}. Choose another metric, or wait for the first points."),
    "compare_tokenless": _(
        "{names}: the files do not say how many tokens a step is (global batch size and sequence length). "
        "Choose steps instead."
    ),
    "compare_away": _("The server does not answer as it should; it is asked again by itself. {reason}"),
    "compare_run": _("Run"),
    "compare_last": _("Last"),
    "compare_best": _("Best"),
    "compare_difference": _("Difference"),
    "compare_reference": _("reference"),
    "compare_common_none": _("In common"),
    "compare_common_step": _("At step {at}"),
    "compare_common_relative": _("{at} steps in"),
    "compare_common_tokens": _("At {at} tokens"),
    "compare_x_step": _("Step"),
    "compare_x_relative": _("Steps since the run's first"),
    "compare_x_tokens": _("Tokens"),
    "compare_show": _("Show {name}"),
    "compare_usual": _("Usual panels"),
    "compare_having": _("{title} ({count} of {all} runs)"),
    "compare_waiting": _("Waiting"),
    "compare_running": _("Running"),
    "compare_quiet": _("Quiet"),
    "compare_finished": _("Finished"),
    "compare_failed": _("Failed"),
    "setting_key": _("Setting"),
    "setting_missing": _("missing"),
    "setting_search": _("Search settings"),
    "setting_same": _("All {total} settings are the same."),
    "setting_no_match": _("No setting has “{words}” in it."),
    "setting_unknown": _(
        "No configuration is known: MindFormers writes it into its TensorBoard files and, in part, into its log."
    ),
    "setting_count": _("{count} settings"),
    "setting_one": _("1 setting"),
    "layout_world_size": _("devices"),
    "layout_data_parallel": _("data parallel"),
    "layout_model_parallel": _("tensor parallel"),
    "layout_pipeline_stages": _("pipeline stages"),
    "layout_expert_parallel": _("expert parallel"),
    "layout_context_parallel": _("context parallel"),
    "layout_micro_batch_num": _("micro batches"),
    "layout_global_batch_size": _("global batch"),
    "layout_seq_length": _("sequence length"),
    "layout_parameters": _("parameters"),
    "baseline_button": _("Baseline…"),
    "baseline_of": _("Baseline: {names}"),
    "baseline_waiting": _("Reading the baseline…"),
    "baseline_behind": _("{steps} steps behind the baseline: it had a loss of {value} at step {step}."),
    "baseline_ahead": _("{steps} steps ahead of the baseline: it had a loss of {value} only at step {step}."),
    "baseline_level": _("Level with the baseline."),
    "baseline_noisy": _(
        "About level with the baseline: the difference of some {steps} steps is no more than the noise."
    ),
    "baseline_below_best": _("Better than the baseline ever was: its smoothed loss never came down to {value}."),
    "baseline_above_start": _("Too early to tell: the loss of {value} is above where the baseline begins."),
    "baseline_no_points": _("This run has no loss yet; the baseline is there to be followed."),
    "baseline_no_baseline": _("The chosen runs have no loss to follow. Choose others under Baseline."),
    "baseline_gone": _("No longer there: {names}. Choose others under Baseline."),
    "baseline_failed": _("The baseline cannot be read: {reason}"),
    "baseline_corridor": _("baseline"),
    "baseline_none": _("There is no other run to follow yet."),
    "baseline_search": _("Search runs"),
    "baseline_show": _("Draw"),
    "baseline_clear": _("No baseline"),
    "baseline_title": _("Earlier runs behind this one"),
    "baseline_explain": _(
        "One run makes a band of its usual scatter; several make a band from the lowest to the highest."
    ),
    "baseline_close": _("Close"),
    "baseline_full": _("{most} runs at most"),
}
