"""The secrets that are right now, also out of files that change."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.access.given import BadSecret, Given
from app.access.keyring import LOOK_EVERY, Keyring
from tests.support.guarded import PASSWORD, TOKEN, VIEWER_TOKEN

SIGNING = b"k" * 32


class Clock:
    """Seconds that pass when a test says so."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def ring(*given: Given, clock: Clock | None = None) -> Keyring:
    return Keyring(given, SIGNING, clock or Clock())


EDITOR = Given("TIDEWATCH_TOKEN", "editor", "token", TOKEN)
VIEWER = Given("TIDEWATCH_VIEWER_TOKEN", "viewer", "token", VIEWER_TOKEN)


@pytest.mark.parametrize(
    "word", ["", TOKEN[:-1], TOKEN + "x", TOKEN.lower(), VIEWER_TOKEN[::-1], "\0", "中" * 50, "\ud800"]
)
def test_anything_else_opens_nothing(word: str) -> None:
    assert ring(EDITOR, VIEWER).match(word) is None


def test_each_opens_its_role_and_the_fingerprint_tells_nothing() -> None:
    keys = ring(EDITOR, VIEWER)
    found = [keys.match(one) for one in (TOKEN, VIEWER_TOKEN)]
    assert [one.role for one in found if one] == ["editor", "viewer"]
    assert TOKEN not in repr(found)
    other = Keyring([EDITOR], b"another" * 8).match(TOKEN)
    assert other
    assert found[0]
    assert other.fingerprint != found[0].fingerprint  # it cannot be looked up without our key


def test_a_password_is_no_token() -> None:
    keys = ring(Given("TIDEWATCH_PASSWORD", "editor", "password", PASSWORD))
    assert keys.match(PASSWORD, ("token",)) is None
    assert keys.match(PASSWORD) is not None


def test_the_same_secret_for_both_roles_is_an_editors() -> None:
    keys = ring(Given("v", "viewer", "token", TOKEN), EDITOR)
    found = keys.match(TOKEN)
    assert found
    assert found.role == "editor"


def test_a_file_that_changes_counts_soon_and_what_it_opened_is_shut(tmp_path: Path) -> None:
    file, clock = tmp_path / "token", Clock()
    file.write_text(TOKEN + "\n")
    keys = ring(Given("TIDEWATCH_TOKEN", "editor", "token", path=file), clock=clock)
    found = keys.match(TOKEN)
    assert found
    file.write_text(VIEWER_TOKEN)
    clock.now += LOOK_EVERY
    assert keys.match(TOKEN) is None
    assert not keys.vouches(found.fingerprint, "editor")
    assert keys.match(VIEWER_TOKEN) is not None


@pytest.mark.parametrize("text", ["", "changeme", "x" * 8_000])
def test_a_file_that_became_unfit_opens_nothing_until_it_is_mended(
    tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    file, clock = tmp_path / "token", Clock()
    file.write_text(TOKEN)
    keys = ring(Given("TIDEWATCH_TOKEN", "editor", "token", path=file), clock=clock)
    file.write_text(text)
    clock.now += LOOK_EVERY
    assert keys.match(TOKEN) is None
    assert keys.match(text) is None
    assert "TIDEWATCH_TOKEN" in caplog.text
    file.write_text(TOKEN)
    clock.now += LOOK_EVERY
    assert keys.match(TOKEN) is not None


def test_a_file_that_cannot_be_read_at_the_start_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadSecret, match=r"TIDEWATCH_TOKEN_FILE names .*, which cannot be read"):
        ring(Given("TIDEWATCH_TOKEN", "editor", "token", path=tmp_path / "none"))
    (tmp_path / "octets").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadSecret, match="it is no text"):
        ring(Given("TIDEWATCH_TOKEN", "editor", "token", path=tmp_path / "octets"))


def test_a_fingerprint_vouches_for_its_own_role_alone() -> None:
    keys = ring(EDITOR, VIEWER)
    viewer = keys.match(VIEWER_TOKEN)
    assert viewer
    assert keys.vouches(viewer.fingerprint, "viewer")
    assert not keys.vouches(viewer.fingerprint, "editor")
    assert not keys.vouches("", "editor")
