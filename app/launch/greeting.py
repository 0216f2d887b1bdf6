"""The one line that tells where the page is, printed once, when the page answers: with the token that opens it, as
Jupyter does, where one was made. It is printed nowhere else."""

from __future__ import annotations

from pathlib import Path

from app.launch import listening
from app.launch.entry import Entry
from app.launch.options import Options


class Greeting:
    """Says its line at most once."""

    def __init__(self, options: Options, root: Path, port: int, entry: Entry) -> None:
        """``port`` is the real one."""
        self.options, self.root, self.port, self.entry, self.said = options, root, port, entry, False

    def when_ready(self) -> None:
        """Look, unless it has been said."""
        if self.said or not listening.page_answers(self.options.host, self.port, self.options.prefix):
            return
        self.said = True
        print(self.line(), flush=True)

    def line(self) -> str:
        """What is said."""
        name = listening.names(self.options.host)[0]
        what = self.root if self.options.root else "a demonstration run"
        token = f"?token={self.entry.token}" if self.entry.token else ""
        way = "log in with your token or password; " if self.entry.asks and not token else ""
        address = f"http://{name}:{self.port}{self.options.prefix}{token}"
        return f"Tidewatch shows {what} at {address} ({way}Ctrl-C stops it)."
