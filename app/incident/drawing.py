"""The curves of a bundle as its page's script reads them: columns in base64, texts that no markup can come out of.

Pure.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence

from app.api.answers import Json
from app.incident.report import Line, Panel, Report
from app.language import gettext as _
from app.notes.plain import shown
from app.series.curve import Floats, Ints

RANKS = "ranks-"  # begins the key of a panel with a line a rank
SMALL_STEP = 2**31  # below it a step takes four bytes
# what would end the element that holds the text, or a line of it
UNSAFE = {ord(one): f"\\u{ord(one):04x}" for one in "<>&\u2028\u2029"}


def drawing(report: Report) -> str:
    """JSON for an element of the page."""
    stretch = report.head.stretch
    told: dict[str, Json] = {
        "first": stretch.first,
        "last": stretch.last,
        "panels": [_panel(one, _shown_by(one, report)) for one in report.panels],
        "words": {"step": _("step"), "shown": _("steps {first} to {last}")},
    }
    return json.dumps(told, ensure_ascii=False, allow_nan=False, separators=(",", ":")).translate(UNSAFE)


def _panel(panel: Panel, bands: Sequence[Json]) -> Json:
    return {
        "key": panel.key,
        "log": panel.log,
        "lines": [_line(one) for one in panel.lines],
        "bands": bands,
    }


def _line(line: Line) -> Json:
    return {
        "name": shown(line.name),
        "label": shown(line.label or line.name),
        "kind": line.kind,
        "colour": line.colour,
        "steps": steps_text(line.steps),
        "values": b64encode(line.values.astype("<f8").tobytes()).decode(),
        "wide": _is_wide(line.steps),
        "spans": [[one.kind, one.first_step, one.last_step] for one in line.spans],
        "stairs": line.stairs,
        "dots": line.dots,
    }


def steps_text(steps: Ints | Floats) -> str:
    """Four bytes a step, or eight where they are very high."""
    return b64encode(steps.astype("<f8" if _is_wide(steps) else "<i4").tobytes()).decode()


def _is_wide(steps: Ints | Floats) -> bool:
    return bool(len(steps) and abs(steps).max() >= SMALL_STEP)


def _shown_by(panel: Panel, report: Report) -> Sequence[Json]:
    """The stretches of findings that this panel shows. Those of ranks stand where ranks are drawn; what no curve of the
    run shows stands over the loss."""
    ranked = any(one.key.startswith(RANKS) for one in report.panels)
    return [
        {"first": one["first_step"], "last": one["last_step"], "grave": one["severity"], "at": at}
        for at, one in enumerate(report.findings)
        if _shows(panel, one, ranked)
    ]


def _shows(panel: Panel, finding: Mapping[str, Json], ranked: bool) -> bool:
    if ranked and finding.get("rank") is not None:
        return panel.key.startswith(RANKS)
    return not panel.key.startswith(RANKS) and (finding.get("metric") or "loss") in panel.metrics
