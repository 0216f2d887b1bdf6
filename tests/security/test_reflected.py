"""What a request says is shown as text, executed nowhere, and leads to no other site."""

from __future__ import annotations

import ast
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.api.routes import ROUTES
from app.factory import ASSETS
from tests.support.seed import Seed, straight
from tests.support.web_process import WebProcess
from tests.test_architecture import MODULES

HTML = '"><img src=x onerror=alert(1)><script>alert(1)</script>'
PRODUCT = "7600494"  # no digest or clock of a page holds it by chance
TEMPLATES = ("{{1914*3971}}", "${1914*3971}", "#{1914*3971}", "<%= 1914*3971 %>", "{% print(1914*3971) %}")
CONFIG = ["{{config}}", "{{self.__init__.__globals__}}", "{0.__class__}", "%(secret)s", "${home}", "$sentence"]
PAGES = ["/", "/run/{}", "/run/{}/ranks", "/compare", "/nowhere/{}", "/login", "/s/{}", "/api/{}", "/health"]
NAMES = ["q", "find", "tag", "metric", "runs", "lang", "view", "x", "panels", "start", "alert", "next", "log_at", "by"]
REDIRECTS = [
    "//evil.example",
    "//evil.example/%2e%2e",
    "///evil.example/%2F..",
    "/\\evil.example",
    "/%5cevil.example",
    "/..%2F%5cevil.example/%3F..",
    "/public/..%2F%5cevil.example%2F%3Fp%2F..",
    "/https:evil.example",
    "/assets//evil.example/..",
    "/assets/..%2f..%2f%5cevil.example",
    "/run//evil.example/",
    "/login?next=//evil.example",
    "/%09/evil.example",
    "//evil.example//",
]
EVALUATED = {"eval", "exec", "compile", "__import__"}


