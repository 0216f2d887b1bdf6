"""The pages' own scripts and styles, as one file each: a first visit asks for two files, not for a hundred.

An address holds a digest of the content, so that browsers keep what they have for as long as it is true.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from flask import Flask, Response

from app.caching import YEAR

# Changes once a year, and is half of all there is; its "basic" build, since lines are all that is drawn.
APART = ("plotly-basic.min.js",)
WORKERS = ("stream-worker.js", "tag-worker.js")  # run by other scripts, not in the page
# what Dash is not to put into the page by itself: all but those that stay apart
IGNORED = rf"^(?!({'|'.join(APART).replace('.', '[.]')})$).*[.](js|css)$"


@dataclass(frozen=True, slots=True)
class Bundle:
    """One file of many, below the address of the pages."""

    name: str
    mimetype: str
    body: bytes


def bundles(assets: Path) -> tuple[Bundle, Bundle]:
    """Scripts and styles, each in the order of their names, in which Dash would have loaded them."""
    scripts = [one for one in sorted(assets.glob("*.js")) if one.name not in (*APART, *WORKERS)]
    return (
        bundle("scripts", "js", "text/javascript", scripts),
        bundle("styles", "css", "text/css", sorted(assets.glob("*.css"))),
    )


def bundle(stem: str, suffix: str, mimetype: str, files: Sequence[Path]) -> Bundle:
    """``files`` behind each other, each introduced by its name; a script that forgot its last semicolon ends there."""
    between = ";\n" if suffix == "js" else "\n"
    body = "".join(f"/* ---- {one.name} ---- */\n{one.read_text()}{between}" for one in files).encode()
    return Bundle(f"{stem}-{hashlib.blake2b(body, digest_size=8).hexdigest()}.{suffix}", mimetype, body)


def install(server: Flask, prefix: str, served: Sequence[Bundle]) -> None:
    """Serve each at its address."""
    for one in served:
        server.add_url_rule(address(prefix, one), f"bundle.{one.mimetype}", view(one), methods=["GET"])


def address(prefix: str, one: Bundle) -> str:
    """Where a browser asks for it."""
    return f"{prefix}bundle/{one.name}"


def view(one: Bundle) -> Callable[[], Response]:
    """What answers for it."""
    return lambda: Response(one.body, mimetype=one.mimetype, headers={"Cache-Control": YEAR})
