"""Notes on the run page: along the curves, in the card, written and edited, and seen at once in another browser."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
import redis
from playwright.sync_api import Browser, Locator, Page, expect

from app.factory import ASSETS
from app.notes.note import Note
from app.notes.plain import shown
from app.notes.store import NoteStore
from app.words.browser import browser_words
from tests.e2e.conftest import Watch, watched
from tests.support import alarmed, noted
from tests.support.curves import ask, place, range_of_steps, until, until_drawn, until_settled

SECOND = 1.0  # from one browser to the other
RUN = alarmed.RUN


@pytest.fixture
def kept(redis_client: redis.Redis, redis_url: str) -> Iterator[NoteStore]:
    """A run with notes."""
    alarmed.fill(redis_client, redis_url)
    noted.write(redis_url, *noted.NOTES)
    store = NoteStore(redis_url)
    yield store
    store.close()


@pytest.fixture
def run_page(page: Page, home: str, kept: NoteStore) -> Page:
    return opened(page, home)


def opened(page: Page, home: str, query: str = "") -> Page:
    page.goto(f"{home}run/{RUN}{query}")
    until(page, "tidewatch.curves?.newest === 600 && tidewatch.curves.axis?.range && !tidewatch.curves.loading")
    until(page, "document.querySelectorAll('.notes-list > .run-note').length === tidewatch.notes.notes.length")
    until(page, "tidewatch.notes.notes.length && !document.querySelector('.note-lane').hidden")
    return page


def row(page: Page, note: Note) -> Locator:
    return page.locator(f".run-note[data-note-id='{note.id}']")


def opener(page: Page, note: Note) -> Locator:
    return row(page, note).locator(".note-open")


def mark(page: Page, note: Note) -> Locator:
    return page.locator(f"[data-note-mark='{note.id}']")


def texts(page: Page) -> list[str]:
    return page.locator(".note-text").all_inner_texts()


# In the card and along the curves


def test_notes_are_listed_by_step_with_who_and_when(run_page: Page) -> None:
    assert run_page.locator(".note-open").all_inner_texts() == ["step 120", "steps 300 to 420", "step 301", "step 520"]
    expect(run_page.locator(".notes-count")).to_have_text("4")
    expect(row(run_page, noted.STEP).locator(".note-by")).to_have_text("night shift · 2 h 30 min ago")
    expect(row(run_page, noted.RANGE).locator(".note-by")).to_contain_text("edited by night shift 7 min ago")
    assert "slow: files moved\nsee https://" in texts(run_page)[1]


def test_marks_stand_at_their_steps_and_near_ones_are_one(run_page: Page) -> None:
    expect(run_page.locator(".note-mark")).to_have_count(3)
    expect(mark(run_page, noted.RANGE)).to_have_text("2")
    expect(mark(run_page, noted.STEP)).to_have_attribute(
        "aria-label", "Note by night shift, step 120: raised the learning rate by hand"
    )
    lines = """[...document.querySelectorAll(".note-line")].map((line) => {
      const { xaxis } = tidewatch.curves.plot.graph._fullLayout;
      const at = (px) => Math.round(xaxis.p2d(px - xaxis._offset));
      return [at(parseFloat(line.style.left)), at(parseFloat(line.style.left) + parseFloat(line.style.width))];
    })"""
    assert ask(run_page, lines) == [[120, 120], [300, 420], [301, 301], [520, 520]]


def test_pointing_and_the_keyboard_show_the_text(run_page: Page) -> None:
    tip = run_page.locator(".strip-tip")
    mark(run_page, noted.RANGE).hover()
    expect(tip).to_contain_text("夜班 · steps 300 to 420")
    expect(tip).to_contain_text("close to the other")
    mark(run_page, noted.STEP).focus()
    expect(tip).to_have_text("night shift · step 120raised the learning rate by hand")
    expect(run_page.locator(".note-line.strong")).to_have_count(1)
    run_page.keyboard.press("ArrowRight")
    expect(mark(run_page, noted.RANGE)).to_be_focused()
    run_page.keyboard.press("End")
    expect(mark(run_page, noted.HARMFUL)).to_be_focused()


def test_a_click_shows_the_stretch_and_back_leads_out(run_page: Page) -> None:
    whole = range_of_steps(run_page)
    opener(run_page, noted.RANGE).click()
    until(run_page, "tidewatch.curves.view.kind === 'zoom' && !tidewatch.curves.loading")
    low, high = range_of_steps(run_page)
    assert whole[0] < low < 300 < 420 < high <= whole[1]
    assert f"note={noted.RANGE.id}" in run_page.url
    expect(row(run_page, noted.RANGE)).to_have_class("run-note chosen")
    run_page.go_back()
    until(run_page, "tidewatch.curves.view.kind === 'all' && !tidewatch.curves.loading")
    expect(run_page.locator(".run-note.chosen")).to_have_count(0)
    mark(run_page, noted.STEP).click()
    expect(row(run_page, noted.STEP)).to_have_class("run-note chosen")
    run_page.keyboard.press("Escape")
    mark(run_page, noted.STEP).click()
    run_page.locator(".notes h2").click()
    run_page.keyboard.press("Escape")
    expect(run_page.locator(".run-note.chosen")).to_have_count(0)


def test_the_address_of_a_note_opens_it(page: Page, home: str, kept: NoteStore) -> None:
    opened(page, home, f"?note={noted.STEP.id}")
    expect(row(page, noted.STEP)).to_have_class("run-note chosen")
    expect(page.locator(".note-line.strong")).to_have_count(1)
    opened(page, home, "?note=ffffffffffff")
    expect(page.locator(".notes-note")).to_have_text("This note has been deleted.")


@pytest.mark.parametrize("x", ["step", "wall", "relative"])
def test_marks_have_a_place_on_every_axis(page: Page, home: str, kept: NoteStore, x: str) -> None:
    opened(page, home, f"?x={x}")
    expect(page.locator(".note-mark")).to_have_count(3)
    expect(page.locator(".note-line")).to_have_count(4)


# Harmless


def test_a_note_is_text_and_addresses_of_the_web_alone_are_links(run_page: Page) -> None:
    opener(run_page, noted.HARMFUL).click()
    mark(run_page, noted.HARMFUL).hover()
    expect(run_page.locator(".strip-tip")).to_be_visible()
    text = row(run_page, noted.HARMFUL).locator(".note-text")
    assert text.inner_text() == shown(noted.HARM)
    assert "⟨U+202E⟩gpj.exe" in text.inner_text()
    assert text.locator("*").count() == 0
    links = row(run_page, noted.RANGE).locator("a")
    assert [one.get_attribute("href") for one in links.all()] == [
        "https://example.org/ticket/42",
        "https://xn--fsqu00a.xn--0zwm56d/%E8%B7%AF%E5%BE%84",
    ]
    assert {one.get_attribute("rel") for one in links.all()} == {"noopener noreferrer nofollow"}
    assert ask(run_page, "window.harmed === undefined")


@pytest.fixture(scope="module")
def scripts(browser: Browser) -> Iterator[Page]:
    """A blank page that knows the pure scripts of notes, and the English dictionary."""
    page = browser.new_page()
    page.evaluate("document.body.append(Object.assign(document.createElement('div'), {id: 'shell'}))")
    page.evaluate("words => { document.getElementById('shell').dataset.words = words; }", json.dumps(browser_words()))
    for name in ("numbers", "words", "elements", "note-text", "note-words", "note-marks"):
        page.add_script_tag(path=ASSETS / f"{name}.js")
    yield page
    page.close()


def test_browser_and_server_spell_what_nobody_sees_alike(scripts: Page) -> None:
    every = "".join(
        map(chr, [*range(0x3000), *range(0xFE00, 0x10000), *range(0x1F000, 0x1FA00), *range(0xE0000, 0xE0200)])
    )
    assert scripts.evaluate("text => tidewatch.noteText.shown(text)", every) == shown(every)


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("see https://a.test/b?c=d#e.", ["https://a.test/b?c=d#e"]),
        ("(https://a.test/b) and (https://a.test/b_(c))", ["https://a.test/b", "https://a.test/b_(c)"]),
        ("http://a.test，然后https://b.test。", ["http://a.test/", "https://b.test/"]),
        ("HTTPS://A.test/X", ["https://a.test/X"]),
        ("javascript:alert(1) data:text/html,x ftp://a.test //a.test file:///etc/passwd", []),
        ("javascript:alert('https://a.test/')", ["https://a.test/"]),
        ("https://good.test@evil.test/ https://u:p@evil.test", []),
        ("https:// http://[ https://a b", ["https://a/"]),
        ("https://a.test/\u202egpj.exe", ["https://a.test/"]),
        ('https://a.test/"onclick="x', ["https://a.test/"]),
    ],
)
def test_only_addresses_of_the_web_are_links(scripts: Page, text: str, links: list[str]) -> None:
    pieces = scripts.evaluate("text => tidewatch.noteText.pieces(text)", text)
    assert [one["href"] for one in pieces if "href" in one] == links
    assert "".join(one["text"] for one in pieces) == shown(text)


PROPOSED = {
    "the crosshair": ({"crosshair": 7, "alert": {"first_step": 1, "raised_step": 2, "last_step": 3}}, [7, 7]),
    "the alert": ({"alert": {"first_step": 1, "raised_step": 5, "last_step": 3}, "shown": [0, 9]}, [1, 5]),
    "what is shown": ({"shown": [10.2, 19.8]}, [11, 19]),
    "no later than the newest": ({"shown": [10, 999]}, [10, 600]),
    "the newest": ({}, [600, 600]),
}


@pytest.mark.parametrize("case", PROPOSED)
def test_a_new_note_is_about_what_the_reader_looks_at(scripts: Page, case: str) -> None:
    looked, steps = PROPOSED[case]
    told = {"crosshair": None, "alert": None, "shown": None, "newest": 600, **looked}
    assert scripts.evaluate("told => tidewatch.noteWords.proposed(told)", told) == steps


# Written


def test_two_browsers_see_each_others_notes_within_a_second(
    browser: Browser, page: Page, home: str, kept: NoteStore
) -> None:
    opened(page, home)
    with watched(browser) as watch:
        other = opened(watch.page(), home)
        took = [seconds_to(other, page, f"first line\nline {number}") for number in range(3)]
        print("from one browser to the other:", ", ".join(f"{one:.3f} s" for one in took))
        assert min(took) < SECOND  # the best of three: other programs may have the processor
        assert texts(other)[-1] == "first line\nline 2"
        expect(other.locator(".notes-news")).to_have_text("New note by 王小明, steps 602 to 620.")
        (made,) = [one for one in kept.notes(RUN) if one.first == 602]
        assert (made.last, made.author) == (620, "王小明")
        expect(row(page, made)).to_have_class("run-note chosen")
        row(page, made).locator("[data-note-do=remove]").click()
        row(page, made).locator("[data-note-do=remove_surely]").click()
        expect(row(other, made)).to_have_count(0)
        assert kept.note(RUN, made.id) is None


def seconds_to(other: Page, page: Page, text: str) -> float:
    """From the moment in which one browser sends a note to that in which the other shows it."""
    before = len(texts(other))
    ask(other, WATCHING % (before + 1))
    page.keyboard.press("n")
    expect(page.locator(".note-form [name=text]")).to_be_focused()
    page.locator(".note-form [name=first]").fill(str(600 + before - len(noted.NOTES)))
    page.locator(".note-form [name=last]").fill("620")
    page.locator(".note-form [name=text]").fill(text)
    page.locator(".note-form [name=author]").fill("王小明")
    ask(page, "(addEventListener('submit', () => (window.began = Date.now()), {capture: true, once: true}), true)")
    page.locator(".note-form [type=submit]").click()
    expect(page.locator(".note-form")).to_have_count(0)
    until(other, "window.seen")
    return float(ask(other, "window.seen") - ask(page, "window.began")) / 1_000


WATCHING = """
(window.watcher?.disconnect(), window.seen = 0, window.watcher = new MutationObserver(() => {
  if (document.querySelectorAll(".run-note").length === %d) window.seen ||= Date.now();
}), window.watcher.observe(document.querySelector(".notes"), {subtree: true, childList: true}), true)
"""


def field(page: Page, name: str) -> str:
    return page.locator(f".note-form [name={name}]").input_value()


def test_the_name_is_asked_once_and_remembered(run_page: Page, home: str) -> None:
    run_page.locator(".notes-add").click()
    run_page.locator(".note-form [name=text]").fill("one")
    run_page.locator(".note-form [type=submit]").click()
    expect(run_page.locator(".note-trouble[role=alert]").first).to_have_text("Say who writes it.")
    run_page.locator(".note-form [name=author]").fill("Han")
    run_page.keyboard.press("Control+Enter")
    expect(run_page.locator(".run-note")).to_have_count(5)
    opened(run_page, home)
    run_page.keyboard.press("n")
    assert field(run_page, "author") == "Han"
    run_page.keyboard.press("Escape")
    expect(run_page.locator(".note-form")).to_have_count(0)
    expect(run_page.locator(".notes-add")).to_be_focused()


def test_of_two_who_edit_one_note_the_later_is_shown_what_the_earlier_wrote(
    run_page: Page, watch: Watch, kept: NoteStore
) -> None:
    watch.forgiven = ("status of 409",)
    opener(run_page, noted.STEP).click()
    row(run_page, noted.STEP).locator("[data-note-do=edit]").click()
    assert field(run_page, "text") == noted.STEP.text
    theirs = Note(noted.STEP.id, 120, 121, "<i>theirs</i>", "night shift", noted.STEP.created, 2.0, "夜班", 2)
    assert kept.change(RUN, theirs) == "written"
    until(run_page, "tidewatch.notes.notes[0].version === 2")
    run_page.locator(".note-form [name=text]").fill("mine")
    run_page.locator(".note-form [name=author]").fill("day shift")
    run_page.locator(".note-form [type=submit]").click()
    trouble = run_page.locator(".note-form .note-trouble")
    expect(trouble).to_contain_text("夜班 has changed this note meanwhile; here is how it is now.")
    expect(trouble.locator("blockquote")).to_have_text("<i>theirs</i>")
    assert kept.notes(RUN)[0] == theirs
    run_page.locator(".note-form [type=submit]").click()
    expect(row(run_page, noted.STEP).locator(".note-text")).to_have_text("mine")
    after = kept.notes(RUN)[0]
    assert (after.version, after.editor, after.author, after.last) == (3, "day shift", "night shift", 120)


def test_what_is_being_written_stays_when_the_note_is_deleted(run_page: Page, watch: Watch, kept: NoteStore) -> None:
    watch.forgiven = ("status of 404",)
    opener(run_page, noted.STEP).click()
    row(run_page, noted.STEP).locator("[data-note-do=edit]").click()
    run_page.locator(".note-form [name=text]").fill("long thought")
    assert kept.remove(RUN, noted.STEP.id, 1) == "written"
    until(run_page, "tidewatch.notes.notes.length === 3")
    assert field(run_page, "text") == "long thought"
    run_page.locator(".note-form [name=author]").fill("day shift")
    run_page.locator(".note-form [type=submit]").click()
    expect(run_page.locator(".note-form .note-trouble")).to_contain_text("has no note")


def test_the_steps_are_those_under_the_crosshair_of_the_alert_or_in_view(run_page: Page, home: str) -> None:
    run_page.mouse.move(*place(run_page, 0.5))
    until(run_page, "tidewatch.curves.hover.shownAt !== null")
    read = ask(run_page, "tidewatch.curves.hover.shownAt")
    run_page.keyboard.press("n")
    assert (field(run_page, "first"), field(run_page, "last")) == (str(round(read)), str(round(read)))
    run_page.keyboard.press("Escape")
    opened(run_page, home, f"?alert={alarmed.SPIKE.id}")
    expect(run_page.locator(".alert.chosen")).to_have_count(1)
    run_page.locator(".notes-add").click()
    assert (field(run_page, "first"), field(run_page, "last")) == ("520", "600")  # it goes on
    run_page.locator(".note-form [data-note-do=cancel]").click()
    opened(run_page, home, "?view=100..200")
    until_settled(run_page)
    run_page.locator("#share").click()
    run_page.locator("[data-act=note]").click()
    assert (field(run_page, "first"), field(run_page, "last")) == ("100", "200")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"first": "9", "last": "8", "text": "x"}, "whole numbers from 0 on"),
        ({"first": "-1", "text": "x"}, "whole numbers from 0 on"),
        ({"first": "many", "text": "x"}, "whole numbers from 0 on"),
        ({"text": "  "}, "The note is empty."),
        ({"text": "a\n" * 101, "author": "shift"}, "in at most 100 lines"),
    ],
)
def test_what_makes_no_sense_is_said_and_stays_in_the_form(
    run_page: Page, watch: Watch, fields: dict[str, str], sentence: str
) -> None:
    watch.forgiven = ("status of 400",)
    run_page.locator(".notes-add").click()
    for name, text in fields.items():
        run_page.locator(f".note-form [name={name}]").fill(text)
    run_page.locator(".note-form [type=submit]").click()
    expect(run_page.locator(".note-form .note-trouble")).to_contain_text(sentence)
    for name, text in fields.items():
        assert field(run_page, name) == text


# Everywhere


def test_a_phone_shows_and_writes_notes(browser: Browser, home: str, kept: NoteStore) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, locale="zh-CN")
    page = opened(context.new_page(), home)
    page.locator("#share").click()
    page.locator("[data-act=note]").click()
    expect(page.locator(".note-form [name=text]")).to_be_focused()
    page.locator(".note-form [name=text]").fill("手机上写的")
    page.locator(".note-form [name=author]").fill("夜班")
    page.locator(".note-form [type=submit]").click()
    expect(page.locator(".run-note.chosen .note-text")).to_have_text("手机上写的")
    expect(page.locator(".run-note.chosen .note-open")).to_have_text("第 600 步")
    assert ask(page, "document.documentElement.scrollWidth <= innerWidth")
    context.close()


def test_a_frozen_page_offers_no_writing(run_page: Page) -> None:
    ask(run_page, "(document.getElementById('shell').dataset.frozen = '2026-11-30T00:00:00Z', true)")
    noted_again = "(tidewatch.notes.take({notes: tidewatch.notes.notes, name: '', may_write: true}), true)"
    ask(run_page, noted_again)
    expect(run_page.locator(".notes-add")).to_be_hidden()
    run_page.keyboard.press("n")
    expect(run_page.locator(".note-form")).to_have_count(0)


def test_a_run_without_notes_says_how_to_write_one(
    page: Page, home: str, redis_client: redis.Redis, redis_url: str
) -> None:
    alarmed.fill(redis_client, redis_url)
    page.goto(f"{home}run/{RUN}")
    expect(page.locator(".notes-note")).to_have_text("No notes yet. Press n to write one about the steps you look at.")
    until_drawn(page, 600)
    expect(page.locator(".note-lane")).to_be_hidden()
