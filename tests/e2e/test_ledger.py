"""What the run page says of time: what is under way, when it ends, where the time went, what watching costs."""

from __future__ import annotations

import re
import time

import redis
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Watch, Web
from tests.support.curves import ask, until
from tests.support.seed import Seed, straight


def filled(client: redis.Redis) -> float:
    """Two attempts at 0.1 s a step; an evaluation that began now. The time of its last point."""
    now = time.time()
    run = Seed(client, facts={"total_steps": "10000", "world_size": "64", "format": "graph"})
    run.event("start", wall=now - 400)
    run.points(straight(range(1, 1201), at=now - 340, every=0.1), live=False)
    run.event("start", wall=now - 130)
    run.points(straight(range(1001, 2000), at=now - 100, every=0.1), generation=1, reason="start_announced", live=False)
    run.event("eval", wall=now + 0.1, text="Starting Evaluate Model", step=1999)
    run.touched(now)
    run.beat()
    return now


def colours(page: Page) -> list[str]:
    found: list[str] = ask(
        page, "[...document.querySelectorAll('.ledger-slice')].map(s => getComputedStyle(s).backgroundColor)"
    )
    return found


def test_the_page_says_where_the_time_went_and_what_is_under_way(
    watch: Watch, web: Web, redis_url: str, redis_client: redis.Redis
) -> None:
    filled(redis_client)
    home, page = web(redis_url), watch.page()
    page.goto(f"{home}run/gpt")
    head, card, costs = page.locator("#run-head"), page.locator("#run-ledger"), page.locator("#run-costs")
    expect(head).to_contain_text("An evaluation is under way. How long that takes, this run has not shown yet.")
    expect(head.locator(".freshness").first).to_have_attribute("data-cause", "evaluation")
    expect(head).to_contain_text("200 steps done twice (20 s of work).")
    until(page, "/^[0-9:]{5}$/.test(document.querySelector('.kpis .remaining time').textContent)")
    expect(card.get_by_role("heading", name="Where the time went")).to_be_visible()
    expect(card).to_contain_text("effective training time")
    expect(card).to_contain_text("on 64 NPUs")
    rows = card.get_by_role("row")
    expect(rows.first).to_contain_text("NPU-hours")
    expect(rows.nth(1)).to_contain_text("Training that counts")
    expect(card.get_by_role("rowheader", name="Thrown away and done again")).to_be_visible()
    widths = ask(page, "[...document.querySelectorAll('.ledger-slice')].map(s => s.getBoundingClientRect().width)")
    assert len(set(colours(page))) == len(widths) == rows.count() - 1  # each part has a colour and a row of its own
    assert min(widths) > 2
    expect(costs.locator("code")).to_have_text("callbacks: MFLossMonitor.per_print_times: 50")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert len(set(colours(page))) == len(widths)
    page.set_viewport_size({"width": 390, "height": 800})
    until(page, "document.querySelector('#run-ledger').scrollWidth <= 390")
    page.context.add_cookies([{"name": "tidewatch_language", "value": "zh", "url": home}])
    page.reload()
    expect(card).to_contain_text("时间去哪了")
    expect(head).to_contain_text("正在评估。")
    expect(costs).to_contain_text("监控的开销")
    expect(card).to_contain_text("秒")
    # 12 s · 2 h 5 min · 92.3 %
    assert re.findall(r"\d (?:s|min|h|d|%)(?!\w).{0,20}", page.locator("main").inner_text()) == []
