"""What may go wrong on a rank, and how a command line says it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal[
    "off", "frozen", "nan", "inf", "spike", "silent", "straggler", "broken", "traceback", "jitter", "overfit"
]
OF_ALL = ("jitter", "overfit")  # of the run, not of some ranks

# off:rank=13,from=200,by=12   nan:rank=3+7,from=100,spread=2
SAID = re.compile(r"(\w+):(\w+=[\d.+-]+(?:,\w+=[\d.+-]+)*)")


@dataclass(frozen=True, slots=True)
class Fault:
    """``off``: the rank's own losses and norms are higher by the share ``by``; ``frozen``: they repeat one number;
    ``nan``, ``inf``: they are none, and ``spread`` steps later nobody's are (0: it stays where it is); ``spike``: they
    are ``1 + by`` times as high for three steps; ``silent``: nothing is written any more; ``straggler``: computes
    longer by the share ``by``; ``broken``: reduced values differ from everybody else's by that share; ``traceback``:
    the program ends on these ranks, and in consequence on all others; ``jitter``: everybody's losses scatter by that
    share from row to row; ``overfit``: each evaluation is higher than the one before by that share. From the step
    ``since`` on."""

    kind: Kind
    ranks: tuple[int, ...]
    since: int = 1
    by: float = 0.1
    spread: int = 0


def parsed(text: str) -> Fault:
    """A fault as the command line spells it, ``by`` in per cent; raises ``ValueError``."""
    match = SAID.fullmatch(text)
    if match is None or match[1] not in get_args(Kind):
        raise ValueError(
            f"{text!r} is no fault: KIND:rank=13,from=200[,by=12][,spread=2], KIND one of {get_args(Kind)}"
        )
    said = dict(part.split("=") for part in match[2].split(","))
    if unknown := said.keys() - {"rank", "from", "by", "spread"}:
        raise ValueError(f"{text!r} says {', '.join(sorted(unknown))}, which no fault has")
    ranks = () if match[1] in OF_ALL else tuple(int(one) for one in said.get("rank", "").split("+"))
    since, spread = int(said.get("from", 1)), int(said.get("spread", 0))
    return Fault(match[1], ranks, since, float(said.get("by", 10)) / 100, spread)  # type: ignore[arg-type]


def of_kind(faults: Iterable[Fault], *kinds: Kind) -> list[Fault]:
    """Those of some kinds."""
    return [one for one in faults if one.kind in kinds]
