"""The arguments of an export, checked. Also what the command line checks its own with."""

from __future__ import annotations

from collections.abc import Mapping

from werkzeug.datastructures import MultiDict

from app.api.answers import Refused
from app.api.arguments import one_of, only, real, whole, yes
from app.api.series import attempt_asked, source_asked
from app.export.question import Question
from app.language import gettext as _

MOST_NAMES = 200  # of metrics and tags, and of ranks
ARGUMENTS = (
    "metric",
    "tag",
    "rank",
    "all",
    "source",
    "attempt",
    "start",
    "end",
    "since",
    "until",
    "layout",
)
REPEATED = ("metric", "tag", "rank")


def parse(arguments: MultiDict[str, str]) -> Question:
    """The question; Refused 400 when an argument makes no sense, also one that nobody knows."""
    only(arguments, ARGUMENTS)
    several = {name: tuple(dict.fromkeys(arguments.getlist(name))) for name in REPEATED}
    single = {name: arguments[name] for name in arguments if name not in REPEATED}
    for name in REPEATED:
        if len(several[name]) > MOST_NAMES:
            said = _("At most %(most)d of %(name)s= are exported at once.", most=MOST_NAMES, name=name)
            raise Refused(400, said)
    _refuse_twice(several, single)
    layout = one_of(single, "layout", ("wide", "long"))
    return Question(
        metrics=several["metric"],
        tags=several["tag"],
        ranks=tuple(_rank(text) for text in several["rank"]),
        every=yes(single, "all"),
        source=source_asked(single),
        attempt=attempt_asked(single.get("attempt", "all")),
        start=whole(single, "start"),
        end=whole(single, "end"),
        since=real(single, "since"),
        until=real(single, "until"),
        layout="long" if layout == "long" else "wide",
    )


def _rank(text: str) -> int:
    return whole({"rank": text}, "rank", at_least=0) or 0


def _refuse_twice(several: Mapping[str, tuple[str, ...]], single: Mapping[str, str]) -> None:
    """What contradicts itself."""
    if yes(single, "all") and (several["metric"] or several["tag"]):
        raise Refused(400, _("all=1 has every name: leave metric= and tag= out."))
    if {"start", "end"} & set(single) and {"since", "until"} & set(single):
        raise Refused(400, _("A window is either of steps (start=, end=) or of time (since=, until=)."))
