"""gunicorn's log, which tells no secret either (app/server_log.py): app/serving.py names the class."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from gunicorn.glogging import Logger as GunicornLogger

from app.server_log import Formatter, safe


class Logger(GunicornLogger):  # type: ignore[misc] # it has no types
    """gunicorn's own, with our formatter; also the access log, where somebody turns it on."""

    def setup(self, cfg: Any) -> None:
        """Called by gunicorn, again when it is reloaded. Any: its configuration."""
        super().setup(cfg)
        for log in (self.error_log, self.access_log):
            for handler in log.handlers:
                form = handler.formatter
                handler.setFormatter(Formatter(getattr(form, "_fmt", None), getattr(form, "datefmt", None)))

    def exception(self, msg: Any, *args: Any, **kwargs: Any) -> None:
        """Called by gunicorn (Any: as ``logging`` has them). That a client sent half a request and waited is no error
        of ours, see app/gunicorn_worker.py."""
        if not isinstance(sys.exception(), BlockingIOError):
            super().exception(msg, *args, **kwargs)

    def atoms(self, resp: Any, req: Any, environ: Any, request_time: Any) -> Mapping[str, object]:
        """The parts of a line of the access log. Any: as gunicorn has them."""
        found = super().atoms(resp, req, environ, request_time)
        return {name: safe(one) if isinstance(one, str) else one for name, one in found.items()}
