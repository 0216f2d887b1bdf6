"""The page of a snapshot as a browser gets it, and what a chat shows of a link."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import quote

import pytest
import redis
from PIL import Image

from app.pages.head import HEIGHT, WIDTH
from app.store import RedisRunStore
from tests.support.alarmed import JITTER, SPIKE, raise_at
from tests.support.freezing import NOW, Link, freeze, serving
from tests.support.seed import RUN, Seed, straight

NAMES = ["a b", "a:b", "a#b?c", "50%", "a%2Fb", "观潮-1", "x" * 150, "<b>&\"'"]


@pytest.fixture
def store(redis_url: str) -> Iterator[RedisRunStore]:
    found = RedisRunStore(redis_url)
    yield found
    found.close()


@pytest.fixture
def seed(redis_client: redis.Redis, redis_url: str) -> Seed:
    seed = Seed(redis_client, facts={"total_steps": "1000"})
    for rank in range(4):
        seed.points(straight(range(150)), rank=rank, file=f"log/rank_{rank}/info.log")
        seed.points(straight(range(150)), rank=rank, file=f"log/rank_{rank}/info.log", metric="local_loss")
    seed.touched(1e6 + 150)
    seed.beat(NOW - 1)
    raise_at(redis_url, RUN, (SPIKE, JITTER))
    return seed


def tags(document: str) -> dict[str, str]:
    found = re.findall(r'<meta (?:property|name)="([^"]*)" content="([^"]*)">', document)
    return {name: unescape(text) for name, text in found}


def shell(document: str) -> dict[str, str]:
    """What the scripts are told."""
    found = re.search(r'<div id="shell"([^>]*)>', document)
    assert found
    return {name: unescape(text) for name, text in re.findall(r'data-([a-z]+)="([^"]*)"', found[1])}


def test_it_has_the_page_without_what_keeps_others_live(seed: Seed, store: RedisRunStore) -> None:
    with serving(store) as client:
        link = freeze(client, RUN, view="x=wall&panels=a,b", by="夜班")
        page = client.get(link.path)
        assert page.mimetype == "text/html"
        assert 'data-run="gpt"' in page.text
        assert len(re.findall("<script", page.text)) == 1
        said = shell(page.text)
        assert said["frozen"] == "1970-01-12T13:50:00.000+00:00"
        assert said["home"] == f"{link.path}/"
        assert said["view"] == "x=wall&panels=a,b"
        assert said["now"] == str(NOW)
        assert json.loads(said["told"]) == {"kind": "frozen", "parts": {}}
        assert "by 夜班" in page.text
        assert f'href="/run/{RUN}?x=wall&amp;panels=a,b"' in page.text
        assert f'href="{link.path}/ranks"' in page.text


def test_an_address_with_a_view_of_its_own_shows_that(seed: Seed, store: RedisRunStore) -> None:
    with serving(store) as client:
        link = freeze(client, RUN, view="x=wall")
        page = client.get(f"{link.path}?smooth=0.6&view=3..40").text
        assert tags(page)["og:image"].endswith("/preview.png?start=3&end=40")
        assert shell(page)["view"] == ""
        assert f'href="/run/{RUN}?smooth=0.6&amp;view=3..40"' in page


def test_the_map_of_ranks_is_a_page_of_its_own(seed: Seed, store: RedisRunStore) -> None:
    with serving(store) as client:
        link = freeze(client, RUN, page="ranks", view="by=none")
        assert link.told["url"].endswith("/ranks")
        page = client.get(f"{link.path}/ranks").text
        assert 'data-ranks="gpt"' in page
        assert f'href="/run/{RUN}/ranks?by=none"' in page
        address = tags(page)["og:image"]
        assert address == f"http://localhost{link.path}/preview.png?page=ranks"
        assert client.get(address.removeprefix("http://localhost"), buffered=True).mimetype == "image/png"
        (ahead,) = re.findall(r'<link rel="preload" as="fetch"[^>]*href="([^"]*)"', page)
        assert ahead.startswith(f"{link.path}/api/runs/gpt/ranks?")
        assert client.get(unescape(ahead)).status_code == 200


@pytest.mark.parametrize(
    ("query", "accept", "view", "words"),
    [
        ("", "", "", "Frozen snapshot"),
        ("", "zh-CN", "", "快照"),
        ("", "en", "lang=zh", "快照"),
        ("?lang=en", "zh-CN", "lang=zh", "Frozen snapshot"),
        ("?lang=zh", "en", "", "快照"),
    ],
)
def test_it_is_in_the_language_of_the_link(
    query: str, accept: str, view: str, words: str, seed: Seed, store: RedisRunStore
) -> None:
    with serving(store) as client:
        link = freeze(client, RUN, view=view)
        page = client.get(link.path + query, headers={"Accept-Language": accept} if accept else {}).text
        assert words in page
        assert tags(page)["og:locale"] == ("zh_CN" if words == "快照" else "en_US")


def test_a_chat_shows_what_it_is_with_a_picture(seed: Seed, store: RedisRunStore) -> None:
    with serving(store, url="https://watch.example/mon/", prefix="/mon/") as client:
        reply = client.post(f"/mon/api/runs/{RUN}/snapshots", json={})
        link = Link(reply.json)
        assert link.told["url"] == f"https://watch.example{link.path}"
        assert link.path.startswith("/mon/s/")
        said = tags(client.get(link.path).text)
        assert said["og:title"] == "gpt, frozen"
        assert said["og:description"] == "Quiet · step 149 of 1,000 · loss 9.851 · 1 open alert"
        assert said["description"] == said["og:description"]
        assert said["og:url"] == link.told["url"]
        assert said["og:image"] == f"{link.told['url']}/preview.png"
        assert said["twitter:card"] == "summary_large_image"
        assert said["robots"] == "noindex, nofollow"
        picture = client.get(f"{link.path}/preview.png", buffered=True)
        assert picture.mimetype == "image/png"
        assert Image.open(io.BytesIO(picture.data)).size == (WIDTH, HEIGHT) == (1200, 630)


def test_the_live_run_is_shown_likewise_to_who_may_see_it(seed: Seed, store: RedisRunStore) -> None:
    with serving(store) as client:
        said = tags(client.get(f"/run/{RUN}?x=wall", headers={"Host": "localhost:8050"}).text)
        assert said["og:title"] == RUN
        assert said["og:description"].startswith("Quiet · step 149 of 1,000")
        assert said["og:url"] == f"http://localhost:8050/run/{RUN}?x=wall"
        assert said["og:image"] == f"http://localhost:8050/api/runs/{RUN}/preview.png"
        ranks = tags(client.get(f"/run/{RUN}/ranks").text)
        assert ranks["og:image"].endswith("/preview.png?page=ranks")
        assert "og:title" not in tags(client.get("/").text)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_a_run_can_be_frozen(name: str, redis_client: redis.Redis, store: RedisRunStore) -> None:
    Seed(redis_client, name).points(straight(range(20)))  # type: ignore[arg-type]
    with serving(store) as client:
        link = freeze(client, name)
        page = client.get(link.path)
        assert page.status_code == 200
        assert f'href="/run/{quote(name, safe="")}"' in page.text
        assert client.get(f"{link.path}/api/runs/{quote(name, safe='')}/series?metric=loss").json["total"] == 20
        assert client.get(f"{link.path}/api/runs").json[0]["id"] == name
        assert client.delete(f"/api/runs/{quote(name, safe='')}/snapshots/{link.id}").status_code == 200
        assert client.get(link.path).status_code == 410


def test_a_run_without_a_point_can_be_frozen(redis_client: redis.Redis, store: RedisRunStore) -> None:
    seed = Seed(redis_client)
    with serving(store) as client:
        link = freeze(client, RUN)
        seed.points(straight(range(20)))
        assert client.get(link.path).status_code == 200
        assert client.get(f"{link.path}/api/runs/{RUN}").json["step"] is None


def test_using_it_is_written_once_a_minute_and_told(
    seed: Seed, store: RedisRunStore, redis_client: redis.Redis
) -> None:
    with serving(store) as client:
        link = freeze(client, RUN)
        for _ in range(5):
            client.get(link.path)
            client.get(f"{link.path}/api/runs")
        (told,) = client.get(f"/api/runs/{RUN}/snapshots").json["snapshots"]
        assert (told["uses"], told["used"], told["state"]) == (5, NOW, "live")
        assert redis_client.hget(f"tw:{{{RUN}}}:snapshot:{link.id}", "uses") == b"1"


def test_what_has_expired_says_so_and_is_not_opened_again(seed: Seed, store: RedisRunStore) -> None:
    with serving(store) as client:
        link = freeze(client, RUN, days=2)
    with serving(store, now=NOW + 2 * 86_400 - 1) as client:
        assert client.get(link.path).status_code == 200
    with serving(store, now=NOW + 2 * 86_400) as client:
        assert client.get(link.path).status_code == 410
        assert "has expired" in client.get(f"{link.path}/api/runs").json["error"]
        (told,) = client.get(f"/api/runs/{RUN}/snapshots").json["snapshots"]
        assert told["state"] == "expired"
        assert client.put(f"/api/runs/{RUN}/snapshots/{link.id}", json={"days": 1}).status_code == 409


def test_one_that_is_open_can_be_kept_longer(seed: Seed, store: RedisRunStore) -> None:
    with serving(store) as client:
        link = freeze(client, RUN, days=1)
        assert f'data-clock="{NOW + 86_400:.0f}"' in client.get(link.path).text
        told = client.put(f"/api/runs/{RUN}/snapshots/{link.id}", json={"days": 30}).json
        assert told["expires"] == NOW + 30 * 86_400
        assert f'data-clock="{NOW + 30 * 86_400:.0f}"' in client.get(link.path).text
    with serving(store, now=NOW + 29 * 86_400) as client:
        assert client.get(link.path).status_code == 200
