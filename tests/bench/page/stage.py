"""What the measurements play on: Redis, gunicorn as the Procfile starts it, Chromium, and what processes cost."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import redis
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from tests.bench.page.stored import live
from tests.bench.rows import Line, not_measured
from tests.support.chromium import FLAGS
from tests.support.curves import until
from tests.support.dashboard import ROOT
from tests.support.redis_server import RedisServer
from tests.support.seed import Seed
from tests.support.waiting import eventually

VIEWPORT = ViewportSize(width=1440, height=1000)
LIVE = "tidewatch.curves?.newest > 0 && document.querySelector('#live').dataset.state === 'live'"
TICKS = os.sysconf("SC_CLK_TCK")


def without_chromium(name: str) -> list[Line]:
    """A line where there is no browser."""
    return [] if shutil.which("chromium") else [not_measured(name, "there is no chromium on the PATH")]


@dataclass(frozen=True)
class Stage:
    """A served store. ``home`` is the address of the table, ``pid`` gunicorn's first process."""

    client: redis.Redis
    home: str
    pid: int


@contextmanager
def staged() -> Iterator[Stage]:
    """Redis and gunicorn, both of their own."""
    server = RedisServer().start()
    client = redis.Redis.from_url(server.url)
    try:
        with web(server.url) as (home, pid):
            yield Stage(client, home, pid)
    finally:
        client.close()
        server.close()


@contextmanager
def web(redis_url: str) -> Iterator[tuple[str, int]]:
    """gunicorn as in the Procfile, on a free port: its address and process."""
    with socket.create_server(("127.0.0.1", 0)) as held:
        command = [sys.executable, "-m", "gunicorn", "-c", "python:app.serving", "--bind", f"fd://{held.fileno()}"]
        process = subprocess.Popen(
            [*command, "app.factory:create_server()"],
            cwd=ROOT,
            env={**os.environ, "REDIS_URL": redis_url},
            pass_fds=[held.fileno()],
            stderr=subprocess.DEVNULL,
        )
        home = f"http://127.0.0.1:{held.getsockname()[1]}/"
        try:
            eventually(lambda: answers(f"{home}livez"), seconds=90)
            yield home, process.pid
        finally:
            process.terminate()
            process.wait(timeout=15)


def answers(address: str) -> bool:
    """Whether something is served there."""
    try:
        with urllib.request.urlopen(address, timeout=10) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser of its own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def live_page(stage: Stage, browser: Browser, history: int, script: str = "") -> tuple[Seed, Page]:
    """A run of ``history`` steps that goes on, and its page in view, drawn and live; ``script`` runs before its own."""
    seed = live(stage.client, "live", history)
    page = browser.new_page(viewport=VIEWPORT)
    if script:
        page.add_init_script(script)
    page.goto(f"{stage.home}run/live")
    until(page, LIVE, seconds=40)
    return seed, page


def families(*words: str) -> set[int]:
    """This process's descendants whose command line holds every word, with all of theirs."""
    parents = parents_now()
    mine = descendants({os.getpid()}, parents)
    found = {pid for pid in mine if all(word in command(pid) for word in words)}
    return found | descendants(found, parents)


def descendants(roots: set[int], parents: dict[int, int]) -> set[int]:
    """Everything that was started by one of ``roots``, or by those."""
    found = set(roots)
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - roots


def parents_now() -> dict[int, int]:
    """Process → its parent."""
    return {int(one.name): int(fields[1]) for one in Path("/proc").glob("[0-9]*") if (fields := stat(one))}


def stat(process: Path) -> list[str]:
    """The fields of /proc/PID/stat behind the name; nothing for a process that has ended."""
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def command(pid: int) -> str:
    """The command line; nothing for a process that has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def used(pids: set[int]) -> float:
    """Processor seconds of all their threads so far."""
    fields = [stat(Path(f"/proc/{pid}")) for pid in pids]
    return sum(int(one[11]) + int(one[12]) for one in fields if one) / TICKS


def share_of_core(pids: Callable[[], set[int]], during: Callable[[], float]) -> float:
    """Per cent of one core that the processes use while ``during`` runs, which returns how many seconds it took."""
    before = used(pids())
    seconds = during()
    return (used(pids()) - before) / seconds * 100
