"""The page of a run's ranks before any script: what it is told, and where it is not."""

from __future__ import annotations

import time
from urllib.parse import quote_plus

import pytest

from app.hypertext import hypertext
from app.index import is_plotting
from app.pages import ranks
from app.pages.site import page, way
from app.pages.source import Source
from app.reader import Reader
from app.store import RedisRunStore
from tests.support.seed import Seed


@pytest.fixture
def source(store: RedisRunStore) -> Source:
    return Source(store, time.time, Reader(store))


def rank(seed: Seed, number: int, metric: str | None, tag: str = "") -> None:
    """One series of a rank."""
    file = f"tensorboard/rank_{number}/events"
    seed.points([(1, 1.0, 2.0)], metric=metric, tag=tag, rank=number, file=file, source="tensorboard")


def begun(source: Source, path: str = "run/gpt/ranks") -> str:
    """What the element that the script fills is told."""
    return hypertext(list(page(source, "/", path).frame()))


@pytest.mark.parametrize(
    ("path", "run"), [("run/a%2Fb/ranks", "a/b"), ("run/a", None), ("run/a/b/ranks", None), ("ranks", None)]
)
def test_a_path_names_the_run(path: str, run: str | None) -> None:
    assert ranks.run_of(path) == run


def test_what_one_rank_alone_says_comes_first(source: Source, seed: Seed) -> None:
    for number in (0, 1):
        rank(seed, number, "loss")
        rank(seed, number, "local_loss")
    said = begun(source)
    assert 'data-metric="local_loss"' in said
    assert 'data-count="2"' in said


def test_a_tag_will_do(source: Source, seed: Seed) -> None:
    rank(seed, 0, "loss")
    for number in (0, 3):
        rank(seed, number, None, "max_attention_logit")
    assert 'data-metric="tag:max_attention_logit"' in begun(source)


def test_a_page_without_ranks_is_another_as_soon_as_there_are_some(source: Source, seed: Seed) -> None:
    rank(seed, 0, "loss")
    before = page(source, "/", "run/gpt/ranks").kind
    assert 'data-metric=""' in begun(source)
    rank(seed, 1, "loss")
    assert page(source, "/", "run/gpt/ranks").kind != before


def test_a_run_that_is_not_there_is_named(source: Source) -> None:
    assert "nobody" in begun(source, "run/nobody/ranks")


def test_the_way_leads_on_to_the_ranks_and_back() -> None:
    said = hypertext(list(way("/mon/", "run/gpt/ranks")))
    assert 'href="/mon/run/gpt"' in said
    assert '<span class="here"><a href="/mon/run/gpt/ranks">' in said


def test_no_plot_library_is_fetched_for_it() -> None:
    assert is_plotting("run/gpt")
    assert is_plotting("run/ranks")  # a run may be called so
    assert not is_plotting("run/gpt/ranks")


def ahead(source: Source, query: str = "") -> list[str]:
    """What a browser is told to ask before any script runs."""
    return list(page(source, "/mon/", "run/gpt/ranks", query).ahead())


def test_the_first_question_is_asked_by_the_document(source: Source, seed: Seed) -> None:
    for number in (0, 1):
        rank(seed, number, "local_loss")
    assert ahead(source) == ["/mon/api/runs/gpt/ranks?metric=local_loss&columns=500&fold=none&form=columns"]


@pytest.mark.parametrize("query", ["metric=loss", "view=1-2", "x=wall", "lang=zh", "metric="])
def test_an_address_that_asks_otherwise_leaves_it_to_the_scripts(source: Source, seed: Seed, query: str) -> None:
    for number in (0, 1):
        rank(seed, number, "local_loss")
    assert ahead(source, query) == []


@pytest.mark.parametrize(
    ("query", "levels"),
    [
        ("", "node,stage,group,none"),
        ("by=stage", "stage,group,none"),
        ("by=none", "none"),
        ("by=x", "node,stage,group,none"),
    ],
)
def test_many_ranks_are_asked_for_at_the_level_that_the_address_names(
    source: Source, seed: Seed, query: str, levels: str
) -> None:
    for number in range(257):
        rank(seed, number, "local_loss")
    (address,) = ahead(source, query)
    assert f"&fold={quote_plus(levels)}&" in address


def test_without_ranks_nothing_is_asked_ahead(source: Source, seed: Seed) -> None:
    rank(seed, 0, "loss")
    assert ahead(source) == []
