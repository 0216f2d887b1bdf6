"""A file that has its name when it is whole, and not before."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from app.language import gettext as _


class NotSaved(Exception):
    """The file cannot be written; the text says in one sentence why and what to do."""


def refuse(target: Path, *, force: bool) -> None:
    """NotSaved where there is something that must not be overwritten. Links count as what they are."""
    try:
        there = target.lstat()
    except FileNotFoundError:
        return
    except OSError as error:
        raise NotSaved(_failed(target, error)) from None
    if not stat.S_ISREG(there.st_mode) and not stat.S_ISLNK(there.st_mode):
        raise NotSaved(_("%(file)s is no file: name another one with --out.", file=target))
    if not force:
        raise NotSaved(_("%(file)s is there already: name another one with --out, or give --force.", file=target))


@contextmanager
def saving(target: Path, *, force: bool) -> Iterator[BinaryIO]:
    """A file to write into, beside ``target``; it becomes that when the block ends well, and is removed when it does
    not. Raises NotSaved."""
    refuse(target, force=force)
    part = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.part")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(part, flags, 0o666)
    except OSError as error:
        raise NotSaved(_failed(target, error)) from None
    try:
        with os.fdopen(descriptor, "wb", buffering=0) as file:
            try:
                yield file
                os.fsync(descriptor)
            except OSError as error:
                raise NotSaved(_failed(target, error)) from error
        _named(part, target, force=force)
    finally:
        with suppress(FileNotFoundError):
            part.unlink()


def _named(part: Path, target: Path, *, force: bool) -> None:
    """Give the file its name at once; nothing that came meanwhile is overwritten."""
    try:
        if force:
            refuse(target, force=True)
            part.replace(target)
            return
        try:
            os.link(part, target, follow_symlinks=False)
        except FileExistsError:
            refuse(target, force=False)
            raise
        except OSError:  # a file system without links
            refuse(target, force=False)
            part.rename(target)
    except OSError as error:
        raise NotSaved(_failed(target, error)) from None


def _failed(target: Path, error: OSError) -> str:
    return _("%(file)s cannot be written (%(why)s).", file=target, why=error.strerror or type(error).__name__)
