"""What a picture is to show and how large it is: the arguments, checked before any memory is taken for it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from werkzeug.datastructures import MultiDict

from app.api.answers import Refused
from app.api.arguments import one_of, only, whole
from app.figures.plot import Theme
from app.figures.preview import HEIGHT, LEAST_HEIGHT, LEAST_WIDTH, MOST_HEIGHT, MOST_WIDTH, WIDTH
from app.language import LANGUAGES
from app.language import gettext as _

Page = Literal["curves", "ranks"]
PAGES: tuple[Page, ...] = ("curves", "ranks")
THEMES: tuple[Theme, ...] = ("light", "dark")
ARGUMENTS = ("page", "metric", "tag", "start", "end", "width", "height", "theme", "lang")
MOST_NAMES = 9  # panels; more could not be told apart
LONGEST = 500  # characters of a name


@dataclass(frozen=True, slots=True)
class Name:
    """A canonical metric or a tag; ``r3:local_loss`` is that of rank 3."""

    text: str
    is_tag: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """``names`` are what is shown, none means what every run begins with; ``start`` and ``end`` are steps, inclusive,
    None = open; width and height in px, within the limits of figures.preview."""

    page: Page = "curves"
    names: tuple[Name, ...] = ()
    start: int | None = None
    end: int | None = None
    width: int = WIDTH
    height: int = HEIGHT
    theme: Theme = "light"


def parse(arguments: MultiDict[str, str]) -> Asked:
    """The question; Refused 400 when an argument makes no sense, also one that nobody knows."""
    only(arguments, ARGUMENTS)
    page = cast(Page, one_of(arguments, "page", PAGES))
    names = tuple(Name(text, kind == "tag") for kind in ("metric", "tag") for text in arguments.getlist(kind))
    _few(names, 1 if page == "ranks" else MOST_NAMES)
    if "lang" in arguments:
        one_of(arguments, "lang", [*LANGUAGES])
    start, end = whole(arguments, "start"), whole(arguments, "end")
    if start is not None and end is not None and start > end:
        raise Refused(400, _("start=%(start)s lies behind end=%(end)s.", start=start, end=end))
    return Asked(
        page=page,
        names=names,
        start=start,
        end=end,
        width=_pixels(arguments, "width", WIDTH, (LEAST_WIDTH, MOST_WIDTH)),
        height=_pixels(arguments, "height", HEIGHT, (LEAST_HEIGHT, MOST_HEIGHT)),
        theme=cast(Theme, one_of(arguments, "theme", THEMES)),
    )


def _few(names: tuple[Name, ...], most: int) -> None:
    if len(names) > most:
        said = _(
            "A picture shows at most %(most)d of metric= and tag=; %(count)d are asked for.",
            most=most,
            count=len(names),
        )
        raise Refused(400, said)
    if any(not 0 < len(one.text) <= LONGEST for one in names):
        raise Refused(400, _("A name of metric= or tag= has 1 to %(most)d characters.", most=LONGEST))


def _pixels(arguments: MultiDict[str, str], name: str, usual: int, limits: tuple[int, int]) -> int:
    found = whole(arguments, name)
    if found is None:
        return usual
    if not limits[0] <= found <= limits[1]:
        said = _(
            "%(name)s=%(found)s is not a size of %(least)d to %(most)d pixels.",
            name=name, found=found, least=limits[0], most=limits[1],
        )  # fmt: skip
        raise Refused(400, said)
    return found
