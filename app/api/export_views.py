"""The views of exports, as Flask calls them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flask import Response, request

from app.api.exports import estimate, exported
from app.export.form import Form
from app.stored import RunStore


class ExportViews:
    """Of one store."""

    def __init__(self, store: RunStore) -> None:
        """Nothing is read before the first request."""
        self._store = store

    def views(self) -> Mapping[str, Callable[..., Response]]:
        """Endpoint → view."""
        return {
            "export": lambda run: estimate(self._store, run, request.args),
            "export_csv": lambda run: self._file(run, "csv"),
            "export_jsonl": lambda run: self._file(run, "jsonl"),
            "export_parquet": lambda run: self._file(run, "parquet"),
        }

    def _file(self, run: str, form: Form) -> Response:
        reply = exported(self._store, run, request.args, form)
        if request.method == "HEAD":
            reply.close()  # no body is asked for, so nobody comes to its end
        return reply
