"""What the scripts behind "Share" say."""

from __future__ import annotations

from collections.abc import Mapping

from flask_babel.speaklater import LazyString

from app.language import lazy_gettext as _

WORDS: Mapping[str, LazyString] = {
    "share_link": _("Link to this view"),
    "share_link_copied": _("The link to this view is copied."),
    "copy_by_hand": _("This page may not write to the clipboard here; the text is chosen, press Ctrl+C or ⌘C."),
    "copied_short": _("Copied."),
    "link_newer": _(
        "This link was made by a newer version of Tidewatch; what this one does not know of it is left out."
    ),
    "freeze_title": _("Freeze a snapshot"),
    "freeze_means": _(
        "Whoever has the link sees the run as it is now, in this view, for as long as the link opens it, and can "
        "change nothing. The run itself goes on."
    ),
    "freeze_until": _("The link opens it for"),
    "freeze_days_1": _("1 day"),
    "freeze_days_7": _("7 days"),
    "freeze_days_30": _("30 days"),
    "freeze_days_365": _("1 year"),
    "freeze_names": _("Show host names and paths of the training machines"),
    "freeze_by": _("Your name (optional)"),
    "freeze_create": _("Create link"),
    "freeze_link": _("Link to the snapshot"),
    "freeze_made": _("The snapshot is made. Its link is shown this once: copy it now."),
    "freeze_copied": _("The link is copied."),
    "freeze_copy": _("Copy"),
    "freeze_open": _("Open"),
    "snapshots_title": _("Snapshots of this run"),
    "snapshots_reading": _("Reading…"),
    "snapshots_none": _("There is none yet."),
    "snapshot_by": _("by {name}"),
    "snapshot_live": _("opens until {when}"),
    "snapshot_expired": _("expired {when}"),
    "snapshot_revoked": _("revoked {when}"),
    "snapshot_unused": _("not opened yet"),
    "snapshot_used_once": _("opened once, {when}"),
    "snapshot_used": _("opened {count} times, last {when}"),
    "snapshot_of_ranks": _("rank map"),
    "snapshot_names": _("with host names"),
    "snapshot_revoke": _("Revoke"),
    "snapshot_revoke_of": _("Revoke the snapshot of {when}"),
    "snapshot_revoke_surely": _("Really revoke?"),
    "snapshot_revoke_means": _("Whoever has its link will be told that it was taken back. This cannot be undone."),
    "snapshot_is_revoked": _("Revoked: its link says so from now on."),
    "log_frozen": _("A snapshot has no logs: whoever may see the live run reads them there."),
}
