"""What the facts of a run say beforehand: how long it is, how long it warms up, whether it writes summaries. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from app.configuration import configuration
from app.diagnosis.row import Plan
from app.series.overview import whole_number

WARM_STEPS = ("warmup_steps", "lr_warmup_iters", "lr_warmup_steps")
WARM_SHARES = ("warmup_ratio", "lr_warmup_fraction")
DIRECTORY = "tensorboard_dir"  # the fact that a log tells
DIRECTORIES = ("tensorboard_dir", "summary_dir", "tensorboard.output_dir")  # graph mode, MindSpore, PyNative
WRITERS = ("SummaryMonitor", "SummaryCollector")
NOTHING = ("", "none", "null", "''", '""', "false")


def plan(facts: Mapping[str, str]) -> Plan:
    """Zero where nothing is said; events are declared by nobody yet."""
    total = whole_number(facts.get("total_steps")) or 0
    return Plan(total, warmup(configuration(facts), total))


def warmup(settings: Mapping[str, str], total: int) -> int:
    """Steps in which the learning rate rises, told as a count or as a share of all."""
    last = {key.rpartition(".")[2]: text for key, text in settings.items()}
    steps = next((count for name in WARM_STEPS if (count := whole_number(last.get(name)))), 0)
    share = next((part for name in WARM_SHARES if (part := _share(last.get(name)))), 0.0)
    return max(0, steps) or round(share * total)


def expects_summaries(facts: Mapping[str, str]) -> bool:
    """Whether a line or the settings name a directory for summaries, or a callback that writes them."""
    called = (text for key, text in _settings(facts).items() if "callback" in key or key.rpartition(".")[2] == "type")
    return summary_directory(facts) != "" or any(one in text for text in called for one in WRITERS)


def summary_directory(facts: Mapping[str, str]) -> str:
    """Where summaries go: as a line of the log says, else as the settings do; "" where nobody does."""
    named = (text for key, text in _settings(facts).items() if key.endswith(DIRECTORIES))
    found = (text.strip() for text in (facts.get(DIRECTORY, ""), *named))
    return next((one for one in found if one.lower() not in NOTHING), "")


def _settings(facts: Mapping[str, str]) -> Mapping[str, str]:
    return configuration({name: text for name, text in facts.items() if name.startswith("configuration:")})


def _share(text: str | None) -> float:
    try:
        share = float(text or 0)
    except ValueError:
        return 0.0
    return share if isfinite(share) and 0 < share < 1 else 0.0
