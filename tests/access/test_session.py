"""What a cookie is worth."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from itsdangerous import URLSafeSerializer

from app.access.session import LASTS, SALT, Sessions

SIGNING = b"s" * 32


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def sessions(clock: Clock | None = None, signing: bytes = SIGNING, known: tuple[str, ...] = ("f",)) -> Sessions:
    return Sessions(signing, lambda fingerprint, _role: fingerprint in known, clock or Clock())


def test_what_was_begun_is_read_again_in_another_process() -> None:
    made, cookie = sessions().begin("viewer", "李明", "session", "f")
    assert sessions().read(cookie) == made
    assert (made.identity.name, made.identity.role) == ("李明", "viewer")


def test_it_ends_after_its_time() -> None:
    clock = Clock()
    mine = sessions(clock)
    _made, cookie = mine.begin("editor", "", "session", "f")
    clock.now += LASTS - 1
    assert mine.read(cookie)
    clock.now += 1
    assert mine.read(cookie) is None


def test_one_of_the_future_is_none() -> None:
    clock = Clock()
    _made, cookie = sessions(clock).begin("editor", "", "session", "f")
    clock.now -= 3_600
    assert sessions(clock).read(cookie) is None


def test_it_ends_with_the_secret_that_opened_it() -> None:
    _made, cookie = sessions(known=("old",)).begin("editor", "", "session", "old")
    assert sessions(known=("new",)).read(cookie) is None


def test_a_copy_of_the_cookie_is_of_no_use_after_the_log_out() -> None:
    mine = sessions()
    made, cookie = mine.begin("editor", "", "session", "f")
    other, second = mine.begin("editor", "", "session", "f")
    mine.end(made)
    assert mine.read(cookie) is None
    assert not mine.stands(made)
    assert mine.read(second) == other


@pytest.mark.parametrize("kept", [["x"], {}, "text", None, [1, 2, 3, 4, 5, 6, 7], ["i", "editor", "", "w", "f", "now"]])
def test_signed_nonsense_is_none(kept: object) -> None:
    options = {"key_derivation": "hmac", "digest_method": hashlib.sha256}
    signed = URLSafeSerializer(SIGNING, salt=SALT, signer_kwargs=options).dumps(kept)
    assert sessions().read(str(signed)) is None


@given(st.text(max_size=300))
def test_nobody_guesses_a_cookie(text: str) -> None:
    assert sessions().read(text) is None


@given(st.integers(0, 400), st.characters(codec="ascii"))
def test_a_cookie_with_any_character_changed_is_none(place: int, other: str) -> None:
    _made, cookie = sessions().begin("viewer", "shift", "session", "f")
    at = place % len(cookie)
    changed = cookie[:at] + other + cookie[at + 1 :]
    read = sessions().read(changed)
    assert read is None or (read.id, read.role) == (_made.id, _made.role)  # the last character holds spare bits


def test_seals_differ_by_session_and_by_key() -> None:
    mine = sessions()
    assert len({mine.seal("a"), mine.seal("b"), sessions(signing=b"t" * 32).seal("a")}) == 3
