"""A run in which every text is an attack, written to files as a job would, and looked at in a real browser."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote, urlsplit
from xml.etree import ElementTree

import pytest
import redis
from playwright.sync_api import Browser, Page, expect

from app.diagnosis.notices import Changes
from app.diagnosis.store import AlertStore
from collector.parse.select import run_id
from collector.wire.records import RunId
from tests.e2e.conftest import PATIENCE, Watch, Web
from tests.support import event_files
from tests.support.alarmed import SPIKE
from tests.support.curves import ask, until
from tests.support.following import following
from tests.support.growing import line
from tests.support.redis_server import RedisServer
from tests.support.waiting import eventually

IMG = "<img src=x onerror=alert(1)>"
SCRIPT = "<script>alert(1)</script>"
SVG = '"><svg onload=alert(1)>'
LINK = "<a href='javascript:alert(1)'>press</a>"
BREAK = "';alert(1);//${alert(1)}{{7*7}}</title></style>]]>"
TAGS = (IMG, SCRIPT, SVG, LINK, BREAK, "<b>bold</b>")
HOST = "node<img src=x onerror=alert(1)>"
NAME = f"run {IMG}".replace("/", "")
OTHER = NAME.replace("run", "other")
LINES = (
    f"2023-11-14 22:20:00,000 - mindformers - ERROR - {SCRIPT}{IMG}",
    "2023-11-14 22:20:01,000 - mindformers - INFO - \x1b[2J\x1b]0;owned\x07\x1b[31mred\x1b[0m\x1b(0\x08!",
    "2023-11-14 22:20:02,000 - mindformers - INFO - ]]><script>alert(1)</script><![CDATA[",
    "2023-11-14 22:20:03,000 - mindformers - INFO - user\u202egnp.exe\u202c \u2066isolated\u2069 end",
    f'Traceback (most recent call last):\n  File "{IMG}", line 1, in {SCRIPT}\nValueError: {IMG}',
)
# What must not be in any page: elements that only an attack could have made.
PLANTED = (
    "[...document.querySelectorAll('img[src=x], [onerror], [onload], a[href^=\"javascript:\" i], svg[onload]')].length"
    " + [...document.scripts].filter(one => one.textContent.includes('alert(1)')).length"
)


@dataclass
class Stage:
    """The hostile run's pages in a browser that counts every dialog."""

    page: Page
    home: str
    run: str
    other: str
    watch: Watch
    dialogs: list[str] = field(default_factory=list)

    def open(self, below: str = "") -> Page:
        self.page.goto(f"{self.home}{below}")
        return self.page

    def is_clean(self) -> bool:
        return self.dialogs == [] and ask(self.page, PLANTED) == 0


def write(root: Path) -> None:
    """A job of four ranks, each of whose texts is an attack."""
    for rank in range(4):
        log = root / "output" / "log" / f"rank_{rank}" / "info.log"
        log.parent.mkdir(parents=True)
        odd = "\n".join(LINES).encode()
        log.write_bytes(
            b"".join(line(step) for step in range(1, 60)) + odd + b"\n" + b"".join(map(line, range(60, 80)))
        )
        events = root / "tensorboard" / f"rank_{rank}" / f"events.out.tfevents.1700000000.{HOST}{rank}"
        events.parent.mkdir(parents=True)
        values = [
            event_files.event(step, 1.7e9 + step, *(event_files.simple(tag, number(step + rank)) for tag in TAGS))
            for step in range(1, 80)
        ]
        words = [
            event_files.event(1, 1.7e9, event_files.text(f"{SVG}/text_summary", json.dumps({IMG: SCRIPT}))),
            event_files.event(1, 1.7e9, event_files.text("training_config/text_summary", f"lr: '{IMG}'\n{SCRIPT}: 1")),
            event_files.event(1, 1.7e9, image(IMG), event_files.histogram(SCRIPT, 40)),
        ]
        events.write_bytes(event_files.version() + b"".join([*words, *values]))


def number(value: float) -> bytes:
    return struct.pack("<f", value)


def image(tag: str) -> bytes:
    """An image summary whose picture is an SVG with a script."""
    svg = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"
    return event_files.message(1, tag.encode()) + event_files.message(4, b"\x08\x01\x10\x01\x18\x04" + svg)


