"""What a browser test sees of the curves. Every question has a deadline: ``evaluate`` alone waits for ever."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

GRAPH = "document.querySelector('.js-plotly-plot')"
TRACE = f"{GRAPH}.data.find(t => t.meta.metrics[0] === '%s' && t.meta.role === '%s')"


def ask(page: Page, expression: str, *, seconds: float = 10) -> Any:
    """The value of a JavaScript expression."""
    handle = page.wait_for_function(f"() => ({{value: {expression}}})", timeout=seconds * 1000)
    return handle.json_value()["value"]


def until(page: Page, expression: str, *, seconds: float = 15) -> None:
    """Returns when the expression is true in the page."""
    page.wait_for_function(
        f"() => {{ try {{ return {expression} }} catch {{ return false }} }}", timeout=seconds * 1000
    )


def column(page: Page, metric: str, name: str = "x", role: str = "raw") -> list[Any]:
    """What is drawn of a metric: its x, y or another array."""
    values: list[Any] = ask(page, f"[...{TRACE % (metric, role)}.{name}]")
    return values


def until_drawn(page: Page, step: int, metric: str = "loss") -> None:
    """Returns when the newest drawn point of the metric is at ``step``."""
    until(page, f"{TRACE % (metric, 'raw')}.x.at(-1) === {step}")


def range_of_steps(page: Page) -> list[float]:
    """The x axis as it stands: first and last step."""
    found: list[float] = ask(page, f"[...{GRAPH}._fullLayout.xaxis.range]")
    return found


def plot_area(page: Page) -> tuple[float, float, float, float]:
    """The first panel's inside, in px of the window: left, top, width, height."""
    page.locator(".curves").scroll_into_view_if_needed()
    box = page.locator(".js-plotly-plot").bounding_box()
    assert box is not None
    left, right = ask(page, "[tidewatch.curves.axis.left, tidewatch.curves.axis.right]")
    return box["x"] + left, box["y"] + 30, box["width"] - left - right, 160


def place(page: Page, share: float) -> tuple[float, float]:
    """A point of the first panel at a share of its width."""
    left, top, width, height = plot_area(page)
    return left + width * share, top + height / 2


def drag(page: Page, start: float, end: float) -> None:
    """Zoom by hand: press at a share of the plot's width, move, let go."""
    page.mouse.move(*place(page, start))
    page.mouse.down()
    page.mouse.move(*place(page, (start + end) / 2), steps=3)
    page.mouse.move(*place(page, end), steps=3)
    page.mouse.up()


def until_settled(page: Page) -> None:
    """Returns when what the reader asked for has been read and drawn."""
    until(page, "tidewatch.curves.plot.drawn && !tidewatch.curves.loading && !tidewatch.curves.frame")


def double_click(page: Page) -> None:
    """In the middle of the first panel."""
    page.mouse.dblclick(*place(page, 0.5))
