"""Which parser reads which source."""

from __future__ import annotations

from collections.abc import Mapping

from collector.parse.event.mindspore import MindSporeSummary
from collector.parse.event.tensorboard import TensorBoardEvents
from collector.parse.health import HealthRecord
from collector.parse.log.rank_log import RankLog
from collector.parse.parsed import Parser
from collector.wire.records import Source

_PARSERS: Mapping[Source, Parser] = {
    "log": RankLog(),
    "tensorboard": TensorBoardEvents(),
    "mindspore": MindSporeSummary(),
    "health": HealthRecord(),
}


def parser_for(source: Source) -> Parser:
    """The parser of a source; parsers are stateless, so that one serves every file and every thread."""
    return _PARSERS[source]
