"""Panels under a reader's hands: added by a search, pinned, moved, put away, brought back, and kept by the address."""

from __future__ import annotations

from urllib.parse import parse_qs, unquote, urlsplit

import pytest
import redis
from playwright.sync_api import Locator, Page, expect

from collector.wire import schema
from collector.wire.records import RunId, SeriesMeta, pack_point
from tests.e2e.conftest import PATIENCE, Watch
from tests.support.curves import ask, until
from tests.support.seed import Seed, straight

STEPS = range(1, 201)
MANY = 2_000  # tags of one run; test_panel_scripts.py searches 12,345
WIDE = RunId("wide")


def many_tags(client: redis.Redis) -> None:
    """A run with a tag for each weight of a large model, a point each, and nothing else."""
    run = Seed(client, run=WIDE)
    metas = [
        SeriesMeta("tb/events", 0, f"layer_{n // 10}/weight_{n % 10}/norm", None, 0, "tensorboard") for n in range(MANY)
    ]
    client.hset(schema.series(run.run), mapping={meta.sid: meta.encode() for meta in metas})
    with client.pipeline(transaction=False) as pipe:
        for number, meta in enumerate(metas):
            pipe.set(schema.points(run.run, meta.sid), pack_point(1, 1_000_000.0, float(number)))
        pipe.execute()


def fill(client: redis.Redis) -> None:
    """A run without loss scale and throughput, with a metric that has no panel and a tag that four ranks have; and one
    with very many tags."""
    run = Seed(client)
    for metric in ("loss", "lr", "grad_norm", "step_time"):
        run.points(straight(STEPS), metric=metric, live=False)
    for rank in range(4):
        points = straight(STEPS, value=20.0 + rank)
        run.points(points, metric=None, tag="moe/own loss", rank=rank, file=f"r{rank}.log", live=False)
    run.points(straight(STEPS), metric=None, tag="moe/load", file="tb", source="tensorboard", live=False)
    many_tags(client)


@pytest.fixture(scope="module")
def address(served: str) -> str:
    return f"{served}run/gpt"


@pytest.fixture(scope="module")
def opened(watching: Watch) -> Page:
    page = watching.page()
    page.set_default_timeout(PATIENCE)
    return page


@pytest.fixture
def page(opened: Page, address: str) -> Page:
    """The page as a link without anything chosen opens it."""
    go(opened, address)
    return opened


def go(page: Page, address: str) -> None:
    page.goto(address)
    until(page, "tidewatch.curves.newest === 200 && document.querySelectorAll('.panel-head').length > 0")


def titles(page: Page) -> list[str]:
    """Of the panels, from the top down."""
    found: list[str] = ask(page, "[...document.querySelectorAll('.panel-head h3')].map(h => h.textContent)")
    return found


def until_titles(page: Page, *wanted: str) -> None:
    until(
        page,
        f"[...document.querySelectorAll('.panel-head h3')].map(h => h.textContent).join() === {','.join(wanted)!r}",
    )


def said(page: Page, name: str) -> list[str]:
    """A field of the view as the address spells it."""
    return [unquote(one) for one in parse_qs(urlsplit(page.url).query).get(name, [""])[0].split(",")]


def head(page: Page, key: str) -> Locator:
    return page.locator(f'.panel-head[data-panel="{key}"]')


def choose(page: Page, key: str, item: str) -> None:
    head(page, key).get_by_role("button", name="what to do").click()
    page.get_by_role("menu").get_by_text(item, exact=True).click()


STANDARD = ("Loss", "Learning rate", "Gradient norm", "Loss scale", "Throughput")


def test_heads_say_what_is_drawn_and_an_empty_panel_what_to_set(page: Page) -> None:
    until_titles(page, *STANDARD)
    expect(head(page, "loss").locator(".note")).to_have_text("200 points, all drawn")
    expect(head(page, "loss").locator(".last")).to_have_text("9.8")
    expect(head(page, "loss_scale").locator(".panel-empty")).to_contain_text("log_loss_scale_to_tensorboard")
    expect(head(page, "throughput").locator(".panel-empty")).to_contain_text("MFLossMonitor")
    expect(head(page, "loss").locator(".panel-empty")).to_be_hidden()


def test_a_tag_is_found_by_an_expression_and_becomes_a_panel_of_a_rank(page: Page) -> None:
    page.keyboard.press("/")
    tags = page.get_by_role("dialog", name="Add panel")
    expect(tags.get_by_role("status")).to_have_text("6 tags", timeout=PATIENCE)
    expect(tags.get_by_role("option", name="Loss", exact=False).first).to_have_attribute("aria-selected", "true")
    field = tags.get_by_role("combobox")
    expect(field).to_be_focused()
    tags.get_by_label("Regular expression").check()
    field.fill("own (")
    expect(tags.get_by_role("status")).to_contain_text("not a regular expression")
    field.fill("^moe/.*loss$")
    tags.get_by_label("Rank").fill("2")
    row = tags.get_by_role("option")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("200 points")
    expect(row.locator(".tags-last")).to_have_text("21.8")
    field.press("Enter")
    expect(row).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(tags).to_be_hidden()
    until_titles(page, *STANDARD, "moe/own loss, rank 2")
    expect(head(page, "tag:r2:moe/own loss").locator(".last")).to_have_text("21.8")
    assert said(page, "panels") == ["r2:moe/own loss"]
    choose(page, "tag:r2:moe/own loss", "Remove")
    until_titles(page, *STANDARD)


