"""What gunicorn settles before its first worker: to which addresses it is bound, and a token where one is needed."""

from __future__ import annotations

import secrets
from collections.abc import Callable, MutableMapping, Sequence

from app.access.addresses import is_loopback
from app.access.given import TOKEN
from app.config import AppConfig

HOST = "TIDEWATCH_HOST"
TOKEN_BYTES = 24  # 192 bits


def settle(environ: MutableMapping[str, str], bound: Sequence[tuple[str, int]], say: Callable[[str], None]) -> None:
    """Tell the workers, by ``environ``, what they cannot know: an address beyond loopback that they are ``bound`` to,
    and a token, said once, where none is given. Raises BadSetting."""
    far = [one for one, _port in bound if not is_loopback(one)]
    if far and is_loopback(environ.get(HOST) or "127.0.0.1"):
        environ[HOST] = far[0]
    config = AppConfig.from_environ(environ)
    if config.is_locked:
        environ[TOKEN] = secrets.token_urlsafe(TOKEN_BYTES)
        place = next((f"{host}:{port}" for host, port in bound), config.host)
        say(f"Tidewatch is at http://{place}{config.prefix}?token={environ[TOKEN]}")
    elif far and config.is_open:
        say(f"Warning: whoever reaches {far[0]} can see your runs and write: no password is asked for.")
