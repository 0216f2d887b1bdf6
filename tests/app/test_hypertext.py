"""Components as the text that a browser reads."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from dash import dcc, html
from hypothesis import given
from hypothesis import strategies as st

from app.hypertext import Content, hypertext
from app.markup import attributes


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ("a < b & c", "a &lt; b &amp; c"),
        (12, "12"),
        (["a", None, html.B("c")], "a<b>c</b>"),
        (html.Div(), "<div></div>"),
        (html.Br(), "<br>"),
        (html.H2(["a", html.Span("b", className="x y")]), '<h2>a<span class="x y">b</span></h2>'),
        (html.Button("b", type="button", hidden=True, disabled=False), '<button hidden type="button">b</button>'),
        (html.Label("l", htmlFor="f"), '<label for="f">l</label>'),
        (html.Div(style={"minHeight": "3px", "width": "1%"}), '<div style="min-height:3px;width:1%"></div>'),
        (html.P("p", **attributes(data_words='{"a": "<"}')), '<p data-words="{&quot;a&quot;: &quot;&lt;&quot;}">p</p>'),
        (dcc.Input(id="f", type="search", value="x"), '<input value="x" type="search" id="f">'),
    ],
)
def test_a_component_is_written_as_html_spells_it(content: Content, text: str) -> None:
    assert hypertext(content) == text


def test_an_element_that_is_filled_holds_that_instead() -> None:
    frame = html.Div([html.P("old", id="a"), html.P("kept", id="b")])
    assert hypertext(frame, {"a": "<i>new</i>"}) == '<div><p id="a"><i>new</i></p><p id="b">kept</p></div>'


def test_what_only_dash_can_make_alive_is_refused() -> None:
    with pytest.raises(TypeError, match="Store is no element of HTML"):
        hypertext(html.Div(dcc.Store(id="s")))


class Read(HTMLParser):
    """What a browser makes of a text: words and attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words = ""
        self.titles: list[str | None] = []
        self.feed(text)

    def handle_data(self, data: str) -> None:
        self.words += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.titles += [value for name, value in attrs if name == "title"]


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), min_size=1))
def test_whatever_a_log_says_is_words_and_never_an_element(said: str) -> None:
    read = Read(hypertext(html.P(said, title=said)))
    assert (read.words, read.titles) == (said, [said])
