"""What the page of a run's ranks says."""

from __future__ import annotations

from collections.abc import Mapping

from flask_babel.speaklater import LazyString

from app.language import lazy_gettext as _
from app.words.ranks import RANK_STATES

WORDS: Mapping[str, LazyString] = {
    **{f"rank_state_{state}": word.text for state, word in RANK_STATES.items()},
    "ranks_some_odd": _("{metric}: {odd} of {count} odd:"),
    "ranks_all_fine": _("{metric}: all {count} are as they should be."),
    "ranks_are_broken_reduction": _("{count} with a broken reduction"),
    "ranks_are_nan": _("{count} with NaN or Inf"),
    "ranks_are_outlier": _("{count} off their group"),
    "ranks_are_straggler": _("{count} straggling"),
    "ranks_are_silent": _("{count} silent"),
    "ranks_are_frozen": _("{count} frozen"),
    "ranks_are_no_data_by_design": _("{count} have no data by design."),
    "ranks_stop": _("."),
    "ranks_rank": _("Rank {rank}"),
    "ranks_no_host": _("Host not known"),
    "ranks_stage": _("Stage {stage}"),
    "ranks_group": _("Group {group}"),
    "ranks_row": _("{name} ({count})"),
    "ranks_at_pp": _("stage {at}"),
    "ranks_at_dp": _("DP {at}"),
    "ranks_at_cp": _("CP {at}"),
    "ranks_at_tp": _("TP {at}"),
    "ranks_at_step": _("step {step}"),
    "ranks_far": _("{z} deviations from its group"),
    "ranks_several": _("{low} to {high}, median {mid}"),
    "ranks_cell_missing": _("nothing written"),
    "ranks_cell_nan": _("NaN"),
    "ranks_cell_up": _("+Inf"),
    "ranks_cell_down": _("−Inf"),
    "ranks_cell_zero": _("zero by design"),
    "ranks_cell_frozen": _("frozen: the same number as before"),
    "ranks_some_missing": _("nothing written"),
    "ranks_some_nan": _("NaN on some rank"),
    "ranks_some_up": _("+Inf on some rank"),
    "ranks_some_down": _("−Inf on some rank"),
    "ranks_some_zero": _("zero by design"),
    "ranks_kind_missing": _("nothing written"),
    "ranks_kind_nan": _("NaN"),
    "ranks_kind_up": _("+Inf"),
    "ranks_kind_down": _("−Inf"),
    "ranks_kind_zero": _("zero by design"),
    "ranks_kind_frozen": _("frozen"),
    "ranks_scale_deviation": _("Robust deviations from the rank's own group at that step"),
    "ranks_scale_value": _("Value {unit}"),
    "ranks_scale_log": _("Value {unit}, logarithmic"),
    "ranks_labels_all": _("{rows} rows."),
    "ranks_labels_every": _(
        "{rows} rows; about one in {every} is labelled, odd ones first. Point at a row for its name."
    ),
    "ranks_marked": _("▶ marks ranks that are odd."),
    "ranks_folded_three": _("A folded row shows the highest, the median and the lowest value, one below the other."),
    "ranks_folded_far": _("A folded row shows the rank that is farthest away."),
    "ranks_odd_of": _("{odd} of {count} ranks are odd"),
    "ranks_click_fold": _("Click to fold"),
    "ranks_click_unfold": _("Click to show its {count} ranks"),
    "ranks_because_usual": _("{value} against {usual} of its group, since step {since}"),
    "ranks_because_outlier": _("away from its group since step {since}"),
    "ranks_because_straggler": _("slower than its group since step {since}"),
    "ranks_because_broken_reduction": _(
        "differs from its group since step {since}, though this number is reduced over it"
    ),
    "ranks_because_frozen": _("the same number since step {since}, while its group moves"),
    "ranks_because_nan": _("since step {since}"),
    "ranks_because_silent": _("last seen at step {seen}"),
    "ranks_because_no_data_by_design": _("its pipeline stage has no such value"),
    "ranks_choose": _("Click a cell, or move there with the arrow keys and press Enter."),
    "ranks_no_such": _("Rank {rank} has none of this metric. Choose another metric, or another rank."),
    "ranks_close": _("Close (Esc)"),
    "ranks_log": _("Log at step {step}"),
    "ranks_log_short": _("Log"),
    "ranks_log_of": _("Log of rank {rank} at step {step}"),
    "ranks_same_node": _("Also on {node}"),
    "ranks_alone": _("No other rank of this metric is there."),
    "ranks_host_unknown": _(
        "No file names the host of this rank: event files and logs with host names, or a collector on each host, do."
    ),
    "ranks_reading": _("Reading…"),
    "ranks_no_values": _("It has no values in this window."),
    "ranks_curve_of": _("Curve of rank {rank} over the band of {others} others of its group"),
    "ranks_curve_alone": _("Curve of rank {rank}"),
    "ranks_band": _("lowest to highest of {others} others, and their median"),
    "ranks_nobody_like": _("No other rank may be compared with it."),
    "ranks_filter_all": _("All ranks ({count})"),
    "ranks_filter_odd": _("Odd ones ({count})"),
    "ranks_none_odd": _("No rank is odd. Choose All ranks to see every one."),
    "ranks_none_such": _("No rank is in this state. Choose All ranks to see every one."),
    "ranks_head_rank": _("Rank"),
    "ranks_head_state": _("State"),
    "ranks_more": _("Show more ({count} left)"),
    "ranks_and_more": _("and {count} more"),
    "ranks_followed": _("{count} ranks followed"),
    "ranks_first_nan": _("Rank {rank} was first to have a NaN, at step {step}."),
    "ranks_first_inf": _("Rank {rank} was first to have an infinity, at step {step}."),
    "ranks_first_spike": _("Rank {rank} was first to spike, at step {step}."),
    "ranks_first_stall": _("Rank {rank} was first to stop, at step {step}."),
    "ranks_first_nan_several": _(
        "{count} ranks had their first NaN at the same step, {step}; no clock tells them apart."
    ),
    "ranks_first_inf_several": _(
        "{count} ranks had their first infinity at the same step, {step}; no clock tells them apart."
    ),
    "ranks_first_spike_several": _("{count} ranks spiked at the same step, {step}; no clock tells them apart."),
    "ranks_first_stall_several": _("{count} ranks stopped at the same step, {step}; no clock tells them apart."),
    "ranks_first_no_nan": _("No rank has a NaN in this metric. Try another kind, or choose another metric above."),
    "ranks_first_no_inf": _(
        "No rank has an infinity in this metric. Try another kind, or choose another metric above."
    ),
    "ranks_first_no_spike": _("No rank has a spike in this metric. Try another kind, or choose another metric above."),
    "ranks_first_no_stall": _(
        "No rank has stopped before the others. Try another kind, or choose another metric above."
    ),
    "ranks_first_none": _(
        "Nothing to explain: no rank has a NaN, an infinity, a spike or a stall in this metric. Choose another metric "
        "above."
    ),
    "ranks_errors_none": _(
        "No error line in any rank's log. Logs are read where collectors run: start one on each host, and lines appear "
        "here."
    ),
    "ranks_error_one": _("Rank {rank} alone"),
    "ranks_error_many": _("{count} ranks: {ranks}"),
    "ranks_trace": _("Stack trace"),
    "ranks_no_points": _(
        "No rank has a point of this metric in this window. Choose another metric, or show everything."
    ),
    "ranks_no_metric": _(
        "No metric is there of several ranks. MindFormers writes some per rank with monitor_config (local_loss_format, "
        "device_local_norm_format), and every rank's log has its loss: let the collector follow all of them."
    ),
    "ranks_apart": _("These ranks cannot be compared with one another: values are shown as they are."),
    "ranks_apart_tp": _(
        "Tensor-parallel ranks' losses are not compared with one another: before they are reduced each is a part of "
        "its own. A rank is measured against those that differ from it in data alone."
    ),
    "ranks_apart_pp": _(
        "Only one pipeline stage, usually the last, computes the loss; what other stages print means nothing and is "
        "not compared."
    ),
    "ranks_apart_small": _(
        "Too few ranks have the same work to be compared with one another: each is measured against its own past."
    ),
    "ranks_layout_told": _("{layout}, as --layout says"),
    "ranks_layout_read": _("{layout}, as the run's files say"),
    "ranks_layout_guessed": _("{layout} is assumed: no file says how ranks are laid out; --layout dp=8,tp=4,pp=2 does"),
    "ranks_folded_history": _("Older steps are kept in folds: there a cell stands for several steps."),
    "ranks_joined": _(
        "A column stands for about {count} steps: of each rank it shows the one that is farthest from usual. Zoom in "
        "to see every step. States, and who was first, are told of the steps from {step} on."
    ),
    "ranks_older_reading": _("Steps before {step} are being read…"),
    "ranks_exact_from": _("Steps before {step} are too many to be held, and are left out."),
}
