"""The five standard panels of the run page: what each shows, how tall it is, and what to set so that it fills.

The browser lays them out (assets/layout.js), since the reader adds, moves and hides panels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from flask_babel.speaklater import LazyString

from app.language import lazy_gettext as _

Role = Literal["raw", "smooth", "marks", "ghost"]
Axis = Literal["linear", "log", "powers"]  # powers: logarithmic, ticks at powers of four as a loss scale has them

HEAD = 30  # px above each panel for its title and last value, which are HTML over the figure
BOTTOM = 34  # px below the last panel, for the ticks


@dataclass(frozen=True, slots=True)
class Line:
    """One trace. ``metrics`` are tried in order: a run has throughput in one of three units."""

    metrics: tuple[str, ...]
    role: Role
    colour: str  # CSS variable of assets/00-tokens.css
    name: LazyString
    steps: bool = False  # drawn as stairs: the value holds until the next one
    points: bool = False  # drawn with a dot at each point: few and far apart


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel; ``height`` in px."""

    key: str
    title: LazyString
    height: int
    lines: tuple[Line, ...]
    hint: LazyString  # where its values come from, for a run that has none
    axis: Axis = "linear"
    ticks: str = "~s"  # d3 number format of the y ticks; "~g" with an exponent where all values are small


THROUGHPUTS = ("throughput", "tokens_per_second", "tflops")


def measured(metrics: tuple[str, ...], colour: str, name: LazyString) -> tuple[Line, Line]:
    """A noisy measurement: the points themselves and the smoothed line before them."""
    return Line(metrics, "raw", colour, name), Line(metrics, "smooth", colour, name)


PANELS: Sequence[Panel] = (
    Panel(
        "loss",
        _("Loss"),
        168,
        (
            *measured(("loss",), "--curve-loss", _("loss")),
            Line(("eval_loss",), "raw", "--curve-eval", _("eval loss"), points=True),
            Line(("loss",), "ghost", "--curve-ghost", _("earlier attempts")),
        ),
        _("Written by MFLossMonitor (in callbacks) to the log, and by the tensorboard section to event files."),
        ticks="~g",
    ),
    Panel(
        "lr",
        _("Learning rate"),
        60,
        (Line(("lr",), "raw", "--curve-lr", _("learning rate")),),
        _("Written by MFLossMonitor (in callbacks) to the log, and by the tensorboard section to event files."),
        ticks="~g",
    ),
    Panel(
        "grad_norm",
        _("Gradient norm"),
        84,
        (
            *measured(("grad_norm",), "--curve-grad", _("gradient norm")),
            Line(("grad_norm",), "ghost", "--curve-ghost", _("earlier attempts")),
        ),
        _("Known only with gradient clipping on: set use_clip_grad: True in runner_wrapper."),
        axis="log",
        ticks="~g",
    ),
    Panel(
        "loss_scale",
        _("Loss scale"),
        56,
        (
            Line(("loss_scale",), "raw", "--curve-scale", _("loss scale"), steps=True),
            Line(("overflow",), "marks", "--bad", _("overflow")),
        ),
        _("BF16 has none. Else MFLossMonitor writes it to the log, log_loss_scale_to_tensorboard to event files."),
        axis="powers",
    ),
    Panel(
        "throughput",
        _("Throughput"),
        74,
        measured(THROUGHPUTS, "--curve-speed", _("throughput")),
        _("Written by MFLossMonitor to the log, and with log_timers_to_tensorboard: True to event files."),
    ),
)


def total_height(panels: Sequence[Panel] = PANELS) -> int:
    """px of the whole figure, before the browser has laid it out (the same sum as in assets/layout.js)."""
    return sum(HEAD + panel.height for panel in panels) + BOTTOM


def described(panels: Sequence[Panel] = PANELS) -> list[dict[str, object]]:
    """The panels as assets/layout.js reads them, in the language of this request."""
    return [
        {
            "key": panel.key,
            "title": str(panel.title),
            "height": panel.height,
            "axis": panel.axis,
            "ticks": panel.ticks,
            "hint": str(panel.hint),
            "lines": [{**asdict(line), "name": str(line.name)} for line in panel.lines],
        }
        for panel in panels
    ]
