"""The states that are photographed: which address, seen how, and when it is ready."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

from playwright.sync_api import Page

from tests.support import alarmed, gallery
from tests.support.curves import place, until

READY = f"tidewatch.curves?.newest === {gallery.STEPS} && !tidewatch.curves.loading"
DRAWN = "tidewatch.curves?.newest > 0 && !tidewatch.curves.loading"
COMPARED = "document.querySelector('#compare .js-plotly-plot')?.data?.length > 1"
NOTICE = "document.querySelector('.notice')"

RANKS = "tidewatch.ranks?.held.m > 0 && !tidewatch.ranks.loading && tidewatch.ranks.ranks.length > 0"
CHOSEN = f"{RANKS} && document.querySelector('.ranks-curve')"

Store = Literal["gallery", "files", "ranks", "empty", "lost"]


@dataclass(frozen=True, slots=True)
class State:
    """One picture. ``store`` says over which Redis; ``act`` does what a reader would do once ``ready`` holds."""

    name: str
    path: str
    ready: str = READY
    store: Store = "gallery"
    theme: Literal["light", "dark"] = "light"
    locale: str = "en-US"
    width: int = 1440
    whole: bool = True  # not the first screenful alone: a dialog lies over that
    act: Callable[[Page], None] | None = None


def keys(page: Page) -> None:
    """Opens the help."""
    page.locator("#help-open").click()


def adding(page: Page) -> None:
    """Opens the search for tags."""
    page.locator("#add-panel").click()
    until(page, "document.querySelectorAll('dialog[open] [role=option]').length > 0")


def hovering(page: Page) -> None:
    """Puts the pointer into the middle of the first panel."""
    page.mouse.move(*place(page, 0.4))
    page.mouse.move(*place(page, 0.5))


def acknowledging(page: Page) -> None:
    """Opens the form in which an alert is acknowledged."""
    page.locator(".alert.chosen [data-act=acknowledge]").click()


ALARMED = f"{READY} && document.querySelectorAll('.alert-mark').length > 3"
SPIKE = f"alert={alarmed.SPIKE.id}&view=480..560"
OPEN = "document.querySelector('.alert-numbers') && !document.querySelector('.alert-band').hidden"

CHINESE = quote(gallery.CHINESE)
RUNS = "document.querySelectorAll('table.runs tbody tr').length > 1"
STATES: Sequence[State] = (
    State("runs-light", "", RUNS),
    State("runs-dark", "", RUNS, theme="dark"),
    State("runs-chinese", "", RUNS, locale="zh-CN"),
    State("runs-narrow", "", RUNS, width=390),
    State("run-light", "run/going"),
    State("run-dark", "run/going", theme="dark"),
    State("run-chinese", f"run/{CHINESE}", locale="zh-CN"),
    State("run-narrow", "run/going", width=390),
    State("run-chinese-narrow-dark", f"run/{CHINESE}", locale="zh-CN", width=390, theme="dark"),
    State("run-smoothed-wall", "run/going?smooth=0.9&x=wall&gap=1"),
    State("run-hovered", "run/going", act=hovering),
    State("run-zoomed", "run/going?view=100..300"),
    State("run-diverged", "run/diverged"),
    State("run-diverged-dark", "run/diverged", theme="dark"),
    State("run-resumed", "run/resumed"),
    State("run-resumed-all-attempts", "run/resumed?attempts=all"),
    State("run-finished", "run/finished"),
    State("panel-full", "run/going?full=loss"),
    State("panel-full-dark", "run/diverged?full=loss", theme="dark"),
    State("dialog-keys", "run/going", act=keys, whole=False),
    State("dialog-add-panel", "run/going", act=adding, whole=False),
    State("alerts-light", "run/alarmed", ALARMED),
    State("alerts-dark", "run/alarmed", ALARMED, theme="dark"),
    State("alerts-narrow", "run/alarmed", ALARMED, width=390),
    State("alert-open", f"run/alarmed?{SPIKE}", OPEN),
    State("alert-open-chinese-dark", f"run/alarmed?{SPIKE}", OPEN, locale="zh-CN", theme="dark"),
    State("alert-open-narrow-chinese", f"run/alarmed?{SPIKE}", OPEN, locale="zh-CN", width=390),
    State("alert-acknowledging", f"run/alarmed?{SPIKE}", OPEN, act=acknowledging),
    State("baseline", "run/going?base=resumed"),
    State("compare-light", "compare?runs=going,resumed,diverged", COMPARED),
    State("compare-dark", "compare?runs=going,resumed", COMPARED, theme="dark"),
    State("compare-chinese", "compare?runs=going,finished", COMPARED, locale="zh-CN"),
    State("compare-narrow", "compare?runs=going,resumed", COMPARED, width=390),
    State("ranks-light", "run/few/ranks?rank=45@100", CHOSEN, store="ranks"),
    State("ranks-dark", "run/few/ranks?rank=36@100", CHOSEN, store="ranks", theme="dark"),
    State("ranks-chinese", "run/few/ranks?rank=45@100", CHOSEN, store="ranks", locale="zh-CN"),
    State("ranks-values", "run/few/ranks?show=value&folds=nnode4,nnode5,nnode6,nnode7", RANKS, store="ranks"),
    State("ranks-values-dark", "run/few/ranks?show=value&by=none", RANKS, store="ranks", theme="dark"),
    State("ranks-time", "run/few/ranks?x=wall&metric=device_local_norm", RANKS, store="ranks"),
    State("ranks-narrow", "run/few/ranks?rank=45@100", CHOSEN, store="ranks", width=390),
    State("ranks-chinese-narrow-dark", "run/few/ranks", RANKS, store="ranks", locale="zh-CN", width=390, theme="dark"),
    State("ranks-many", "run/many/ranks?folds=nnode37", RANKS, store="ranks"),
    State("ranks-none", "run/one/ranks", "document.querySelector('.ranks-notice')?.textContent", store="ranks"),
    State("run-with-ranks", "run/few", DRAWN, store="ranks"),
    State("unknown-run", "run/nobody", NOTICE),
    State("unknown-page", "nowhere", NOTICE),
    State("files-runs", "", RUNS, store="files"),
    State("files-demonstration", "run/demonstration", DRAWN, store="files"),
    State("files-demonstration-dark", "run/demonstration", DRAWN, store="files", theme="dark"),
    State("files-log-drawer", "run/demonstration?log_at=0@1500", DRAWN, store="files"),
    State("files-nan-resume", "run/mf1.3.2_eval_nan_resume", DRAWN, store="files"),
    State("files-moe-nan-crash", "run/mf2.1.0_graph_moe_nan_crash", DRAWN, store="files"),
    State("files-norm-spike-skip", "run/mf2.1.0_graph_norm_spike_skip", DRAWN, store="files"),
    State("empty-store", "", NOTICE, store="empty"),
    State("empty-store-chinese", "", NOTICE, store="empty", locale="zh-CN", theme="dark"),
    State("redis-away-runs", "", NOTICE, store="lost"),
    State("redis-away-run", "run/going", NOTICE, store="lost"),
)
