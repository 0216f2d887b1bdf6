"""What happened in one short sentence of the reader's language, where its numbers are known; else nothing, and the line
itself says it best. Pure. The scripts say the same over the strip (assets/event-words.js)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

from app.figures import numbers
from app.language import HAN
from app.series.happening import Detail, Happening
from app.words.browser import strip, told

# the last character of "12 秒", and what follows the blank of "{age} 前"
HAN_ENDS = re.compile(rf"{HAN}$")
PLACE = re.compile(rf"\{{(\w+)\}}( (?={HAN}))?")
WORDS = {**strip.WORDS, **told.WORDS}


def sentence(event: Happening) -> str:
    """The numbers of an event; "" where none are known."""
    return SENTENCES.get(event.kind, line)(event.detail)


def line(detail: Detail) -> str:
    """What a line about trouble says, "gradient norm 183 above 10"; "" where its spelling is not known."""
    key = f"told_{detail.get('says')}"
    filled = {
        name: one if isinstance(one, str) else numbers.value(one) for name, one in detail.items() if one is not None
    }
    return said(key, **filled) if key in WORDS else ""


def said(key: str, **values: str) -> str:
    """A sentence that the scripts have too; a key that nobody knows as it is spelled."""
    known = WORDS.get(key)
    if known is None:
        return key.partition("_")[2].replace("_", " ")
    return PLACE.sub(lambda found: filled(found, values), str(known))


def filled(place: re.Match[str], values: Mapping[str, str]) -> str:
    """A place with its value; between two Chinese characters no blank is left, as assets/words.js has it."""
    value = values.get(place[1])
    if value is None:
        return place[0]
    return value + ("" if HAN_ENDS.search(value) else place[2] or "")


def checkpoint(detail: Detail) -> str:
    """ "healthy, took 2.1 s"."""
    health = detail.get("health")
    words = [said(f"health_{health}")] if isinstance(health, str) else []
    return said("comma").join([*words, *took(detail)])


def evaluation(detail: Detail) -> str:
    """ "eval loss 3.153, took 2 s"; other metrics by their own names."""
    loss = [said("eval_loss", loss=exact(one)) for one in [real(detail, "loss")] if one is not None]
    named = {name: real(detail, name) for name in detail if name not in ("loss", "seconds")}
    others = [f"{name} {exact(one)}" for name, one in named.items() if one is not None]
    return said("comma").join([*loss, *others, *took(detail)])


def took(detail: Detail) -> list[str]:
    """How long it took, if that is told and is not nothing."""
    seconds = real(detail, "seconds")
    return [said("took", time=unbroken(numbers.duration(seconds)))] if seconds else []


def loss_scale(detail: Detail) -> str:
    """ "65,536 → 32,768"."""
    before, after = real(detail, "from"), real(detail, "to")
    return "" if before is None or after is None else f"{numbers.value(before)} → {numbers.value(after)}"


def lr_phase(detail: Detail) -> str:
    """ "warm-up ends, 0.0003"."""
    rate = real(detail, "lr")
    return said("comma").join([said(f"lr_{detail.get('phase')}"), *([] if rate is None else [numbers.value(rate)])])


def restart(detail: Detail) -> str:
    """ "attempt 2 begins, after NaN in the loss, 40 steps done again, no step for 3 min"."""
    attempt, redone, down = (real(detail, name) for name in ("attempt", "steps_redone", "down_seconds"))
    words = [] if attempt is None else [said("attempt_begins", attempt=numbers.count(attempt))]
    if detail.get("ended"):
        words.append(said("after", why=ending(str(detail["ended"]))))
    if redone:
        words.append(said("steps_redone", steps=numbers.count(redone)))
    if down:
        words.append(said("down_for", time=unbroken(numbers.duration(down))))
    return said("comma").join(words)


def unbroken(text: str) -> str:
    """With spaces at which no line breaks: a number stays with its unit."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def ending(why: str) -> str:
    """Why an attempt ended."""
    return said(f"why_{why}") if f"why_{why}" in WORDS else said(f"event_{why}")


def exact(number: float) -> str:
    """As many digits as a log prints of a loss."""
    return f"{number:.7g}" if math.isfinite(number) and number else numbers.value(number)


def real(detail: Detail, name: str) -> float | None:
    """A number of the detail; None where there is none. NaN is one."""
    found = detail.get(name)
    return float(found) if isinstance(found, int | float) else None


SENTENCES: Mapping[str, Callable[[Detail], str]] = {
    "checkpoint": checkpoint,
    "eval": evaluation,
    "loss_scale": loss_scale,
    "lr_phase": lr_phase,
    "restart": restart,
}
