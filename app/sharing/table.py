"""What can be asked of a snapshot: the reading addresses of the API that have a twin below ``s/<token>/``.

Each line is an endpoint of api.routes; its twin has the same path, arguments and answer, and sees the snapshot's run
alone. What is not listed here does not exist below a token.
"""

from __future__ import annotations

SHARED = (
    "runs",
    "run",
    "series",
    "tags",
    "curves",
    "ranks",
    "ranks_first",
    "ranks_states",
    "ranks_errors",
    "events",
    "alerts",
    "alerts_export",
    "alert",
    "notes",
    "preview",
    "export",
    "export_csv",
    "export_jsonl",
    "export_parquet",
    "compare_configuration",
)
"""Endpoints of api.routes.ROUTES that a frozen page asks."""

CLOSED = ("log", "stream")
"""Those of which a frozen page knows, and which answer that a snapshot has no such thing."""
