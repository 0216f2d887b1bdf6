"""The panels of a picture, out of a run's curves. Raises Refused, StoreAway."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.api.answers import Refused
from app.api.series import listed
from app.figures import panels as standard
from app.figures.numbers import value
from app.figures.plot import Plot, Trace, reach
from app.figures.preview import Panel
from app.language import gettext as _
from app.names import SeriesKey, names_of
from app.previews.asked import Asked, Name
from app.previews.glimpse import glimpse, length
from app.reader import Reader, Wanted, default_rank, members
from app.series.attempts import Timeline
from app.series.curve import Curve
from app.series.draw import draw
from app.series.parts import Line, between
from app.series.stitch import abandoned
from app.stored import RunSeries, RunStore
from app.words.browser.panels import WORDS
from collector.wire.metrics import METRICS

FIRST = ("loss", "grad_norm", "lr", "throughput", "loss_scale")  # panels, the most telling first
SHOWN = 5  # of them, or of the tags of a run that has none of them
LONG = 6_000_000  # points of curves that are not held; reading so many takes about a second
GHOSTS, GHOST_POINTS = 5, 500  # newest attempts whose abandoned tails are shown, as on the page


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """``sampled``: some of the panels show a sample of the points."""

    panels: Sequence[Panel]
    sampled: bool = False

    @property
    def window(self) -> tuple[int, int] | None:
        """First and last step that is shown."""
        return reach([trace for one in self.panels for trace in one.plot.traces])


def panels(store: RunStore, reader: Reader, run: RunSeries, asked: Asked) -> Found:
    """One a name that is asked for, else one a standard panel that the run can fill; without points in the window
    there is none."""
    chosen = [_asked_for(run, one) for one in asked.names] or list(_usual(run))
    every = [one for _, several in chosen for one in several]
    if length(store, run, [one for one in every if not reader.holds(run, one)]) > LONG:
        return _sampled(store, run, chosen, asked)
    known = reader.timeline(run)
    reader.prepare(run, every, known)
    return _shown([_panel(reader, run, known, title, several, asked) for title, several in chosen])


def _shown(made: Sequence[Panel], *, sampled: bool = False) -> Found:
    found = Found([one for one in made if reach(one.plot.traces) is not None], sampled)
    return Found([_over(one, found.window) for one in found.panels], sampled)


def _sampled(store: RunStore, run: RunSeries, chosen: Sequence[tuple[str, Sequence[Wanted]]], asked: Asked) -> Found:
    """Of a run that is too long to be read for a picture."""
    made, whole = [], []
    for title, several in chosen:
        found = [glimpse(store, run, one, asked.start, asked.end) for one in several]
        whole += [every for _, _, every in found]
        traces = [
            Trace(_called(one), steps, values, hue=_hue(one))
            for one, (steps, values, _) in zip(several, found, strict=True)
        ]
        made.append(_titled(title, several[0], [one for one in traces if len(one.steps)]))
    return _shown(made, sampled=not all(whole))


def _titled(title: str, first: Wanted, traces: Sequence[Trace], gaps: Sequence[tuple[int, int]] = ()) -> Panel:
    """With the unit and the newest value of the first curve."""
    metric = METRICS.get(first.name) if not first.is_tag else None
    mine = next((one for one in traces if one.name == _called(first) and not one.quiet), None)
    last = value(float(mine.values[-1])) if mine is not None else ""
    return Panel(title, Plot(traces, gaps=gaps, log=_is_log(first)), metric.unit if metric else "", last)


def _is_log(wanted: Wanted) -> bool | None:
    """As on the page; None where it has no panel of its own."""
    panels = [one for one in standard.PANELS if any(wanted.name in line.metrics for line in one.lines)]
    return panels[0].axis != "linear" if panels and not wanted.is_tag else None


def _over(panel: Panel, window: tuple[int, int] | None) -> Panel:
    """All panels show the same steps, so that what happened at one is seen in all."""
    return replace(panel, plot=replace(panel.plot, window=window))


def _asked_for(run: RunSeries, name: Name) -> tuple[str, Sequence[Wanted]]:
    wanted = _wanted(run, name)
    if wanted is None:
        raise _no_name(run, name)
    return titled(wanted, name.text), [wanted, *(_evaluations(run) if name.text == "loss" else ())]


def titled(wanted: Wanted, spelled: str) -> str:
    """What the page calls a metric; a tag, and what is of one rank, as it is spelled."""
    word = None if wanted.is_tag or wanted.name != spelled else WORDS.get(f"metric_{wanted.name}")
    return spelled if word is None else str(word)


def _wanted(run: RunSeries, name: Name) -> Wanted | None:
    """What a name means; one that is spelled like a rank's prefix is that name when the run has it."""
    # r3:local_loss → 3 · local_loss
    spelled = re.fullmatch(r"r([0-9]{1,9}):(.+)", name.text, re.DOTALL)
    tried = [(name.text, default_rank(run, name.text, is_tag=name.is_tag))]
    tried += [(spelled[2], int(spelled[1]))] if spelled else []
    found = (Wanted(text, name.is_tag, rank) for text, rank in tried)
    return next((one for one in found if members(run, one)), None)


