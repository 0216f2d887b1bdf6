"""What the files hold against what the store holds, file by file, point by point, in order."""

from __future__ import annotations

import os
from pathlib import Path

from collector.dump import family
from collector.read import read
from collector.runs import select
from collector.store import Store
from collector.wire.records import unpack_points

Ledger = dict[tuple[str, str], list[tuple[int, str, str]]]  # (file below the root, tag) → points, as text


def in_files(root: Path) -> Ledger:
    """Every point of every file that is read, with the readers of ``python -m collector read``."""
    ledger: Ledger = {}
    for directory, _, names in os.walk(root):
        for name in names:
            path = Path(directory) / name
            role = select(str(root), str(path.relative_to(root)))
            if role is None:
                continue
            for run in read(path).runs.values():
                for series in run.series:
                    _add(ledger, str(path.relative_to(root)), series.tag, series.points)
    return ledger


def in_store(root: Path, url: str) -> Ledger:
    """Every stored point, the generations of a file one after the other."""
    store = Store(url)
    ledger: Ledger = {}
    try:
        for run_id in store.runs():
            record = store.record(run_id)
            if record is None:
                continue  # nobody could read it
            register = sorted(store.series(run_id), key=lambda meta: (family(meta.file), meta.generation))
            for meta, block in zip(register, store.points(run_id, [meta.sid for meta in register]), strict=True):
                file = os.path.relpath(Path(record.path) / meta.file, root)
                _add(ledger, file, meta.tag, block)
    finally:
        store.close()
    return ledger


def differences(root: Path, url: str) -> list[str]:
    """Where files and store disagree, in words; empty when they hold the same points in the same order."""
    files, store = in_files(root), in_store(root, url)
    return [
        f"{key}: {len(files.get(key, []))} in the file, {len(store.get(key, []))} in the store"
        for key in sorted(files.keys() | store.keys())
        if files.get(key) != store.get(key)
    ]


def agrees(root: Path, url: str) -> bool:
    return not differences(root, url)


def _add(ledger: Ledger, file: str, tag: str, block: bytes) -> None:
    points = [(step, repr(wall), repr(value)) for step, wall, value in unpack_points(block)]
    if points:
        ledger.setdefault((file, tag), []).extend(points)
