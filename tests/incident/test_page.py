"""The page of a bundle, opened from disk by a browser without a network: nothing is asked for, nothing foreign runs."""

from __future__ import annotations

import base64
import math
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import redis
from playwright.sync_api import Browser, Page

from app.alarms import Alarms
from app.diagnosis.store import AlertStore
from app.incident import making
from app.incident.asked import Asked
from app.incident.gathering import Gathered, gathered
from app.incident.material import material
from app.language import speaking
from app.notes.note import Note
from app.notes.store import NoteStore
from app.store import RedisRunStore
from collector.wire import schema
from collector.wire.records import RunId
from tests.e2e.test_axe import grave
from tests.support import alarmed, gallery
from tests.support.incident import BAD
from tests.support.redis_server import RedisServer
from tests.support.seed import Seed, straight

XSS = RunId("xss")
TAG = f"norm/{BAD}"
DRAWN = "html[data-drawn=yes]"


def hostile(client: redis.Redis, url: str) -> None:
    """A run whose every text is an attack."""
    seed = Seed(client, XSS, f"/data/{BAD}", {f"configuration:{BAD}": f'{{"{"a" * 3}": "<b>x</b>"}}'})
    client.hset(schema.run(XSS), "name", BAD)
    points = straight(range(1, 101), at=time.time() - 100)
    seed.points(
        [*points[:50], (51, points[50][1], math.nan), *points[51:]], metric=None, tag=TAG, file=f"{BAD}/info.log"
    )
    seed.event("error", step=60, wall=time.time() - 40, text=BAD)
    store = NoteStore(url)
    store.add(XSS, Note("0123456789ab", 50, 60, BAD, BAD[:60], time.time()))
    store.close()
    alarmed.raise_at(
        url, XSS, (alarmed.replace(alarmed.NAN, about="custom", rule=BAD, first_step=51, raised_step=51, last_step=52),)
    )


@dataclass
class Shelf:
    """Makes pages of bundles of the runs of one server."""

    url: str
    place: Path
    made: dict[tuple[str, str], Path] = field(default_factory=dict)

    def page(self, run: str, language: str = "en", asked: Asked = Asked()) -> Path:  # noqa: B008  # frozen
        """The file, made once."""
        key = (f"{run}-{asked.first}-{asked.last}", language)
        if key not in self.made:
            path = self.place / f"{key[0]}-{language}.html"
            path.write_bytes(making.page(self.gathered(run, language, asked)))
            self.made[key] = path
        return self.made[key]

    def gathered(self, run: str, language: str = "en", asked: Asked = Asked()) -> Gathered:  # noqa: B008  # frozen
        store, notes, alerts = RedisRunStore(self.url), NoteStore(self.url), AlertStore(self.url)
        try:
            with speaking(language):
                return gathered(
                    material(store, Alarms(alerts, time.time), notes, time.time), run, asked, lambda _: None
                )
        finally:
            for one in (store, notes, alerts):
                one.close()


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    server = RedisServer().start()
    with redis.Redis.from_url(server.url) as client:
        alarmed.fill(client, server.url)
        gallery.resumed(client)
        gallery.training(client, RunId("diverged"), spoil=gallery.spoilt)
        hostile(client, server.url)
    yield Shelf(server.url, tmp_path_factory.mktemp("pages"))
    server.close()


