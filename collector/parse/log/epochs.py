"""Steps counted over all epochs, where a log counts them anew in each.

The rule looks only at what was printed before, so it gives the same for every cut of the file:

1. A printed epoch length decides: ``step:[5/100]`` in epoch 2 is step 105 (a record of epoch 0 says that epochs count
   from 0: then it is 205).
2. Without one, the first epoch seen keeps its steps. When the epoch advances and the step does not go on growing, steps
   are counted anew: the epoch's length is what TimeMonitor's two times told (992053.072 ms / 23620.311 ms = 42) or the
   line of an epoch (``Epoch: 1, Steps: 1007``), else the largest step printed in the epoch before.
3. When the epoch advances and the step goes on growing, the log counts over all epochs itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from collector.wire.records import ParserState

_NAMES = ("epoch", "epoch_top", "epoch_offset", "epoch_length")


@dataclass(slots=True)
class Epochs:
    """``epoch`` is the last one named, ``top`` its largest step, ``offset`` what is added to its steps, ``length``
    what TimeMonitor told (0: nothing). ``zero_based``: epochs count from 0."""

    epoch: int | None = None
    top: int = 0
    offset: int = 0
    length: int = 0
    zero_based: bool = False

    @classmethod
    def from_state(cls, state: ParserState) -> Epochs:
        """What ``state`` wrote down."""
        epoch, top, offset, length = (state.get(name) for name in _NAMES)
        return cls(
            None if epoch is None else int(epoch),
            int(top or 0),
            int(offset or 0),
            int(length or 0),
            bool(state.get("zero_based")),
        )

    def state(self) -> dict[str, int | bool | None]:
        """All that the next chunk needs."""
        values = dict(zip(_NAMES, (self.epoch, self.top, self.offset, self.length), strict=True))
        return {**values, "zero_based": self.zero_based}

    def step(self, epoch: int | None, step: int, steps: int = 0) -> int:
        """The step over all epochs of a step of one epoch; ``steps`` is the epoch's printed length, 0 for none."""
        if epoch is None:
            return step
        self.zero_based = self.zero_based or epoch == 0
        if steps:
            return self._before(epoch) * steps + step
        if epoch != self.epoch:
            self._turn(epoch, step)
        self.top = max(self.top, step)
        return self.offset + step

    def _before(self, epoch: int) -> int:
        return epoch if self.zero_based else epoch - 1

    def _turn(self, epoch: int, step: int) -> None:
        last, top = self.epoch, self.top
        self.epoch, self.top = epoch, 0
        if last is None or (epoch > last and step > top and not step <= self.length):
            return
        if self.length or epoch < last:
            self.offset = self._before(epoch) * (self.length or top)
        else:
            self.offset += (epoch - last) * top

    def timed(self, epoch_ms: float, step_ms: float) -> None:
        """Learn an epoch's length from TimeMonitor's two times, if they tell a whole number that can be."""
        ratio = epoch_ms / step_ms if step_ms > 0 else 0.0
        if ratio < 1e9 and abs(ratio - round(ratio)) < 0.05:
            self.tell(round(ratio))

    def tell(self, length: int) -> None:
        """Learn an epoch's length, if it can be."""
        if length >= max(self.top, 1):
            self.length = length
