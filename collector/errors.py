"""The collector's exceptions, named by what the caller must do."""

from __future__ import annotations


class CollectorError(Exception):
    """Root of the tree; the text is one sentence for the person who runs the command."""


class InputError(CollectorError):
    """Stop: what the person named does not exist, holds nothing that we know, or cannot be read."""


class StoreAway(CollectorError):
    """Retry later: Redis does not answer, is loading, busy, full or read-only. Nothing is lost by waiting."""


class StoreTooNew(CollectorError):
    """Stop: the store was written by a version with another layout."""
