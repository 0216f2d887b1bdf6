"""The terminal's summary as a picture: what rich prints, as HTML, photographed by the browser."""

from __future__ import annotations

import io
import time
from pathlib import Path

from playwright.sync_api import Browser
from rich.console import Console
from rich.terminal_theme import MONOKAI

from app.language import speaking
from app.status import screen
from app.status.summary import Summaries
from app.store import RedisRunStore

WIDTH = 80  # columns


def pictures(browser: Browser, redis_url: str, into: Path) -> list[str]:
    """One a language; what is wrong with them."""
    found = []
    for language in ("en", "zh"):
        file = into / f"terminal-{language}.png"
        page = browser.new_page(viewport={"width": 760, "height": 400})
        page.set_content(drawn(redis_url, language))
        page.screenshot(path=file, full_page=True)
        page.close()
        found += [f"{file.stem}: empty"] if file.stat().st_size < 5_000 else []
    return found


def drawn(redis_url: str, language: str) -> str:
    """What ``python -m app status`` shows, as HTML."""
    store = RedisRunStore(redis_url)
    to = Console(file=io.StringIO(), record=True, width=WIDTH, force_terminal=True, highlight=False)
    try:
        with speaking(language):
            runs, known = Summaries(store, time.time).newest(20)
            to.print(screen.screen(runs, known, time.time(), WIDTH))
    finally:
        store.close()
    return to.export_html(inline_styles=True, theme=MONOKAI)
