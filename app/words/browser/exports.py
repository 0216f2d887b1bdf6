"""What the dialog "Download data" says."""

from __future__ import annotations

from collections.abc import Mapping

from flask_babel.speaklater import LazyString

from app.language import lazy_gettext as _

WORDS: Mapping[str, LazyString] = {
    "export_title": _("Download data"),
    "export_download": _("Download"),
    "export_form": _("Format"),
    "export_form_csv": _("CSV"),
    "export_form_jsonl": _("JSON lines"),
    "export_form_parquet": _("Parquet"),
    "export_hint_csv": _("for spreadsheets; an empty cell is no value, NaN is one"),
    "export_hint_jsonl": _("one object a line, for programs"),
    "export_hint_parquet": _("smallest, with types, for pandas and the like"),
    "export_range": _("Steps"),
    "export_range_view": _("in view: {first} to {last}"),
    "export_range_all": _("the whole run"),
    "export_series": _("Series"),
    "export_series_shown": _("of the panels shown"),
    "export_series_all": _("every metric and tag"),
    "export_attempt": _("Attempts"),
    "export_attempt_all": _("all, one after the other"),
    "export_attempt_latest": _("each step of the newest that has done it"),
    "export_attempt_one": _("attempt {attempt} alone"),
    "export_layout": _("Rows"),
    "export_layout_wide": _("one a step"),
    "export_layout_long": _("one a point"),
    "export_hint_wide": _("a column for each series; sources apart"),
    "export_hint_long": _("each with the time of its own"),
    "export_size": _("About {rows} rows of {series} series, {size}."),
    "export_folded": _("Older history was folded to ends and extremes of 64 neighbouring points each."),
    "export_missing": _("The run has nothing of: {names}."),
    "export_begun": _("Your browser saves the file."),
}
