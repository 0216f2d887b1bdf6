"""What a cookie holds: who logged in, when, and with what; signed, so that nobody but us can have written it."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from itsdangerous import BadData, URLSafeSerializer

from app.access.ended import Ended
from app.access.identity import Identity, Role

LASTS = 14 * 86_400.0  # seconds; a run takes weeks, and a phone that was lost is forgotten in the end
# Who is asked at a provider is asked again each day: only there it is known who has left.
LASTS_BY = {"oidc": 12 * 3_600.0}
AHEAD = 300.0  # seconds by which another process's clock may be ahead of ours
LONGEST = 2_000  # characters of a cookie
SALT = "tidewatch.session"


@dataclass(frozen=True, slots=True)
class Session:
    """One login. ``fingerprint`` is that of the secret it was opened with; ``issued`` is in Unix seconds."""

    id: str
    role: Role
    name: str
    way: str
    fingerprint: str
    issued: float

    @property
    def identity(self) -> Identity:
        """Who it is."""
        return Identity(self.name, self.role, self.way)


class Sessions:
    """Makes and reads cookies; safe to share between threads."""

    def __init__(
        self,
        signing: bytes,
        vouches: Callable[[str, Role], bool],
        clock: Callable[[], float],
        ended: Path | None = None,
    ) -> None:
        """``vouches`` says whether a fingerprint still opens for a role; ``clock`` gives Unix seconds; ``ended`` is the
        file of those that were logged out."""
        self._signing, self._vouches, self._clock, self._ended = signing, vouches, clock, Ended(ended)
        options = {"key_derivation": "hmac", "digest_method": hashlib.sha256}
        self._serializer = URLSafeSerializer(signing, salt=SALT, signer_kwargs=options)

    def begin(self, role: Role, name: str, way: str, fingerprint: str) -> tuple[Session, str]:
        """A new session, and the cookie that stands for it."""
        made = Session(secrets.token_urlsafe(16), role, name, way, fingerprint, self._clock())
        held = [made.id, made.role, made.name, made.way, made.fingerprint, made.issued]
        return made, str(self._serializer.dumps(held))

    def read(self, cookie: str) -> Session | None:
        """The session that stands; None for what is forged, too old, logged out, or opened with an old secret."""
        if not cookie or len(cookie) > LONGEST:
            return None
        try:
            held = self._serializer.loads(cookie)
        except BadData:
            return None
        found = Session(*held) if _fits(held) else None
        return found if found and self.stands(found) else None

    def stands(self, session: Session) -> bool:
        """Whether it holds at this moment."""
        age = self._clock() - session.issued
        return (
            -AHEAD <= age < LASTS_BY.get(session.way, LASTS)
            and session.id not in self._ended
            and self._vouches(session.fingerprint, session.role)
        )

    def end(self, session: Session) -> None:
        """Nobody comes in with it any more, also not with a copy of the cookie."""
        self._ended.add(session.id)

    def seal(self, subject: str) -> str:
        """The word that a page of ours has and another site's page cannot know: what writes has to repeat it."""
        return hmac.new(self._signing, f"seal:{subject}".encode(), hashlib.sha256).hexdigest()[:32]


def _fits(held: object) -> bool:
    """Whether it is what ``begin`` wrote; another version of us may have written something else."""
    if not isinstance(held, list) or len(held) != 6:
        return False
    *texts, issued = held
    return all(isinstance(one, str) for one in texts) and isinstance(issued, float) and texts[1] in get_args(Role)
