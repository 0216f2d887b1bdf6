"""What the facts of a run say beforehand: how long it is, how long it warms up, whether it writes summaries. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from app.configuration import configuration
from app.diagnosis.row import Plan
from app.series.overview import whole_number

WARM_STEPS = ("warmup_steps", "lr_warmup_iters", "lr_warmup_steps")
WARM_SHARES = ("warmup_ratio", "lr_warmup_fraction")
SUMMARIES = ("tensorboard_dir", "summary_dir")
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
    """Whether the settings name a directory for summaries or a callback that writes them."""
    settings = configuration({name: text for name, text in facts.items() if name.startswith("configuration:")})
    named = (text for key, text in settings.items() if key.rpartition(".")[2] in SUMMARIES)
    called = (text for key, text in settings.items() if "callback" in key or key.rpartition(".")[2] == "type")
    return any(text.strip().lower() not in NOTHING for text in named) or any(
        one in text for text in called for one in WRITERS
    )


def _share(text: str | None) -> float:
    try:
        share = float(text or 0)
    except ValueError:
        return 0.0
    return share if isfinite(share) and 0 < share < 1 else 0.0
