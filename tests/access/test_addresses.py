"""Which addresses are near, and which are ours."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.access.addresses import is_loopback, is_near_peer, onward

OURS = ["/", "/run/gpt-1", "/run/%E4%B8%AD?x=1&lang=zh", "/run/a%252Fb", "/run/a%3Fb%23", "/compare?runs=a,b"]


@pytest.mark.parametrize("text", OURS)
def test_an_address_of_ours_is_kept(text: str) -> None:
    assert onward(text, "/") == text


@pytest.mark.parametrize("text", OURS[1:])
def test_below_a_prefix_only_what_is_below_it(text: str) -> None:
    assert onward("/mon" + text, "/mon/") == "/mon" + text
    assert onward(text, "/mon/") == "/mon/"


def test_nobody_is_led_back_to_the_door() -> None:
    assert onward("/login?next=/login", "/", ("/login", "/logout")) == "/"


@given(st.text(max_size=30), st.sampled_from(["", "/", "//", "/\\", "\\", "/.", "/%2e%2e", "https:", "javascript:"]))
def test_whatever_is_said_a_browser_stays_here(text: str, begins: str) -> None:
    for prefix in ("/", "/mon/"):
        to = onward(begins + text, prefix)
        as_browsers_read = to.replace("\\", "/").replace("\t", "").replace("\n", "").replace("\r", "").strip()
        led = urlsplit(urljoin("http://here.test" + prefix, as_browsers_read))
        assert (led.scheme, led.netloc) == ("http", "here.test")
        assert led.path.startswith(prefix)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost", "LOCALHOST"])
def test_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", ["", "0.0.0.0", "::", "10.0.0.1", "localhost.evil.test", "127.0.0.1.evil.test", "1270.0.1"]
)
def test_no_loopback(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize(
    ("peer", "near"),
    [("127.0.0.1", True), ("::ffff:127.0.0.1", True), ("", True), (None, True), ("10.0.0.1", False), ("x", False)],
)
def test_who_is_near(peer: str | None, near: bool) -> None:
    assert is_near_peer(peer) is near
