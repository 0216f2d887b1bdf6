"""Runs as a terminal shows them: some lines each, in colours that only repeat what words say. Pure."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from app.figures import numbers
from app.language import gettext as _
from app.status import sentences
from app.status.plain import printable
from app.status.sparkline import DOWN, NAN, UP, sparkline
from app.status.summary import Summary
from app.words.states import Tone, status_word

STYLES: Mapping[Tone, str] = {"good": "green", "warn": "yellow", "bad": "bold red", "info": "cyan", "": ""}
BETWEEN = " · "
BAR = 12  # columns of the progress bar
MARGIN = 2


def screen(found: Sequence[Summary], known: int, at: float, width: int) -> RenderableType:
    """Every run, below one line that says how many need somebody. ``at``: Unix seconds, ``width``: columns."""
    parts: list[RenderableType] = [title(found, known, at)]
    for one in found:
        parts += [Text(), *run(one, width)]
    return Group(*parts) if found else Group(*parts, Text(), Text(empty()))


def empty() -> str:
    """What an empty store means."""
    return _("No run yet: a run appears as soon as a collector finds its first file.")


def title(found: Sequence[Summary], known: int, at: float) -> RenderableType:
    """ "Tidewatch  3 runs, 1 needs attention   18:12:03"."""
    count = sum(one.needs_attention for one in found)
    said = Text.assemble(("Tidewatch", "bold"), "  ", sentences.counted(len(found), known))
    if found:
        said.append(_(", ")).append(sentences.attention(count), STYLES["bad" if count else "good"])
    row = Table.grid(expand=True)
    row.add_column(no_wrap=False)
    row.add_column(justify="right", no_wrap=True)
    row.add_row(said, time.strftime("%H:%M:%S", time.localtime(at)))
    return row


def run(one: Summary, width: int) -> list[RenderableType]:
    """Name and state; progress and pace; values; freshness; what is wrong; the loss."""
    tone = status_word(one.run.state).tone
    head = Text.assemble((printable(one.run.name), "bold"), "  ", (sentences.state(one), STYLES[tone]))
    pace, fresh = BETWEEN.join(sentences.pace(one)), sentences.freshness(one)
    lines = [going(one), Text(pace), last_values(one), Text(fresh), wrong(one), curve(one, width)]
    return [head, *[indented(text) for text in lines if text.plain]]


def indented(text: Text) -> RenderableType:
    """A line that belongs to the one above, also where it is folded."""
    row = Table.grid(padding=0)
    row.add_column(width=MARGIN)
    row.add_column(overflow="fold")
    row.add_row("", text)
    return row


def going(one: Summary) -> Text:
    """Progress, with a bar where the end is known."""
    share = sentences.share(one)
    bar = [] if share is None else [f"{'█' * int(share * BAR):░<{BAR}} {numbers.done(share)}"]
    return Text(BETWEEN.join([sentences.progress(one), *bar]))


def last_values(one: Summary) -> Text:
    """The newest value of each metric; one that is no number stands out."""
    said = Text()
    for name, value, finite in sentences.values(one):
        said.append(BETWEEN if said.plain else "").append(f"{name} ", "dim").append(value, "" if finite else "bold red")
    return said


def wrong(one: Summary) -> Text:
    """Verdicts that are not good news."""
    said = Text()
    for badge in one.troubles:
        said.append(BETWEEN if said.plain else "").append(sentences.trouble(badge), STYLES[badge.tone])
    return said


def curve(one: Summary, width: int) -> Text:
    """The loss from its first to its last step, and between what it lies."""
    span = Text(f"  {_('Loss')} {sentences.span(one)}", "dim")
    drawn = Text(sparkline(one.loss, max(8, width - MARGIN - span.cell_len)), "cyan")
    drawn.highlight_words([NAN, UP, DOWN], "bold red")
    return drawn.append_text(span) if drawn.plain else drawn
