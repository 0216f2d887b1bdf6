"""The settings that a run was started with, and what differs between runs. Pure.

A collector stores one fact ``configuration:<section>`` for each section, a JSON object of dotted key → text, masked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from collector.wire.schema import HEALTH_FACT

SECTION = "configuration:"
LINEAGE = "lineage:"  # what MindSpore's lineage files say
RUN = "run"  # the section of what the run's own lines say, such as its count of steps
TEXT = "text:"
LAYOUT = (
    "world_size",
    "data_parallel",
    "model_parallel",
    "pipeline_stages",
    "expert_parallel",
    "context_parallel",
    "micro_batch_num",
    "global_batch_size",
    "seq_length",
    "parameters",
)


@dataclass(frozen=True, slots=True)
class Setting:
    """One key; a value for each run, None where the run does not have the key."""

    key: str
    values: tuple[str | None, ...]

    @property
    def differs(self) -> bool:
        """Whether two runs do not mean the same by it."""
        return any(not same(self.values[0], one) for one in self.values[1:])


def configuration(facts: Mapping[str, str]) -> dict[str, str]:
    """Dotted key → text, by key: ``parallel_config.data_parallel`` → ``8``."""
    found: dict[str, str] = {}
    for name, text in facts.items():
        if name.startswith(SECTION):
            found |= {_dotted(name.removeprefix(SECTION), key): value for key, value in _section(text).items()}
        elif name.startswith(LINEAGE):
            found[_dotted("lineage", name.removeprefix(LINEAGE))] = text
        elif not name.startswith((TEXT, HEALTH_FACT)):
            found[_dotted(RUN, name)] = text
    return dict(sorted(found.items()))


def _dotted(section: str, key: str) -> str:
    return f"{section}.{key}" if key else section


def _section(text: str) -> dict[str, str]:
    """What a collector wrote; anything else is no section."""
    try:
        told = json.loads(text)
    except ValueError:
        return {}
    return {str(key): str(value) for key, value in told.items()} if isinstance(told, dict) else {}


def layout(facts: Mapping[str, str]) -> dict[str, str]:
    """How the run is spread over its devices, as far as it says so, in the order of LAYOUT."""
    return {name: facts[name] for name in LAYOUT if name in facts}


def compared(configurations: Sequence[Mapping[str, str]], *, everything: bool = False) -> list[Setting]:
    """Every key in which the runs differ, or every key that some run has; by key."""
    keys = sorted({key for one in configurations for key in one})
    settings = [Setting(key, tuple(one.get(key) for one in configurations)) for key in keys]
    return [one for one in settings if everything or one.differs]


def same(one: str | None, other: str | None) -> bool:
    """Whether two texts mean the same: ``1e-05`` and ``0.00001``, ``true`` and ``True``, ``None`` and ``null``."""
    if one is None or other is None:
        return one is other
    return one == other or _meant(one) == _meant(other)


def _meant(text: str) -> object:
    word = text.strip().lower()
    word = {"null": "none", "inf": "infinity"}.get(word, word)
    try:
        number = float(word)
    except ValueError:
        return word
    return word if number != number else number
