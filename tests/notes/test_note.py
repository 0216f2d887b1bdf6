"""Notes as values: written and read back, sorted, found by steps, and shown as they stand."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.notes.note import Note
from app.notes.plain import UNSEEN, shown

NOTE = Note("0123456789ab", 10, 20, "loss spike\n数据换了一批", "夜班", 1_000.5)


def test_a_note_is_read_as_it_was_written() -> None:
    assert Note.decode(NOTE.encode()) == NOTE
    assert "数据换了一批" in NOTE.encode()


def test_a_field_of_a_later_version_is_passed_over() -> None:
    assert Note.decode(json.dumps({**json.loads(NOTE.encode()), "colour": "red"})) == NOTE


def test_a_note_of_an_earlier_version_lacks_what_has_a_default() -> None:
    raw = json.loads(NOTE.encode())
    for name in ("edited", "editor", "version"):
        del raw[name]
    assert Note.decode(json.dumps(raw)) == NOTE


@pytest.mark.parametrize(
    ("start", "end", "touches"),
    [(None, None, True), (20, None, True), (21, None, False), (None, 10, True), (None, 9, False), (12, 15, True)],
)
def test_a_note_is_found_by_any_of_its_steps(start: int | None, end: int | None, touches: bool) -> None:
    assert NOTE.touches(start, end) is touches


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\x1b[31mred", "a⟨U+001B⟩[31mred"),
        ("nul\x00del\x7f", "nul⟨U+0000⟩del⟨U+007F⟩"),
        ("ab\u202egpj.exe", "ab⟨U+202E⟩gpj.exe"),
        ("\u2066isolated\u2069", "⟨U+2066⟩isolated⟨U+2069⟩"),
        ("zero\u200bwidth\ufeff", "zero⟨U+200B⟩width⟨U+FEFF⟩"),
        ("tag\U000e0041", "tag⟨U+E0041⟩"),
        ("line\nand\ttab　中文 👩‍🔬 é", "line\nand\ttab　中文 👩‍🔬 é"),
    ],
)
def test_what_nobody_sees_is_spelled(text: str, seen: str) -> None:
    assert shown(text) == seen


@given(st.text())
def test_nothing_unseen_is_left(text: str) -> None:
    assert UNSEEN.search(shown(text)) is None
    assert shown(shown(text)) == shown(text)
