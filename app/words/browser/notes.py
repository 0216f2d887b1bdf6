"""What the list of notes says, and the form in which one is written."""

from __future__ import annotations

from collections.abc import Mapping

from flask_babel.speaklater import LazyString

from app.language import lazy_gettext as _

WORDS: Mapping[str, LazyString] = {
    "notes_none": _("Nobody has written a note about this run."),
    "notes_none_yet": _("No notes yet. Press n to write one about the steps you look at."),
    "notes_gone": _("This note has been deleted."),
    "notes_here": _("{count} notes here."),
    "notes_more": _("and {count} more notes"),
    "note_label": _("Note by {author}, {place}: {text}"),
    "note_new": _("New note by {author}, {place}."),
    "note_saved": _("The note is saved."),
    "note_edited": _("edited"),
    "note_edited_by": _("edited by {name}"),
    "note_edit": _("Edit"),
    "note_remove": _("Delete …"),
    "note_remove_surely": _("Delete for good"),
    "note_keep": _("Keep"),
    "note_from": _("From step"),
    "note_to": _("To step"),
    "note_steps_shown": _("Steps in view"),
    "note_text": _("Note"),
    "note_name": _("Your name"),
    "note_save": _("Save note"),
    "note_save_again": _("Save again to replace it with your text, or cancel to keep it."),
    "note_cancel": _("Cancel"),
    "note_lacks_steps": _("A note is about a step, or from one to a later one: whole numbers from 0 on."),
    "note_lacks_text": _("The note is empty."),
    "note_lacks_name": _("Say who writes it."),
}
