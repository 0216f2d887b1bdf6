"""What follows for the diagnosis of a run from how it is stored: who speaks, how long it is, what people watch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.diagnosis.diagnosis import Diagnosis
from app.diagnosis.planned import expects_summaries, plan
from app.diagnosis.row import Plan
from app.diagnosis.rules.custom import UserRule
from app.diagnosis.speaking import Speakers, speakers
from app.diagnosis.wishes import Watched, watched
from app.stored import LeanRun


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """Of one run as it was read."""

    run: LeanRun
    speakers: Speakers
    plan: Plan
    expects: bool
    rules: Sequence[UserRule]
    watched: Watched

    @classmethod
    def of(cls, run: LeanRun, rules: Sequence[UserRule]) -> Told:
        facts = run.facts
        return cls(run, speakers(run), plan(facts), expects_summaries(facts), rules, watched(rules, run))

    def beginning(self) -> Diagnosis:
        """Before any point."""
        return Diagnosis.of(self.plan, expects=self.expects, rules=self.rules)

    def holds(self, run: LeanRun) -> bool:
        """Whether it is still so."""
        mine = self.run
        same = mine.series is run.series and mine.generations == run.generations
        return same and mine.facts == run.facts