@pytest.fixture(scope="module")
def stage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """All of it: files, collector, Redis, application, browser."""
    root = tmp_path_factory.mktemp("jobs") / NAME
    write(root)
    write(root.with_name(OTHER))
    server = RedisServer().start()
    with ExitStack() as held:
        held.callback(server.close)
        held.enter_context(following(root.parent, server.url))
        client = held.enter_context(redis.Redis.from_url(server.url))
        run, other = run_id(NAME), run_id(OTHER)
        eventually(lambda: client.llen(f"tw:{{{run}}}:events") and client.llen(f"tw:{{{other}}}:events"), seconds=20)
        alerts = AlertStore(server.url)
        held.callback(alerts.close)
        own = replace(SPIKE, id="custom.x-a1-40", about="custom", rule=IMG, first_step=40, raised_step=41, last_step=42)
        assert alerts.commit(RunId(run), "", {}, Changes((own,), (), ()))
        home = Web(held)(server.url)
        context = browser.new_context(viewport={"width": 1440, "height": 1400}, locale="en-US", accept_downloads=True)
        held.callback(context.close)
        watching = Watch(context)
        page = watching.page()
        found = Stage(page, home, run, other, watching)
        page.on("dialog", lambda dialog: (found.dialogs.append(dialog.message), dialog.dismiss()))
        yield found
        assert found.dialogs == []
        assert watching.troubles == []


def test_b1_names_in_the_table_of_runs(stage: Stage) -> None:
    """A run's name and directory are HTML; the table shows them as they are spelled."""
    page = stage.open()
    expect(page.get_by_text(IMG, exact=False).first).to_be_visible(timeout=PATIENCE)
    page.locator("input[type=search], .search input").first.fill(IMG)
    expect(page.get_by_text(IMG, exact=False).first).to_be_visible()
    assert stage.is_clean()


def test_b1_names_on_the_run_page_and_in_its_title(stage: Stage) -> None:
    """The head of the page, the way to it, its cards and the document's title."""
    page = stage.open(f"run/{quote(stage.run)}")
    expect(page.locator("h1")).to_contain_text(IMG, timeout=PATIENCE)
    until(page, "tidewatch.curves?.held")
    assert page.evaluate("document.title") != "owned"
    assert stage.is_clean()


@pytest.mark.parametrize("tag", TAGS)
def test_b1_a_tag_in_its_panel_and_under_the_crosshair(stage: Stage, tag: str) -> None:
    """A tag is found in the dialog, made a panel, and read under the crosshair, in legend, head and menu."""
    page = stage.open(f"run/{quote(stage.run)}")
    until(page, "tidewatch.curves?.held")
    page.keyboard.press("/")
    tags = page.get_by_role("dialog", name="Add panel")
    tags.get_by_role("combobox").fill(tag)
    expect(tags.get_by_role("option").first).to_contain_text(tag, timeout=PATIENCE)
    assert stage.is_clean()
    tags.get_by_role("combobox").press("Enter")
    page.keyboard.press("Escape")
    head = page.locator(".panel-head", has_text=tag)
    expect(head.first).to_be_visible(timeout=PATIENCE)
    figure = page.locator(".figure")
    box = figure.bounding_box()
    assert box
    figure.hover(position={"x": box["width"] / 2, "y": box["height"] - 60})
    until(page, "document.querySelector('.readout, .hover-card, .crosshair, .figure')")
    head.first.get_by_role("button", name="what to do").click()
    assert stage.is_clean()
    page.keyboard.press("Escape")
    assert "javascript:" not in page.evaluate(
        "[...document.querySelectorAll('a')].map(one => one.getAttribute('href') ?? '').join(' ').toLowerCase()"
    )


def test_b1_the_name_of_an_alert_and_what_people_say_of_it(stage: Stage) -> None:
    """A rule of one's own has HTML for a name, and so have who acknowledged it and the note."""
    page = stage.open(f"run/{quote(stage.run)}")
    said = {"by": SVG, "minutes": 60, "note": f"{IMG}\n{SCRIPT}"}
    where = f"{stage.home}api/runs/{quote(stage.run)}/alerts/custom.x-a1-40/acknowledge"
    assert page.request.post(where, data=said).ok
    page.reload()
    card = page.locator("[data-alerts], .alerts").first
    expect(card.get_by_text(IMG, exact=False).first).to_be_visible(timeout=PATIENCE)
    assert stage.is_clean()
    page.goto(f"{page.url.split('?')[0]}?alert=custom.x-a1-40")
    expect(page.get_by_text(IMG, exact=False).first).to_be_visible(timeout=PATIENCE)
    until(page, "tidewatch.curves?.held")
    assert stage.is_clean()


