"""From a line in a real log to a point on the screen, through a real collector."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Watch
from tests.support.collecting import collector
from tests.support.curves import ask, column, double_click, drag, range_of_steps, until, until_drawn
from tests.support.training import Training
from tests.support.waiting import eventually

NO_WORKER = "delete globalThis.SharedWorker;"


@pytest.fixture
def training(tmp_path: Path, redis_url: str) -> Iterator[Training]:
    job = Training(tmp_path)
    job.train(400)
    with collector(tmp_path, redis_url):
        yield job


@pytest.fixture
def run_page(page: Page, home: str, training: Training) -> Page:
    """The page of the run, with all its history drawn."""
    page.goto(f"{home}run/sft-run")
    until(page, "document.querySelector('.run-head')")
    until_drawn(page, training.step)
    return page


def test_the_table_leads_to_a_run_whose_curve_grows(page: Page, home: str, training: Training) -> None:
    page.goto(home)
    page.get_by_role("link", name="sft-run").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("sft-run")
    until_drawn(page, 400)
    assert column(page, "loss") == list(range(1, 401))
    until_drawn(page, training.train(3))
    assert column(page, "loss", "y")[-3:] == [401 / 4, 402 / 4, 403 / 4]
    expect(page.locator("[data-panel=loss] .last")).to_have_text("100.8")
    expect(page.locator("#run-head")).to_contain_text("403")


def test_a_zoom_survives_the_next_points_and_a_double_click_ends_it(run_page: Page, training: Training) -> None:
    whole = range_of_steps(run_page)
    drag(run_page, 0.25, 0.5)
    until(run_page, "tidewatch.curves.view.kind === 'zoom' && !tidewatch.curves.loading")
    zoomed = range_of_steps(run_page)
    assert whole[0] < zoomed[0] < zoomed[1] < whole[1]

    training.train(5)
    expect(run_page.locator("#run-head")).to_contain_text("405")
    until(run_page, "tidewatch.curves.newest === 405")
    assert range_of_steps(run_page) == zoomed
    assert max(column(run_page, "loss")) < 400  # the window ends before the new points, which are not joined to it

    double_click(run_page)
    until_drawn(run_page, 405)
    assert range_of_steps(run_page)[1] >= 405


def test_a_zoom_that_reaches_the_end_takes_new_points(run_page: Page, training: Training) -> None:
    drag(run_page, 0.5, 1.2)
    until(run_page, "tidewatch.curves.view.kind === 'zoom' && !tidewatch.curves.loading")
    zoomed = range_of_steps(run_page)
    until_drawn(run_page, training.train(2))
    assert range_of_steps(run_page) == zoomed


def test_the_last_steps_are_followed(run_page: Page, training: Training) -> None:
    training.train(400)
    until_drawn(run_page, 800)
    run_page.get_by_role("button", name="Last 500").click()
    until(run_page, "tidewatch.curves.view.kind === 'last' && !tidewatch.curves.loading")
    assert range_of_steps(run_page) == [300, 800]
    until_drawn(run_page, training.train(1))
    assert range_of_steps(run_page) == [301, 801]
    expect(run_page.get_by_role("button", name="Last 500")).to_have_attribute("aria-pressed", "true")


def see(page: Page, hidden: str) -> None:
    """Says to the page that nobody sees it, or that somebody does."""
    said = "document.dispatchEvent(new Event('visibilitychange'))"
    ask(page, f"(Object.defineProperty(document, 'hidden', {{value: {hidden}, configurable: true}}), {said})")


@pytest.mark.parametrize("script", ["", NO_WORKER])
def test_a_hidden_tab_draws_nothing_and_catches_up(watch: Watch, home: str, training: Training, script: str) -> None:
    pages = [watch.page() for _ in range(2)]
    for page in pages:
        page.add_init_script(script)
        page.goto(f"{home}run/sft-run")
        until_drawn(page, 400)
        expect(page.locator("#live")).to_have_attribute("data-state", "live")
    out_of_view, in_view = pages
    see(out_of_view, "true")
    ask(
        out_of_view, "(window.drawn = 0, document.addEventListener('tidewatch:drawn', () => (window.drawn += 1)), true)"
    )
    until_drawn(in_view, training.train(4))
    until_drawn(in_view, training.train(2))
    assert ask(out_of_view, "window.drawn") == 0
    waiting = ask(out_of_view, "tidewatch.curves.queue.size")
    assert (waiting > 0) is bool(script)  # the shared stream keeps what it has for a tab until somebody looks
    assert column(out_of_view, "loss")[-1] == 400
    see(out_of_view, "false")
    until_drawn(out_of_view, 406)
    assert column(out_of_view, "loss") == column(in_view, "loss")
    until_drawn(out_of_view, training.train(1))


def test_a_restart_is_drawn_as_a_second_attempt_over_a_ghost(run_page: Page, training: Training) -> None:
    training.resume(at=201, steps=100)
    until_drawn(run_page, 300)
    assert column(run_page, "loss")[:300] == list(range(1, 301))
    ghost = column(run_page, "loss", role="ghost")
    assert [step for step in ghost if step is not None][-1] == 400
    expect(run_page.locator(".attempts")).to_contain_text("Attempt 2, resumed at step 201")


DEAD_STREAM = """
  globalThis.EventSource = class {
    static CLOSED = 2;
    constructor() { this.readyState = 2; setTimeout(() => this.onerror?.(), 10); }
    addEventListener() {}
    close() {}
  };