def _no_name(run: RunSeries, name: Name) -> Refused:
    known = listed(
        _("known tags") if name.is_tag else _("known metrics"),
        sorted(names_of(SeriesKey(run.series), is_tag=name.is_tag)),
    )
    told = {"run": repr(run.id), "name": repr(name.text), "known": known}
    if name.is_tag:
        return Refused(404, _("Run %(run)s has no tag %(name)s; %(known)s.", **told))
    return Refused(404, _("Run %(run)s has no metric %(name)s; %(known)s.", **told))


def _usual(run: RunSeries) -> Iterator[tuple[str, Sequence[Wanted]]]:
    known = {one.key: one for one in standard.PANELS}
    found = 0
    for panel in (known[key] for key in FIRST):
        metrics = [metric for line in panel.lines for metric in line.metrics if line.role in ("raw", "smooth")]
        wanted = next((one for it in metrics if it != "eval_loss" and (one := _wanted(run, Name(it, False)))), None)
        if wanted is not None:
            found += 1
            yield str(panel.title), [wanted, *(_evaluations(run) if panel.key == "loss" else ())]
    if not found:
        for tag in sorted(names_of(SeriesKey(run.series), is_tag=True))[:SHOWN]:
            wanted = _wanted(run, Name(tag, True))
            yield from [(tag, [wanted])] if wanted else []


def _evaluations(run: RunSeries) -> Sequence[Wanted]:
    found = _wanted(run, Name("eval_loss", False))
    return [found] if found else []


def _panel(
    reader: Reader, run: RunSeries, known: Timeline, title: str, several: Sequence[Wanted], asked: Asked
) -> Panel:
    first, *others = several
    line = between(reader.line(run, first, known, attempt="latest"), asked.start, asked.end)
    drawn = draw(line, 4 * asked.width)
    every = reader.line(run, first, known)
    traces = [
        _trace(drawn.curve, _called(first), _hue(first)),
        *(_trace(_curve(reader, run, known, one, asked), _called(one), _hue(one)) for one in others),
        *_ghosts(every, known.first_steps, asked),
    ]
    gaps = [(one.first_step, one.last_step) for one in drawn.spans]
    return _titled(title, first, [one for one in traces if len(one.steps)], gaps)


def _curve(reader: Reader, run: RunSeries, known: Timeline, wanted: Wanted, asked: Asked) -> Curve:
    return draw(
        between(reader.line(run, wanted, known, attempt="latest"), asked.start, asked.end), 4 * asked.width
    ).curve


def _ghosts(every: Line, first_steps: Sequence[int], asked: Asked) -> Iterator[Trace]:
    """What earlier attempts had done, and a later one did again; the first of them has a name for all."""
    name = _("earlier attempts")
    for attempt in range(max(1, len(first_steps) - GHOSTS), len(first_steps)):
        tail = between(abandoned(every, attempt, first_steps), asked.start, asked.end)
        if len(tail):
            curve = draw(tail, GHOST_POINTS).curve
            finite = np.isfinite(curve.values)  # what an abandoned attempt ended with is told elsewhere
            yield Trace(name, curve.steps[finite], curve.values[finite], quiet=True)
            name = ""


def _trace(curve: Curve, name: str, hue: str) -> Trace:
    return Trace(name, curve.steps, curve.values, hue=hue)


def _called(wanted: Wanted) -> str:
    lines = [line for panel in standard.PANELS for line in panel.lines if line.role == "raw"]
    found = next((line for line in lines if wanted.name in line.metrics and not wanted.is_tag), None)
    return str(found.name) if found else wanted.name


def _hue(wanted: Wanted) -> str:
    """Of the page's own colour for a metric its name in figures.plot.CURVES."""
    lines = [line for panel in standard.PANELS for line in panel.lines if line.role == "raw"]
    found = next((line for line in lines if wanted.name in line.metrics and not wanted.is_tag), None)
    return found.colour.removeprefix("--curve-") if found else ""
