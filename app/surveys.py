"""What is to be said of every rank of a run, kept while nothing is added."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from app.grids import Grids, Shown
from app.kept import Kept
from app.series.curve import Flags
from app.series.ranks.grid import Grid
from app.series.ranks.layout import Layout
from app.series.ranks.states import Survey, survey
from app.stored import START, RunSeries

KEPT_BYTES = 64 * 2**20
CELL_BYTES = 14  # a value, whether it is there, its deviation and its kind


@dataclass(frozen=True, slots=True, eq=False)
class Surveyed:
    """Every rank's values and what is to be said of them, of all columns that are held. ``floor``: see grids.Seen."""

    grid: Grid
    survey: Survey
    layout: Layout
    floor: int | None


@dataclass(slots=True)
class _Held:
    position: str = START
    facts: Mapping[str, str] | None = None
    made: Surveyed | None = None

    def weight(self) -> int:
        return 1_000 + (self.made.grid.values.size * CELL_BYTES if self.made else 0)


class Surveys:
    """Surveys of runs; safe to share between threads."""

    def __init__(self, grids: Grids, *, kept_bytes: int = KEPT_BYTES) -> None:
        """Nothing is read before the first question."""
        self._grids = grids
        self._held = Kept(kept_bytes, _Held, _Held.weight)

    def of(self, run: RunSeries, shown: Shown) -> Surveyed:
        """Everything that is held of the metric. Raises StoreAway."""
        with self._held.using((run.id, shown)) as held:
            if held.made is None or run.position == START or held.position != run.position or held.facts != run.facts:
                held.made = self._made(run, shown)
                held.position, held.facts = run.position, run.facts
            return held.made

    def _made(self, run: RunSeries, shown: Shown) -> Surveyed:
        seen = self._grids.of(run, shown)
        layout = Layout.of(run.facts, seen.grid.ranks.tolist())
        return Surveyed(seen.grid, survey(seen.grid, layout, shown.name), layout, seen.floor)


def windowed(found: Surveyed, start: int | None, end: int | None) -> Surveyed:
    """The columns of a window of steps, both ends inclusive."""
    grid = found.grid.window(start, end)
    first = int(np.searchsorted(found.grid.steps, grid.steps[0])) if len(grid.steps) else 0
    mine = slice(first, first + len(grid.steps))
    told = replace(found.survey, z=found.survey.z[:, mine], kinds=found.survey.kinds[:, mine])
    return Surveyed(grid, told, found.layout, found.floor)


def reduced(found: Surveyed, most: int) -> Surveyed:
    """At most ``most`` columns, of each bucket and rank the cell that ``Grid.choice`` names."""
    if found.grid.shape[1] <= most:
        return found
    chosen = found.grid.choice(most)
    z = np.take_along_axis(found.survey.z, chosen, axis=1)
    told = replace(found.survey, z=z, kinds=np.take_along_axis(found.survey.kinds, chosen, axis=1))
    return Surveyed(found.grid.columns(most), told, found.layout, found.floor)


def taken(found: Surveyed, chosen: Flags) -> Surveyed:
    """Some of the ranks; what is said of them is said beside all others."""
    told = found.survey
    verdicts = tuple(one for one, mine in zip(told.verdicts, chosen.tolist(), strict=True) if mine)
    some = replace(told, z=told.z[chosen], kinds=told.kinds[chosen], verdicts=verdicts)
    return replace(found, grid=found.grid.take(chosen), survey=some)
