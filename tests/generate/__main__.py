"""``python -m tests.generate DIR --ranks 64 --layout dp=16,tp=4 --steps 500 [--fault KIND:rank=…,from=…] [--live]``."""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from tests.generate import fault, pynative
from tests.generate.events import SETS
from tests.generate.plan import PARTS, Plan, Shape
from tests.generate.writer import Writer, grow


def main() -> int:
    asked = arguments()
    try:
        plan = planned(asked)
    except ValueError as why:
        print(why, file=sys.stderr)
        return 2
    began = time.monotonic()
    writer = Writer(plan, asked.directory.resolve())
    writer.history()
    print(f"{plan.shape.world} ranks × {plan.last} steps in {time.monotonic() - began:.1f} s", flush=True)
    if asked.live:
        go_on(writer, plan)
    return 0


def planned(asked: argparse.Namespace) -> Plan:
    """What the arguments ask for; raises ``ValueError``."""
    shape = Shape.parsed(asked.layout) if asked.layout else Shape(dp=asked.ranks or 8)
    if asked.ranks and shape.world != asked.ranks:
        shape = replace(shape, dp=max(1, asked.ranks // (shape.tp * shape.pp)))
    if asked.ranks and shape.world != asked.ranks:
        raise ValueError(f"{asked.ranks} ranks are no multiple of {shape.tp} × {shape.pp}")
    tags = pynative.TAGS if asked.pynative else SETS[asked.tags]
    parts = tuple(one for one in PARTS if one in asked.files.split(","))
    faults = tuple(fault.parsed(one) for one in asked.fault)
    plan = Plan(
        shape, tags, asked.steps, asked.seed, asked.every, faults=faults, resumed=asked.resume,
        apart=asked.apart, pynative=asked.pynative, parts=parts, evaluated=asked.evaluate, empty=asked.empty,
        told=asked.told,
    )  # fmt: skip
    return replace(plan, began=time.time() - asked.steps * asked.every) if asked.live else plan


def go_on(writer: Writer, plan: Plan) -> None:
    """A row to all ranks each ``every`` seconds, until it is interrupted. One that is late is written at once."""
    step, due = plan.last, time.time()
    with suppress(KeyboardInterrupt):
        while True:
            step, due = step + 1, due + plan.every
            row = writer.row(step, due)
            time.sleep(max(0.0, due - time.time()))
            grow(row)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.generate", description=__doc__)
    parser.add_argument("directory", type=Path, metavar="DIR", help="the job's directory")
    parser.add_argument("--ranks", type=int, default=0, help="count of ranks (what the layout says, or 8)")
    parser.add_argument("--layout", default="", help="dp=16,tp=4,pp=2; dp follows --ranks")
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--every", type=float, default=1.0, help="seconds a step")
    parser.add_argument("--tags", choices=SETS, default="usual", help="how much the event files hold")
    parser.add_argument("--files", default=",".join(PARTS), help="which kinds of file")
    parser.add_argument("--fault", action="append", default=[], help="off:rank=13,from=200,by=12 (per cent), …")
    parser.add_argument("--resume", type=int, default=0, help="a second attempt goes on behind this step")
    parser.add_argument("--apart", action="store_true", help="a directory a host, as hosts without shared storage have")
    parser.add_argument("--pynative", action="store_true", help="as PyNative mode writes: one event file, N/A")
    parser.add_argument("--evaluate", type=int, default=0, help="steps between two evaluations")
    parser.add_argument("--empty", action="store_true", help="no scalar in event files has come to disk")
    parser.add_argument("--told", default="", help="the directory that the log says event files go to")
    parser.add_argument("--live", action="store_true", help="go on, until it is interrupted")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
