"""A run in short pieces of text, as lines and screens put them together. Pure."""

from __future__ import annotations

import math

import numpy as np

from app.figures import numbers
from app.language import gettext as _
from app.language import ngettext
from app.pages.verdicts import Badge
from app.status.summary import Summary
from app.words.freshness import due, state_sentence
from app.words.states import status_word


def state(one: Summary) -> str:
    """The state in a word."""
    return str(status_word(one.run.state).text)


def progress(one: Summary) -> str:
    """ "step 6,196 / 10,000", or as much of it as is known."""
    seen = one.run.seen
    here = "–" if seen.step is None else numbers.count(seen.step)
    whole = f"{here} / {numbers.count(seen.total_steps)}" if seen.total_steps else here
    return _("step %(step)s", step=whole)


def share(one: Summary) -> float | None:
    """How much is done, 0 to 1; None when the end is not known."""
    total = one.run.seen.total_steps
    return min(1.0, (one.run.seen.step or 0) / total) if total else None


def pace(one: Summary) -> list[str]:
    """Step time, throughput and remaining time, as far as they are known."""
    known = one.run.seen.progress
    said = []
    if known.step_time_ms is not None:
        said.append(_("%(time)s per step", time=numbers.milliseconds(known.step_time_ms)))
    if known.throughput is not None:
        said.append(f"{numbers.engineering(known.throughput)} {known.throughput_unit or ''}".rstrip())
    if known.eta is not None and one.run.is_going:
        said.append(_("%(time)s remaining", time=numbers.duration(known.eta)))
    return said


def values(one: Summary) -> list[tuple[str, str, bool]]:
    """Name, last value, and whether it is a number: loss, learning rate, gradient norm, loss scale."""
    names = {"lr": _("Learning rate"), "grad_norm": _("Gradient norm"), "loss_scale": _("Loss scale")}
    last = {} if one.run.seen.loss is None else {_("Loss"): one.run.seen.loss}
    last |= {names[metric]: value for metric, value in one.last.items()}
    return [(name, numbers.value(value), math.isfinite(value)) for name, value in last.items()]


def freshness(one: Summary) -> str:
    """How old the last point is, when the next is due, and what the state means."""
    fresh = one.run.seen.freshness
    if one.age is None or one.run.seen.step is None:
        return state_sentence(fresh)
    ago = _("Last point %(age)s ago", age=numbers.duration(round(one.age)))
    return f"{ago}{due(fresh, going=one.run.is_going)}{_('. ')}{state_sentence(fresh)}"


def troubles(one: Summary) -> list[str]:
    """What is not good news, in a few words each."""
    return [trouble(badge) for badge in one.troubles]


def trouble(badge: Badge) -> str:
    """ "2 NaN or Inf"."""
    return badge.text if badge.count is None else f"{numbers.count(badge.count)} {badge.text}"


def span(one: Summary) -> str:
    """ "2.29 to 10.9": the lowest and the highest loss; nothing when there is no finite one."""
    finite = one.loss[np.isfinite(one.loss)]
    if not len(finite):
        return ""
    low, high = numbers.value(float(finite.min())), numbers.value(float(finite.max()))
    return low if low == high else _("%(low)s to %(high)s", low=low, high=high)


def counted(shown: int, known: int) -> str:
    """ "20 of 132 runs (--all shows every one)"."""
    whole = ngettext("%(num)d run", "%(num)d runs", known)
    return whole if shown == known else _("%(shown)d of %(whole)s (--all shows every one)", shown=shown, whole=whole)


def attention(count: int) -> str:
    """How many runs need somebody to look."""
    if not count:
        return _("all is well")
    return ngettext("%(num)d needs attention", "%(num)d need attention", count)
