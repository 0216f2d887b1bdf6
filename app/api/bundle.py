"""``GET /api/runs/<run>/bundle``: an incident bundle, made whole before its first byte is sent, so that whatever goes
wrong is a sentence and no half file."""

from __future__ import annotations

import io
import tempfile
import threading
from collections.abc import Iterator, Mapping
from typing import IO

from flask import Response, request

from app.api.answers import Refused
from app.api.arguments import one_of, only, whole
from app.export.filename import disposition
from app.incident import making
from app.incident.asked import Asked
from app.incident.gathering import gathered
from app.incident.material import Material
from app.language import gettext as _

FORMS = ("zip", "html")
TYPES: Mapping[str, str] = {"zip": "application/zip", "html": "text/html; charset=utf-8"}
AT_ONCE = 2  # each works a core for some seconds
MOST_BYTES = 256 * 2**20  # of an archive; the command line has no limit
PIECE = 64 * 1024
_TURNS = threading.BoundedSemaphore(AT_ONCE)  # of the process, whichever store is read


class Bounded(io.RawIOBase):
    """A file that refuses to become larger than ``most`` bytes."""

    def __init__(self, file: IO[bytes], most: int) -> None:
        """Writes into ``file``, which may be moved about in."""
        self._file, self._most = file, most

    def writable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def write(self, some: bytes) -> int:  # type: ignore[override]  # zipfile writes nothing else
        """Raises Refused."""
        if self._file.tell() + len(some) > self._most:
            said = _("A bundle of more than %(most)d MB is not sent; ask for fewer steps.", most=self._most // 2**20)
            raise Refused(413, said)
        return self._file.write(some)

    def tell(self) -> int:
        """Where it is."""
        return self._file.tell()

    def seek(self, at: int, whence: int = 0) -> int:
        """See io.IOBase."""
        return self._file.seek(at, whence)


def bundle(material: Material, run: str) -> Response:
    """The answer to the request. Raises Refused, StoreAway."""
    only(request.args, ("from", "to", "form"))
    form = one_of(request.args, "form", FORMS)
    asked = Asked(whole(request.args, "from"), whole(request.args, "to"))
    if not _TURNS.acquire(blocking=False):
        raise Refused(429, _("%(most)d bundles are being made, as many as at once: try again soon.", most=AT_ONCE))
    file = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the answer
    try:
        name = _made(material, run, asked, form, file)
    except BaseException:
        file.close()
        raise
    finally:
        _TURNS.release()
    size = file.tell()
    reply = Response(_pieces(file), content_type=TYPES[form])
    reply.call_on_close(file.close)
    reply.content_length = size
    reply.headers["Content-Disposition"] = disposition(name)
    return reply


def _made(material: Material, run: str, asked: Asked, form: str, file: IO[bytes]) -> str:
    """Written into ``file``, which is then at its end; what it is to be called."""
    found = gathered(material, run, asked, _nobody)
    target: IO[bytes] = Bounded(file, MOST_BYTES)  # type: ignore[assignment]  # as much of it as is needed
    if form == "zip":
        making.archive(material, found, target, _nobody)
    else:
        target.write(making.page(found))
    file.seek(0, io.SEEK_END)
    return making.filename(found.run.id, found.report.head.stretch, form)


def _nobody(_sentence: str) -> None:
    """Nobody listens while an answer is made."""


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        file.seek(0)
        while piece := file.read(PIECE):
            yield piece
