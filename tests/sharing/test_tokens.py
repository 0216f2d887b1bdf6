"""What a link says, and what is none."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from itsdangerous import URLSafeSerializer

from app.sharing.tokens import LONGEST, SALT, Named, Tokens
from collector.wire.records import RunId

RUNS = ["gpt", "a b", "a:b", "a#b?c", "50%", "a%2Fb", "a/b", "观潮/实验-1", "x" * 200]
LETTERS = set(string.ascii_letters + string.digits + "-_.")


@pytest.fixture
def tokens() -> Tokens:
    return Tokens(b"k" * 32)


@pytest.mark.parametrize("run", RUNS)
def test_a_token_names_what_it_was_written_for_and_stands_in_an_address(run: str, tokens: Tokens) -> None:
    named = Named.new(RunId(run))
    token = tokens.written(named)
    assert tokens.read(token) == named
    assert set(token) <= LETTERS
    assert named.id not in (named.handle, named.digest)
    assert named.digest.startswith(named.handle)


@pytest.mark.parametrize("run", RUNS)
def test_no_other_spelling_of_it_is_one(run: str, tokens: Tokens) -> None:
    token = tokens.written(Named.new(RunId(run)))
    others = {token[:at] for at in range(len(token))} | {token + one for one in (*LETTERS, "=", " ", "\n", "/", "%00")}
    others |= {token.lower(), token.upper(), token.swapcase(), f".{token}", token.replace(".", "..")}
    for at, letter in enumerate(token):
        others |= {token[:at] + one + token[at + 1 :] for one in (letter.swapcase(), "A", "_", "~") if one != letter}
    assert [one for one in others - {token} if tokens.read(one) is not None] == []


@given(
    st.one_of(st.text(max_size=80), st.sampled_from([":token", "null", "0", "*", "", ".", "..", "a.b", "x" * 5_000]))
)
def test_no_other_text_is_one(text: str) -> None:
    assert Tokens(b"k" * 32).read(text) is None


def test_a_token_of_another_secret_or_of_another_purpose_is_none(tokens: Tokens) -> None:
    named = Named.new(RunId("gpt"))
    assert tokens.read(Tokens(b"l" * 32).written(named)) is None
    for salt in ("itsdangerous", "cookie-session", f"{SALT}x"):
        assert tokens.read(str(URLSafeSerializer(b"k" * 32, salt=salt).dumps([named.run, named.id]))) is None


@pytest.mark.parametrize(
    "said", [None, 7, "gpt", {}, [], ["gpt"], ["gpt", 7], [None, "x"], ["gpt", "x", "y"], [[[]]] * 9]
)
def test_what_is_signed_and_names_no_snapshot_is_none(said: object, tokens: Tokens) -> None:
    assert tokens.read(str(tokens._serializer.dumps(said))) is None


def test_a_bomb_is_not_inflated(tokens: Tokens) -> None:
    bomb = str(tokens._serializer.dumps(["x" * 30_000_000, "y"]))
    assert bomb.startswith(".")  # as itsdangerous marks what it deflates
    assert len(bomb) > LONGEST
    assert tokens.read(bomb) is None
