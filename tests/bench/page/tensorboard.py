"""TensorBoard's own page before the same browser: from the address to three drawn cards of 1,000 samples."""

from __future__ import annotations

import socket
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.environments import python_of
from tests.support import event_writer
from tests.support.waiting import eventually

TAGS = ("train/grad_norm", "train/loss", "train/lr")  # of one group, so that all three cards are in view
SAMPLES = 1_000
# A card is drawn when it has a chart with axes and no spinner; looked at once a frame, told once that frame is painted.
NOTING = """
(() => {
  const drawn = () => {
    const cards = [...document.querySelectorAll("scalar-card")];
    const done = cards.filter((one) => one.querySelector("line-chart .series-view")
      && one.querySelector("line-chart text") && !one.querySelector("mat-spinner"));
    return done.length >= 3;
  };
  const look = () => {
    if (!drawn()) return requestAnimationFrame(look);
    requestAnimationFrame(() => setTimeout(() => { window.curvesDrawn = performance.now(); }));
  };
  requestAnimationFrame(look);
})()
"""


@contextmanager
def tensorboard(folder: Path) -> Iterator[str]:
    """TensorBoard on event files of its own, which it has read: the address of its page."""
    events = folder / "logs" / "run" / "events.out.tfevents.1700000000.node0"
    events.parent.mkdir(parents=True)
    events.write_bytes(event_writer.header() + event_writer.scalars(range(1, SAMPLES + 1), TAGS))
    with server(folder / "logs", has_read) as address:
        yield address


@contextmanager
def server(logs: Path, has_read: Callable[[str], bool]) -> Iterator[str]:
    """TensorBoard on a folder: the address of its page, once ``has_read`` says of its home that it knows everything."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    home = f"http://127.0.0.1:{port}/"
    command = [python_of("tensorboard"), "-m", "tensorboard.main", "--logdir", str(logs)]
    process = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        eventually(lambda: has_read(home), seconds=90, every=0.2)
        yield f"{home}#timeseries"
    finally:
        process.terminate()
        process.wait(timeout=15)


def has_read(home: str) -> bool:
    """Whether it knows every tag."""
    try:
        with urllib.request.urlopen(f"{home}data/plugin/timeseries/tags", timeout=10) as answer:
            said = answer.read().decode()
    except OSError:
        return False
    return all(tag in said for tag in TAGS)
