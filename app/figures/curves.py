"""The empty figure of the run page: one x axis, five panels, every trace that may come. The browser fills it.

Colours are left to the browser, which reads them from CSS, so that a change of theme needs no server.
"""

from __future__ import annotations

import plotly.graph_objects as go

from app.figures.panels import BOTTOM, HEAD, LEFT, PANELS, RIGHT, Axis, Line, Panel, places
from app.language import gettext as _

POWERS = tuple(4**exponent for exponent in range(20))  # 1 to 256G: a loss scale is doubled and halved


def axis_name(index: int) -> str:
    """Plotly's name of the y axis of the panel at ``index``: y, y2, y3 …"""
    return "y" if index == 0 else f"y{index + 1}"


def curves_figure(*, loss_axis: Axis = "linear") -> go.Figure:
    """Panels without a point. ``meta`` of a trace says which metric fills it, in which role and colour."""
    figure = go.Figure()
    for index, panel in enumerate(PANELS):
        for line in panel.lines:
            figure.add_trace(trace(panel, line, axis_name(index)))
    figure.update_layout(**frame(), **y_axes(loss_axis))
    return figure


def trace(panel: Panel, line: Line, axis: str) -> go.Scatter:
    """One empty line; plain lists, since the browser appends to them."""
    quiet = line.role == "ghost"
    return go.Scatter(
        x=[],
        y=[],
        customdata=[],
        yaxis=axis,
        xaxis="x",
        name=str(line.name),
        mode=mode(line),
        line={"width": 1 if quiet else 1.5, "shape": "hv" if line.steps else "linear"},
        marker={"size": 8 if line.role == "marks" else 5, "symbol": symbol(line)},
        hoverinfo="skip" if quiet else None,
        hovertemplate=None if quiet else "%{y:.5~g}<extra></extra>",
        connectgaps=False,
        meta={"panel": panel.key, "metrics": list(line.metrics), "role": line.role, "colour": line.colour},
    )


def mode(line: Line) -> str:
    """Plotly's mode of a line."""
    if line.role == "marks":
        return "markers"
    return "lines+markers" if line.points else "lines"


def symbol(line: Line) -> str:
    """An overflow points down at the loss scale; everything else is a dot."""
    return "triangle-down" if line.role == "marks" else "circle"


def frame() -> dict[str, object]:
    """All of the layout but the y axes. ``hoversubplots`` makes one crosshair of five."""
    return {
        "template": "none",
        "autosize": True,
        "margin": {"l": LEFT, "r": RIGHT, "t": HEAD, "b": BOTTOM, "pad": 0},
        "showlegend": False,
        "hovermode": "x unified",
        "hoversubplots": "axis",
        "hoverdistance": 20,  # px; farther points of a sparse curve are not this step's
        "dragmode": "zoom",
        "uirevision": "curves",
        "xaxis": x_axis(),
    }


def x_axis() -> dict[str, object]:
    """Steps, shared by all panels, ticks under the last one."""
    return {
        "anchor": axis_name(len(PANELS) - 1),
        "domain": [0, 1],
        "tickformat": ",d",
        "hoverformat": ",d",
        "unifiedhovertitle": {"text": f"<b>{_('Step')} %{{x:,d}}</b>"},
        "showspikes": True,
        "spikemode": "across",
        "spikesnap": "hovered data",
        "spikethickness": 1,
        "spikedash": "solid",
        "showgrid": False,
        "zeroline": False,
        "showline": True,
        "ticks": "",
    }


def y_axes(loss_axis: Axis) -> dict[str, object]:
    """One y axis a panel; a drag zooms the steps alone, and the values follow what is in view."""
    axes: dict[str, object] = {}
    for index, (panel, place) in enumerate(zip(PANELS, places(), strict=True)):
        key = axis_name(index).replace("y", "yaxis")
        axes[key] = {
            "anchor": "x",
            "domain": list(place.domain),
            "fixedrange": True,
            "showspikes": False,
            "zeroline": False,
            "ticks": "",
            **scale(loss_axis if panel.key == "loss" else panel.axis, panel),
        }
    return axes


def scale(axis: Axis, panel: Panel) -> dict[str, object]:
    """Kind of axis and where its ticks are."""
    if axis == "powers":
        return {"type": "log", "tickvals": list(POWERS), "ticktext": [binary(power) for power in POWERS]}
    return {"type": axis, "tickformat": panel.ticks, "nticks": max(3, panel.height // 26)}


def binary(power: int) -> str:
    """A power of two as a person calls it: 64k is 65,536."""
    for size, prefix in ((2**30, "G"), (2**20, "M"), (2**10, "k")):
        if power >= size:
            return f"{power // size}{prefix}"
    return str(power)
