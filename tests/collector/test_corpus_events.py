"""Real event files and summaries from public repositories, read in place: every number that a checked reader found."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from collector.parse.parsers import parser_for
from collector.parse.select import source_of
from collector.read import read
from collector.wire.records import unpack_points
from tests.conftest import SHARED
from tests.support.event_files import Outcome, one_by_one

Point = tuple[int, float, float]


def expected() -> list[tuple[Path, dict[str, Any]]]:
    files = []
    for kind in ("tfevents", "mindspore_summary"):
        folder = SHARED / "corpus" / kind
        if (folder / "EXPECTED.json").exists():
            files += [
                (folder / name, facts) for name, facts in json.loads((folder / "EXPECTED.json").read_text()).items()
            ]
    return files


EXPECTED = expected()
needs_corpus = pytest.mark.skipif(not EXPECTED, reason="the real files beside the project are not here")


def outcome(path: Path) -> Outcome:
    return Outcome(parser_for(source_of(path.name)), path.read_bytes())


def spelled(value: float) -> float | str:
    return "NaN" if math.isnan(value) else value


def facts_of(points: Sequence[Point]) -> dict[str, Any]:
    """What EXPECTED.json says of a tag, counted anew."""
    steps = [step for step, _, _ in points]
    values = [value for _, _, value in points]
    finite = [value for value in values if math.isfinite(value)]
    return {
        "count": len(points),
        "first": [steps[0], spelled(values[0])],
        "last": [steps[-1], spelled(values[-1])],
        "nan": sum(map(math.isnan, values)),
        "inf": sum(map(math.isinf, values)),
        "steps_back": sum(after < before for before, after in pairwise(steps)),
        "dup_steps": len(steps) - len(set(steps)),
        "distinct_steps": len(set(steps)),
        "wall_first": points[0][1],
        "wall_last": points[-1][1],
        "min": pytest.approx(min(finite, default=0.0)),
        "max": pytest.approx(max(finite, default=0.0)),
        "step_diffs": sorted({after - before for before, after in pairwise(steps)}),
    }


@needs_corpus
@pytest.mark.parametrize(("path", "facts"), EXPECTED, ids=lambda value: getattr(value, "name", ""))
def test_every_number_of_a_real_file_is_found(path: Path, facts: dict[str, Any]) -> None:
    found = outcome(path)
    curves = {tag: list(unpack_points(block)) for tag, block in found.scalars.items()}
    for tag, wanted in facts["tags"].items():
        have = facts_of(curves[tag])
        assert {name: have[name] for name in wanted} == wanted, tag
    assert set(curves) == set(facts["tags"])
    assert (found.counts, found.consumed) == ({}, path.stat().st_size)


@needs_corpus
def test_real_files_give_the_same_however_they_arrive() -> None:
    for path, _ in EXPECTED:
        assert outcome(path).all() == one_by_one(parser_for(source_of(path.name)), path.read_bytes()).all()


@needs_corpus
def test_the_command_has_nothing_to_warn_of_but_steps_that_went_back() -> None:
    for kind in ("tfevents", "mindspore_summary"):
        found = read(SHARED / "corpus" / kind)
        assert {warned.code for warned in found.warnings} <= {"steps_went_back"}


@needs_corpus
def test_the_lineage_of_real_summaries_says_what_was_trained_on() -> None:
    paths = [path for path, _ in EXPECTED if path.name.endswith("_lineage")]
    assert len(paths) == 2
    for path in paths:
        found = outcome(path)
        assert found.facts["lineage:dataset"] == "ImageFolderDataset"
        assert found.facts["lineage:batch_size"] == "128"
        assert found.scalars == {}
