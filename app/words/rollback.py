"""What the rollback advisor says."""

from __future__ import annotations

from app.figures import numbers
from app.language import gettext as _
from app.language import ngettext
from app.series.rollback import Rollback, Way


def advice(found: Rollback) -> str:
    """One sentence or two: where to go back to and what that costs, or why there is nowhere to go."""
    if not found.ways:
        return _(
            "No checkpoint was saved before step %(step)s: start again, or from weights of another run.",
            step=numbers.count(found.onset),
        )
    if (way := found.advised) is not None:
        return _("Go back to step %(step)s, the newest healthy checkpoint.", step=numbers.count(way.step)) + cost(way)
    if (way := found.fallback) is not None:
        return _(
            "None of the checkpoints before step %(onset)s is marked healthy; the newest that is not marked unhealthy "
            "is of step %(step)s.",
            onset=numbers.count(found.onset),
            step=numbers.count(way.step),
        ) + cost(way)
    return _("Every checkpoint before step %(step)s is marked unhealthy.", step=numbers.count(found.onset))


def cost(way: Way) -> str:
    """What going back to it costs, with the blank or none before it that the language wants."""
    count = numbers.count(way.steps)
    steps = ngettext("%(count)s step is done again", "%(count)s steps are done again", way.steps, count=count)
    if way.seconds is None:
        return _(" %(steps)s.", steps=steps)
    time = numbers.duration(round(way.seconds, 1))
    if way.npu_hours is None:
        return _(" %(steps)s: %(time)s at the present speed.", steps=steps, time=time)
    hours = numbers.value(float(f"{way.npu_hours:.2g}"))
    return _(" %(steps)s: %(time)s at the present speed, %(hours)s NPU hours.", steps=steps, time=time, hours=hours)