class Found(HTMLParser):
    """Elements and attributes of a page that would run something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.bad: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            script = (value or "").strip().lower().startswith(("javascript:", "data:text/html", "vbscript:"))
            if name.startswith("on") or (script and name in ("href", "src", "action", "formaction")):
                self.bad.append(f"<{tag} {name}={value!r}>")
        if tag == "img" and dict(attributes).get("src") == "x":
            self.bad.append("<img src=x>")

    def handle_data(self, data: str) -> None:
        if self.lasttag == "script" and "alert(1)" in data:
            self.bad.append("<script>")


@pytest.mark.parametrize("page", PAGES)
def test_b4_what_an_address_says_is_text(client: FlaskClient, seed: Seed, page: str) -> None:
    """HTML in the path and in every argument of every page, and in its 404."""
    seed.points(straight(range(10)))
    for where in (page.format(quote(HTML, safe="")), *(f"{page.format('gpt')}?{name}={quote(HTML)}" for name in NAMES)):
        for language in ("en", "zh"):
            answer = client.get(where, headers={"Accept": "text/html", "Accept-Language": language})
            if answer.mimetype == "text/html":
                assert Found(answer.text).bad == [], where
            else:
                assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("route", [one for one in ROUTES if one.method == "GET" and one.endpoint != "stream"])
def test_b4_what_the_api_repeats_is_never_html(client: FlaskClient, seed: Seed, route: object) -> None:
    """HTML as the value of every argument of every route, and as the run: the answer is JSON that nobody sniffs."""
    seed.points(straight(range(10)))
    path = "/" + re.sub("<run>", "gpt", getattr(route, "path", ""))
    asked = [re.sub("<[^>]+>", quote(HTML, safe=""), path)]
    asked += [f"{asked[0]}?{one.name}={quote(HTML)}" for one in getattr(route, "parameters", ())]
    asked += [f"{asked[0]}?{quote(HTML)}=1", re.sub("gpt", quote(HTML, safe=""), asked[0])]
    for where in asked:
        answer = client.get(where, headers={"Accept": "text/html"})
        assert answer.status_code < 500 or answer.status_code == 503, where
        assert answer.mimetype != "text/html", where
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("template", [*TEMPLATES, *CONFIG])
def test_b6_no_template_of_a_request_is_filled(client: FlaskClient, seed: Seed, template: str) -> None:
    """`{{7*7}}` and its like in the address of every page, in arguments, headers and the language."""
    seed.points(straight(range(10)))
    for page in PAGES:
        spelled = quote(template, safe="")
        for where in (page.format(spelled), f"{page.format('zzz')}?q={spelled}&lang={spelled}&next={spelled}"):
            headers = {"Accept": "text/html", "Accept-Language": template, "User-Agent": template}
            answer = client.get(where, headers=headers)
            assert answer.status_code < 500, where
            assert PRODUCT not in answer.text, where
            assert "<Config " not in answer.text
            assert "SECRET_KEY" not in answer.text
            assert "<class '" not in answer.text


def test_b6_nothing_is_made_of_a_template_that_is_not_ours() -> None:
    """No module renders a string as a template of Jinja; what is formatted is a constant of the module."""
    used = {
        f"{module.name}: {name}"
        for module in MODULES
        for name in module.imports()
        if name.startswith("jinja2") or name in ("flask.render_template_string", "flask.render_template")
    }
    assert used == set()


@pytest.mark.parametrize("address", REDIRECTS)
def test_b9_no_address_leads_to_another_site(web_server: WebProcess, address: str) -> None:
    """Paths that a browser or a redirect may take for another host."""
    found = web_server.get(address, Accept="text/html")
    assert found.status < 500
    there = urlsplit(found.headers.get("location", ""))
    assert there.netloc in ("", f"127.0.0.1:{web_server.port}"), found.headers
    assert not found.headers.get("location", "").startswith(("//", "/\\", "\\"))
    assert "evil.example" not in (there.netloc or "")


def test_b9_pages_may_only_speak_with_their_own_server(server: Flask, client: FlaskClient) -> None:
    """What a path in the browser could be bent to is not allowed to be asked: of every kind of answer."""
    for address in ("/", "/run/gpt", "/api/runs", "/nowhere", "/assets/theme.js", "/livez", "/compare"):
        policy = client.get(address, buffered=True).headers["Content-Security-Policy"]
        rules = {one.split()[0]: one.split()[1:] for one in policy.split("; ")}
        assert rules["connect-src"] == rules["form-action"] == ["'self'"]
        assert rules["default-src"] == ["'self'"]
        assert rules["base-uri"] == rules["object-src"] == ["'none'"]
        assert all(one == "'self'" or one.startswith("'sha256-") for one in rules["script-src"])


def test_b14_no_stored_text_is_executed_in_python() -> None:
    """No module calls what makes code of a text."""
    called = {
        f"{module.name} calls {node.func.id}"
        for module in MODULES
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in EVALUATED
    }
    assert called == set()


def scripts() -> list[Path]:
    return [one for one in sorted(ASSETS.glob("*.js")) if not one.name.startswith("plotly")]


def test_b14_no_stored_text_is_executed_in_the_browser() -> None:
    """No script of ours makes code of a text, and HTML only of what our own server has written as HTML."""
    assert len(scripts()) > 50
    code = {one.name: re.sub(r"//.*|/\*.*?\*/", "", one.read_text()) for one in scripts()}
    makes = re.compile(
        r"\beval\s*\(\s*[^)d]|new Function\b|set(?:Timeout|Interval)\(\s*[\"'`]|document\.write|srcdoc|import\("
    )
    assert {name for name, text in code.items() if makes.search(text)} == set()
    writes = re.compile(
        r"\.(?:inner|outer)HTML\s*=|insertAdjacentHTML|createContextualFragment|DOMParser|setHTMLUnsafe"
    )
    # renewal.js takes the page as our own server writes it, app/hypertext.py, which escapes every text;
    # picture-sheet.js reads as XML what plotly.js has drawn, for a picture that is saved and never put into the page
    assert {name for name, text in code.items() if writes.search(text)} == {"renewal.js", "picture-sheet.js"}


def test_b14_scripts_of_other_places_are_not_allowed(client: FlaskClient) -> None:
    """A page cannot run what is not a file of ours, however it got there."""
    policy = client.get("/").headers["Content-Security-Policy"]
    script = next(one for one in policy.split("; ") if one.startswith("script-src"))
    assert "unsafe" not in script
    assert "http" not in script
    assert "data:" not in script
    assert "blob:" not in script


def test_f2_a_search_is_a_text_and_nothing_else(client: FlaskClient, seed: Seed) -> None:
    """Expressions of Python, SQL, Lua and of shells where a text is searched for."""
    seed.points(straight(range(10)))
    for words in (
        "__import__('os').system('id')",
        "1;return redis.call('KEYS','*')",
        "$(id)",
        "' OR 1=1 --",
        "run.x==1",
    ):
        for where in ("log?find=", "tags?tag=", "series?tag=", "events?kind=", "alerts?class=", "curves?tag="):
            answer = client.get(f"/api/runs/gpt/{where}{quote(words)}")
            assert answer.status_code in (200, 400, 404, 503)
            assert "uid=" not in answer.text
    assert client.get("/api/runs/gpt/log?find=" + "a" * 201).status_code == 400


def test_f2_nothing_waits_for_whoever_comes_first(client: FlaskClient) -> None:
    """No address sets the product up for the one who calls it first: there is no setup token, and no such route."""
    for address in ("/setup", "/api/setup", "/install", "/api/session/properties", "/admin", "/console"):
        answer = client.get(address)
        assert answer.status_code == 404 or "There is nothing at this address" in answer.text
        assert client.post(address, json={}).status_code in (403, 404, 405)