@contextmanager
def opened(
    browser: Browser, path: Path, *, theme: str = "light", width: int = 1280, forgiven: str = "nothing"
) -> Iterator[Page]:
    """The page without a network; by the end nothing but the file may have been asked for, and nothing gone wrong."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if theme == "dark" else "light", offline=True,
        accept_downloads=False,
    )  # fmt: skip
    page = context.new_page()
    page.set_default_timeout(15_000)
    asked: list[str] = []
    wrong: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("dialog", lambda dialog: (wrong.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.goto(path.as_uri())
    page.wait_for_selector(DRAWN)
    yield page
    context.close()
    assert (asked, [one for one in wrong if forgiven not in one]) == ([path.as_uri()], [])


def steps_shown(page: Page) -> list[int]:
    """First and last step of the window, as every panel has them."""
    ranges = page.evaluate(
        "[...document.querySelectorAll('.plot')].map((one) => one.layout.xaxis.range.map(Math.round))"
    )
    assert all(one == ranges[0] for one in ranges)
    return [int(one) for one in ranges[0]]


def test_curves_are_drawn_with_what_was_found(browser: Browser, shelf: Shelf) -> None:
    with opened(browser, shelf.page("alarmed")) as page:
        assert page.locator("h1").text_content() == "alarmed"
        titles = page.locator(".panel h3").all_text_contents()
        assert titles[:5] == ["Loss", "Learning rate", "Gradient norm", "Loss scale", "Throughput"]
        for key in ("loss", "lr", "grad_norm", "loss_scale", "throughput"):
            path = page.locator(f"#plot-{key} .scatterlayer path.js-line").first.get_attribute("d") or ""
            assert len(path) > (500 if key in ("loss", "grad_norm", "throughput") else 10)
        assert page.locator("#findings article").count() >= 6
        assert "Gradient explosion" in (page.locator("#findings article").first.text_content() or "")
        assert page.locator("#plot-loss .annotation").all_text_contents().count("NaN") == 1
        assert page.locator("#plot-grad_norm .shapelayer path").count() >= 1


def test_panels_are_zoomed_together_by_pointer_keyboard_and_finding(browser: Browser, shelf: Shelf) -> None:
    with opened(browser, shelf.page("alarmed")) as page:
        whole = steps_shown(page)
        box = page.locator("#plot-loss .nsewdrag").bounding_box()
        assert box
        page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + 50)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 52, steps=6)
        page.mouse.up()
        page.wait_for_function("document.getElementById('plot-lr').layout.xaxis.range[0] > 400")
        first, last = steps_shown(page)
        assert whole[0] < first < last < whole[1]
        page.get_by_role("button", name="All", exact=True).press("Enter")
        page.wait_for_function("document.querySelector('[data-zoom=all]').disabled")
        assert steps_shown(page) == whole
        page.locator("#findings article").nth(2).get_by_role("button", name="Show").click()
        page.wait_for_function("!document.querySelector('[data-zoom=all]').disabled")
        assert steps_shown(page)[0] > whole[0]


def test_a_point_is_told_under_the_pointer_and_an_axis_can_be_logarithmic(browser: Browser, shelf: Shelf) -> None:
    with opened(browser, shelf.page("alarmed")) as page:
        box = page.locator("#plot-loss .nsewdrag").bounding_box()
        assert box
        spot = page.evaluate(
            "(() => { const one = document.getElementById('plot-loss'); const { xaxis, yaxis } = one._fullLayout;"
            " return [xaxis.l2p(500), yaxis.l2p(one.data[0].y[one.data[0].x.indexOf(500)])]; })()"
        )
        page.mouse.move(box["x"] + spot[0], box["y"] + spot[1])
        told = page.locator("#plot-loss .hoverlayer .hovertext").first
        told.wait_for()
        assert "step 500" in (told.text_content() or "")
        button = page.locator("[data-log=loss]")
        button.click()
        assert button.get_attribute("aria-pressed") == "true"
        page.wait_for_function("document.getElementById('plot-loss').layout.yaxis.type === 'log'")


def test_attempts_are_lines_of_their_own_and_infinities_are_marked(browser: Browser, shelf: Shelf) -> None:
    with opened(browser, shelf.page("resumed")) as page:
        names = page.evaluate("document.getElementById('plot-loss').data.map((one) => one.meta)")
        assert names[:5] == [
            *("loss, attempt 1, done again later", "loss, attempt 2, done again later"),
            *("loss, attempt 1", "loss, attempt 2", "loss, attempt 3"),
        ]
        told = page.locator("#plot-loss .legendtext").all_text_contents()
        assert told == ["earlier attempts", "loss", "eval loss"]
        ends = page.evaluate(
            "document.getElementById('plot-loss').data.slice(0, 5).map((one) => [one.x[0], one.x.at(-1)])"
        )
        assert ends == [[200, 300], [400, 450], [1, 199], [200, 399], [400, 600]]
        assert "attempt 3 · steps 400 to 600" in (page.locator("#facts").text_content() or "")
    with opened(browser, shelf.page("diverged")) as page:
        assert {"NaN", "+Inf", "−Inf"} <= set(page.locator("#plot-loss .annotation").all_text_contents())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_foreign_stays_text(browser: Browser, shelf: Shelf, language: str) -> None:
    with opened(browser, shelf.page(XSS, language)) as page:
        page.wait_for_function("document.querySelectorAll('#plot-tag-0 path.js-line').length > 0")
        assert page.locator("img").count() == 0
        assert page.evaluate("document.scripts.length") == 3
        assert "<script>alert(2)</script>" in (page.locator("h1").text_content() or "")
        assert "⟨U+202E⟩evil" in (page.locator("h1").text_content() or "")
        assert "<img src=x" in (page.locator("#notes").text_content() or "")
        assert "<img src=x" in (page.locator("#events").text_content() or "")
        box = page.locator("#plot-tag-0 .nsewdrag").bounding_box()
        assert box
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        text = page.content()
    assert "\u202e" not in text


def test_the_policy_lets_nothing_be_asked_and_nothing_foreign_run(browser: Browser, shelf: Shelf) -> None:
    html = shelf.page("alarmed").read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)
    assert policy
    assert policy[1].startswith("default-src &#x27;none&#x27;; script-src &#x27;sha256-")
    assert "unsafe-eval" not in policy[1] and "connect-src" not in policy[1] and "http" not in policy[1]
    assert re.findall(r"(?:src|href|action)\s*=\s*[\"'](?!#)", html.split("<script>")[0]) == []
    with opened(browser, shelf.page("resumed"), forgiven="Content Security Policy") as page:
        blocked = page.evaluate(
            "fetch('data:text/plain,x').then(() => 'answered', () => 'refused')"
        )  # a debugger's script runs; what it asks for is held to the policy
        assert blocked == "refused"


def test_data_in_the_page_end_no_element_and_hold_every_number(shelf: Shelf) -> None:
    html = shelf.page(XSS).read_text()
    data = html.split('id="drawing">')[1].split("</script>")[0]
    assert "<" not in data and "\u2028" not in data
    found = shelf.gathered("alarmed").report.panels[0].lines[0]
    text = re.search(r'"key":"loss".*?"values":"([^"]+)"', shelf.page("alarmed").read_text())
    assert text and base64.b64decode(text[1]) == found.values.astype("<f8").tobytes()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("run", ["alarmed", "xss"])
def test_nothing_grave_for_whoever_cannot_see_it_and_no_page_is_wider_than_its_window(
    browser: Browser, shelf: Shelf, run: str, width: int, theme: str
) -> None:
    with opened(browser, shelf.page(run, "zh"), theme=theme, width=width) as page:
        page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert grave(page) == []


def test_it_follows_the_theme_and_can_be_printed(browser: Browser, shelf: Shelf) -> None:
    with opened(browser, shelf.page("alarmed")) as page:
        seen = "[document.body, document.querySelector('#plot-loss path.js-line')].map((one) => getComputedStyle(one))"
        seen += ".map((one) => one.color + one.stroke).join()"
        light = page.evaluate(seen)
        page.emulate_media(color_scheme="dark")
        page.wait_for_function(f"(light) => {seen}.split(',').every((one) => !light.includes(one))", arg=light)
        page.emulate_media(media="print")
        assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
        assert page.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
