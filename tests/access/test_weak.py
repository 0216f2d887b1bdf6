"""Which secrets are refused."""

from __future__ import annotations

import secrets

import pytest

from app.access.weak import WELL_KNOWN, weakness

WORST = [
    "secret",
    "changeme",
    "CHANGE_ME",
    "password1",
    "12345678",
    "admin",
    "tidewatch",
    "Secret-Key-123",
    "letmein!!",
]


@pytest.mark.parametrize("kind", ["token", "password", "key"])
@pytest.mark.parametrize("secret", [*WORST, *WELL_KNOWN.split(), "", "a", "a" * 64, "ab" * 40, "123456" * 3])
def test_what_anybody_would_try_is_refused(secret: str, kind: str) -> None:
    wrong = weakness(secret, kind)  # type: ignore[arg-type]
    assert wrong
    assert not secret or len(secret) < 8 or secret not in wrong  # it is printed somewhere


@pytest.mark.parametrize("kind", ["token", "password", "key"])
def test_what_is_made_by_chance_is_taken(kind: str) -> None:
    assert all(weakness(secrets.token_hex(24), kind) is None for _ in range(200))  # type: ignore[arg-type]


def test_a_password_of_words_and_one_in_chinese_are_taken() -> None:
    assert weakness("horse under green stairs", "password") is None
    assert weakness("观潮看板的口令很长", "password") is None


def test_a_token_has_to_be_longer_than_a_password() -> None:
    assert weakness("Zk3v-qTn8_w", "password") is None
    assert "16 characters" in (weakness("Zk3v-qTn8_w", "token") or "")
