"""Alerts on the run page: from a line of a log to the list, on the curves, what helps, and what people say of them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from playwright.sync_api import Locator, Page, expect

from app.diagnosis.notices import Changes
from app.diagnosis.store import AlertStore
from collector.wire.records import RunId
from tests.bench.ranks import stored
from tests.e2e.conftest import PATIENCE
from tests.generate.events import FIVE
from tests.generate.plan import Plan, Shape
from tests.support import alarmed
from tests.support.collecting import collector
from tests.support.curves import ask, range_of_steps, until, until_drawn
from tests.support.diagnosing import diagnosis, lines

SECOND = 1.0  # from a point to the page
SHOWN = "document.querySelectorAll('.alerts-lists > .alerts-list > .alert').length"


@pytest.fixture
def alerts(redis_client: redis.Redis, redis_url: str) -> Iterator[AlertStore]:
    alarmed.fill(redis_client, redis_url)
    found = AlertStore(redis_url)
    yield found
    found.close()


@pytest.fixture
def run_page(page: Page, home: str, alerts: AlertStore) -> Page:
    page.goto(f"{home}run/alarmed")
    until_drawn(page, 600)
    until(page, f"{SHOWN} === 4")
    return page


def row(page: Page, name: str) -> Locator:
    return page.locator("li.alert", has=page.locator(f"> button b:text-is('{name}')"))


def opener(page: Page, name: str) -> Locator:
    return row(page, name).locator("> .alert-open")


def names(page: Page) -> list[str]:
    return page.locator(".alerts-lists > .alerts-list > .alert > .alert-open b").all_inner_texts()


# From files


class Job:
    """A job whose log grows."""

    def __init__(self, root: Path) -> None:
        self.log = root / "job" / "output" / "log" / "rank_0" / "info.log"
        self.log.parent.mkdir(parents=True)

    def write(self, several: list[bytes]) -> None:
        with self.log.open("ab") as file:
            file.write(b"".join(several))


def test_a_nan_is_on_the_page_within_a_second_of_its_line(
    page: Page, home: str, redis_url: str, tmp_path: Path
) -> None:
    job, rows = Job(tmp_path), lines(range(1, 301), nan=range(100, 104))
    job.write(rows[:98])
    with collector(tmp_path, redis_url), diagnosis(redis_url):
        until(page_of(page, home), "tidewatch.curves?.newest === 98 && tidewatch.alerts?.alerts?.length === 0")
        expect(page.locator(".badges")).to_contain_text("No open alerts")
        job.write(rows[98:99])
        until_drawn(page, 99)
        ask(page, WATCHING)
        wrote = time.time()
        job.write(rows[99:100])
        until(page, "window.seen !== null")
        took = ask(page, "window.seen") / 1_000 - wrote
        print(f"from the line to the page: {took:.3f} s")
        assert took < SECOND
        expect(page.locator(".badges .bad")).to_contain_text("NaN or Inf")
        expect(page.locator(".alert-mark")).to_have_count(1)
        job.write(rows[100:])
        expect(page.locator(".alerts-past")).to_contain_text("Over (1)", timeout=PATIENCE)
        expect(page.locator(".badges")).to_contain_text("NaN or Inf earlier")


WATCHING = """
(window.seen = null, new MutationObserver(() => {
  if (document.querySelector(".alert[data-alert-id='nan_inf-a1-100'] .alert-says")) window.seen ??= Date.now();
}).observe(document.querySelector(".alerts"), {subtree: true, childList: true}), true)
"""


def page_of(page: Page, home: str) -> Page:
    """The page of the job, once it is there."""
    page.goto(f"{home}run/job")
    until(page, "document.querySelector('.run-head') || (location.reload(), false)", seconds=20)
    return page


# The list


def test_alerts_are_listed_the_gravest_first_with_consequences_folded_and_history_below(run_page: Page) -> None:
    assert names(run_page) == ["Gradient explosion", "Loss spike", "A rank differs", "Slower steps"]
    expect(run_page.locator(".alerts-count")).to_have_text("3 open")
    family = row(run_page, "Loss spike").locator("> .alert-family")
    expect(family.locator("> summary")).to_have_text("Consequences (1)")
    expect(family.locator(".alert")).to_be_hidden()
    family.locator("> summary").click()
    expect(family.locator(".alert b")).to_have_text("Violent jitter")
    expect(row(run_page, "Slower steps")).to_contain_text("acknowledged by 夜班")
    run_page.locator(".alerts-past > summary").click()
    expect(run_page.locator(".alerts-past .alert-open b")).to_have_text(["NaN or Inf", "Learning rate off schedule"])


def test_the_filter_leaves_what_fits(run_page: Page) -> None:
    run_page.locator("select[name=severity]").select_option("critical")
    assert names(run_page) == ["Gradient explosion"]
    run_page.locator("select[name=severity]").select_option("")
    run_page.locator(".alerts-filters input").fill("5")
    assert names(run_page) == ["A rank differs"]
    run_page.locator(".alerts-filters input").fill("7")
    expect(run_page.locator(".alerts-note")).to_have_text("No alert fits the filter.")


# One that is open


def test_a_click_shows_the_window_on_the_curves_and_back_leads_out(run_page: Page) -> None:
    whole = range_of_steps(run_page)
    opener(run_page, "Loss spike").click()
    until(run_page, "tidewatch.curves.view.kind === 'zoom' && !tidewatch.curves.loading")
    low, high = range_of_steps(run_page)
    assert whole[0] < low < 520 < 523 < high <= whole[1]
    assert "alert=loss_spike-a1-520" in run_page.url
    until(run_page, "!document.querySelector('.alert-band').hidden")
    expect(run_page.locator(".alert-usual")).to_have_text("usual 2.21")
    expect(run_page.locator(".alert-value")).to_have_attribute("title", "value 5.31 at step 523")
    expect(row(run_page, "Loss spike").locator(".alert-numbers")).to_contain_text("62.0")
    run_page.go_back()
    until(run_page, "tidewatch.curves.view.kind === 'all' && !tidewatch.curves.loading")
    expect(run_page.locator(".alert-body:visible")).to_have_count(0)
    expect(run_page.locator(".alert-band")).to_be_hidden()
    assert range_of_steps(run_page) == whole


def test_the_baseline_and_the_value_stand_where_the_curve_has_them(run_page: Page) -> None:
    opener(run_page, "Loss spike").click()
    until(run_page, "document.querySelector('.alert-value') && !document.querySelector('.alert-value').hidden")
    places = ask(
        run_page,
        """(() => {
          const {xaxis, yaxis} = tidewatch.curves.plot.graph._fullLayout;
          const px = (element, side) => parseFloat(element.style[side]);
          const value = document.querySelector(".alert-value");
          return {
            usual: yaxis.p2d(px(document.querySelector(".alert-usual"), "top") - yaxis._offset),
            value: yaxis.p2d(px(value, "top") - yaxis._offset), step: xaxis.p2d(px(value, "left") - xaxis._offset),
          };
        })()""",
    )
    assert places["usual"] == pytest.approx(2.21, abs=0.02)
    assert places["value"] == pytest.approx(5.31, abs=0.02)
    assert places["step"] == pytest.approx(523, abs=0.2)


def test_the_address_of_an_alert_opens_it_even_where_it_is_folded_away(
    page: Page, home: str, alerts: AlertStore
) -> None:
    page.goto(f"{home}run/alarmed?view=400..460&alert={alarmed.NAN.id}")
    expect(row(page, "NaN or Inf").locator(".alert-advice")).to_contain_text("Go back to step 400")
    expect(row(page, "NaN or Inf").locator(".alert-checkpoints tbody tr")).to_have_count(2)
    assert range_of_steps(page) == [400, 460]
    page.goto(f"{home}run/alarmed?alert={alarmed.JITTER.id}")
    expect(row(page, "Violent jitter").locator(".alert-numbers")).to_be_visible()
    page.goto(f"{home}run/alarmed?alert=nobody")
    expect(page.locator(".alerts-note")).to_have_text("This alert is not kept any more.")


def test_a_command_is_copied(run_page: Page) -> None:
    run_page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opener(run_page, "Gradient explosion").click()
    copy = row(run_page, "Gradient explosion").locator(".alert-copy").first
    copy.locator("button").click()
    expect(copy.locator("button")).to_have_text("Copied")
    assert "max_grad_norm" in run_page.evaluate("navigator.clipboard.readText()")


def test_a_badge_and_a_mark_on_the_curve_open_their_alert(run_page: Page) -> None:
    run_page.locator(".badges button", has_text="Gradient explosion").click()
    expect(row(run_page, "Gradient explosion").locator(".alert-numbers")).to_be_visible()
    run_page.keyboard.press("Escape")
    expect(run_page.locator(".alert-body:visible")).to_have_count(0)
    until(run_page, "tidewatch.curves.view.kind === 'all' && !tidewatch.curves.loading")
    run_page.locator(f"[data-alert-mark='{alarmed.SPIKE.id}']").click()
    expect(row(run_page, "Loss spike").locator(".alert-numbers")).to_be_visible()


def test_an_alert_of_ranks_leads_to_the_map(run_page: Page) -> None:
    opener(run_page, "A rank differs").click()
    link = row(run_page, "A rank differs").get_by_role("link", name="Rank 4 on the map")
    assert "/run/alarmed/ranks?rank=4@488" in str(link.get_attribute("href"))


def test_the_window_is_found_on_an_axis_of_time_too(page: Page, home: str, alerts: AlertStore) -> None:
    page.goto(f"{home}run/alarmed?x=relative")
    until(page, f"tidewatch.curves?.axis?.kind === 'relative' && !tidewatch.curves.loading && {SHOWN} === 4")
    opener(page, "Loss spike").click()
    until(page, "tidewatch.curves.view.kind === 'zoom' && !tidewatch.curves.loading")
    low, high = range_of_steps(page)
    assert low == pytest.approx(494, abs=1.5) and high == pytest.approx(547, abs=1.5)  # a step a second, from step 1 on
    until(page, "!document.querySelector('.alert-band').hidden")


def test_all_alerts_are_exported(run_page: Page) -> None:
    with run_page.expect_download() as download:
        run_page.locator(".alerts-export").get_by_role("link", name="CSV").click()
    assert len(download.value.path().read_text(encoding="utf-8").splitlines()) == 1 + len(alarmed.ALERTS)


def test_the_keyboard_walks_through_the_list(run_page: Page) -> None:
    opener(run_page, "Gradient explosion").focus()
    run_page.keyboard.press("ArrowDown")
    expect(opener(run_page, "Loss spike")).to_be_focused()
    run_page.keyboard.press("Enter")
    expect(opener(run_page, "Loss spike")).to_have_attribute("aria-expanded", "true")
    run_page.keyboard.press("Escape")
    expect(opener(run_page, "Loss spike")).to_have_attribute("aria-expanded", "false")
    expect(opener(run_page, "Loss spike")).to_be_focused()
    run_page.keyboard.press("End")
    assert ask(run_page, "document.querySelectorAll('.alerts .alert-open[tabindex=\"0\"]').length") == 1


# What people say


def fill(page: Page, name: str, **fields: str) -> None:
    form = row(page, name).locator("form")
    for field, text in fields.items():
        form.locator(f"[name={field}]").fill(text)
    form.locator("button[type=submit]").click()


def test_an_alert_is_acknowledged_reopened_and_resolved(run_page: Page) -> None:
    opener(run_page, "Loss spike").click()
    spike = row(run_page, "Loss spike")
    spike.get_by_role("button", name="Acknowledge").click()
    fill(run_page, "Loss spike", by="Mei", note="batch 520")
    expect(opener(run_page, "Loss spike")).to_contain_text("acknowledged by Mei until")
    expect(opener(run_page, "Loss spike").locator("q")).to_have_text("batch 520")
    expect(run_page.locator(".badges")).to_contain_text("Loss spike · acknowledged")
    expect(run_page.locator(".alerts-count")).to_have_text("2 open")
    spike.get_by_role("button", name="Reopen").click()
    expect(run_page.locator(".alerts-count")).to_have_text("3 open")
    spike.get_by_role("button", name="Acknowledge").click()
    expect(spike.locator("[name=by]")).to_have_value("Mei")  # the browser remembers who sits there
    run_page.keyboard.press("Escape")
    expect(spike.locator("form")).to_have_count(0)
    expect(opener(run_page, "Loss spike")).to_have_attribute("aria-expanded", "true")
    spike.get_by_role("button", name="It is over").click()
    expect(run_page.locator(".alerts-past .alert.chosen b").first).to_have_text("Loss spike")
    expect(run_page.locator(".badges button", has_text="Loss spike")).to_have_count(0)


def test_alerts_are_muted_and_unmuted(run_page: Page) -> None:
    opener(run_page, "A rank differs").click()
    ranks = row(run_page, "A rank differs")
    ranks.get_by_role("button", name="Mute…").click()
    assert ranks.locator("[name=scope] option").all_inner_texts() == [
        "“A rank differs” in this run",
        "“A rank differs” in every run",
        "everything in this run",
        "rank 4 of this run",
    ]
    ranks.locator("[name=scope]").select_option("3")
    fill(run_page, "A rank differs", by="Mei")
    expect(opener(run_page, "A rank differs")).to_contain_text("muted")
    expect(run_page.locator(f"[data-alert-mark='{alarmed.RANKS.id}']")).to_have_count(0)
    expect(run_page.locator(".badges")).not_to_contain_text("A rank differs")
    ranks.get_by_role("button", name="Unmute").click()
    expect(opener(run_page, "A rank differs")).not_to_contain_text("muted")
    expect(run_page.locator(".badges")).to_contain_text("A rank differs")


# While things change


def test_what_is_open_focused_typed_and_unfolded_stays_while_alerts_come(run_page: Page, alerts: AlertStore) -> None:
    opener(run_page, "Loss spike").click()
    spike = row(run_page, "Loss spike")
    spike.locator(".alert-copy summary").nth(1).click()
    spike.get_by_role("button", name="Acknowledge").click()
    spike.locator("[name=note]").fill("half a sen")
    before = run_page.evaluate("scrollY")
    drawn = ask(
        run_page, "(window.redraws = 0, document.addEventListener('tidewatch:axis', () => window.redraws++), true)"
    )
    assert drawn
    worse = json.loads(alarmed.clocked(alarmed.SPIKE).encode())
    worse.update(severity="critical", last_step=580)
    new = alarmed.Alert.decode(json.dumps({**worse, "id": "loss_spike-a1-590", "first_step": 590, "raised_step": 592}))
    assert alerts.commit(alarmed.RUN, "1", {}, Changes((alarmed.Alert.decode(json.dumps(worse)), new), (), ()))
    until(run_page, f"{SHOWN} === 5")
    expect(spike.locator("[name=note]").first).to_be_focused()
    expect(spike.locator("[name=note]").first).to_have_value("half a sen")
    assert spike.locator(".alert-copy").nth(1).get_attribute("open") is not None
    assert run_page.evaluate("scrollY") == before
    assert ask(run_page, "window.redraws") == 0
    expect(run_page.locator(".alerts-news")).to_contain_text("New alert: Loss spike")


def test_marks_cost_a_drawing_next_to_nothing(run_page: Page, alerts: AlertStore) -> None:
    many = tuple(
        alarmed.replace(alarmed.clocked(alarmed.SPIKE), id=f"loss_spike-a1-{step}", first_step=step, raised_step=step)
        for step in range(1, 600)
    )
    assert alerts.commit(alarmed.RUN, "1", {}, Changes(many, (), ()))
    until(run_page, f"{SHOWN} > 500")
    assert ask(run_page, "document.querySelectorAll('.alert-mark').length") <= 150
    costs = ask(
        run_page,
        "Array.from({length: 9}, () => (tidewatch.alerts.draw(), tidewatch.alerts.cost)).sort((a, b) => a - b)",
    )
    print("marks of 600 alerts", costs)
    assert costs[4] < 10


# On the map of ranks


def test_alerts_of_ranks_stand_on_the_map_where_they_were_raised(
    page: Page, home: str, redis_client: redis.Redis, redis_url: str
) -> None:
    stored.ranks(redis_client, "few", Plan(Shape(16, 2, 2), FIVE, 120))
    alarmed.raise_at(redis_url, RunId("few"), alarmed.OF_RANKS)
    page.goto(f"{home}run/few/ranks")
    expect(page.locator(".ranks-alert")).to_have_count(2)
    off = page.locator(".ranks-alert.tone-warn")
    cell = ask(
        page,
        """(() => {
          const {map, held: {top}} = tidewatch.ranks;
          const at = document.querySelector(".ranks-alert.tone-warn").style;
          const {row, column} = map.at(parseFloat(at.left), parseFloat(at.top));
          const {ranks} = map.model.rows[row];
          return {ranks, step: top.steps[column]};
        })()""",
    )
    assert cell["step"] >= 66 and any(first <= 45 <= last for first, last in cell["ranks"])
    off.click()
    until(page, "location.pathname.endsWith('/run/few')")
    assert "alert=rank_outlier-a1-60-r45" in page.url
    expect(page.locator(".alert.chosen .alert-numbers")).to_be_visible()
