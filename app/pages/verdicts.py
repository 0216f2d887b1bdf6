"""What can be said of a run in a word or two, good news included: findings in words, for pages and terminal. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.diagnosis.finding import Finding, Severity
from app.diagnosis.stops import Stops, stops
from app.diagnosis.tally import Tally, findings
from app.figures import numbers
from app.language import gettext as _
from app.language import ngettext
from app.pages.shown import RunShown
from app.series.checkpoints import NOT_HEALTHY, WORDS
from app.words.states import Tone

TONES: Mapping[Severity, Tone] = {"good": "good", "past": "", "warning": "warn", "critical": "bad"}


@dataclass(frozen=True, slots=True)
class Badge:
    """One verdict: a count where there is one, and words."""

    text: str
    tone: Tone = ""
    count: int | None = None


def badges(run: RunShown) -> list[Badge]:
    """What can be said of the run from its events, its values and its files."""
    if run.seen.step is None:
        return []
    told = [in_words(one) for one in findings(tally(run))]
    count = run.events_of("checkpoint")
    checkpoints = [Badge(ngettext("Checkpoint", "Checkpoints", count), "", count)] if count else []
    return [*told, *checkpoints]


def tally(run: RunShown) -> Tally:
    """The counts that the rules look at."""
    return Tally(
        not_finite=run.counts.not_finite,
        overflows=run.counts.overflows,
        told_overflows=run.events_of("overflow"),
        nan_stops=stops_of(run, "nan_stop"),
        unreadable=run.unreadable,
        norm_stops=stops_of(run, "norm_stop"),
        skipped=run.events_of("skip"),
        unhealthy=sum(one.detail.get("health") == WORDS[NOT_HEALTHY] for one in run.events),
        redone=run.counts.redone,
    )


def stops_of(run: RunShown, kind: str) -> Stops:
    """Those of one kind, as far as the events reach."""
    return stops([one.step for one in run.events if one.kind == kind], run.seen.step, run.seen.interval)


def in_words(finding: Finding) -> Badge:
    """The finding as a person reads it."""
    words = history(finding) if finding.severity == "past" else news(finding)
    return Badge(words, TONES[finding.severity], finding.count)


def history(finding: Finding) -> str:
    """What training has gone past."""
    step = numbers.count(finding.step or 0)
    if finding.rule == "nan_stop":
        return _("Stopped by NaN at step %(step)s, resumed since", step=step)
    if finding.rule == "norm_stop":
        return _("Stopped by gradient norm at step %(step)s, resumed since", step=step)
    return _("NaN or Inf in steps that were done again since")


def news(finding: Finding) -> str:
    """What holds now, good or bad."""
    bad, count = finding.severity != "good", finding.count or 0
    words = {
        "nan_inf": _("NaN or Inf") if bad else _("No NaN or Inf"),
        "nan_stop": _("Stopped by NaN"),
        "norm_stop": _("Stopped by gradient norm"),
        "skipped": ngettext("Skipped batch", "Skipped batches", count),
        "unhealthy": ngettext("Unhealthy checkpoint", "Unhealthy checkpoints", count),
        "overflow": ngettext("Overflow", "Overflows", count) if bad else _("No overflow"),
        "unreadable": ngettext("Unreadable record", "Unreadable records", count),
    }
    return words[finding.rule]
