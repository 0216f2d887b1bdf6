"""The picture of a link shows the steps, the metric and the language of the page that it leads to."""

from __future__ import annotations

import pytest

from app.pages.pictured import pictured


@pytest.mark.parametrize(
    ("query", "of_ranks", "asked"),
    [
        ("", False, ""),
        ("view=1200..1800&smooth=0.6", False, "start=1200&end=1800"),
        ("view=1199.2..1800.9", False, "start=1200&end=1800"),
        ("view=-3..2.5e4&lang=zh-CN", False, "start=-3&end=25000&lang=zh"),
        ("view=1200..1800&x=wall", False, ""),
        ("view=1200..1800&x=step", False, "start=1200&end=1800"),
        ("view=3..2", False, ""),
        ("view=2.1..2.9", False, ""),
        ("view=1e300..1e301", False, ""),
        ("view=1..2..3&lang=fr", False, ""),
        ("view=all", False, ""),
        ("view=last-500", False, ""),
        ("metric=loss", False, ""),
        ("", True, "page=ranks"),
        ("metric=local_loss&view=3..9&by=none", True, "page=ranks&metric=local_loss&start=3&end=9"),
        ("metric=tag:a%2Fb%26c", True, "page=ranks&tag=a%2Fb%26c"),
        ("metric=" + "x" * 501, True, "page=ranks"),
    ],
)
def test_what_is_asked_of_the_picture(query: str, of_ranks: bool, asked: str) -> None:
    assert pictured(query, of_ranks=of_ranks) == asked
