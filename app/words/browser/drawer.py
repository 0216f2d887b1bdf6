"""What the log drawer says."""

from __future__ import annotations

from collections.abc import Mapping

from flask_babel.speaklater import LazyString

from app.language import lazy_gettext as _

WORDS: Mapping[str, LazyString] = {
    "log_title": _("Log"),
    "log_close": _("Close (Esc)"),
    "log_lines": _("Lines of the log"),
    "log_place": _("rank {rank}, step {step}"),
    "log_go": _("Go"),
    "log_loading": _("Reading the log…"),
    "log_failed": _("The log could not be read: {reason}"),
    "log_retry": _("Try again"),
    "log_empty": _("The file is there, but nothing has been written to it yet."),
    "log_none": _(
        "No log of any rank has been found for this run. Logs are read where the collector runs: start it on the host "
        "that has info.log or worker_N.log, and this panel fills."
    ),
    "log_other_ranks": _("Rank {rank} has no log here. Ranks with one: {ranks}."),
    "log_silent": _(
        "No collector answers for the log of rank {rank}. Start `python -m collector follow {path}` on the machine "
        "that has the files, or look there whether it still runs; then try again."
    ),
    "log_start": _("The file begins here."),
    "log_end": _("This is the end of the file so far."),
    "log_host": _("{file} on {host}"),
    "rank_label": _("Rank"),
    "step_label": _("Step"),
    "find_label": _("Find"),
    "find_what": _("text in the log"),
    "find_back": _("Find earlier"),
    "find_on": _("Find later"),
    "find_nothing_on": _("not found below"),
    "find_nothing_back": _("not found above"),
    "find_here": _("line {number}"),
    "older": _("Older lines"),
    "newer": _("Newer lines"),
    "copy_lines": _("Copy lines"),
    "copied": _("{count} lines copied"),
    "not_copied": _("The browser did not allow copying: select the lines and press Ctrl + C."),
    "sign_error": _("error"),
    "sign_nan": _("NaN/Inf"),
    "sign_overflow": _("overflow"),
    "sign_skip": _("skipped"),
    "sign_warning": _("warning"),
}
