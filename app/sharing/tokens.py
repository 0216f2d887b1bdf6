"""What a link to a snapshot says, signed: the run, and a random number of which the store keeps a hash alone. Pure but
for the random number."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from secrets import token_urlsafe

from itsdangerous import BadData, URLSafeSerializer

from collector.wire.records import RunId

SALT = "tidewatch.snapshot"  # a signature of anything else is none of a snapshot
ID_BYTES = 16
HANDLE = 16  # characters of the hash by which a snapshot is listed and revoked
LONGEST = 3_000  # characters of a token: of more no address can be asked for


@dataclass(frozen=True, slots=True)
class Named:
    """Which snapshot a link means."""

    run: RunId
    id: str

    @property
    def digest(self) -> str:
        """What the store keeps instead of the id."""
        return hashlib.sha256(self.id.encode()).hexdigest()

    @property
    def handle(self) -> str:
        """What it is listed and revoked by, which opens nothing."""
        return self.digest[:HANDLE]

    @classmethod
    def new(cls, run: RunId) -> Named:
        """One that nobody has named before."""
        return cls(run, token_urlsafe(ID_BYTES))


class Tokens:
    """Signs and reads with one secret."""

    def __init__(self, secret: bytes) -> None:
        """``secret`` is the server's own."""
        how = {"key_derivation": "hmac", "digest_method": hashlib.sha256}
        self._serializer = URLSafeSerializer(secret, salt=SALT, signer_kwargs=how)

    def written(self, named: Named) -> str:
        """The token: letters that stand in an address as they are."""
        return str(self._serializer.dumps([named.run, named.id]))

    def read(self, token: str) -> Named | None:
        """What a token names; None for every text that this server has not written, to the letter."""
        if len(token) > LONGEST or not token.isascii():
            return None
        try:
            run, one = self._serializer.loads(token)
        except (BadData, ValueError, TypeError, RecursionError):
            return None
        named = Named(RunId(run), one) if isinstance(run, str) and isinstance(one, str) else None
        # base64 has several spellings of the same bytes; only one of them was ever written
        return named if named and hmac.compare_digest(self.written(named).encode(), token.encode()) else None
