"""Arguments of a query: which are known, and numbers out of text. Whatever makes no sense is Refused 400."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.api.answers import Refused
from app.language import gettext as _


def only(arguments: Mapping[str, str], known: Sequence[str]) -> None:
    """Refuse an argument that nobody knows."""
    unknown = sorted(set(arguments) - set(known))
    if unknown and not known:
        raise Refused(400, _("Unknown argument %(name)s; this address takes none.", name=repr(unknown[0])))
    if unknown:
        text = _("Unknown argument %(name)s; known are %(known)s.", name=repr(unknown[0]), known=", ".join(known))
        raise Refused(400, text)


def whole(arguments: Mapping[str, str], name: str, *, at_least: int | None = None) -> int | None:
    """A whole number of at most 18 digits, None when it is not given."""
    text = arguments.get(name)
    if text is None:
        return None
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= 18):
        raise Refused(400, _("%(name)s=%(text)s is not a whole number.", name=name, text=repr(text)))
    if at_least is not None and int(text) < at_least:
        small = _(
            "%(name)s=%(text)s is too small; at least %(least)d is expected.",
            name=name,
            text=repr(text),
            least=at_least,
        )
        raise Refused(400, small)
    return int(text)


def real(arguments: Mapping[str, str], name: str) -> float | None:
    """A finite number, None when it is not given."""
    text = arguments.get(name)
    if text is None:
        return None
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not abs(number) < 1e300:
        raise Refused(400, _("%(name)s=%(text)s is not a number.", name=name, text=repr(text)))
    return number


def one_of(arguments: Mapping[str, str], name: str, choices: Sequence[str]) -> str:
    """One of a few words, the first when it is not given."""
    text = arguments.get(name, choices[0])
    if text not in choices:
        raise not_one_of(name, text, choices)
    return text


def not_one_of(name: str, text: str, choices: Sequence[str]) -> Refused:
    """What is said of a word that is none of a few."""
    choice = ", ".join(choices)
    return Refused(400, _("%(name)s=%(text)s is not one of %(choices)s.", name=name, text=repr(text), choices=choice))


def yes(arguments: Mapping[str, str], name: str) -> bool:
    """0 or 1; 0 when it is not given."""
    text = arguments.get(name, "0")
    if text not in ("0", "1"):
        raise Refused(400, _("%(name)s=%(text)s is neither 0 nor 1.", name=name, text=repr(text)))
    return text == "1"
