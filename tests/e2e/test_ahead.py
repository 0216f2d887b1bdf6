"""What a run's page asks before it is built: which question, and that its answer is used once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route

from app.factory import ASSETS
from app.figures.panels import described
from tests.support.curves import ask, until

NEEDED = (
    "codec",
    "words",
    "state",
    "view",
    "address",
    "answers",
    "columns",
    "history",
    "layout",
    "panels",
    "library",
    "ahead",
)
HOME = "http://tidewatch.test/"  # answered by the test itself
STANDARD = {
    *("loss", "eval_loss", "lr", "grad_norm", "loss_scale", "overflow"),
    *("throughput", "tokens_per_second", "tflops", "consumed_samples"),
}


class Asked:
    """A site of one page, that of the run ``gpt``, which notes what is asked of it."""

    def __init__(self) -> None:
        self.addresses: list[str] = []

    def answer(self, route: Route) -> None:
        address = route.request.url.removeprefix(HOME)
        if not address.startswith("api/"):
            panels = escape(json.dumps(described()))
            route.fulfill(content_type="text/html", body=f'<div data-run="gpt" data-panels="{panels}"></div>')
            return
        self.addresses.append(address)
        route.fulfill(body=f"answer {len(self.addresses)}")


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture
def page(browser: Browser, asked: Asked) -> Iterator[Page]:
    context = browser.new_context()
    context.route(f"{HOME}**", asked.answer)
    opened = context.new_page()
    yield opened
    context.close()


def visit(page: Page, query: str = "") -> None:
    page.goto(f"{HOME}run/gpt{query}")
    whole = "\n".join((ASSETS / f"{name}.js").read_text() for name in sorted(NEEDED))  # one file, as the page's bundle
    page.add_script_tag(content=whole)


def question(page: Page, query: str) -> dict[str, list[str]] | None:
    state = f"tidewatch.state.decode({json.dumps(query)})"
    spelled = f"JSON.parse({json.dumps(json.dumps(described()))})"
    found: str | None = ask(page, f"tidewatch.ahead.question('a b', {spelled}, {state})")
    if found is None:
        return None
    assert urlsplit(found).path.endswith("/api/runs/a%20b/curves")
    return parse_qs(urlsplit(found).query)


def test_the_question_is_that_of_the_standard_panels_for_the_whole_run(page: Page) -> None:
    visit(page)
    asked = question(page, "")
    assert asked is not None
    assert set(asked["metric"]) >= STANDARD
    assert (asked["attempt"], asked["ghosts"], asked["points"]) == (["latest"], ["1"], ["2000"])
    assert asked.keys() == {"metric", "attempt", "ghosts", "points"}


def test_what_the_address_adds_and_hides_is_in_the_question(page: Page) -> None:
    visit(page)
    asked = question(page, "?panels=norm/a,m:step_time,r3:norm/a&hide=lr&attempts=2")
    assert asked is not None
    assert asked["tag"] == ["norm/a", "r3:norm/a"]
    assert "step_time" in asked["metric"]
    assert "lr" not in asked["metric"]
    assert (asked["attempt"], "ghosts" in asked) == (["2"], False)


@pytest.mark.parametrize("view", ["last-500", "10..20"])
def test_a_stretch_is_not_asked_before_its_axis_is_known(page: Page, view: str) -> None:
    visit(page)
    assert question(page, f"?view={view}") is None


def test_the_early_answer_is_taken_once(page: Page, asked: Asked) -> None:
    visit(page)
    until(page, "tidewatch.ahead")
    panels = "JSON.parse(document.querySelector('[data-run]').dataset.panels)"
    address = f"tidewatch.ahead.question('gpt', {panels}, tidewatch.state.get())"
    read = f"tidewatch.ahead.ask({address}).then(answer => answer.text())"
    assert [page.evaluate(read) for _ in range(2)] == ["answer 1", "answer 2"]
    assert asked.addresses[0] == asked.addresses[1]


def test_an_early_answer_to_another_question_is_not_taken(page: Page, asked: Asked) -> None:
    visit(page)
    other = "tidewatch.ahead.ask('/api/runs/other/curves').then(answer => answer.text())"
    page.evaluate(other)
    assert sorted(address.split("?")[0] for address in asked.addresses) == [
        "api/runs/gpt/curves",
        "api/runs/other/curves",
    ]


def test_without_a_whole_run_nothing_is_asked_early(page: Page, asked: Asked) -> None:
    visit(page, "?view=last-500")
    page.evaluate("tidewatch.ahead.ask('/api/runs/other/curves').then(answer => answer.text())")
    assert [address.split("?")[0] for address in asked.addresses] == ["api/runs/other/curves"]
