"""Which columns a table of a run has, and of which stored series each of them is made. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.export.question import Question
from app.names import SeriesKey, default_rank, names_of, series_of
from app.reader import Wanted, members
from app.stored import RunSeries
from collector.wire.metrics import METRICS
from collector.wire.records import SeriesMeta

FIXED = ("step", "attempt", "source", "rank", "name", "time", "wall", "value")  # columns that every table may have


@dataclass(frozen=True, slots=True)
class Column:
    """One curve of the table: in which column its values stand (the only one where each row is a point), and its
    stored series by their ids."""

    number: int
    series: tuple[tuple[str, SeriesMeta], ...]


@dataclass(frozen=True, slots=True)
class Lane:
    """Curves whose points of one step share a row. ``rank`` is what the row says of it, None where nothing is said."""

    rank: int | None
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The table: the names of its columns, or of its lanes where each row is a point; ``ranked``: rows tell a rank;
    ``missing``: names that the run has nothing of."""

    labels: tuple[str, ...]
    lanes: tuple[Lane, ...]
    ranked: bool
    missing: tuple[str, ...]

    @property
    def sids(self) -> tuple[str, ...]:
        """Every stored series that is read, each once."""
        every = (sid for lane in self.lanes for column in lane.columns for sid, _ in column.series)
        return tuple(dict.fromkeys(every))


@dataclass(frozen=True, slots=True)
class _Found:
    """One curve that there is; ``told``: its rank was named."""

    wanted: Wanted
    told: bool
    series: tuple[tuple[str, SeriesMeta], ...]


def planned(run: RunSeries, question: Question) -> Plan:
    """The table of a question. The same curve that is asked for twice stands in it once."""
    found: dict[Wanted, _Found] = {}
    missing: list[str] = []
    for name, is_tag in _asked(run, question):
        curves = list(_curves(run, name, is_tag, question))
        found |= {one.wanted: one for one in curves if one.wanted not in found}
        missing += [] if curves else [name]
    labels = _labels(list(found.values()))
    if question.layout == "long":
        lanes = tuple(Lane(one.wanted.rank, (Column(0, one.series),)) for one in found.values())
        return Plan(tuple(_label(one, labels) for one in found.values()), lanes, True, tuple(missing))
    return _wide(list(found.values()), labels, tuple(missing))


def _asked(run: RunSeries, question: Question) -> list[tuple[str, bool]]:
    """Names, and whether each is a tag. Of a run without any standard metric every tag is asked for."""
    key = SeriesKey(run.series)
    standard = [(name, False) for name in METRICS if name in set(names_of(key, is_tag=False))]
    named = [(name, False) for name in question.metrics] + [(name, True) for name in question.tags]
    if named and not question.every:
        return named
    if standard and not question.every:
        return standard
    return standard + [(name, True) for name in sorted(names_of(key, is_tag=True)) if _is_nameless(key, name)]


def _is_nameless(key: SeriesKey, tag: str) -> bool:
    """Whether some series of a tag has no canonical metric, under which it would be shown already."""
    return any(meta.metric is None for _, meta in series_of(key, tag, is_tag=True))


def _curves(run: RunSeries, text: str, is_tag: bool, question: Question) -> Iterator[_Found]:
    """What a name means: a curve of each rank that is asked for and has it."""
    # r3:local_loss → 3 · local_loss
    spelled = re.fullmatch(r"r([0-9]{1,9}):(.+)", text, re.DOTALL)
    names: list[tuple[str, Sequence[int]]] = [(text, question.ranks)]
    if spelled:
        names.append((spelled[2], (int(spelled[1]),)))
    for name, ranks in names:
        several = ranks or (default_rank(run, name, is_tag=is_tag),)
        wanted = [Wanted(name, is_tag, rank, question.source) for rank in several]
        found = [(one, tuple(members(run, one))) for one in wanted]
        if any(series for _, series in found):
            yield from (_Found(one, bool(ranks), series) for one, series in found if series)
            return


def _labels(found: Sequence[_Found]) -> dict[tuple[bool, str], str]:
    """What each name is called: as it is, but a tag that is called like something else in the table says that it is
    one."""
    taken = set(FIXED)
    labels: dict[tuple[bool, str], str] = {}
    for one in sorted(found, key=lambda it: it.wanted.is_tag):  # metrics first; stable
        key = one.wanted.is_tag, one.wanted.name
        if key in labels:
            continue
        label = one.wanted.name
        while label in taken:
            label = f"tag:{label}" if one.wanted.is_tag else f"metric:{label}"
        taken.add(label)
        labels[key] = label
    return labels


def _wide(found: Sequence[_Found], labels: dict[tuple[bool, str], str], missing: tuple[str, ...]) -> Plan:
    """One column a name. Rows tell a rank only where ranks were named and are several: what speaks for the run may be
    of several ranks, and still belongs into one row."""
    told = any(one.told for one in found)
    numbers = {label: number for number, label in enumerate(dict.fromkeys(_label(one, labels) for one in found))}
    lanes: dict[int | None, list[Column]] = {}
    for one in found:
        column = Column(numbers[_label(one, labels)], one.series)
        lanes.setdefault(one.wanted.rank if told else None, []).append(column)
    order = sorted(lanes, key=lambda rank: -1 if rank is None else rank)
    return Plan(tuple(numbers), tuple(Lane(rank, tuple(lanes[rank])) for rank in order), len(lanes) > 1, missing)


def _label(one: _Found, labels: dict[tuple[bool, str], str]) -> str:
    return labels[one.wanted.is_tag, one.wanted.name]
