"""Links as they were written, version by version, and what each of them means: for ever, since chats keep them.

Rows are only added: whoever changes the spelling adds what was written until then. ``kind`` is the page that reads it,
``means`` what differs from its default.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class OldLink(NamedTuple):
    """One query."""

    kind: str
    query: str
    means: Mapping[str, object]


# Version 1, lists spelled twice (panels=a%252Cb): until snapshots came. From then on "," and "%" alone are.
TWICE = (
    OldLink("run", "?x=wall&view=1764338400.25..1764342000.5", {"x": "wall", "view": "1764338400.25..1764342000.5"}),
    OldLink("run", "?x=tokens&view=1e%2B21..2e%2B21", {"x": "tokens", "view": "1e+21..2e+21"}),
    OldLink(
        "run",
        "?x=relative&view=-3.5..3600&smooth=0.1234567890123456",
        {"x": "relative", "view": "-3.5..3600", "smooth": 0.1234567890123456},
    ),
    OldLink(
        "run",
        "?view=last-500&smooth=0.6&log=loss,lr&clip=1&gap=1&attempts=all",
        {"view": "last-500", "smooth": 0.6, "log": ["loss", "lr"], "clip": True, "gap": True, "attempts": "all"},
    ),
    OldLink("run", "?view=1200..1800&attempts=12", {"view": "1200..1800", "attempts": "12"}),
    OldLink(
        "run",
        "?panels=r2%253Amoe%252Fown%2520loss,m%253Astep_time,%25E5%25B1%2582%252F%25E6%258D%259F%25E5%25A4%25B1,50%2525,a%252Cb,x%2526y%253D1%253F%2523&pin=tag%253Ar2%253Amoe%252Fown%2520loss,loss&order=lr,loss&hide=throughput,tag%253A%25E5%25B1%2582%252F%25E6%258D%259F%25E5%25A4%25B1&full=tag%3Aa,b",
        {
            "panels": ["r2:moe/own loss", "m:step_time", "层/损失", "50%", "a,b", "x&y=1?#"],
            "pin": ["tag:r2:moe/own loss", "loss"],
            "order": ["lr", "loss"],
            "hide": ["throughput", "tag:层/损失"],
            "full": "tag:a,b",
        },
    ),
    OldLink("run", "?full=tag%3A50%25+of+x%2Fy", {"full": "tag:50% of x/y"}),
    OldLink(
        "run",
        "?quiet=checkpoint,eval&base=gpt-1,%25E5%25BE%25AE%25E8%25B0%2583-qwen2-%25E9%2595%25BF%25E6%2596%2587%25E6%259C%25AC,a--b-0a1b2c3d",
        {"quiet": ["checkpoint", "eval"], "base": ["gpt-1", "微调-qwen2-长文本", "a--b-0a1b2c3d"]},
    ),
    OldLink(
        "run",
        "?view=250..350&alert=loss_spike-1-300-all&log_at=3@-1",
        {"view": "250..350", "alert": "loss_spike-1-300-all", "log_at": "3@-1"},
    ),
    OldLink("run", "?log_at=4095@123456789012345", {"log_at": "4095@123456789012345"}),
    OldLink(
        "ranks",
        "?metric=tag:a/b&show=value&by=stage&rank=3@17&state=odd&what=nan&folds=nn0,all",
        {
            "metric": "tag:a/b",
            "show": "value",
            "by": "stage",
            "rank": "3@17",
            "state": "odd",
            "what": "nan",
            "folds": "nn0,all",
        },
    ),
    OldLink(
        "ranks",
        "?metric=local_loss&show=deviation&by=none&rank=8191@-1&what=stall&folds=nhost-1%2B2.x",
        {
            "metric": "local_loss",
            "show": "deviation",
            "by": "none",
            "rank": "8191@-1",
            "what": "stall",
            "folds": "nhost-1+2.x",
        },
    ),
    OldLink(
        "ranks",
        "?metric=tag:%E5%B1%82+1%25,x%26y&by=group&state=frozen_loss",
        {"metric": "tag:层 1%,x&y", "by": "group", "state": "frozen_loss"},
    ),
    OldLink(
        "compare",
        "?runs=gpt-1,%E5%BE%AE%E8%B0%83-qwen2-%E9%95%BF%E6%96%87%E6%9C%AC&metric=tag:x%2Fy+z&x=relative&smooth=0.6&log=1&hide=gpt-1&view=1.5..9&all=1",
        {
            "runs": ["gpt-1", "微调-qwen2-长文本"],
            "metric": "tag:x/y z",
            "x": "relative",
            "smooth": 0.6,
            "log": True,
            "hide": ["gpt-1"],
            "view": [1.5, 9],
            "all": True,
        },
    ),
    OldLink(
        "compare",
        "?runs=a,b,c&metric=grad_norm&x=tokens&view=1000000000000..1.25e%2B21",
        {"runs": ["a", "b", "c"], "metric": "grad_norm", "x": "tokens", "view": [1000000000000, 1.25e21]},
    ),
)

# Version 1, as it is written now.
ONCE = (
    OldLink(
        "run",
        "?panels=r2:moe/own+loss,m:step_time,50%2525,a%252Cb&full=tag:a/b",
        {"panels": ["r2:moe/own loss", "m:step_time", "50%", "a,b"], "full": "tag:a/b"},
    ),
    OldLink(
        "run",
        "?alert_class=loss_spike&alert_severity=critical&alert_rank=3&alerts_over=1",
        {"alert_class": "loss_spike", "alert_severity": "critical", "alert_rank": "3", "alerts_over": True},
    ),
    OldLink(
        "run",
        "?log_at=0@300&log_find=nan+or+inf&settings=1&setting=lr",
        {"log_at": "0@300", "log_find": "nan or inf", "settings": True, "setting": "lr"},
    ),
    OldLink("run", "?note=0123456789ab", {"note": "0123456789ab"}),
    OldLink("ranks", "?what=nan&what_at=300&listed=150", {"what": "nan", "what_at": "300", "listed": "150"}),
    OldLink(
        "compare",
        "?runs=a,b&view=0.1..1234.5678901234567&setting=lr",
        {"runs": ["a", "b"], "view": [0.1, 1234.5678901234567], "setting": "lr"},
    ),
)

# Of messages (app/words/letters.py).
TOLD = (
    OldLink(
        "run",
        "?view=1150..1253&alert=loss_spike-a1-1200&lang=zh",
        {"view": "1150..1253", "alert": "loss_spike-a1-1200"},
    ),
    OldLink("run", "?view=0..53&alert=rank_slow-a2-3-r17&lang=en", {"view": "0..53", "alert": "rank_slow-a2-3-r17"}),
)
OLD_LINKS = (*TWICE, *ONCE, *TOLD)
