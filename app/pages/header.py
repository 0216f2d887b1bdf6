"""The head of the run page: name and state, the four numbers, progress, and how fresh all of it is. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dash import html
from dash.development.base_component import Component

from app.figures import numbers
from app.language import gettext as _
from app.language import ngettext, sentences
from app.markup import attributes, gap
from app.pages.shown import RunShown
from app.series.freshness import State
from app.words.freshness import due, state_sentence
from app.words.states import status_word

ENDINGS = ("nan_stop", "norm_stop", "traceback", "error")  # what explains most comes first
BEGUN = ("slow", "evaluation", "checkpoint", "compiling")  # causes of which one asks since when
TONES: Mapping[State, str] = {
    "live": "",
    "finished": "",
    "waiting": "",
    "catching_up": "",
    "quiet": "warn",
    "collector_away": "warn",
    "failed": "bad",
}


def header(run: RunShown) -> list[Component]:
    """Everything above the badges."""
    names = html.Div([html.H1(title(run)), html.P(facts(run), className="facts")], className="names")
    top = html.Div([names, html.Dl(kpis(run), className="kpis")], className="run-head")
    return [top, *bar(run.seen.step, run.seen.total_steps), freshness(run), *attempt_line(run)]


def title(run: RunShown) -> list[Component | str]:
    """Name, state in words, and a mark on demonstrations."""
    word = status_word(run.state)
    said: list[Component | str] = [run.name, html.Span(str(word.text), className=f"status {word.tone}")]
    return [*said, demo_mark()] if run.run.record.demo else said


def demo_mark() -> Component:
    """What tells made-up runs from real ones."""
    return html.Span(_("demo"), className="mark", title=_("A demonstration: its numbers are made up."))


def facts(run: RunShown) -> list[Component | str]:
    """ "32 ranks · 4 pipeline stages · TensorBoard events · started 09:14"."""
    known = run.run.facts
    said: list[Component | str] = []
    if run.ranks:
        said.append(ngettext("%(num)d rank", "%(num)d ranks", len(run.ranks)))
    if known.get("pipeline_stages", "1") != "1":
        said.append(_("%(stages)s pipeline stages", stages=known["pipeline_stages"]))
    if "global_batch_size" in known:
        said.append(_("global batch %(size)s", size=known["global_batch_size"]))
    said += [source_word(source) for source in run.sources]
    if run.seen.started is not None:
        said.append(html.Span([_("started"), " ", html.Time(**attributes(data_clock=str(run.seen.started)))]))
    return [part for one in said for part in (" · ", one)][1:]


def source_word(source: str) -> str:
    """What kind of file the numbers come from."""
    words = {"log": _("rank log"), "tensorboard": _("TensorBoard events"), "mindspore": _("MindSpore summary")}
    return words.get(source, source)


def kpis(run: RunShown) -> list[Component]:
    """Only what is known: a run without a total has no remaining time."""
    progress = run.seen.progress
    pairs = [(_("step"), steps(run.seen.step, run.seen.total_steps))]
    if progress.step_time_ms is not None:
        pairs.append((_("per step"), numbers.milliseconds(progress.step_time_ms)))
    if progress.throughput is not None:
        pairs.append((progress.throughput_unit or _("throughput"), numbers.engineering(progress.throughput)))
    found: list[Component] = [html.Div([html.Dt(name), html.Dd(value)]) for name, value in pairs]
    return [*found, remaining(run)] if progress.eta is not None and run.is_going else found


def remaining(run: RunShown) -> Component:
    """How long it still takes, from where to where when the step time varies, and when that is. A run that writes
    nothing now is through that much later."""
    progress, fresh = run.seen.progress, run.seen.freshness
    said: list[Component | str] = [numbers.duration(progress.eta or 0.0)]
    if progress.eta_low is not None and progress.eta_high is not None:
        span = _("%(low)s to %(high)s", low=eta_word(progress.eta_low), high=eta_word(progress.eta_high))
        said.append(html.Span(span, className="range", title=_("By the step times of the newest stretches.")))
    name: list[Component | str] = [_("remaining")]
    if fresh.touched is not None:
        late = fresh.age or 0.0 if fresh.state == "quiet" else 0.0
        end = html.Time(**attributes(data_clock=str(round(fresh.touched + late + (progress.eta or 0.0)))))
        name += [" · ", _("done"), " ", end]
    return html.Div([html.Dt(name), html.Dd(said)], className="remaining")


def eta_word(seconds: float) -> str:
    """One end of a range: no finer than it can be known."""
    return numbers.duration(round(seconds) if seconds >= 1 else seconds)


def steps(step: int | None, total: int | None) -> str:
    """6,196 / 10,000, or as much of it as is known."""
    here = "–" if step is None else numbers.count(step)
    return f"{here} / {numbers.count(total)}" if total else here


def bar(step: int | None, total: int | None) -> list[Component]:
    """The progress bar; none when the end is not known."""
    if not total:
        return []
    share = min(1.0, (step or 0) / total)
    label = _("%(percent)d %% done", percent=int(share * 100))
    named = attributes(aria_label=label, aria_valuenow=str(int(share * 100)))
    return [html.Div(html.Span(style={"width": f"{share:.2%}"}), className="bar", role="progressbar", **named)]


def freshness(run: RunShown) -> Component:
    """How old the last point is, when the next is due, and which state that means."""
    fresh = run.seen.freshness
    said: list[Component | str] = []
    if run.touched is not None and run.seen.step is not None:
        when = html.Time(**attributes(data_at=str(run.touched)))
        said += [last := _("Last point"), gap(last), when, due(fresh, going=run.is_going), _(". ")]
    said.append(state_sentence(fresh))
    if (why := reason(run)) is not None:
        said += [gap(said[-1]), html.Q(why, className="reason")]
    if fresh.since is not None and fresh.cause in BEGUN and fresh.told:
        said += [gap(said[-1]), _("It began"), " ", html.Time(**attributes(data_at=str(fresh.since))), _(".")]
    tone = "warn" if fresh.cause in ("slow", "stale") or fresh.overdue else TONES[fresh.state]
    return html.P(said, className=f"freshness {tone}", **attributes(data_cause=fresh.cause or ""))


def reason(run: RunShown) -> str | None:
    """The line by which a run that failed was ended, as far as one says it."""
    if run.seen.freshness.state != "failed":
        return None
    told = (one.text for kind in ENDINGS for one in run.events if one.kind == kind and one.text)
    return next(told, None)


def attempt_line(run: RunShown) -> Sequence[Component]:
    """ "Attempt 2, resumed at step 201, 20 steps done twice"; nothing for a run that went through."""
    if len(run.attempts) < 2:
        return []
    latest = run.attempts[-1]
    step = numbers.count(latest.first_step)
    said = _("Attempt %(number)d, resumed at step %(step)s", number=latest.attempt, step=step)
    if latest.steps_redone:
        said += ngettext(", %(num)d step done twice", ", %(num)d steps done twice", latest.steps_redone)
    book = run.books.ledger if run.books else None
    if book is None or not book.steps_lost:
        return [html.P(said + _("."), className="freshness attempts")]
    time = numbers.duration(round(book.parts["redone"] / 1000, 1))
    if len(run.attempts) == 2:
        said += _(" (%(time)s of work)", time=time)
    more = twice(book.steps_lost, time) if len(run.attempts) > 2 else ""
    return [html.P(sentences(said + _("."), more), className="freshness attempts")]


def twice(steps_lost: int, time: str) -> str:
    """What all restarts together cost: steps thrown away and the time they had taken."""
    return ngettext(
        "In all, %(num)d step and %(time)s of work were thrown away and done again.",
        "In all, %(num)d steps and %(time)s of work were thrown away and done again.",
        steps_lost,
        time=time,
    )
