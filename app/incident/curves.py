"""The curves of a bundle: the standard panels, attempt by attempt, and the ranks of findings over their median."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.diagnosis.alert import Alert, signal_of
from app.diagnosis.handling import Standing
from app.diagnosis.notify.subject import Subject, subject
from app.figures import panels as standard
from app.grids import Shown
from app.incident.asked import Stretch
from app.incident.cleaning import Cleaning
from app.incident.drawing import RANKS as RANKED
from app.incident.material import Material
from app.incident.report import Kind, Line, Panel
from app.language import gettext as _
from app.names import SeriesKey, names_of
from app.reader import Wanted, default_rank, members
from app.series.attempts import Timeline
from app.series.curve import Curve, Floats, Ints
from app.series.draw import draw
from app.series.parts import Line as Whole
from app.series.parts import between
from app.series.parts import line as cut
from app.series.ranks.grid import Grid
from app.series.stitch import alone
from app.stored import StoredRun
from collector.wire.metrics import METRICS

POINTS, FEWER = 3_000, 1_000  # drawn of a line that stands, and of one that is behind the others
ATTEMPTS = 8  # newest ones of a stretch
RANKS = 8  # of one metric that are drawn one by one, the first that were found
TAGS = 6  # of a run that has none of the standard metrics
COLOURS = 8  # --curve-1 …


@dataclass(frozen=True, slots=True)
class _Look:
    """How a line is drawn."""

    name: str
    colour: str
    marks: bool = False
    stairs: bool = False
    dots: bool = False


def panels(material: Material, run: StoredRun, known: Timeline, stretch: Stretch) -> list[Panel]:
    """The standard panels of which the run has points in the stretch. Raises StoreAway."""
    found = [_panel(material, run, known, stretch, one) for one in standard.PANELS]
    return [one for one in found if one.lines]


def of_tags(material: Material, run: StoredRun, known: Timeline, stretch: Stretch) -> list[Panel]:
    """The first tags, one a panel, for a run that has nothing else. Raises StoreAway."""
    found = []
    for at, tag in enumerate(sorted(names_of(SeriesKey(run.series), is_tag=True))[:TAGS]):
        one = Wanted(tag, True, default_rank(run, tag, is_tag=True))
        whole = between(material.reader.line(run, one, known), stretch.first, stretch.last)
        look = _Look(tag, f"--curve-{at % COLOURS + 1}")
        if lines := list(_attempts(whole, look, known.first_steps)):
            found.append(Panel(f"tag-{at}", tag, "", False, frozenset({tag}), lines))
    return found


def cleaned(panel: Panel, clean: Cleaning) -> Panel:
    """With names that may be shown: a tag is whatever a file says."""
    lines = [replace(one, name=clean.text(one.name), label=clean.text(one.label)) for one in panel.lines]
    return replace(panel, title=clean.text(panel.title), lines=lines)


def wanted(run: StoredRun, line: standard.Line) -> Wanted | None:
    """The curve that a line of a panel stands for; None where the run has none of its metrics."""
    for metric in line.metrics:
        one = Wanted(metric, False, default_rank(run, metric, is_tag=False))
        if members(run, one):
            return one
    return None


def shown() -> Iterator[tuple[standard.Panel, standard.Line]]:
    """Every line of the standard panels that has points of its own."""
    yield from ((panel, line) for panel in standard.PANELS for line in panel.lines if line.role in ("raw", "marks"))


def _panel(material: Material, run: StoredRun, known: Timeline, stretch: Stretch, panel: standard.Panel) -> Panel:
    lines: list[Line] = []
    names: set[str] = set()
    for line in panel.lines:
        one = wanted(run, line) if line.role in ("raw", "marks") else None
        if one is not None:
            names.add(one.name)
            whole = between(material.reader.line(run, one, known), stretch.first, stretch.last)
            look = _Look(str(line.name), line.colour, line.role == "marks", line.steps, line.points)
            lines += _attempts(whole, look, known.first_steps)
    unit = next((METRICS[one].unit for one in sorted(names) if one in METRICS), "")
    metrics = frozenset({name for line in panel.lines for name in line.metrics} | names)
    return Panel(panel.key, str(panel.title), unit, panel.axis != "linear", metrics, lines)


def _attempts(whole: Whole, look: _Look, first_steps: Sequence[int]) -> Iterator[Line]:
    """One line an attempt that has points there. What a later one did again is a line of its own, thin and grey and
    behind the others; all that stands is in colour."""
    count = len(first_steps)
    if count < 2:
        yield from _line(whole, look, look.name, stands=True)
        return
    several = [(number, alone(whole, number)) for number in range(1, count + 1)[-ATTEMPTS:]]
    several = [(number, part) for number, part in several if len(part)]
    again = {number: min(first_steps[number:], default=None) for number, _part in several}
    for number, part in several:
        if (end := again[number]) is not None:
            name = _("%(name)s, attempt %(attempt)d, done again later", name=look.name, attempt=number)
            yield from _line(between(part, end, None), look, name, stands=False)
    for number, part in several:
        end = again[number]
        name = look.name if len(several) == 1 else _("%(name)s, attempt %(attempt)d", name=look.name, attempt=number)
        yield from _line(part if end is None else between(part, None, end - 1), look, name, stands=True)


def _line(part: Whole, look: _Look, name: str, *, stands: bool) -> Iterator[Line]:
    """It, unless it has no points."""
    if not len(part):
        return
    kind: Kind = "marks" if look.marks else "stands" if stands else "older"
    drawn = draw(part, POINTS if stands else FEWER, flags=look.marks)
    curve = _set(drawn.curve) if look.marks else drawn.curve
    colour = look.colour if stands else "--curve-ghost"
    spans, hidden = ((), 0) if look.marks else (drawn.spans, drawn.hidden_spans)
    if len(curve):
        yield Line(
            name,
            kind,
            colour,
            curve.steps,
            curve.values,
            drawn.total,
            spans,
            hidden,
            label=look.name if stands else _("earlier attempts"),
            stairs=look.stairs,
            dots=look.dots,
        )


def _set(curve: Curve) -> Curve:
    return curve.take(curve.values > 0)


def of_ranks(material: Material, run: StoredRun, found: Sequence[Standing], stretch: Stretch) -> Iterator[Panel]:
    """For each metric by which ranks were found, these over the median of all. Raises StoreAway."""
    mine: dict[tuple[str, bool], tuple[Subject, list[int]]] = {}
    for alert in (one.alert for one in found if one.alert.rank is not None):
        about = subject(signal_of(alert, "raise"), run, ())
        if about is not None and about.rank is not None:
            mine.setdefault((about.name, about.is_tag), (about, []))[1].extend(ranks_of(alert))
    for at, (about, ranks) in enumerate(mine.values()):
        seen = material.parts.grids.of(run, Shown(about.name, about.is_tag), start=stretch.first, end=stretch.last)
        chosen = list(dict.fromkeys(ranks))[:RANKS]
        if lines := list(_rank_lines(seen.grid, chosen)):
            title = _("%(metric)s by rank", metric=about.name)
            yield Panel(f"{RANKED}{at}", title, about.unit, False, frozenset({about.name}), lines)


def ranks_of(alert: Alert) -> list[int]:
    """The ranks of a finding, at most twice RANKS of them."""
    found = [rank for first, last in alert.ranks for rank in range(first, min(last, first + 2 * RANKS) + 1)]
    return found[: 2 * RANKS] or ([] if alert.rank is None else [alert.rank])


def _rank_lines(grid: Grid, ranks: Sequence[int]) -> Iterator[Line]:
    if len(grid.ranks) > 2 and grid.shape[1]:
        middle = curve_of(grid.steps, _median(grid))
        yield _drawn(middle, _("median of %(count)d ranks", count=len(grid.ranks)), "median", "--curve-ghost")
    for at, rank in enumerate(ranks):
        row = np.flatnonzero(grid.ranks == rank)
        if len(row) and (there := grid.there[row[0]]).any():
            curve = curve_of(grid.steps[there], grid.values[row[0]][there])
            yield _drawn(curve, _("rank %(rank)d", rank=rank), "rank", f"--curve-{at % COLOURS + 1}")


def _median(grid: Grid) -> Floats:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a column without any number has none
        found: Floats = np.nanmedian(np.where(np.isfinite(grid.values), grid.values, np.nan), axis=0)
    return found


def curve_of(steps: Ints, values: Floats) -> Curve:
    """As the rest of the program has curves."""
    none, zero = np.broadcast_to(np.nan, len(steps)), np.broadcast_to(np.int64(1), len(steps))
    return Curve(steps, none, values, np.broadcast_to(np.uint8(0), len(steps)), zero)


def _drawn(curve: Curve, name: str, kind: Kind, colour: str) -> Line:
    drawn = draw(cut(curve), POINTS if kind == "rank" else FEWER)
    return Line(name, kind, colour, drawn.curve.steps, drawn.curve.values, drawn.total, drawn.spans)
