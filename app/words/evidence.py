"""A finding as a sentence of the numbers that it rests on: for pages, messages and reports.

``loss 5.1 at step 31,219 (usually 2.2, +132 %, 60 σ), gradient norm 66 × its usual, since step 31,216``
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from app.diagnosis.signal import Class, Signal
from app.figures import numbers
from app.language import gettext as _
from app.language import ngettext

QUANTITIES: Mapping[Class, Callable[[], str]] = {
    "nan_inf": lambda: _("loss"),
    "loss_spike": lambda: _("loss"),
    "divergence": lambda: _("loss"),
    "plateau": lambda: _("loss"),
    "jitter": lambda: _("loss"),
    "overfit": lambda: _("evaluation loss"),
    "grad_explode": lambda: _("gradient norm"),
    "grad_vanish": lambda: _("gradient norm"),
    "loss_scale": lambda: _("loss scale"),
    "lr_anomaly": lambda: _("learning rate"),
    "rank_outlier": lambda: _("value"),
}
BESIDE: Mapping[str, Callable[[float], str]] = {  # name of a number in Evidence.beside → what it says
    "peak": lambda number: _("peak %(value)s", value=numbers.value(number)),
    "gradient_ratio": lambda number: _("gradient norm %(ratio)s × its usual", ratio=times(number)),
    "loss_scale": lambda number: _("loss scale %(value)s", value=numbers.value(number)),
    "overflows": lambda number: ngettext("%(num)d overflow", "%(num)d overflows", round(number)),
    "halvings": lambda number: ngettext("halved %(num)d time", "halved %(num)d times", round(number)),
    "empty_files": lambda number: ngettext("%(num)d empty event file", "%(num)d empty event files", round(number)),
    "sealed_files": lambda number: ngettext(
        "%(num)d event file that cannot be read", "%(num)d event files that cannot be read", round(number)
    ),
    "least_step": lambda number: _("lowest at step %(step)s", step=numbers.count(number)),
    "train_fell": lambda number: _("training loss %(share)s lower since", share=numbers.percent(-math.expm1(-number))),
    "threshold": lambda number: _("threshold %(value)s", value=numbers.value(number)),
    "usual_sigma": lambda number: _("usually %(share)s", share=numbers.percent(number)),
    "spread": lambda number: _("usual spread %(value)s", value=numbers.value(number)),
}
UNSAID = {  # said elsewhere in the sentence, or of use to a developer alone
    *("rows", "rho", "patience", "steps_back", "of_limit", "mean_rows", "autocorrelation", "deviation", "own_level"),
    "ranks",
}
SAID_AS_RATIO = {"grad_explode", "grad_vanish", "lr_anomaly"}  # their values go over orders of magnitude


def sentence(said: Signal, last: int | None = None) -> str:
    """What ``said`` rests on; ``last`` is the episode's last step once it is over. No full stop: it stands in lists."""
    parts = [what(said), *beside(said), where(said, last)]
    return comma().join(one for one in parts if one)


def what(said: Signal) -> str:
    """The number that stands out, with what it is compared with."""
    words = OF_RANKS.get(said.rule) if said.rank is not None else None
    told = (words or SPECIAL.get(said.about, _value))(said)
    return told if said.rank is None else _("rank %(rank)d: %(what)s", rank=said.rank, what=told)


def _value(said: Signal) -> str:
    number, known = said.evidence.value, QUANTITIES.get(said.about)
    if number is None or not (known or said.about == "custom"):
        return _("step %(step)s", step=numbers.count(said.step))
    name = known() if known else said.rule
    if said.about == "nan_inf" and said.rule == "N2":
        name = _("gradient norm")
    told = _(
        "%(name)s %(value)s at step %(step)s", name=name, value=numbers.value(number), step=numbers.count(said.step)
    )
    compared = comparison(said)
    return _("%(what)s (%(compared)s)", what=told, compared=compared) if compared else told


def comparison(said: Signal) -> str:
    """With the baseline: its median, the share or the factor, and how many sigmas."""
    told, parts = said.evidence, []
    if told.median is not None and math.isfinite(told.median):
        parts.append(_("usually %(value)s", value=numbers.value(told.median)))
    if told.ratio is not None and math.isfinite(told.ratio):
        parts.append(f"{times(told.ratio)}×" if said.about in SAID_AS_RATIO else change(told.ratio))
    if told.z is not None and math.isfinite(told.z) and abs(told.z) >= 1:
        parts.append(f"{told.z:.0f} σ".replace("-", "−"))
    return comma().join(parts)


