"""All that a bundle tells of a run, read at one moment and cleaned before anything is made of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import cast

import numpy as np

from app.api.alert_detail import Grounds
from app.api.alert_words import reached
from app.api.answers import Json, Refused
from app.api.books import ledger_of
from app.api.notes import served
from app.api.series import no_run
from app.configuration import configuration
from app.diagnosis.handling import Standing
from app.diagnosis.opening import GRAVITY
from app.discreet.discretion import discretion
from app.figures.numbers import count
from app.incident import curves
from app.incident.asked import Asked, Progress, Stretch
from app.incident.cleaning import Cleaning
from app.incident.facts import facts
from app.incident.log_slices import RANKS, places, slices
from app.incident.material import Material
from app.incident.report import Event, Head, LogSlice, Panel, Report
from app.incident.stretch import stretch
from app.language import gettext as _
from app.language import language
from app.look import look
from app.names import SeriesKey, names_of, owner
from app.pages.sentences import sentence
from app.pages.shown import RunShown
from app.reader import Wanted, default_rank
from app.series.curve import Ints
from app.series.happening import Happening
from app.stored import StoredRun
from app.words.states import event_word, status_word
from collector.wire.records import RunId

FINDINGS, EVENTS, NOTES = 40, 1_000, 200  # of one bundle, the gravest and the newest


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """A report, the curves whose every point is in it, and what their names lose."""

    report: Report
    run: StoredRun
    wanted: Sequence[Wanted]
    clean: Cleaning


def gathered(material: Material, run_id: str, asked: Asked, progress: Progress) -> Gathered:
    """Raises Refused (no such run, no such steps), StoreAway."""
    run = material.store.run(RunId(run_id))
    if run is None:
        raise no_run(material.store, run_id)
    if asked.first is not None and asked.last is not None and asked.first > asked.last:
        raise Refused(
            400, _("The first step, %(first)d, is behind the last, %(last)d.", first=asked.first, last=asked.last)
        )
    return _Gathering(material, run, asked, progress).everything()


class _Gathering:
    """One bundle's; what is left out is noted as it comes."""

    def __init__(self, material: Material, run: StoredRun, asked: Asked, progress: Progress) -> None:
        self._material, self._run, self._asked, self._progress = material, run, asked, progress
        self._known = material.reader.timeline(run)
        self._standing = material.alarms.of(run.id)
        self._left_out: list[str] = []
        self._clean = Cleaning(asked.mask, None if asked.names else discretion(self._hosts(), self._roots()))

    def everything(self) -> Gathered:
        self._progress(_("Reading curves …"))
        wanted = self._wanted()
        where = self._stretch(wanted)
        found = self._findings(where)
        panels = self._panels(found, where)
        self._progress(_("Reading findings, notes and events …"))
        findings, notes, events = self._told(found), self._notes(where), self._events(where)
        self._progress(_("Asking the collectors for log lines …"))
        logs = self._logs(found, where)
        run, known = self._run, self._known
        books = self._material.ledgers.books(run, known, self._material.clock())
        report = Report(
            self._head(where),
            panels,
            findings,
            notes,
            events,
            {self._clean.text(key): self._clean.setting(key, one) for key, one in configuration(run.facts).items()},
            logs,
            [cast(Mapping[str, Json], self._clean.json(asdict(one))) for one in known.attempts],
            [(title, [(name, self._clean.text(text)) for name, text in rows]) for title, rows in facts(run, books)],
            ledger_of(books),
            self._left_out,
        )
        return Gathered(report, run, wanted, self._clean)

    def _wanted(self) -> list[Wanted]:
        """The curves of the standard panels; of a run that has none of them its first tags."""
        found = [curves.wanted(self._run, line) for _, line in curves.shown()]
        several = list(dict.fromkeys(one for one in found if one is not None))
        if not several:
            tags = sorted(names_of(SeriesKey(self._run.series), is_tag=True))[: curves.TAGS]
            several = [Wanted(tag, True, default_rank(self._run, tag, is_tag=True)) for tag in tags]
        self._material.reader.prepare(self._run, several, self._known)
        return several

    def _stretch(self, wanted: Sequence[Wanted]) -> Stretch:
        where = stretch(self._asked, self._steps(wanted), self._standing)
        if where is None:
            raise Refused(404, _("Run %(run)s has no points yet.", run=repr(self._run.id)))
        return where

    def _steps(self, wanted: Sequence[Wanted]) -> Ints:
        """Of the first curve that there is: the loss, where the run has one. Refused where none is asked for."""
        lines = (self._material.reader.line(self._run, one, self._known) for one in wanted)
        whole = next((one for one in lines if len(one)), None)
        if whole is None:
            return np.zeros(0, np.int64)
        steps = whole.curve().steps
        first, last = self._asked.first, self._asked.last
        if (first is not None and first > steps.max()) or (last is not None and last < steps.min()):
            raise Refused(404, _(
                "Run %(run)s has no points there: it goes from step %(first)s to %(last)s.",
                run=repr(self._run.id), first=count(int(steps.min())), last=count(int(steps.max())),
            ))  # fmt: skip
        return steps

    def _findings(self, where: Stretch) -> list[Standing]:
        """Those of the stretch, the gravest first."""
        newest = self._known.newest
        inside = [one for one in self._standing if where.overlaps(one.alert.first_step, reached(one.alert, newest))]
        inside.sort(key=lambda one: (not one.counts, -GRAVITY[one.alert.severity], one.alert.first_step))
        self._told_left(len(inside) - FINDINGS, _("findings that are less grave than those shown"))
        return inside[:FINDINGS]

    def _told(self, found: Sequence[Standing]) -> list[Mapping[str, Json]]:
        m = self._material
        grounds = Grounds(m.store, m.reader, m.ledgers, m.happened, m.alarms, m.clock())
        details = (grounds.detail(self._run, one.alert.id) for one in found)
        return [cast(Mapping[str, Json], self._clean.json(one)) for one in details]

    def _panels(self, found: Sequence[Standing], where: Stretch) -> list[Panel]:
        m, run, known = self._material, self._run, self._known
        several = curves.panels(m, run, known, where) or curves.of_tags(m, run, known, where)
        self._progress(_("Reading the ranks that were found …"))
        return [curves.cleaned(one, self._clean) for one in (*several, *curves.of_ranks(m, run, found, where))]

    def _notes(self, where: Stretch) -> list[Mapping[str, Json]]:
        inside = [one for one in self._material.notes.notes(self._run.id) if one.touches(where.first, where.last)]
        self._told_left(len(inside) - NOTES, _("older notes"))
        newest = sorted(inside, key=lambda one: one.created)[-NOTES:]
        served_in_order = [served(one) for one in sorted(newest, key=lambda one: one.place)]
        return [cast(Mapping[str, Json], self._clean.json(one)) for one in served_in_order]

    def _events(self, where: Stretch) -> list[Event]:
        told = self._material.happened.of(self._run)
        inside = [one for one in told.events if _happened_in(one, where)]
        self._told_left(len(inside) - EVENTS, _("older events"))
        return [self._event(one) for one in inside[-EVENTS:]]

    def _event(self, one: Happening) -> Event:
        word = event_word(one.kind)
        said = self._clean.text(sentence(one) or one.text)
        return Event(one.step, one.last_step, one.wall, str(word.text), word.tone, said, tuple(one.ranks))

    def _logs(self, found: Sequence[Standing], where: Stretch) -> list[LogSlice]:
        at = places(found, owner(self._run), where)
        self._told_left(len(at) - RANKS, _("logs of further ranks"))
        several = list(slices(self._material.store, self._run, at, self._clean))
        for one in several:
            if one.why and not one.lines:
                rank = _("The log of rank %(rank)d", rank=one.rank) if one.rank is not None else _("The log")
                self._left_out.append(_("%(what)s: %(why)s", what=rank, why=one.why))
        return several

    def _told_left(self, many: int, what: str) -> None:
        if many > 0:
            self._left_out.append(_("%(count)s %(what)s: a bundle has room for so many.", count=count(many), what=what))

    def _head(self, where: Stretch) -> Head:
        run, now, store = self._run, self._material.clock(), self._material.store
        seen = look(store, run, store.heartbeats(), now)
        shown = RunShown(run, seen)
        word = status_word(shown.state)
        return Head(
            self._clean.text(run.id),
            self._clean.text(run.record.name),
            str(word.text),
            word.tone,
            where,
            seen.step,
            seen.total_steps,
            len(shown.ranks),
            now,
            language(),
            self._asked.mask,
            self._asked.names,
        )

    def _hosts(self) -> Iterator[str]:
        """In the order of ranks, then those that only collectors know."""
        yield from (host for _, host in sorted(self._material.parts.hosts.of(self._run).items()))
        yield from sorted(set(self._material.store.hosts(self._run.id).values()))
        yield from sorted({one.host for one in self._material.store.heartbeats()})

    def _roots(self) -> Iterator[str]:
        yield self._run.record.path
        yield from sorted({root for beat in self._material.store.heartbeats() for root in beat.roots})


def _happened_in(one: Happening, where: Stretch) -> bool:
    return one.step is not None and where.overlaps(one.step, one.step if one.last_step is None else one.last_step)
