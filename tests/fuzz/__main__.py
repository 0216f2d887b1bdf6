"""``python -m tests.fuzz --minutes 10 [--seed 1] [--target log]``: inputs until the time is over.

The inputs are tried in a child process, so that one that kills or blocks the interpreter is a finding like any other.
Exit code 0 when nothing was found, 1 otherwise; each finding is minimised and kept in tests/fuzz/found.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from tests.fuzz.finding import FOUND, LONGEST_KEPT, Finding, keep, minimised, tried
from tests.fuzz.limits import fence_memory
from tests.fuzz.targets import TARGETS, Target

SILENT = 120  # wall seconds without a sign of life after which a child counts as blocked
ROUND = 25  # inputs of one target before the next one's turn


def main() -> int:
    """Parent: start children until the minutes are over. Child: try inputs."""
    asked = arguments()
    if asked.scratch:
        return child(asked)
    ends, seed, bad = time.monotonic() + asked.minutes * 60, asked.seed, 0
    while (left := ends - time.monotonic()) > 1:
        bad |= supervise(asked, seed, left)
        seed += 1
    print(f"fuzz: {asked.minutes:g} minutes, {'findings above' if bad else 'nothing found'}", flush=True)
    return bad


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("--target", choices=[one.name for one in TARGETS], action="append")
    parser.add_argument("--found", type=Path, default=FOUND, help="where the inputs that did harm are kept")
    parser.add_argument("--scratch", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def supervise(asked: argparse.Namespace, seed: int, seconds: float) -> int:
    """One child for the time that is left; what it was trying when it died is kept."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        command = [sys.executable, "-m", "tests.fuzz", "--minutes", f"{seconds / 60:.4f}", "--seed", str(seed)]
        command += ["--scratch", str(scratch), "--found", str(asked.found)]
        command += [part for one in asked.target or () for part in ("--target", one)]
        with subprocess.Popen(command) as process:
            code = wait(process, scratch)
        if code in (0, 1):
            return code
        name, data = (scratch / "target").read_text(), (scratch / "input").read_bytes()
        report(Finding(name, "died", f"{name}: the interpreter ended with {code}", data), asked)
        return 1


def wait(process: subprocess.Popen[bytes], scratch: Path) -> int:
    """The child's exit code; a child that blocks is killed (-9)."""
    while True:
        try:
            return process.wait(SILENT)
        except subprocess.TimeoutExpired:
            if time.time() - (scratch / "input").stat().st_mtime > SILENT:
                process.kill()


def child(asked: argparse.Namespace) -> int:
    fence_memory()
    targets = [one for one in TARGETS if asked.target is None or one.name in asked.target]
    rng, ends, counts = random.Random(asked.seed), time.monotonic() + asked.minutes * 60, dict.fromkeys(targets, 0)
    known: set[str] = set()
    while time.monotonic() < ends:
        for target in targets:
            for _ in range(ROUND):
                data = target.mutated(rng, target.seeds())
                counts[target] += 1
                if (found := noted(asked.scratch, target, data)) is not None and found.kind not in known:
                    known.add(found.kind)
                    report(minimised(found, partial(noted, asked.scratch, target)), asked)
                if time.monotonic() > ends:
                    break
    told = ", ".join(f"{target.name} {count}" for target, count in counts.items())
    print(f"fuzz: seed {asked.seed}, inputs tried: {told}, kinds of findings: {len(known)}", flush=True)
    return bool(known)


def noted(scratch: Path, target: Target, data: bytes) -> Finding | None:
    """Try an input, and let the parent know."""
    note(scratch, target, data)
    return tried(target, data)


def note(scratch: Path, target: Target, data: bytes) -> None:
    """What is being tried, for the parent."""
    (scratch / "target").write_text(target.name)
    (scratch / "input").write_bytes(data)


def report(finding: Finding, asked: argparse.Namespace) -> None:
    small = len(finding.data) <= LONGEST_KEPT
    kept = keep(finding, asked.found).name if small else "too long to keep, rerun the seed"
    print(
        f"FOUND {finding.kind} ({len(finding.data)} bytes, seed {asked.seed}) {finding.detail[:400]} → {kept}",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
