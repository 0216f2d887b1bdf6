"""``python -m tests.screens DIR [WORD]``: a picture of each state whose name holds WORD; exit code 1: one is amiss."""

from __future__ import annotations

import argparse
import io
import logging
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.screens import terminal
from tests.screens.states import STATES, State, Store
from tests.screens.stores import homes
from tests.support.chromium import FLAGS
from tests.support.curves import until

PATIENCE = 40  # seconds; a machine that does something else as well
FEWEST_COLOURS = 20  # a page that did not come is one colour, or two


def main() -> int:
    asked = arguments()
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # it would tell of every request
    asked.directory.mkdir(parents=True, exist_ok=True)
    with homes() as (found, filled), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        chosen = [state for state in STATES if asked.word in state.name]
        amiss = [said for state in chosen if (said := taken(browser, state, found, asked.directory))]
        amiss += terminal.pictures(browser, filled.url, asked.directory) if asked.word in "terminal" else []
        browser.close()
    print(
        f"{len(list(asked.directory.glob('*.png')))} pictures in {asked.directory}, {len(amiss)} amiss",
        *amiss,
        sep="\n",
    )
    return 1 if amiss else 0


def taken(browser: Browser, state: State, found: Mapping[Store, str], into: Path) -> str:
    """Takes one picture; what is wrong with it, or nothing."""
    context = browser.new_context(
        viewport={"width": state.width, "height": 1000 if state.width > 600 else 844},
        color_scheme=state.theme,
        locale=state.locale,
        timezone_id="UTC",
        reduced_motion="reduce",
    )
    file = into / f"{state.name}.png"
    try:
        page = context.new_page()
        page.goto(found[state.store] + state.path)
        until(page, state.ready, seconds=PATIENCE)
        if state.act:
            state.act(page)
        settled(page)
        page.screenshot(path=file, full_page=state.whole)
        wide = page.evaluate("document.documentElement.scrollWidth")
    except Exception as error:  # the others are taken all the same
        return f"{state.name}: {str(error).splitlines()[0]}"
    finally:
        context.close()
    if wide > state.width:
        return f"{state.name}: the page is {wide} px wide, the screen {state.width}"
    return amiss(file, state.width)


def settled(page: Page) -> None:
    """Two paintings after everything has its letters."""
    page.evaluate(
        "document.fonts.ready.then(() => new Promise((r) => requestAnimationFrame(() => setTimeout(r, 300))))"
    )


def amiss(file: Path, width: int) -> str:
    """Why a picture is no picture of a page; nothing when it is one."""
    with Image.open(io.BytesIO(file.read_bytes())) as image:
        size = image.size
        colours = image.convert("RGB").getcolors(maxcolors=2**24)
    if size[0] != width or size[1] < 400:
        return f"{file.stem}: {size[0]} x {size[1]} px"
    return "" if colours and len(colours) >= FEWEST_COLOURS else f"{file.stem}: hardly anything is on it"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.screens", description=__doc__)
    parser.add_argument("directory", metavar="DIR", type=Path)
    parser.add_argument("word", metavar="WORD", nargs="?", default="")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
