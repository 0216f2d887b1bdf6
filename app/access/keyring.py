"""The tokens and passwords that are right now. Those in files are read again when the files change, so that a secret
can be changed without a restart: what was opened with the old one is shut then."""

from __future__ import annotations

import hashlib
import hmac
import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.access.given import BadSecret, Given, checked
from app.access.identity import Role
from app.access.weak import Kind

LOOK_EVERY = 2.0  # seconds between two looks at a file
LARGEST = 4_096  # bytes of a file with one secret
LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Key:
    """One secret that opens. The fingerprint stands for it in cookies: without our signing key it says nothing."""

    role: Role
    kind: Kind
    fingerprint: str
    value: bytes = field(repr=False)


class Keyring:
    """Safe to share between threads."""

    def __init__(self, given: Sequence[Given], signing: bytes, clock: Callable[[], float] = time.monotonic) -> None:
        """``clock`` gives seconds. Raises BadSecret for a file that cannot be used."""
        self._given, self._signing, self._clock = given, signing, clock
        self._lock = threading.Lock()
        self._keys = tuple(self._key(one, read(one)) for one in given)
        self._looked = clock()

    def keys(self) -> tuple[Key, ...]:
        """Those that are right now."""
        with self._lock:
            if self._clock() - self._looked >= LOOK_EVERY:
                self._keys = tuple(self._look())
                self._looked = self._clock()
            return self._keys

    def match(self, secret: str, kinds: Iterable[Kind] = ("token", "password")) -> Key | None:
        """The key that a visitor's word is, in a time that tells nothing of any; the one of an editor first."""
        found: list[Key] = []
        word = _even(secret)
        for key in self.keys():
            if hmac.compare_digest(word, _even(key.value.decode())) and key.kind in tuple(kinds):
                found.append(key)
        return min(found, key=lambda one: one.role, default=None)  # "editor" before "viewer"

    def vouches(self, fingerprint: str, role: Role) -> bool:
        """Whether what was opened with the key of this fingerprint is open still."""
        known = [hmac.compare_digest(key.fingerprint, fingerprint) and key.role == role for key in self.keys()]
        return any(known)

    def _look(self) -> Iterable[Key]:
        for one in self._given:
            try:
                yield self._key(one, read(one))
            except BadSecret as error:  # nobody comes in with it until the file is mended
                LOG.warning("%s", error)

    def _key(self, given: Given, value: str) -> Key:
        said = f"{given.kind}:{given.role}:{value}".encode()
        mark = hmac.new(self._signing, b"credential:" + said, hashlib.sha256).hexdigest()[:24]
        return Key(given.role, given.kind, mark, value.encode())


def _even(secret: str) -> bytes:
    """Of one length, whatever the secret's is."""
    return hashlib.sha256(secret.encode(errors="surrogatepass")).digest()


def read(given: Given) -> str:
    """The value, out of its file where it has one. Raises BadSecret."""
    if given.path is None:
        return given.value
    return checked(given.name, first_line(given.name, given.path), given.kind)


def first_line(name: str, path: Path) -> str:
    """What a file holds, without the newline at its end. Raises BadSecret."""
    try:
        with path.open("rb") as file:
            text = file.read(LARGEST).decode()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise BadSecret(f"{name}_FILE names {path}, which cannot be read ({why}).") from None
    return text.strip("\r\n")
