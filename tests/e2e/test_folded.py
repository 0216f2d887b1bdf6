"""A panel whose history is folded says so, and shows every extreme of it."""

from __future__ import annotations

import math

import redis
from playwright.sync_api import expect

from collector.wire.records import SeriesMeta
from tests.e2e.conftest import Watch, Web
from tests.support.curves import until_settled
from tests.support.folding import fold_oldest
from tests.support.seed import RUN, Seed

RANK_1 = SeriesMeta("log/rank_1/info.log", 0, "local_loss", "local_loss", 1, "log")


def test_a_folded_history_is_told_in_both_languages(
    watch: Watch, web: Web, redis_client: redis.Redis, redis_url: str
) -> None:
    seed = Seed(redis_client)
    seed.points([(at, 1.79e9 + at, 2.0) for at in range(1000)], rank=2, file="log/rank_2/info.log", live=False)
    wave = [(at, 1.79e9 + at, 9.0 if at == 77 else math.sin(at)) for at in range(1000)]
    seed.points(wave, metric="local_loss", file=RANK_1.file, rank=1, live=False)
    assert fold_oldest(redis_url, 640, RANK_1.sid) == 1
    tab = watch.page()
    tab.goto(f"{web(redis_url)}run/{RUN}?panels=r1:local_loss")
    until_settled(tab)
    note = tab.locator('[data-panel="tag:r1:local_loss"] .note')
    expect(note).to_contain_text("1,000 points")
    expect(note).to_contain_text("640 of them folded: the range is shown, the files hold each")
    expect(tab.locator("[data-panel=loss] .note")).to_have_text("1,000 points, all drawn")
    tab.goto(f"{tab.url.replace('?', '?lang=zh&')}")
    until_settled(tab)
    expect(note).to_contain_text("其中 640 个已折叠")
