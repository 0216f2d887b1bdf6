"""The archive of a bundle: its parts in an order that is always the same, and a list of them with their hashes.

Names inside are our own words and numbers; nothing that a file, a run or a person is called becomes one. Times are
those of the format's beginning, so that the same parts make the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import IO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from app.api.answers import Json
from app.incident.report import Report

BEGINNING = (1980, 1, 1, 0, 0, 0)
MODE = 0o644 << 16
FORMAT = 1  # of the manifest
MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class Part:
    """One file; ``packed`` already, as pictures are."""

    name: str
    about: str
    pieces: Iterable[bytes]
    packed: bool = False


def pack(target: IO[bytes], report: Report, parts: Iterable[Part]) -> None:
    """Write the archive; what ``parts`` makes is taken piece by piece, so that no part need be held."""
    told: list[Json] = []
    with ZipFile(target, "w", ZIP_DEFLATED, compresslevel=6) as held:
        for part in parts:
            told.append(_written(held, part))
        body = json.dumps(manifest(report, told), ensure_ascii=False, indent=2).encode() + b"\n"
        _written(held, Part(MANIFEST, "", [body]))


def _written(held: ZipFile, part: Part) -> Json:
    info = ZipInfo(part.name, BEGINNING)
    info.compress_type = ZIP_STORED if part.packed else ZIP_DEFLATED
    info.external_attr = MODE
    digest, size = sha256(), 0
    with held.open(info, "w", force_zip64=True) as file:
        for piece in part.pieces:
            file.write(piece)
            digest.update(piece)
            size += len(piece)
    return {"name": part.name, "about": part.about, "bytes": size, "sha256": digest.hexdigest()}


def manifest(report: Report, told: list[Json]) -> Json:
    """What is in the archive, of what it is, and what is not in it."""
    head = report.head
    return {
        "format": FORMAT,
        "made_by": "Tidewatch",
        "made": datetime.fromtimestamp(head.made, UTC).isoformat(timespec="seconds"),
        "language": head.language,
        "run": head.run,
        "name": head.name,
        "steps": {"first": head.stretch.first, "last": head.stretch.last},
        "secrets_masked": head.masked,
        "names_kept": head.named,
        "files": told,
        "left_out": list(report.left_out),
    }


def document_bytes(body: Json) -> Iterator[bytes]:
    """JSON for people and programs alike."""
    yield json.dumps(body, ensure_ascii=False, allow_nan=False, indent=1).encode() + b"\n"