def _jitter(said: Signal) -> str:
    told = said.evidence
    scatter = numbers.percent(told.sigma or 0.0)
    text = _("the loss scatters by %(share)s at step %(step)s", share=scatter, step=numbers.count(said.step))
    if told.ratio is None or not math.isfinite(told.ratio):
        return text
    ratio = f"{times(told.ratio)}×"
    return _("%(what)s (%(compared)s)", what=text, compared=ratio)


def _throughput(said: Signal) -> str:
    if said.evidence.ratio is None:
        return _value(said)
    return _(
        "a step takes %(ratio)s × as long as it did, at step %(step)s",
        ratio=times(said.evidence.ratio),
        step=numbers.count(said.step),
    )


def _stall(said: Signal) -> str:
    told = said.evidence
    silent = _time(told.value)
    text = _("nothing logged for %(time)s after step %(step)s", time=silent, step=numbers.count(said.step))
    if told.median is None or not math.isfinite(told.median):
        return text
    return _("%(what)s (usual pause %(usual)s)", what=text, usual=numbers.duration(round(told.median, 1)))


def _summaries(said: Signal) -> str:
    return _(
        "%(rows)s rows in the log within %(time)s, no scalar in event files",
        rows=numbers.count(said.evidence.points),
        time=_time(said.evidence.value),
    )


def _back(said: Signal) -> str:
    before = said.evidence.median
    if before is None or not math.isfinite(before):
        return _value(said)
    return _("from step %(before)s back to step %(step)s", before=numbers.count(before), step=numbers.count(said.step))


def _time(seconds: float | None) -> str:
    return numbers.duration(seconds) if seconds is not None and math.isfinite(seconds) else numbers.value(math.nan)


SPECIAL: Mapping[Class, Callable[[Signal], str]] = {
    "jitter": _jitter,
    "throughput": _throughput,
    "stall": _stall,
    "tb_missing": _summaries,
    "step_regress": _back,
}


def _no_number(said: Signal) -> str:
    return ngettext(
        "no number for %(num)d row, at step %(step)s",
        "no number for %(num)d rows, at step %(step)s",
        said.evidence.points,
        step=numbers.count(said.step),
    )


def _unlike(said: Signal) -> str:
    value = said.evidence.value
    return _(
        "%(value)s at step %(step)s, which is not what the other ranks print of the same reduced value",
        value=numbers.value(math.nan if value is None else value),
        step=numbers.count(said.step),
    )


def _stuck(said: Signal) -> str:
    value = said.evidence.value
    return ngettext(
        "%(value)s for %(num)d row, while others move",
        "%(value)s for %(num)d rows, while others move",
        said.evidence.points,
        value=numbers.value(math.nan if value is None else value),
    )


def _slow(said: Signal) -> str:
    ratio = said.evidence.ratio
    if ratio is None or not math.isfinite(ratio):
        return _("slower than ranks that do the same work, at step %(step)s", step=numbers.count(said.step))
    return _(
        "its own work takes %(ratio)s × as long as that of ranks like it, at step %(step)s",
        ratio=times(ratio),
        step=numbers.count(said.step),
    )


OF_RANKS: Mapping[str, Callable[[Signal], str]] = {  # parts of rules about ranks
    "K1": _no_number,
    "K2": _unlike,
    "K3": _stuck,
    "K5": _slow,
}


def beside(said: Signal) -> list[str]:
    """What else speaks for it; a number that has no words yet is said by its name."""
    return [_named(name, number) for name, number in said.evidence.beside if name not in UNSAID and is_told(number)]


def _named(name: str, number: float) -> str:
    words = BESIDE.get(name)
    return words(number) if words is not None else f"{name.replace('_', ' ')} {numbers.value(number)}"


def is_told(number: float) -> bool:
    """A number that is not known is NaN, and is not said."""
    return math.isfinite(number)


def where(said: Signal, last: int | None) -> str:
    """Over which steps."""
    first = numbers.count(said.first_step)
    if last is not None:
        return _("steps %(first)s to %(last)s", first=first, last=numbers.count(last))
    return "" if said.about in {"step_regress", "stall"} else _("since step %(first)s", first=first)


def change(ratio: float) -> str:
    """A ratio as what it is more or less: +132 %, −4.5 %; from a factor of ten on as that."""
    if ratio >= 10:
        return f"{times(ratio)}×"
    share = (ratio - 1) * 100
    text = f"{abs(share):.0f}" if abs(share) >= 10 else f"{abs(share):.1f}"
    return ("+" if share >= 0 else "−") + numbers.manner().percent.format(text)


def times(ratio: float) -> str:
    """A factor in two or three digits."""
    return numbers.value(float(f"{ratio:.3g}")) if ratio >= 100 or ratio < 0.01 else f"{ratio:.3g}"


def comma() -> str:
    """Between the parts of a sentence."""
    return _(", ")
