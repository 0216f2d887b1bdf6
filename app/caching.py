"""How long browsers keep what they were sent: a script or style whose address names its state, for a year.

Dash writes a file's time of change into its address (``?m=…``). Times in whole seconds are those of archives, which may
be the same in two releases, so that those files are asked for again each time (and answered by 304).
"""

from __future__ import annotations

from pathlib import Path

from flask import Flask, Response, request

YEAR = "public, max-age=31536000, immutable"
AGAIN = "no-cache"
ROUTE = "_dash_assets.static"


def install(server: Flask, assets: Path, prefix: str) -> None:
    """Dress the answers for files of ``assets``, which are served below ``prefix``."""
    base = prefix + "assets/"

    def dress(response: Response) -> Response:
        # Only what the assets' own route has found: another answer's address may name any file of this machine.
        served = (request.endpoint or "").endswith(ROUTE) and request.path.startswith(base)
        if served and response.status_code in (200, 304):
            file = assets / request.path.removeprefix(base)
            response.headers["Cache-Control"] = lasting(request.args.get("m"), file.stat().st_mtime)
        return response

    server.after_request(dress)


def lasting(asked: str | None, changed: float) -> str:
    """``Cache-Control`` for a file that changed at ``changed`` (Unix seconds) and was asked for as of ``asked``."""
    return YEAR if asked == str(changed) and not changed.is_integer() else AGAIN
