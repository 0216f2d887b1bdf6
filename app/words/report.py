"""What was found in finished runs, as text for a terminal: the gravest first, consequences below their cause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from flask_babel.speaklater import LazyString

from app.diagnosis.alert import Alert, signal_of
from app.diagnosis.offline.judged import Judged
from app.diagnosis.opening import GRAVITY
from app.figures import numbers
from app.language import gettext as _
from app.language import lazy_gettext, ngettext, sentences
from app.series.freshness import State
from app.words.alerts import SEVERITIES
from app.words.copies import copies
from app.words.evidence import comma, sentence
from app.words.rank_remedies import PARTS, remedy
from app.words.rollback import advice as way_back
from collector.wire.records import FileState, Source

INDENT = "  "
SHOWN_SPANS = 20  # of ranks
SHOWN_PROBLEMS = 10
ENDS: Mapping[State, LazyString] = {
    "finished": lazy_gettext("ended"),
    "failed": lazy_gettext("ended with an error"),
}
SOURCES: Mapping[Source, LazyString] = {
    "log": lazy_gettext("logs"),
    "tensorboard": lazy_gettext("event files"),
    "mindspore": lazy_gettext("MindSpore summaries"),
    "health": lazy_gettext("records of checkpoints"),
}


def text(run: Judged) -> str:
    """One run; ends with a line break."""
    return "\n".join([head(run), read(run), *good(run), *findings(run)]) + "\n"


def head(run: Judged) -> str:
    """Its name, how far it came, in how many attempts, and how it ended."""
    attempts = ngettext("%(num)d attempt", "%(num)d attempts", run.attempts)
    ended = ENDS.get(run.state, _("no line says that it ended"))
    return " · ".join([plain(run.name), _steps(run), attempts, str(ended)])


def _steps(run: Judged) -> str:
    if run.first_step is None or run.last_step is None:
        return _("no step")
    first, last = numbers.count(run.first_step), numbers.count(run.last_step)
    if run.total_steps is None:
        return _("steps %(first)s to %(last)s", first=first, last=last)
    total = numbers.count(run.total_steps)
    return _("steps %(first)s to %(last)s of %(total)s", first=first, last=last, total=total)


def read(run: Judged) -> str:
    """What was read of it."""
    parts = [
        ngettext("%(num)d file", "%(num)d files", run.files),
        *([ngettext("%(num)d rank", "%(num)d ranks", run.ranks)] if run.ranks else []),
        *(str(SOURCES[one]) for one in run.sources),
        _("%(points)s points", points=numbers.count(run.points)),
        _("%(rows)s rows judged", rows=numbers.count(run.rows)),
        *([ngettext("%(num)d evaluation", "%(num)d evaluations", run.evaluations)] if run.evaluations else []),
    ]
    return INDENT + _("read: %(what)s", what=comma().join(parts))


def good(run: Judged) -> Iterator[str]:
    """The good news, and that there is nothing else."""
    if not run.rows:
        yield INDENT + _("Nothing to judge: no loss, gradient norm, learning rate or step time was read.")
    elif not any(one.about == "nan_inf" for one in run.alerts):
        nothing = "" if run.alerts else _("Nothing else was found.")
        yield INDENT + "✓ " + sentences(_("No NaN or Inf in %(rows)s rows.", rows=numbers.count(run.rows)), nothing)


def findings(run: Judged) -> Iterator[str]:
    """All of them; what to do stands at the first of its kind."""
    advised: set[str] = set()
    for one in roots(run.alerts):
        yield ""
        yield from _finding(run, one, advised, INDENT)


def roots(alerts: Sequence[Alert]) -> list[Alert]:
    """Those that nothing else explains, the gravest first, then in order of their beginnings."""
    known = {one.id for one in alerts}
    found = [one for one in alerts if one.cause not in known]
    return sorted(found, key=lambda one: (-GRAVITY[one.severity], one.attempt, one.first_step))


def consequences(run: Judged, of: Alert) -> list[Alert]:
    """What an alert explains."""
    found = [one for one in run.alerts if one.cause == of.id and one.id != of.id]
    return sorted(found, key=lambda one: (one.attempt, one.first_step))


def _finding(run: Judged, one: Alert, advised: set[str], indent: str) -> Iterator[str]:
    yield f"{indent}● {named(one)} · {SEVERITIES[one.severity]} · {_window(run, one)}"
    inner = indent + INDENT
    yield inner + said(one)
    if spans := ranks(one):
        yield inner + _("ranks: %(ranks)s", ranks=spans)
    kind = f"{one.about} {one.rule}" if (one.about, one.rule) in PARTS else one.about
    if kind not in advised:
        advised.add(kind)
        yield from advice(one, inner)
    if way := run.ways.get(one.id):
        yield inner + _("Way back: %(advice)s", advice=way_back(way))
    for other in consequences(run, one):
        yield from _finding(run, other, advised, inner)


def named(one: Alert) -> str:
    """The name of its class or part, or of a rule that people wrote."""
    return plain(one.rule) if one.about == "custom" else str(remedy(one.about, one.rule).name)


def said(one: Alert) -> str:
    """By its numbers: as it stood last, or, when it is over, as it was raised."""
    if one.is_open:
        return plain(sentence(signal_of(one, "raise")))
    return plain(sentence(replace(signal_of(one, "raise"), step=one.raised_step), one.last_step))


def _window(run: Judged, one: Alert) -> str:
    parts = [
        _span(one),
        *([_("attempt %(attempt)d", attempt=one.attempt)] if run.attempts > 1 else []),
        *([_("seen %(time)s", time=_time(one.raised_wall))] if one.raised_wall is not None else []),
        _("not over at the end") if one.is_open else _("over"),
    ]
    return comma().join(parts)


def _span(one: Alert) -> str:
    """Its steps; of one that is not over, since which."""
    first, last = numbers.count(one.first_step), numbers.count(one.last_step)
    if one.is_open:
        return _("since step %(first)s", first=first)
    return _("step %(step)s", step=first) if first == last else _("steps %(first)s to %(last)s", first=first, last=last)


def _time(wall: float) -> str:
    """In this computer's time, which a log's lines are taken to be in."""
    return datetime.fromtimestamp(wall).strftime("%Y-%m-%d %H:%M:%S")


def ranks(one: Alert) -> str:
    """Where there are several: 0–7, 12."""
    if sum(last - first + 1 for first, last in one.ranks) < 2:
        return ""
    told = [f"{first}" if first == last else f"{first}–{last}" for first, last in one.ranks]
    return ", ".join(told[:SHOWN_SPANS]) + (" …" if len(told) > SHOWN_SPANS else "")


def advice(one: Alert, indent: str) -> Iterator[str]:
    """Meaning, causes, steps, and what can be copied."""
    known = remedy(one.about, one.rule)
    yield indent + str(known.meaning)
    if known.causes:
        yield indent + _("Likely causes:")
        yield from (f"{indent}{INDENT}- {cause}" for cause in known.causes)
    yield indent + _("What to do:")
    yield from (f"{indent}{INDENT}{number}. {step}" for number, step in enumerate(known.steps, 1))
    for copied in copies(one.about, rule=one.rule):
        yield indent + _("%(title)s:", title=copied.title)
        yield from (f"{indent}{INDENT}{INDENT}{line}" for line in copied.text.splitlines())


def problems(found: Sequence[FileState]) -> Iterator[str]:
    """What could not be read as it should."""
    if not found:
        return
    yield ngettext("%(num)d file was not read in full:", "%(num)d files were not read in full:", len(found))
    yield from (f"{INDENT}{plain(one.file)}: {plain(one.reason)}" for one in found[:SHOWN_PROBLEMS])
    if len(found) > SHOWN_PROBLEMS:
        yield INDENT + "…"


def plain(text: str) -> str:
    """Without what a terminal would obey: names of files and rules are others' texts."""
    return "".join(one if one.isprintable() else "?" for one in text)
