"""What the first visit fetches."""

from __future__ import annotations

import gzip
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Response

from tests.bench.page.stage import chromium, staged, without_chromium
from tests.bench.page.stored import live
from tests.bench.rows import Line, at_most
from tests.support.curves import until

KINDS = ("document", "script", "stylesheet")


def first_load(folder: Path) -> Iterator[Line]:
    """Page, scripts and styles of a run's page, as they travel; and the same for all that it asks for."""
    if missing := without_chromium("first load"):
        yield from missing
        return
    with staged() as stage, chromium() as browser:
        live(stage.client, "live")
        answered: list[Response] = []
        page = browser.new_page()
        page.on("response", lambda answer: answered.append(answer))
        page.goto(f"{stage.home}run/live")
        until(page, "tidewatch.curves?.newest > 0 && !tidewatch.curves.loading", seconds=40)
        asked = {one.url for one in answered if one.request.resource_type in KINDS}
        asked |= {f"{stage.home}assets/{name}" for name in ("stream-worker.js", "feed.js")}
    with staged() as again:  # a server of its own: the browser has let its stream go
        sizes = {address: travelling(address.replace(stage.home, again.home)) for address in asked}
    heaviest = max(sizes, key=lambda one: sizes[one][0])
    plain = sum(two for _, two in sizes.values())
    largest = heaviest.rpartition("/")[2].split("?")[0]
    note = f"{len(sizes)} files, {plain / 1000:.0f} kB unpacked; the largest is {largest}"
    sent = sum(one for one, _ in sizes.values()) / 1000
    yield at_most("first load: page, scripts, styles", sent, None, 900, "kB", note)


def travelling(address: str) -> tuple[int, int]:
    """Bytes of an answer as it is sent to a browser, and unpacked."""
    asked = urllib.request.Request(address, headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(asked, timeout=20) as answer:
        body = answer.read()
        packed = answer.headers.get("Content-Encoding") == "gzip"
    return len(body), len(gzip.decompress(body)) if packed else len(body)
