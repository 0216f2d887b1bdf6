"""How fresh a run is, in words: what pages and terminal say alike. Each sentence ends with what to do next."""

from __future__ import annotations

from collections.abc import Mapping

from app.figures import numbers
from app.language import gettext as _
from app.language import sentences
from app.series.freshness import Cause, Freshness, State

SHORTEST_SAID = 0.05  # seconds; a shorter interval would be said as "0 s"


def due(fresh: Freshness, *, going: bool) -> str:
    """How often a point is due; nothing for a run that is over (not ``going``) or whose pace is not known."""
    if fresh.expected is None or fresh.expected < SHORTEST_SAID or not going:
        return ""
    return _(", one expected every %(interval)s", interval=numbers.duration(round(fresh.expected, 1)))


def state_sentence(fresh: Freshness) -> str:
    """What the state means and what to do next."""
    if fresh.cause is not None:
        return cause_sentence(fresh, fresh.cause)
    told: Mapping[State, str] = {
        "live": _("Training is going on."),
        "quiet": _("Nothing new for longer than usual: training is slow or stuck, or its files no longer grow."),
        "finished": _("The run is finished."),
        "failed": _("The run has failed; its events and its log say more."),
        "collector_away": _(
            "No collector follows this run, so nothing new arrives: start one with “python -m collector follow”."
        ),
        "waiting": _("Its files are there, but no training step has been written yet."),
    }
    return told.get(fresh.state, "")


def cause_sentence(fresh: Freshness, cause: Cause) -> str:
    """Why points come late, or none come."""
    if cause == "behind":
        return behind_sentence(fresh)
    if cause == "slow":
        return _(
            "Training is slow: a step takes %(factor)s × its median in this run. Look at the ranks' step times, at "
            "data loading, and for a card that has slowed down.",
            factor=numbers.value(round(fresh.factor or 0.0, 1)),
        )
    if cause == "not_growing":
        return _(
            "No file has grown for longer than this run ever pauses: it hangs, was ended without a word, or writes "
            "elsewhere. See whether its processes live, and what the ranks' logs say last."
        )
    if cause == "stale":
        return stale_sentence(fresh)
    return sentences(work_sentence(fresh, cause), usual_sentence(fresh))


def behind_sentence(fresh: Freshness) -> str:
    """How far the collector is."""
    percent = int((fresh.read or 0) * 100)
    if fresh.unread is None:
        return _("The collector is behind: %(percent)d %% of this run's files is read.", percent=percent)
    return _(
        "The collector is behind: %(percent)d %% of this run's files is read, %(bytes)s are to come. It catches up by "
        "itself; until then the newest steps are missing.",
        percent=percent,
        bytes=numbers.size(fresh.unread),
    )


def stale_sentence(fresh: Freshness) -> str:
    """What keeps the collector from seeing the files as they are."""
    if not fresh.trouble:
        return _(
            "The files' times lie behind what is in them, so storage may be showing an old state: check the mount and "
            "the clocks of its hosts."
        )
    return _(
        "Storage is stale: the collector cannot read what is newest (%(trouble)s). Check the mount and the permissions "
        "on the collector's host.",
        trouble=fresh.trouble.rstrip("."),
    )


def work_sentence(fresh: Freshness, cause: Cause) -> str:
    """What is being done instead of training."""
    told = {
        "evaluation": _("An evaluation is under way."),
        "checkpoint": _("A checkpoint is being saved."),
        "compiling": _("The job is starting: it loads, compiles, and runs its first steps."),
    }
    guessed = {
        "evaluation": _("An evaluation is due at this step, and is probably under way."),
        "checkpoint": _("A checkpoint is due at this step, and is probably being saved."),
    }
    return told[cause] if fresh.told else guessed[cause]


def usual_sentence(fresh: Freshness) -> str:
    """How long it should take."""
    if fresh.usual is None:
        return _("How long that takes, this run has not shown yet.")
    usual = numbers.duration(round(fresh.usual, 1))
    if fresh.overdue:
        return _(
            "It usually takes %(usual)s here and has taken far longer: it probably hangs. See what the ranks' logs say "
            "last.",
            usual=usual,
        )
    return _("It usually takes %(usual)s here.", usual=usual)
