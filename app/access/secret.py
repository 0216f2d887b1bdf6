"""The key that signs cookies and shared links: given, or made once and kept in a file for this user alone."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from app.access.given import SECRET, checked, said
from app.access.keyring import first_line

NAME = "signing-key"  # in the directory of all data
BYTES = 32
FOR_US = os.O_NOFOLLOW | os.O_CLOEXEC  # no link that somebody put there leads elsewhere


class NotKept(Exception):
    """The key cannot be kept; the text says why."""


def given_key(environ: Mapping[str, str]) -> bytes | None:
    """The key that TIDEWATCH_SECRET or its file says; None when neither is set. Raises BadSecret."""
    value, path = said(environ, SECRET)
    if path is not None:
        value = first_line(SECRET, path)
    elif not value:
        return None
    return checked(SECRET, value, "key").encode()


def kept_key(directory: Path) -> bytes:
    """The key in ``directory``, made there the first time. Raises NotKept."""
    path = directory / NAME
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            _make(path)
        return _read(path)
    except OSError as error:
        raise NotKept(f"{path} cannot be used ({error.strerror})") from None


def _make(path: Path) -> None:
    """A new key under the name, whole or not at all; FileExistsError when another process was first."""
    if os.path.lexists(path):
        return
    beside = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | FOR_US, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_hex(BYTES).encode())
            file.flush()
            os.fsync(file.fileno())
        os.link(beside, path)  # fails where there is one, as a rename would not
    finally:
        beside.unlink(missing_ok=True)


def _read(path: Path) -> bytes:
    """Raises NotKept for a file that somebody else could have read or written, or that holds something else."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | FOR_US)
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid():
            raise NotKept(f"{path} is not a file of this user")
        if stat.S_IMODE(found.st_mode) & 0o077:
            raise NotKept(f"{path} can be read by others: remove it, and a new one is made")
        key = file.read(2 * BYTES + 1)
    if len(key) != 2 * BYTES or set(key) - set(b"0123456789abcdef"):
        raise NotKept(f"{path} holds something else: remove it, and a new one is made")
    return key
