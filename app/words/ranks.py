"""What the states of a rank are called, and how they sound."""

from __future__ import annotations

from collections.abc import Mapping

from app.language import lazy_gettext as _
from app.words.states import Word

RANK_STATES: Mapping[str, Word] = {  # gravest first
    "broken_reduction": Word(_("Reduction broken"), "bad"),
    "nan": Word(_("NaN or Inf"), "bad"),
    "outlier": Word(_("Outlier"), "bad"),
    "straggler": Word(_("Straggler"), "warn"),
    "silent": Word(_("Silent"), "warn"),
    "frozen": Word(_("Frozen"), "warn"),
    "no_data_by_design": Word(_("No data by design")),
    "ok": Word(_("Fine"), "good"),
}
