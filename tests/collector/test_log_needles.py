"""Needles are found wherever they stand, and nothing else is."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collector.parse.log.needles import Hit, Phrases, anchors
from collector.parse.log.sentences import NEEDLES
from collector.parse.log.text import LONGEST_LINE
from collector.parse.parsers import parser_for
from collector.wire.records import ParserState
from tests.support.scalars import curve

PHRASES = Phrases(NEEDLES)
PARSER = parser_for("log")
RECORD = b"{ Epoch:[  1/  1], step:[    7/  100], loss: 2.500, lr: 1e-05\n"


@settings(max_examples=100)
@given(st.lists(st.sampled_from([*NEEDLES, b"x", b"\n", b"step", b"a longer word "]), max_size=30), st.integers(0, 9))
def test_every_phrase_is_found_where_it_stands(parts: list[bytes], begin: int) -> None:
    text = b"".join(parts)
    begin = min(begin, len(text))
    naive = [Hit(at, needle) for needle in NEEDLES for at in range(begin, len(text)) if text.startswith(needle, at)]
    found = PHRASES.hits(text, begin, len(text))
    assert sorted(found, key=str) == sorted(naive, key=str)
    assert [hit.at for hit in found] == sorted(hit.at for hit in found)


@pytest.mark.parametrize("shift", range(8))
@pytest.mark.parametrize(
    ("text", "count"), [("Step: 1", 1), ("per_step_time", 0), ("EPOCH[1]", 1), ("9 samples/s/p", 1)]
)
def test_an_anchor_is_found_at_every_offset(text: str, count: int, shift: int) -> None:
    content = b"." * shift + text.encode() + b"\n"
    assert len(anchors(content, shift, len(content))) == count


def test_a_needle_across_the_edge_of_what_is_searched_at_once_is_found() -> None:
    for shift in range(-12, 3):
        content = b"-" * ((1 << 18) + shift) + b"[ERROR] step: 5\n"
        assert [hit.needle for hit in PHRASES.hits(content, 0, len(content))] == [b"[ERROR]"]
        assert len(anchors(content, 0, len(content))) == 1


HOSTILE = {
    "brackets": b"[" * 1_000_000,
    "steps": b"step:[" * 100_000,
    "records": b"step:[1/2], a: 1, " * 10_000,
    "blanks": b"step:[" + b" " * 200_000,
    "epoch and blanks": b"epoch" + b" " * 4000,
    "digits": b"epoch: 1 step: " + b"1" * 4000,
    "names": b"epoch: 1 step: 1, " + b"a " * 2000,
    "open brackets": b"step: 1, a: " + b"(" * 4000,
    "commas": b"epoch: 1, step: 2" + b"," * 4000,
    "clocks": b"2025-06-01 10:00:00 " * 10_000 + b"step: 1",
    "numbers": b"step:[1/2], a: " + b"1" * 200_000,
    "thousands": b"step: 1, a: " + b"1,111" * 700,
    "bars": b"|" * 100_000 + b" samples/s/p" * 10_000,
    "quotes": b"Eval result: {" + b"'a': 1, " * 20_000,
    "errors": b"- ERROR - " * 20_000,
    "tracebacks": b"Traceback (most recent call last)" * 5_000,
    "norms": b"global norm " * 10_000 + b"still greater or equal",
    "escapes": b"\x1b[" * 100_000,
    "returns": b"step: 1\r" * 20_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_takes_more_than_linear_time(name: str) -> None:
    content = HOSTILE[name] + b"\n" + RECORD
    began = time.process_time()
    parsed = PARSER.parse(content, {})
    assert time.process_time() - began < 3
    assert curve(parsed, "loss")[-1] == (7, 2.5)


def test_a_line_without_end_is_passed_over_in_pieces() -> None:
    piece = b"step:[1/2], loss: " + b"x" * LONGEST_LINE
    state: ParserState = {}
    for _ in range(50):
        parsed = PARSER.parse(piece, state)
        assert parsed.consumed == len(piece)
        state = parsed.state
    parsed = PARSER.parse(b"loss: 3\n" + RECORD, state)
    assert curve(parsed, "loss") == [(7, 2.5)]