def test_b1_names_side_by_side(stage: Stage) -> None:
    """The comparison of runs: legend, table, settings."""
    page = stage.open(f"compare?runs={quote(stage.run)},{quote(stage.other)}")
    metric = page.get_by_role("combobox", name="Metric")
    expect(metric.get_by_role("option", name=IMG)).to_be_attached(timeout=PATIENCE)
    for tag in TAGS:
        metric.select_option(f"tag:{tag}")
        expect(page.locator("main")).to_contain_text(tag, timeout=PATIENCE)
        assert stage.is_clean()


def test_b2_labels_of_the_rank_map(stage: Stage) -> None:
    """Host names in map, list, panel and cards are HTML: they come from the names of event files."""
    page = stage.open(f"run/{quote(stage.run)}/ranks?tag={quote(IMG)}&rank=2")
    until(page, "tidewatch.ranks ?? document.querySelector('canvas')")
    expect(page.locator("canvas").first).to_be_visible(timeout=PATIENCE)
    canvas = page.locator("canvas").first.bounding_box()
    assert canvas
    page.mouse.move(canvas["x"] + canvas["width"] / 2, canvas["y"] + 12)
    page.mouse.click(canvas["x"] + canvas["width"] / 2, canvas["y"] + 12)
    expect(page.get_by_text("node<img", exact=False).first).to_be_visible(timeout=PATIENCE)
    assert stage.is_clean()
    errors = page.get_by_text("ValueError: <img", exact=False)
    expect(errors.first).to_be_attached(timeout=PATIENCE)
    assert stage.is_clean()


def test_b3_a_log_is_text_and_its_unseen_signs_are_seen(stage: Stage) -> None:
    """Script, CDATA, escape sequences and overrides of direction in the lines of a log."""
    page = stage.open(f"run/{quote(stage.run)}?log_at=0@60")
    drawer = page.get_by_role("dialog", name="Log")
    rows = drawer.locator(".log-line")
    expect(rows.filter(has_text=SCRIPT + IMG)).to_have_count(1, timeout=PATIENCE)
    expect(rows.filter(has_text="]]><script>")).to_have_count(1)
    expect(rows.filter(has_text="INFO - red␛(0␈!")).to_have_count(1)  # colours and titles are left out
    expect(rows.filter(has_text="user[U+202E]gnp.exe[U+202C] [U+2066]isolated[U+2069] end")).to_have_count(1)
    shown = drawer.inner_text()
    assert not set(shown) & set("\x1b\x07\u202e\u202c\u2066\u2069")
    assert page.title() != "owned"
    drawer.locator(".drawer-find").fill("<script>")
    drawer.get_by_role("button", name="Find earlier").click()
    expect(drawer.locator("mark").first).to_have_text("<script>")
    assert stage.is_clean()


def test_b3_the_strip_and_the_cards_show_lines_as_text(stage: Stage) -> None:
    """The same lines where events are told: tip of the strip, card of events."""
    page = stage.open(f"run/{quote(stage.run)}")
    until(page, "tidewatch.timeline?.strip?.marks.size >= 1")
    mark = page.locator(".event-mark").last
    mark.hover()
    expect(page.locator(".strip-tip")).to_be_visible(timeout=PATIENCE)
    assert stage.is_clean()
    assert not set(page.locator("body").inner_text()) & set("\x1b\u202e")


def test_b12_summaries_of_text_and_pictures_run_nothing(stage: Stage) -> None:
    """Text, image and histogram summaries with HTML and SVG: no address serves them as they are."""
    page = stage.open(f"run/{quote(stage.run)}")
    until(page, "tidewatch.curves?.held")
    told = page.request.get(f"{stage.home}api/runs/{quote(stage.run)}")
    assert told.headers["content-type"].startswith("application/json")
    assert told.headers["x-content-type-options"] == "nosniff"
    assert "image/svg" not in " ".join(one.headers.get("content-type", "") for one in [told])
    listed = page.request.get(f"{stage.home}api/runs/{quote(stage.run)}/tags").json()
    tags = {one["tag"] for one in (listed if isinstance(listed, list) else listed["tags"])}
    assert set(TAGS) <= tags  # the numbers of the file are read, whatever their tags are called
    assert stage.is_clean()


