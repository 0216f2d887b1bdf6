"""One click on the page: the steps in view come as an archive, and what goes wrong is a sentence."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
import redis
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Watch, served, server, watching  # noqa: F401 (fixtures: a browser for all tests)
from tests.support import alarmed
from tests.support.curves import ask, until


def fill(client: redis.Redis) -> None:
    url = f"unix://{client.connection_pool.connection_kwargs['path']}"
    alarmed.fill(client, url)


@pytest.fixture
def page(watching: Watch, served: str) -> Page:  # noqa: F811  # the fixtures above
    tab = watching.page()
    tab.goto(f"{served}run/alarmed")
    until(tab, "tidewatch.curves?.newest === 600 && !tidewatch.curves.loading && tidewatch.curves.axis")
    return tab


def bundled(page: Page) -> tuple[str, zipfile.ZipFile]:
    page.locator("#share").click()
    with page.expect_download() as waited:
        page.locator("#share-menu [data-act=bundle]").click()
    return waited.value.suggested_filename, zipfile.ZipFile(Path(waited.value.path()))


def test_the_steps_in_view_are_saved_and_it_says_so(page: Page) -> None:
    ask(page, "tidewatch.state.set({ view: '200..300' })")
    until(page, "Math.round(tidewatch.curves.axis.range[0]) === 200 && !tidewatch.curves.loading")
    name, archive = bundled(page)
    assert name == "incident-alarmed_200-300.zip"
    manifest = json.loads(archive.read("manifest.json"))
    assert manifest["steps"] == {"first": 200, "last": 300}
    expect(page.locator(".toast")).to_contain_text("The incident bundle is saved.")


def test_of_an_alert_that_is_open_its_stretch_is_saved(page: Page) -> None:
    page.locator("li.alert > .alert-open", has_text="Loss spike").click()
    until(page, "tidewatch.state.get().view !== 'all' && !tidewatch.curves.loading")
    _name, archive = bundled(page)
    steps = json.loads(archive.read("manifest.json"))["steps"]
    assert 1 < steps["first"] < alarmed.SPIKE_AT < steps["last"] <= 600


def test_what_goes_wrong_is_a_sentence_and_no_file(page: Page, watching: Watch) -> None:  # noqa: F811
    watching.forgiven = ("429",)
    sentence = {"error": "2 bundles are being made, as many as at once: try again soon."}
    page.route("**/bundle?*", lambda route: route.fulfill(status=429, json=sentence))
    page.locator("#share").click()
    page.locator("#share-menu [data-act=bundle]").click()
    expect(page.locator(".toast")).to_contain_text("No incident bundle: 2 bundles are being made")
    expect(page.locator(".toast")).to_have_attribute("data-tone", "bad")