"""


def streams(page: Page, home: str) -> int:
    """Live streams that the server holds open."""
    told = page.request.get(f"{home}metrics").text()
    return int(float(told.partition("\ntidewatch_stream_clients ")[2].split()[0]))


def test_a_browser_without_shared_workers_has_a_stream_of_its_own(watch: Watch, home: str, training: Training) -> None:
    page = watch.page()
    page.add_init_script(NO_WORKER)
    page.goto(f"{home}run/sft-run")
    until_drawn(page, 400)
    expect(page.locator("#live")).to_have_attribute("data-state", "live")  # not asking from time to time instead
    until_drawn(page, training.train(2))
    assert streams(page, home) == 1


@pytest.mark.parametrize("script", ["", NO_WORKER])
def test_a_stream_at_which_nobody_looks_rests(watch: Watch, home: str, training: Training, script: str) -> None:
    page = watch.page()
    page.add_init_script(script)
    page.goto(f"{home}run/sft-run")
    until_drawn(page, 400)
    expect(page.locator("#live")).to_have_attribute("data-state", "live")
    see(page, "true")

    def is_given_up() -> bool:
        training.train(1)  # a server hears that nobody listens when it says something
        return streams(page, home) == 0

    eventually(is_given_up, seconds=40, every=0.5)
    training.train(5)
    assert column(page, "loss")[-1] == 400
    see(page, "false")
    until_drawn(page, training.step)
    assert column(page, "loss") == list(range(1, training.step + 1))
    until_drawn(page, training.train(1))
    assert streams(page, home) == 1


def test_a_page_that_no_stream_reaches_asks_every_two_seconds(watch: Watch, home: str, training: Training) -> None:
    page = watch.page()
    page.add_init_script(NO_WORKER + DEAD_STREAM)
    page.goto(f"{home}run/sft-run")
    until_drawn(page, 400)
    expect(page.locator("#live")).to_have_text("Asking every 2 s")
    until_drawn(page, training.train(2))


def test_tabs_of_one_browser_share_one_stream(watch: Watch, home: str, training: Training) -> None:
    pages = [watch.page() for _ in range(8)]  # HTTP/1.1 allows six connections; a stream a tab would stall the seventh
    for tab in pages:
        tab.goto(f"{home}run/sft-run")
    for tab in pages:
        until_drawn(tab, 400)
    training.train(2)
    for tab in pages:
        tab.bring_to_front()
        until_drawn(tab, 402)
    assert streams(pages[0], home) == 1
