"""A bundle from the question to its bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import IO

from app.api.answers import Refused
from app.api.exports import moved
from app.export.blocks import Moved
from app.export.export import Export
from app.export.filename import filename as named
from app.figures.numbers import count
from app.incident.archive import Part, document_bytes, pack
from app.incident.asked import Progress, Stretch
from app.incident.document import document
from app.incident.gathering import Gathered
from app.incident.material import Material
from app.incident.points import MOST, NAME, points, table
from app.incident.report import LogSlice
from app.language import gettext as _
from app.previews.asked import Asked as Pictured
from app.previews.previews import Previews

PICTURE = (1600, 1000)  # px


def page(found: Gathered) -> bytes:
    """The one HTML file by itself."""
    return document(found.report).encode()


def archive(material: Material, found: Gathered, target: IO[bytes], progress: Progress) -> None:
    """Everything. Raises Refused, StoreAway."""
    held = _Held(material, found, progress)
    progress(_("Writing the archive …"))
    try:
        pack(target, held.report, held.parts())
    except Moved:
        raise moved() from None


class _Held:
    """What goes into the archive beside the page, and what does not."""

    def __init__(self, material: Material, found: Gathered, progress: Progress) -> None:
        self._store, self._found = material.store, found
        self._left_out = list(found.report.left_out)
        self._picture = self._drawn(material.previews)
        progress(_("Counting points …"))
        self._export = self._exported(found)
        self.report = replace(found.report, left_out=self._left_out)

    def parts(self) -> Iterator[Part]:
        """In the order of the archive."""
        report, logs = self.report, [one for one in self.report.logs if one.lines]
        told = list(report.findings)
        others = [
            *(
                [Part("curves.png", _("The curves as a picture."), [self._picture], packed=True)]
                if self._picture
                else []
            ),
            *(
                [Part(NAME, _("Every point of the curves."), table(self._export, self._found.clean))]
                if self._export
                else []
            ),
            Part("findings.json", _("What was found in these steps, with its evidence."), document_bytes(told)),
            Part("notes.json", _("What people noted."), document_bytes(list(report.notes))),
            Part("configuration.json", _("The settings of the newest start."), document_bytes(report.configuration)),
            *(Part(one.name, _log_told(one), [("\n".join(one.lines) + "\n").encode()]) for one in logs),
        ]
        page = document(report, tuple(one.name for one in others)).encode()
        yield Part("report.html", _("Everything on one page, for a browser; it asks for nothing."), [page])
        yield from others

    def _drawn(self, previews: Previews) -> bytes:
        where = self._found.report.head.stretch
        asked = Pictured(start=where.first, end=where.last, width=PICTURE[0], height=PICTURE[1])
        try:
            return previews.of(self._found.run.id, asked).png
        except Refused as error:
            self._left(error.sentence, "curves.png")
            return b""

    def _exported(self, found: Gathered) -> Export | None:
        export = points(self._store, found.run, found.wanted, found.report.head.stretch)
        if export is None:
            self._left(moved().sentence, NAME)
        elif export.points > MOST:
            said = _("%(count)s points are too many; python -m app export writes them.", count=count(export.points))
            self._left(said, NAME)
            return None
        elif export.folded:
            said = _(
                "Older history was folded: %(count)s points are left of it, ends and extremes of 64 neighbours each.",
                count=f"{export.folded:,}",
            )
            self._left(said, NAME)
        return export

    def _left(self, why: str, what: str) -> None:
        self._left_out.append(_("%(what)s: %(why)s", what=what, why=why))


def _log_told(log: LogSlice) -> str:
    return _("Lines of %(file)s around step %(step)d.", file=log.file, step=log.around)


def filename(run_id: str, where: Stretch, suffix: str) -> str:
    """``incident-gpt_100-200.zip``. The run's id is foreign text: no path, no header and no device comes of it."""
    return named(f"incident-{run_id}", where.text, suffix)