def test_b11_the_incident_bundle_of_that_run_is_harmless(stage: Stage, tmp_path: Path) -> None:
    """The one file with curves, findings, log lines and settings of that run, opened from disk."""
    page = stage.open(f"run/{quote(stage.run)}")
    until(page, "tidewatch.curves?.held")
    found = page.request.get(f"{stage.home}api/runs/{quote(stage.run)}/bundle?form=html&from=1&to=70")
    assert found.ok
    assert "sandbox" in found.headers["content-security-policy"]
    (tmp_path / "bundle.html").write_bytes(found.body())
    page.goto((tmp_path / "bundle.html").as_uri())
    expect(page.locator("body")).to_contain_text(SCRIPT, timeout=PATIENCE)
    assert stage.is_clean()
    assert not set(page.locator("body").inner_text()) & set("\x1b\u202e")


def test_b1_a_page_that_is_shared_shows_names_as_text(stage: Stage) -> None:
    """A frozen page of that run, its preview in chats, and its API."""
    page = stage.open(f"run/{quote(stage.run)}")
    until(page, "tidewatch.curves?.held")
    made = page.request.post(f"{stage.home}api/runs/{quote(stage.run)}/snapshots", data={"view": ""})
    assert made.ok, made.text()
    address = f"{stage.home.rstrip('/')}{urlsplit(made.json()['url']).path}"
    text = page.request.get(address).text()
    assert "<img src=x" not in text
    assert "<script>alert" not in text
    page.goto(address)
    expect(page.locator("h1")).to_contain_text(IMG, timeout=PATIENCE)
    until(page, "tidewatch.curves?.held")
    assert stage.is_clean()


def test_b1_the_picture_that_is_saved_runs_nothing(stage: Stage) -> None:
    """An SVG of a panel whose title is a script: no element of it acts."""
    page = stage.open(f"run/{quote(stage.run)}?panels={quote(IMG, safe='')}&panels={quote(SCRIPT, safe='')}")
    until(page, "tidewatch.curves?.held")
    with page.expect_download(timeout=PATIENCE) as download:
        page.get_by_role("button", name="Share").click()
        page.get_by_text("Save SVG", exact=True).click()
    root = ElementTree.fromstring(Path(download.value.path()).read_text())
    assert any(IMG in (element.text or "") for element in root.iter())
    for element in root.iter():
        assert element.tag.rpartition("}")[2].lower() not in ("script", "foreignobject", "iframe", "a"), element.tag
        assert not [name for name in element.attrib if name.lower().startswith("on")]
        assert not [one for one in element.attrib.values() if one.strip().lower().startswith("javascript:")]
    assert stage.is_clean()


def test_b1_the_same_in_chinese_and_on_a_phone(stage: Stage) -> None:
    """The other language and a narrow window build their pages by other ways."""
    page = stage.page
    page.set_viewport_size({"width": 390, "height": 844})
    for below in ("?lang=zh", f"run/{quote(stage.run)}?lang=zh", f"run/{quote(stage.run)}/ranks?lang=zh&rank=1"):
        stage.open(below)
        expect(page.locator("body")).to_contain_text("img src=x", timeout=PATIENCE)
        assert stage.is_clean()
    page.set_viewport_size({"width": 1440, "height": 1400})
    stage.open("?lang=en")


def test_b1_no_test_of_these_passes_by_itself(stage: Stage) -> None:
    """The hook hears a dialog, and the search for planted elements finds one."""
    page = stage.open("livez")
    page.evaluate("document.documentElement.append(document.createElement('img'))")
    page.evaluate("document.querySelector('img').setAttribute('src', 'x')")
    assert ask(page, PLANTED) == 1
    page.evaluate("alert('heard')")
    assert stage.dialogs == ["heard"]
    stage.dialogs.clear()
    stage.watch.troubles.clear()  # the picture that is not there