def test_panels_are_pinned_moved_put_away_and_brought_back(page: Page, address: str) -> None:
    choose(page, "grad_norm", "Pin to the top")
    until_titles(page, "Gradient norm", "Loss", "Learning rate", "Loss scale", "Throughput")
    expect(head(page, "grad_norm").get_by_text("pinned")).to_be_visible()
    assert ask(page, "document.activeElement.closest('.panel-head').dataset.panel") == "grad_norm"
    choose(page, "loss", "Move down")
    until_titles(page, "Gradient norm", "Learning rate", "Loss", "Loss scale", "Throughput")
    choose(page, "throughput", "Hide")
    choose(page, "lr", "Logarithmic scale")
    until(page, "tidewatch.curves.plot.graph.layout.yaxis2.type === 'log'")
    until_titles(page, "Gradient norm", "Learning rate", "Loss", "Loss scale")
    link = page.url
    go(page, address)
    until_titles(page, *STANDARD)
    go(page, link)
    until_titles(page, "Gradient norm", "Learning rate", "Loss", "Loss scale")
    page.keyboard.press("/")
    page.get_by_role("button", name="Show Throughput").click()
    page.keyboard.press("Escape")
    until_titles(page, "Gradient norm", "Learning rate", "Loss", "Loss scale", "Throughput")
    page.evaluate("tidewatch.state.set({hide: ['loss', 'lr', 'grad_norm', 'loss_scale', 'throughput']})")
    expect(page.locator(".panel-heads")).to_have_text("Every panel is hidden. “Add panel” brings them back.")
    expect(page.locator(".curves")).to_be_hidden()


def test_one_panel_takes_the_page_and_arrows_turn_to_the_next(page: Page) -> None:
    before = ask(page, "tidewatch.curves.scene.base.places[0].height")
    choose(page, "loss", "Full size")
    until_titles(page, "Loss")
    assert ask(page, "tidewatch.curves.scene.base.places[0].height") > 2 * before
    for key, title in (
        ("ArrowRight", "Learning rate"),
        ("ArrowLeft", "Loss"),
        ("ArrowLeft", "Throughput"),
        ("Home", "Loss"),
    ):
        page.keyboard.press(key)
        until_titles(page, title)
    page.go_back()
    until_titles(page, *STANDARD)
    page.go_forward()
    until_titles(page, "Loss")
    page.keyboard.press("Escape")
    until_titles(page, *STANDARD)
    assert said(page, "full") == [""]


def test_the_menu_is_used_by_keyboard_alone(page: Page) -> None:
    opener = head(page, "lr").get_by_role("button", name="what to do")
    opener.focus()
    page.keyboard.press("Enter")
    expect(opener).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("menuitem", name="Save picture")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("menu")).to_have_count(0)
    expect(opener).to_be_focused()


def test_keys_do_what_the_help_says_and_nothing_while_a_reader_types(page: Page) -> None:
    page.keyboard.press("s")
    expect(page.locator("#smoothing-number")).to_be_focused()
    page.keyboard.type("t?")
    expect(page.locator("#help")).to_be_hidden()
    page.keyboard.press("Escape")
    before = ask(page, "document.documentElement.dataset.theme")
    page.keyboard.press("Alt+m")
    assert ask(page, "document.documentElement.dataset.theme") != before
    page.keyboard.press("t")
    assert ask(page, "document.documentElement.dataset.theme") == before
    page.keyboard.press("Control+/")
    expect(page.get_by_role("dialog")).to_contain_text("panel before or after, at full size")
    page.keyboard.press("t")
    assert ask(page, "document.documentElement.dataset.theme") == before
    page.keyboard.press("Escape")


def test_thousands_of_tags_are_searched_and_an_expression_without_end_is_stopped(page: Page, address: str) -> None:
    page.goto(address.replace("/gpt", "/wide"))
    page.get_by_role("button", name="Add panel").click()
    tags = page.get_by_role("dialog", name="Add panel")
    status, field = tags.get_by_role("status"), tags.get_by_role("combobox")
    expect(status).to_have_text("2,000 tags, the first 200 are listed, search for less", timeout=PATIENCE)
    expect(tags.get_by_role("option")).to_have_count(200)
    field.fill("layer_19 weight_7")
    expect(status).to_contain_text("11 of 2,000")
    tags.get_by_label("Regular expression").check()
    field.fill("^([a-z0-9_/]+)+X$")
    expect(status).to_contain_text("takes too long")
    field.fill("r_7/.*[12]/norm$")
    expect(status).to_contain_text("2 of 2,000", timeout=PATIENCE)
    tags.get_by_role("option").last.click()
    page.keyboard.press("Escape")
    until(page, "document.querySelectorAll('.panel-head').length === 6")
    expect(head(page, "tag:layer_7/weight_2/norm").locator(".last")).to_have_text("72", timeout=PATIENCE)


def test_on_a_narrow_screen_a_finger_reaches_everything(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    until(page, "document.querySelector('.curves').clientWidth < 390")
    choose(page, "loss", "Full size")
    until_titles(page, "Loss")
    head(page, "loss").get_by_role("button", name="Panel after Loss").click()
    until_titles(page, "Learning rate")
    page.get_by_role("button", name="Back to all panels").click()
    until_titles(page, *STANDARD)
    page.get_by_role("button", name="Add panel").click()
    expect(page.get_by_role("dialog", name="Add panel").get_by_role("option").first).to_be_visible()
    assert ask(page, "document.documentElement.scrollWidth") <= 390
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 1440, "height": 1000})
