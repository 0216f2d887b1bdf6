"""Event files: our values are TensorBoard's, on everything that it can read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance import samples, tensorboard_reader
from tests.conformance.values import Agreement, equal, ours

DIRECTORIES = samples.directories("*tfevents*")


@pytest.mark.parametrize("make", [samples.simple, samples.tensors, samples.regular], ids=lambda make: make.__name__)
def test_fresh_files_of_every_kind_hold_what_tensorboard_reads(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path)
    found = Agreement(0)
    for directory in sorted({path.parent for path in tmp_path.rglob("*tfevents*")}):
        found += equal(directory.name, ours(directory, "tensorboard"), tensorboard_reader.read(directory))
    assert found.differences == ()
    assert found.points > 100


def test_the_files_of_the_tests_and_real_ones_hold_what_tensorboard_reads() -> None:
    found = Agreement(0)
    for directory in DIRECTORIES:
        name = "/".join(directory.parts[-3:])
        found += equal(name, ours(directory, "tensorboard"), tensorboard_reader.read(directory))
    print(f"{found.points} points of {len(DIRECTORIES)} directories")
    assert found.differences == ()
