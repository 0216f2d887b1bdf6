"""What is handed out as a file: kept, never shown, and powerless were it shown all the same."""

from __future__ import annotations

import io

import pytest
from flask.testing import FlaskClient

from app.api.routes import EVENTS, JSON, OCTETS, ROUTES, TEXT, Route
from collector.wire.records import RunId
from tests.support.seed import Seed, straight

SHOWN = {JSON, EVENTS, OCTETS, TEXT}  # for scripts, and as text: no browser makes a document of it
PICTURES = {"image/png"}  # links show them; what a browser knows as PNG runs nothing
FILES = [one for one in ROUTES if one.method == "GET"]
KEPT = [one for one in FILES if set(one.answers) - SHOWN - PICTURES]
HTML = "<script>alert(1)</script>"


@pytest.fixture
def hostile(seed: Seed) -> Seed:
    """A run with a tag that is a script."""
    seed.points(straight(range(50)))
    seed.points(straight(range(50)), metric=None, tag=HTML, source="tensorboard")
    Seed(seed.client, RunId("观潮"), "/data/x").points(straight(range(5)))
    return seed


@pytest.mark.parametrize("route", KEPT, ids=lambda route: route.endpoint)
@pytest.mark.parametrize("run", ["gpt", "观潮"])
def test_b10_a_file_is_kept_and_not_shown(client: FlaskClient, hostile: Seed, route: Route, run: str) -> None:
    """Every route that hands out a file, asked as a browser that would rather open it."""
    answer = client.get("/" + route.path.replace("<run>", run), headers={"Accept": "text/html,*/*"})
    assert answer.status_code == 200
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert answer.mimetype != "text/html"


@pytest.mark.parametrize("query", ["?form=html", "?form=zip", ""])
def test_b11_a_document_of_others_texts_has_no_rights_of_the_page(
    client: FlaskClient, hostile: Seed, query: str
) -> None:
    """The incident bundle is a document with log lines, notes and tags in it: a file, and in a sandbox."""
    answer = client.get(f"/api/runs/gpt/bundle{query}", headers={"Accept": "text/html"})
    if answer.status_code == 200:
        assert answer.headers["Content-Disposition"].startswith("attachment")
        assert "sandbox" in answer.headers["Content-Security-Policy"]
        assert "allow-" not in answer.headers["Content-Security-Policy"]
    else:
        assert (answer.status_code, answer.mimetype) == (400, JSON)


def test_b10_there_are_files_and_each_of_them_is_tried() -> None:
    """A route that answers with another kind of content is one of these, or is looked at here first."""
    assert {"export_csv", "export_jsonl", "export_parquet", "alerts_export", "bundle"} <= {one.endpoint for one in KEPT}
    told = {kind for route in ROUTES for kind in route.answers}
    assert not {kind for kind in told if "html" in kind or "svg" in kind or "xml" in kind} - {"text/html"}


def test_b10_no_route_takes_a_file(client: FlaskClient, seed: Seed) -> None:
    """There is no upload: a form with a file is refused by every route that writes."""
    seed.points(straight(range(5)))
    for route in ROUTES:
        if route.method in ("POST", "PUT"):
            path = "/" + route.path.replace("<run>", "gpt").replace("<alert>", "a").replace("<note>", "a")
            path = path.replace("<snapshot>", "a").replace("<mute>", "a")
            data = {"file": (io.BytesIO(b"<svg onload=alert(1)>"), "x.svg")}
            answer = client.open(path, method=route.method, data=data)
            assert answer.status_code in (400, 404, 415), path
