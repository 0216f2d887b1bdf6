"""How fresh a run is, in words: what pages and terminal say alike."""

from __future__ import annotations

from collections.abc import Mapping

from app.figures import numbers
from app.language import gettext as _
from app.series.freshness import Freshness, State

SHORTEST_SAID = 0.05  # seconds; a shorter interval would be said as "0 s"


def due(fresh: Freshness, *, going: bool) -> str:
    """How often a point is due; nothing for a run that is over (not ``going``) or whose pace is not known."""
    if fresh.expected is None or fresh.expected < SHORTEST_SAID or not going:
        return ""
    return _(", one expected every %(interval)s", interval=numbers.duration(round(fresh.expected, 1)))


def state_sentence(fresh: Freshness) -> str:
    """What the state means and what to do next."""
    sentences: Mapping[State, str] = {
        "live": _("Training is going on."),
        "quiet": _("Nothing new for longer than usual: training is slow or stuck, or its files no longer grow."),
        "finished": _("The run is finished."),
        "failed": _("The run has failed; the newest events say why."),
        "collector_away": _(
            "No collector follows this run, so nothing new arrives: start one with “python -m collector follow”."
        ),
        "catching_up": _(
            "The collector is behind: %(percent)d %% of this run's files is read.", percent=int((fresh.read or 0) * 100)
        ),
        "waiting": _("Its files are there, but no training step has been written yet."),
    }
    return sentences[fresh.state]
