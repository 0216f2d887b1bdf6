"""What can be said of a run in a word or two, good news included: findings in words, for pages and terminal. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.diagnosis.finding import Finding, Rule, Severity
from app.diagnosis.handling import Standing
from app.diagnosis.signal import Class
from app.diagnosis.stops import Stops, stops
from app.diagnosis.tally import Tally, findings
from app.figures import numbers
from app.language import gettext as _
from app.language import ngettext
from app.pages.shown import RunShown
from app.pages.troubles import Trouble, troubles
from app.series.checkpoints import NOT_HEALTHY, WORDS
from app.words.states import Tone

SPOKEN_FOR: Mapping[Rule, Class] = {"nan_inf": "nan_inf", "overflow": "loss_scale"}
"""What is counted → the class of alerts that is about the same."""

TONES: Mapping[Severity, Tone] = {"good": "good", "past": "", "warning": "warn", "critical": "bad"}


@dataclass(frozen=True, slots=True)
class Badge:
    """One verdict: a count where there is one, and words. ``alert`` is the alert that it opens."""

    text: str
    tone: Tone = ""
    count: int | None = None
    alert: str = ""


def badges(run: RunShown) -> list[Badge]:
    """What can be said of the run from its alerts, its events, its values and its files; each thing once."""
    if run.seen.step is None:
        return []
    stand, counts = troubles(run.alerts), findings(tally(run))
    told = [badge for one in counts if (badge := beside(one, stand, run.alerts)) is not None]
    count = run.events_of("checkpoint")
    checkpoints = [Badge(ngettext("Checkpoint", "Checkpoints", count), "", count)] if count else []
    calm = [Badge(_("No open alerts"), "good")] if run.is_judged and not stand else []
    return [*(of_alerts(one, counts) for one in stand), *told, *calm, *checkpoints]


def of_alerts(one: Trouble, counts: Sequence[Finding]) -> Badge:
    """Alerts of one kind, with how many points are meant where that is counted, else how many alerts there are."""
    points = next((it.count for it in counts if it.rule == one.about and it.is_trouble), None)
    return Badge(one.said, one.tone, points or (one.count if one.count > 1 else None), one.alert)


def beside(finding: Finding, stand: Sequence[Trouble], alerts: Sequence[Standing]) -> Badge | None:
    """What was counted, in words; nothing where an alert says it or says otherwise, and calm where one of them is over
    or muted."""
    about = SPOKEN_FOR.get(finding.rule)
    if finding.severity != "past" and any(one.about == about for one in stand):
        return None if finding.rule == "nan_inf" or not finding.is_trouble else in_words(finding)
    if finding.rule == "nan_inf" and finding.is_trouble and any(one.alert.about == about for one in alerts):
        return Badge(_("NaN or Inf earlier"), "", finding.count)
    return in_words(finding)


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
