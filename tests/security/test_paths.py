"""Addresses and arguments that mean to be a path: files of the server are never answered with."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from app.api.routes import ROUTES
from tests.support.web_process import Answered, WebProcess
from tests.test_architecture import MODULES, ROOT

UP = ["../", "..%2f", "..%2F", "%2e%2e/", "%2e%2e%2f", "%252e%252e%252f", "..\\", "..%5c", "....//", "..;/", "..%c0%af"]
BEFORE = ["/assets/", "/bundle/", "/_dash-component-suites/dash/", "/static/", "/", "/run/", "/api/runs/", "//"]
TARGETS = ["etc/passwd", "proc/self/environ", "app/config.py", "requirements.txt", ".git/HEAD"]
LEAKED = ["root:x:0", "REDIS_URL=", "class AppConfig", "flask==", "ref: refs/"]
HIDDEN = ["#/../../etc/passwd", "%23/../../etc/passwd", "?/../../etc/passwd", "%3f/../etc/passwd", ";/../etc/passwd"]
ABSOLUTE = ["/etc/passwd", "%2fetc%2fpasswd", "C:/Windows/win.ini", "C:%5cboot.ini", "%5c%5chost%5cshare", "~root", "~"]
SOURCES = ["file:///etc/passwd", "file://./etc/passwd", "file:/etc/passwd", "dbfs:/etc/passwd", "http://127.0.0.1:1/"]
BELOW = [one.path for one in ROUTES if "<run>" in one.path and one.method == "GET" and one.endpoint != "stream"]


def tells_nothing(answered_text: str) -> bool:
    return not any(one in answered_text for one in LEAKED)


def is_refused(found: Answered) -> bool:
    """Whether there is nothing: an error, or the page that says that there is no such page."""
    page = (">There is nothing at this address<", "There is no run “")
    return found.status in (400, 403, 404) or (found.status == 200 and any(one in found.text for one in page))


@pytest.mark.parametrize("before", BEFORE)
def test_a1_climbing_out_of_what_is_served(web_server: WebProcess, before: str) -> None:
    """`../` in every spelling behind every address that serves something."""
    for up in UP:
        for target in TARGETS:
            found = web_server.get(before + up * 6 + target)
            assert tells_nothing(found.text), (up, target)
            assert is_refused(found) or found.status in (301, 302, 308), (up, found.status)


def test_a1_files_beside_the_assets_are_not_served(web_server: WebProcess) -> None:
    """What lies in the directory of the assets under a name that is none of theirs, or above it."""
    for name in (
        "",
        ".",
        "..",
        "../app/config.py",
        "%2e%2e",
        "../assets/../README.md",
        "..%00.js",
        "a%00.js",
        "~",
        "*",
    ):
        assert is_refused(web_server.get(f"/assets/{name}")), name


@pytest.mark.parametrize("path", BELOW)
def test_a3_what_hides_a_traversal_in_a_run_id(web_server: WebProcess, path: str) -> None:
    """`#`, `?` and `;` before `../`, as they are and encoded, in the place of a run's id."""
    for hidden in HIDDEN:
        found = web_server.get("/" + path.replace("<run>", "gpt" + hidden).replace("<alert>", "1"))
        assert found.status in (400, 404, 200), found.status
        assert tells_nothing(found.text)
        if found.status == 200:  # everything behind ? or # is no part of the address
            assert hidden[0] in "?#"


@pytest.mark.parametrize("name", ["tag", "metric", "file", "from", "find", "runs", "source", "run", "path", "logdir"])
def test_a2_a_source_as_a_local_address(web_server: WebProcess, name: str) -> None:
    """Arguments that name something are given files and addresses: they are names that nobody knows."""
    for source in SOURCES + ABSOLUTE + HIDDEN:
        for path in ("/api/runs/gpt/series", "/api/runs/gpt/log", "/api/runs/gpt/curves", "/api/compare", "/api/runs"):
            found = web_server.get(f"{path}?{name}={source.replace('?', '%3f').replace('#', '%23')}")
            assert found.status in (200, 400, 404, 503), (path, source, found.status)
            assert tells_nothing(found.text)
            if path.endswith(("series", "log")):
                assert found.status in (400, 404, 503), (path, source)


@pytest.mark.parametrize("absolute", ABSOLUTE)
def test_a4_an_absolute_path_as_a_name(web_server: WebProcess, absolute: str) -> None:
    """A path of this or another system in the place of a run, an asset, a file of a log."""
    for address in (f"/api/runs/{absolute}", f"/assets/{absolute}", f"/bundle/{absolute}", f"/assets//{absolute}"):
        assert is_refused(web_server.get(address)), address
    found = web_server.get(f"/api/runs/gpt/log?file={absolute}")
    assert found.status in (400, 404)
    assert tells_nothing(found.text)


def test_a4_whether_a_file_exists_is_not_told_either(web_server: WebProcess) -> None:
    """`/assets//etc/passwd` looked at the file for its time of change, and failed where there was none."""
    there, not_there = (web_server.get(f"/assets//{one}") for one in ("etc/passwd", "etc/no-such-file"))
    assert (there.status, there.headers.get("cache-control")) == (
        not_there.status,
        not_there.headers.get("cache-control"),
    )


def test_a2_the_followed_directory_is_a_directory(tmp_path: Path) -> None:
    """The collector and the dashboard are told an address where a directory is expected."""
    for source in ("file:///etc", "file://./etc", "dbfs:/data", "http://127.0.0.1/"):
        for module in (("collector", "follow"), ("collector", "read"), ("app",)):
            said = subprocess.run(
                [sys.executable, "-m", *module, source], cwd=ROOT, capture_output=True, text=True, timeout=60
            )
            assert said.returncode == 2
            assert "Traceback" not in said.stderr


def test_a6_nothing_is_unpacked() -> None:
    """Archives with links in them: no part of the project opens an archive to take files out of it."""
    names = {"extractall", "unpack_archive", "extract"}
    found = {
        f"{module.name} calls {node.func.attr}"
        for module in MODULES
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names
    }
    imported = {m.name for m in MODULES if any(one.split(".")[0] == "tarfile" for one in m.imports())}
    assert (found, imported) == (set(), set())
