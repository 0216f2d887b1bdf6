"""The key that is kept: once, whole, for this user alone."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from app.access.given import BadSecret
from app.access.secret import NAME, NotKept, given_key, kept_key
from app.factory import signing_key
from tests.support.guarded import ROOT, SECRET


def test_it_is_made_once_and_read_by_nobody_else(tmp_path: Path) -> None:
    place = tmp_path / "data"
    key = kept_key(place)
    assert kept_key(place) == key
    assert len(bytes.fromhex(key.decode())) == 32
    assert stat.S_IMODE((place / NAME).stat().st_mode) == 0o600
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert [one.name for one in place.iterdir()] == [NAME]
    assert kept_key(tmp_path / "other") != key


def test_many_at_once_agree(tmp_path: Path) -> None:
    imports = "import sys; from pathlib import Path; from app.access.secret import kept_key"
    program = f"{imports}; print(kept_key(Path(sys.argv[1])))"
    started = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path / "data")], cwd=ROOT, stdout=subprocess.PIPE)
        for _ in range(6)
    ]
    assert len({one.communicate(timeout=50)[0] for one in started}) == 1
    assert len(list((tmp_path / "data").iterdir())) == 1


@pytest.mark.parametrize("spoilt", ["link", "dangling", "directory", "readable", "short", "fifo"])
def test_what_somebody_may_have_put_there_is_not_used(tmp_path: Path, spoilt: str) -> None:
    path, elsewhere = tmp_path / NAME, tmp_path / "elsewhere"
    elsewhere.write_text("0" * 64)
    elsewhere.chmod(0o600)
    if spoilt == "link":
        path.symlink_to(elsewhere)
    elif spoilt == "dangling":
        path.symlink_to(tmp_path / "nowhere")
    elif spoilt == "directory":
        path.mkdir()
    elif spoilt == "fifo":
        os.mkfifo(path, 0o600)
    else:
        path.write_text("0" * (64 if spoilt == "readable" else 10))
        path.chmod(0o644 if spoilt == "readable" else 0o600)
    with pytest.raises(NotKept, match=NAME):
        kept_key(tmp_path)
    assert not (tmp_path / "nowhere").exists()
    assert elsewhere.read_text() == "0" * 64


def test_where_none_can_be_kept_the_process_has_one_and_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    environ = {"TIDEWATCH_DATA_DIR": str(tmp_path / "file")}
    assert signing_key(environ) != signing_key(environ)
    assert "sessions and shared links end with this process" in caplog.text


def test_one_that_is_given_counts_and_has_to_be_good(tmp_path: Path) -> None:
    assert given_key({}) is None
    assert given_key({"TIDEWATCH_SECRET": SECRET}) == SECRET.encode()
    (tmp_path / "key").write_text(SECRET + "\n")
    assert given_key({"TIDEWATCH_SECRET_FILE": str(tmp_path / "key")}) == SECRET.encode()
    for bad in ({"TIDEWATCH_SECRET": "secret"}, {"TIDEWATCH_SECRET": "x" * 64}, {"TIDEWATCH_SECRET_FILE": "/none"}):
        with pytest.raises(BadSecret, match="TIDEWATCH_SECRET"):
            given_key(bad)
