"""Arguments of a query: which are known, and numbers out of text. Whatever makes no sense is Refused 400."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.api.answers import Refused


def only(arguments: Mapping[str, str], known: Sequence[str]) -> None:
    """Refuse an argument that nobody knows."""
    unknown = sorted(set(arguments) - set(known))
    if unknown:
        raise Refused(400, f"Unknown argument {unknown[0]!r}; known are {', '.join(known)}.")


def whole(arguments: Mapping[str, str], name: str, *, at_least: int | None = None) -> int | None:
    """A whole number, None when it is not given."""
    text = arguments.get(name)
    if text is None:
        return None
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= 18):
        raise Refused(400, f"{name}={text!r} is not a whole number.")
    if at_least is not None and int(text) < at_least:
        raise Refused(400, f"{name}={text!r} is too small; at least {at_least} is expected.")
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
        raise Refused(400, f"{name}={text!r} is not a number.")
    return number


def one_of(arguments: Mapping[str, str], name: str, choices: Sequence[str]) -> str:
    """One of a few words, the first when it is not given."""
    text = arguments.get(name, choices[0])
    if text not in choices:
        raise Refused(400, f"{name}={text!r} is not one of {', '.join(choices)}.")
    return text
