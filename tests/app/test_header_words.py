"""What stands between the words of the head: one blank, and none behind Chinese punctuation."""

from __future__ import annotations

import re

import pytest
from dash.development.base_component import Component

from app.language import speaking
from app.markup import FULL_WIDTH, gap
from app.pages import header, notices
from app.pages.source import Source
from app.reader import Reader
from app.store import RedisRunStore
from tests.app.conftest import NOW
from tests.support.seed import Seed, straight


def text(part: object) -> str:
    """All words of a component; an element that the scripts fill is a sign."""
    if isinstance(part, Component):
        return text(getattr(part, "children", None)) or "□"
    if isinstance(part, list | tuple):
        return "".join(text(one) for one in part)
    return "" if part is None else str(part)


@pytest.mark.parametrize("kind", ["", "nan_stop", "compile"])
def test_no_blank_stands_behind_chinese_punctuation(store: RedisRunStore, seed: Seed, kind: str) -> None:
    seed.points(straight(range(1, 101), at=NOW - 100))
    if kind:
        seed.event(kind, step=100, wall=NOW - 0.5, text="There is nan in loss")
    seed.touched(NOW)
    seed.beat(NOW)
    with speaking("zh"):
        run = Source(store, lambda: NOW, Reader(store)).run("gpt")
        assert run is not None
        said = text(header.header(run)) + text(notices.no_runs([])) + text(notices.no_runs(["/data"]))
    assert "最新数据点：□" in said
    assert re.findall(f"[{FULL_WIDTH}] ", said) == []


def test_behind_other_words_there_is_one() -> None:
    assert (gap("Last point"), gap("最新数据点："), gap("。"), gap(Component())) == (" ", "", "", " ")
