"""What a training configuration says of the run. MindFormers writes every top key of its yaml into its event files as
a text ``<key>/text_summary``, in Python's spelling of a dict."""

from __future__ import annotations

import re
from collections.abc import Mapping

# yaml section → its keys that are facts, and what they are called
_SECTIONS: Mapping[str, Mapping[str, str]] = {
    "parallel_config": {
        "data_parallel": "data_parallel",
        "model_parallel": "model_parallel",
        "pipeline_stage": "pipeline_stages",
        "expert_parallel": "expert_parallel",
        "context_parallel": "context_parallel",
        "micro_batch_num": "micro_batch_num",
    },
    "runner_config": {"epochs": "epochs", "batch_size": "batch_size"},
    "lr_schedule": {"type": "lr_schedule", "learning_rate": "learning_rate", "warmup_steps": "warmup_steps"},
    "optimizer": {"type": "optimizer"},
}
_EVERYWHERE: Mapping[str, str] = {"global_batch_size": "global_batch_size"}
_SUFFIX = "/text_summary"
# 'data_parallel': 8   "type": 'CosineWithWarmUpLR'   'learning_rate': 1e-05
_ENTRY = re.compile(r"""['"](\w{1,64})['"]: (?:['"]([\w.-]{1,64})['"]|(\d[\d.e+-]{0,30}))(?=[,}\s])""")


def configured(tag: str, text: str) -> dict[str, str]:
    """Facts in the text summary ``tag``; none if it is no section of a configuration."""
    if not tag.endswith(_SUFFIX):
        return {}
    wanted = {**_EVERYWHERE, **_SECTIONS.get(tag.removesuffix(_SUFFIX), {})}
    found: dict[str, str] = {}
    for key, word, number in _ENTRY.findall(text):
        if key in wanted and _depth_is_one(text, key):
            found.setdefault(wanted[key], word or number)
    return found


def _depth_is_one(text: str, key: str) -> bool:
    """Whether the first place of ``key`` is in the outer dict: an inner one means something else by it."""
    before = text[: re.search(f"['\"]{key}['\"]: ", text).start()]  # type: ignore[union-attr]  # it was just found
    return before.count("{") - before.count("}") == 1
