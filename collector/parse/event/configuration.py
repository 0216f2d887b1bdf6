"""What a training configuration says of the run. MindFormers writes every top key of its yaml into its event files as
a text ``<key>/text_summary``, in Python's spelling of a dict; other programs write JSON."""

from __future__ import annotations

from collector.parse.configuration import settings
from collector.parse.secret import MASK, is_secret, without_named

_SUFFIX = "/text_summary"


def configured(tag: str, text: str) -> dict[str, str]:
    """Facts in the text summary ``tag``; none if it is no section of a configuration."""
    return settings(tag.removesuffix(_SUFFIX), text) if tag.endswith(_SUFFIX) else {}


def shareable(tag: str, text: str) -> str:
    """The text itself without what is secret in it."""
    return MASK if is_secret(tag.removesuffix(_SUFFIX), text) else without_named(text)
