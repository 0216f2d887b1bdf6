"""Sessions that were logged out stay so."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from app.access.ended import MOST, NAME, Ended
from tests.support.guarded import PASSWORD, SECRET, Served, field_of, gunicorn

pytestmark = pytest.mark.timeout(240)  # servers are started, which may take long beside other tests


def test_they_are_known_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "data" / NAME
    first = Ended(path)
    first.add("one")
    first.add("two")
    again = Ended(path)
    assert ("one" in again, "two" in again, "three" in again) == (True, True, False)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_without_a_place_the_process_knows_them(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    nowhere = Ended()
    nowhere.add("one")
    assert "one" in nowhere
    (tmp_path / "file").touch()
    unkept = Ended(tmp_path / "file" / NAME)
    unkept.add("one")
    assert "one" in unkept
    assert "is not kept over a restart" in caplog.text


@pytest.mark.parametrize("text", [b"", b"\xff\xfe\n\x00", b"one\n" * 3, b"x" * 3_000_000])
def test_whatever_stands_in_the_file_it_goes_on(tmp_path: Path, text: bytes) -> None:
    (tmp_path / NAME).write_bytes(text)
    found = Ended(tmp_path / NAME)
    found.add("last")
    assert "last" in Ended(tmp_path / NAME)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    (tmp_path / NAME).symlink_to(tmp_path / "precious")
    found = Ended(tmp_path / NAME)
    found.add("one")
    assert "one" in found
    assert (tmp_path / "precious").read_text() == "precious"


def test_it_stays_small(tmp_path: Path) -> None:
    found = Ended(tmp_path / NAME)
    for one in range(MOST + 50):
        found.add(f"id-{one}")
    assert f"id-{MOST + 49}" in found
    assert "id-0" not in found
    kept = (tmp_path / NAME).read_text().split()
    assert len(kept) <= MOST
    assert kept[-1] == f"id-{MOST + 49}"


def test_a_copy_of_the_cookie_is_of_no_use_after_a_restart_either(redis_url: str, tmp_path: Path) -> None:
    environ = {"TIDEWATCH_PASSWORD": PASSWORD, "TIDEWATCH_SECRET": SECRET, "TIDEWATCH_DATA_DIR": str(tmp_path)}
    with gunicorn(redis_url, **environ) as served:
        cookies = [logged_in(served) for _ in range(2)]
        seal = field_of(served.ask("/", cookies[0])[2], "seal")
        assert served.ask("/logout", {**cookies[0], "X-Tidewatch-Token": seal}, "POST")[0] == 303
    with gunicorn(redis_url, **environ) as served:
        # Names of cookies hold the port, which is another one now.
        renamed = [{"Cookie": f"tidewatch_session_{served.port}={one['Cookie'].partition('=')[2]}"} for one in cookies]
        assert [served.ask("/api/runs", one)[0] for one in renamed] == [401, 200]


def logged_in(served: Served) -> dict[str, str]:
    _status, headers, page = served.ask("/login")
    form = f"secret={PASSWORD.replace(' ', '+')}&form={field_of(page, 'form')}"
    sent = {"Cookie": headers["Set-Cookie"].split(";")[0], "Content-Type": "application/x-www-form-urlencoded"}
    status, headers, _page = served.ask("/login", sent, "POST", form.encode())
    assert status == 303
    return {"Cookie": headers["Set-Cookie"].split(";")[0]}
