"""Which files are read, and what a path says of them: run, rank, source.

Layouts: MindFormers ``output/log/rank_N/info.log``, ``msrun_log/worker_N.log``, ``tensorboard/rank_N/events…``
(0.3 to 2.1), MindSpore ``summary_dir/…_MS``; anything else follows TensorBoard's rule, a run for each directory.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from collector.wire.records import RunId, Source

HEALTH_RECORD = "health_ckpts.json"  # beside the log directory: which checkpoints are healthy
KNOWN_PARTS = frozenset({"log", "msrun_log", "tensorboard", "worker", "summary", "summary_dir", "output"})
UNREAD_LOGS = frozenset({"error.log", "scheduler.log"})  # what they hold is in the rank's own log as well
UNFINISHED = (".tmp", ".part", ".partial", ".swp", ".gz", ".profile-empty", "~")

# rank_12
_RANK = re.compile(r"rank_(\d+)\Z")
# info.log  info.log.5  mindformers.log
_RANK_LOG = re.compile(r"(?:info|mindformers)\.log(?:\.\d{1,2})?\Z")
# worker_12.log  worker_0.first_run.log  worker_10.0.0.7_node1_12.log
_WORKER_LOG = re.compile(r"worker_(?:(?P<node>.*)_)?(?P<number>\d+)(?:\.[A-Za-z]\w*)*?\.log(?:\.\d{1,2})?\Z")
# train_rank_12.log  device_3.log
_NUMBERED_LOG = re.compile(r"(?:.*[_.-])?(?:worker|rank|device|npu)_?(?P<number>\d+)\.log(?:\.\d{1,2})?\Z")
# my_experiment.log  my_experiment.log.1
_OTHER_LOG = re.compile(r"(.+)\.log(?:\.\d{1,2})?\Z")
# plog-4711_20250601.log  device-0_20250601.log: the device's own logs, thousands of files without a metric
_DEVICE_LOG = re.compile(r"(?:plog|device)-\d+_\d+\.log")
# events.out.events.summary.1795952295.0.node0_MS
_SUMMARY = re.compile(r".*\.out\.events\.summary\.\d+\.(?P<number>\d+)\.")
# events.out.tfevents.1748772000.node0   events.out.tfevents.1748772000.node0.4711.0
_EVENT_HOST = re.compile(r"tfevents\.\d+\.(.+?)(?:\.\d+\.\d+)?\Z")


@dataclass(frozen=True, slots=True)
class FileRole:
    """What a path says of its file. ``run``, ``directory`` and ``file`` use ``/`` on every system."""

    run: str  # name below the watched root, "." when the root itself is the run
    directory: str  # the run's directory below the watched root, "." for the root itself
    file: str  # path below the run's directory
    source: Source
    rank: int | None
    suffix: str = ""  # what add_scalars put into the path; belongs behind every tag
    own: bool = False  # a log of no conventional name: a run of its own, worth showing once it holds a point


def role_of(path: str | PurePosixPath, root: str | PurePosixPath = "") -> FileRole | None:
    """The role of ``path``, given below the watched root, or None for a file that is not read.

    ``root`` only lends its own ``rank_N``, for people who watch one rank's directory.
    """
    *folders, name = PurePosixPath(path).parts
    source = _source(name)
    if source is None or any(folder.startswith(".") for folder in folders):
        return None
    named_rank = _rank_in_name(source, name)
    if source == "log" and not _is_conventional(name):
        return _own_run(folders, name, _rank_in(folders, root))
    before, after, rank = _cut(folders)
    directory = _strip(before)
    role_rank = rank if rank is not None else _rank_in((), root) if named_rank is None else named_rank
    inner = _strip(after) if source == "tensorboard" else []
    return FileRole(
        run=_joined(directory),
        directory=_joined(directory),
        file="/".join([*folders[len(directory) :], name]),
        source=source,
        rank=role_rank,
        suffix=f"/{inner[-1]}" if inner else "",
    )


def rank_directory(file: str) -> int | None:
    """N of the ``rank_N`` that a file lies below."""
    return _cut(file.split("/")[:-1])[2]


def worker_number(file: str) -> int | None:
    """The number in the name of a worker's log, which msrun counts on each host when it is not told the node's rank."""
    *folders, name = file.split("/")
    is_worker = _cut(folders)[2] is None and _source(name) == "log" and not _RANK_LOG.match(name)
    return _rank_in_name("log", name) if is_worker else None


def worker_node(file: str) -> str:
    """What stands before that number, as ``10.0.0.7_node1``; empty for most."""
    match = _WORKER_LOG.match(file.rpartition("/")[2])
    return (match["node"] or "") if match else ""


def event_host(file: str) -> str:
    """The host that wrote an event file, by its name; empty for other files."""
    match = _EVENT_HOST.search(file.rpartition("/")[2])
    return match[1] if match else ""


def source_of(name: str) -> Source:
    """How a file that a person named must be read: by its name, else as a text log."""
    return _source(name) or "log"


def run_name(root: str | PurePosixPath, run: str) -> str:
    """What a person calls a run: its path below the root, or for the root itself the nearest ancestor that is no known
    part of a layout (``x`` for ``x/output/log``)."""
    if run != ".":
        return run
    parts = [part for part in PurePosixPath(root).parts if part != "/"]
    before, _, _ = _cut(parts)
    return (_strip(before) or parts or ["run"])[-1]


def run_id(name: str) -> RunId:
    """A readable, unique slug: letters of every script, digits, ``._-`` stay, ``/`` becomes ``--``.

    Whatever else is replaced, and then a checksum of the whole name is added; so no two names share an id.
    """
    slug = "--".join("".join(_kept(sign) for sign in part) for part in name.split("/"))
    if slug.replace("--", "/") == name and not _AMBIGUOUS.search(name) and len(slug) <= _LONGEST_ID:
        return RunId(slug)
    short = re.sub("-{3,}", "--", slug).strip("-.")[: _LONGEST_ID - 9] or "run"
    checksum = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return RunId(f"{short}-{checksum}")


_LONGEST_ID = 160  # bytes of a path segment that every browser, proxy and log keeps whole
# names whose slug another name could have: a--b  -a/b  a/./b  run-0a1b2c3d, and the empty name
_AMBIGUOUS = re.compile(r"--|(?:^|/)-|-(?:/|$)|(?:^|/)\.*(?:/|$)|-[0-9a-f]{8}\Z")


def _kept(sign: str) -> str:
    return sign if sign in "._-" or unicodedata.category(sign)[0] in "LNM" else "-"


def _source(name: str) -> Source | None:
    if name.startswith(".") or name.endswith(UNFINISHED):
        return None
    if name == HEALTH_RECORD:
        return "health"
    if "tfevents" in name:
        return "tensorboard"
    if _SUMMARY.match(name):
        return None if name.endswith("_explain") else "mindspore"
    if _DEVICE_LOG.match(name) or name.partition(".log")[0] + ".log" in UNREAD_LOGS:
        return None
    return "log" if _OTHER_LOG.match(name) else None


def _is_conventional(name: str) -> bool:
    return any(pattern.match(name) for pattern in (_RANK_LOG, _WORKER_LOG, _NUMBERED_LOG))


def _rank_in_name(source: Source, name: str) -> int | None:
    if source in ("tensorboard", "health"):
        return None
    patterns = (_SUMMARY,) if source == "mindspore" else (_WORKER_LOG, _NUMBERED_LOG)
    return next((int(match["number"]) for pattern in patterns if (match := pattern.match(name))), None)


def _own_run(folders: Sequence[str], name: str, rank: int | None) -> FileRole:
    match = _OTHER_LOG.match(name)
    stem = match[1] if match else name
    return FileRole("/".join([*folders, stem]), _joined(folders), name, "log", rank, own=True)


def _cut(folders: Sequence[str]) -> tuple[Sequence[str], Sequence[str], int | None]:
    """The folders before the first ``rank_N``, those after it, and N."""
    for index, folder in enumerate(folders):
        if match := _RANK.match(folder):
            return folders[:index], folders[index + 1 :], int(match[1])
    return folders, (), None


def _rank_in(folders: Sequence[str], root: str | PurePosixPath) -> int | None:
    rank = _cut(folders)[2]
    return rank if rank is not None else _cut(PurePosixPath(root).parts)[2]


def _strip(folders: Sequence[str]) -> list[str]:
    kept = list(folders)
    while kept and kept[-1] in KNOWN_PARTS:
        kept.pop()
    return kept


def _joined(folders: Sequence[str]) -> str:
    return "/".join(folders) or "."
