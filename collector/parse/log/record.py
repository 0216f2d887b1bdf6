"""MindFormers' records: ``key: value`` fields behind ``step:[a/b],`` (MFLossMonitor 0.3 to 2.1, PyNative 1.9 to 2.1),
and one monitored value behind ``step:[a/b]`` (TrainingStateMonitor).

A line may hold several records, and a record may be torn by the write of another rank. A value counts only when what
stands behind it shows that it is whole; the rest of a torn record is left out and counted as ``torn_line``.
"""

from __future__ import annotations

import re
from itertools import zip_longest

from collector.parse.log.memory import LogMemory
from collector.parse.log.prefix import CLOCK, clock
from collector.parse.log.value import Reading, numbers, reading, without_tensors

ANCHOR = b"step:["
MOST = 64  # records of one line that are looked at
# step:[    3/ 1000]
_STEP = re.compile(rb"step:\[ *(-?\d{1,18}) */ *(\d{1,18}) *\] *")
# Epoch:[  1/  3], step:[
_EPOCH = re.compile(rb"[Ee]poch: ?\[ {0,18}(\d{1,18}) {0,18}/ {0,18}(\d{1,18}) {0,18}\] {0,9}, {0,9}\Z")
# { Epoch:[  1/  3],   2025-06-01 10:00:00,000   [INFO] 2025-06-01 10:00:00,000
_BEGINS = re.compile(rb"\{ |[Ee]poch: ?\[|(?:\[[A-Z]{4,8}\] )?" + CLOCK.pattern)
# loss: 2.5, lr: 1e-05,overflow cond: False   where a comma inside 1,234.5 parts nothing
_COMMA = re.compile(rb", +|,(?=[A-Za-z_])")
# per_step_time
_NAME = re.compile(rb"[A-Za-z][\w /.()-]{0,99}\Z")
# local_norm/decoder.layers.1.mlp.linear_fc2.weight: 0.25438136
_MONITOR = re.compile(rb"([A-Za-z][^\s:]*): *([^\n]+)\Z")


def read_records(memory: LogMemory, text: bytes, start: int, stop: int) -> bool:
    """Every record of a line; False when there is none."""
    places = [match for _, match in zip(range(MOST), _STEP.finditer(text, start, stop), strict=False)]
    if 0 < len(places) < text.count(ANCHOR, start, stop) <= MOST:
        memory.torn()
    begin = start
    for place, following in zip_longest(places, places[1:]):
        end = _begin_of(text, place.end(), following.start()) if following else stop
        _read_record(memory, text, begin, place, end, cut=following is not None)
        begin = end
    return bool(places)


def _begin_of(text: bytes, start: int, stop: int) -> int:
    """Where the record begins whose step stands at ``stop``."""
    match = _BEGINS.search(text, start, stop)
    return match.start() if match else stop


def _read_record(memory: LogMemory, text: bytes, begin: int, place: re.Match[bytes], end: int, *, cut: bool) -> None:
    fields = place.end()
    epoch = _EPOCH.search(text[max(begin, place.start() - 64) : place.start()])
    step = memory.epochs.step(int(epoch[1]) if epoch else None, int(place[1]), int(place[2]))
    wall = clock(text, begin, place.start())
    if text[fields : fields + 1] == b",":
        memory.step = step
        _tell(memory, int(epoch[2]) if epoch else 0, int(place[2]))
        opened = epoch is None and text[begin : place.start()].endswith(b"{ ")
        _keep(memory, _Fields(text[fields + 1 : end], opened=opened, cut=cut), step, wall)
    elif monitored := _MONITOR.match(text, fields, end):
        _read_monitored(memory, monitored, step, wall)


def _tell(memory: LogMemory, epochs: int, steps: int) -> None:
    """The facts of a record, once: how long the run is meant to be."""
    told = f"{epochs}/{steps}"
    if memory.told.startswith(told) and memory.told[len(told) :][:1] in ("", "/"):
        return
    memory.told = told
    memory.facts |= {"format": "graph" if epochs else "pynative", "total_steps": str(max(epochs, 1) * steps)}
    if epochs:
        memory.facts |= {"epochs": str(epochs), "steps_per_epoch": str(steps)}


class _Fields:
    """The fields of one record up to where it ends or breaks. ``opened``: it began with ``{ `` and ends with ``}``;
    ``cut``: another record follows in its line."""

    def __init__(self, body: bytes, *, opened: bool, cut: bool) -> None:
        body = without_tensors(body)
        body, closed, _ = body.partition(b"}")
        self.opened, self.closed, self.cut = opened, bool(closed), cut
        self.names: list[str] = []
        self.raw: list[bytes] = []
        self.broken = False  # a name came twice: from there on it is another record
        self._split(body)

    def _split(self, body: bytes) -> None:
        for part in _COMMA.split(body):
            key, colon, raw = part.partition(b":")
            key = key.strip(b" ,\t")
            if not colon or not _NAME.match(key):
                continue
            name = key.decode()
            if name in self.names:
                self.broken = True
                return
            self.names.append(name)
            self.raw.append(raw.rstrip(b" \t"))

    def doubtful(self, before: str) -> bool:
        """Whether the last value may have lost its end; ``before`` is the names of the record before this one."""
        if self.broken:
            return True
        names = ",".join(self.names)
        if self.closed:
            return False
        return self.opened or before.startswith(names + ",") or (self.cut and before != names)


def _keep(memory: LogMemory, fields: _Fields, step: int, wall: float) -> None:
    if doubtful := fields.doubtful(memory.names):
        memory.torn()
    if fields.names:
        memory.names = ",".join(fields.names)
    last = len(fields.names) - doubtful
    for name, raw in zip(fields.names[:last], fields.raw[:last], strict=True):
        value = reading(raw)
        if value is not None and not (name == "grad_norm" and raw.strip() == b"NaN"):  # PyNative: a rank without a norm
            _keep_field(memory, name, value, step, wall)


def _keep_field(memory: LogMemory, name: str, value: Reading, step: int, wall: float) -> None:
    memory.point(name, step, wall, value.number)
    if name == "throughput":
        memory.throughput_unit = value.unit
    elif name in ("time", "per_step_time"):
        memory.timed = True
    elif name == "overflow cond" and value.number:
        memory.event("overflow", wall, "overflow cond: True")
    elif name == "global_batch_size":
        _fact_once(memory, name, value.number)


def _fact_once(memory: LogMemory, name: str, number: float) -> None:
    if memory.told.count("/") == 1:
        memory.told += "/"
    told, _, before = memory.told.rpartition("/")
    if before != f"{number:g}":
        memory.told = f"{told}/{number:g}"
        memory.facts[name] = f"{number:g}"


def _read_monitored(memory: LogMemory, monitored: re.Match[bytes], step: int, wall: float) -> None:
    """One value of TrainingStateMonitor; a list is one value for each attention head, as event files name them."""
    tag, raw = monitored[1].decode("utf-8", "replace"), monitored[2]
    value = reading(raw)
    if value is not None:
        memory.point(tag, step, wall, value.number)
        return
    for index, number in enumerate(numbers(raw) or ()):
        memory.point(f"{tag}/head_{index}", step, wall, number)
