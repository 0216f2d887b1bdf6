"""Every word of the pages in both languages, and the choice between them."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator
from html import unescape
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po
from flask.testing import FlaskClient

import app
from app.config import AppConfig
from app.factory import close, create_app
from app.language import CATALOGUES, COOKIE, gettext, ngettext, speaking
from app.store import RedisRunStore

PACKAGE = Path(app.__file__).parent
KEYWORDS = {"_": None, "gettext": None, "lazy_gettext": None, "ngettext": (1, 2)}
COMPILE = "pybabel compile -d app/translations -l zh_Hans"
# %(name)s or {name}
PLACE = re.compile(r"%\(\w+\)[sd]|\{\w+\}")


def said() -> set[str | tuple[str, str]]:
    """Every word that the program says, in English; of a count singular and plural."""
    found = extract_from_dir(PACKAGE, method_map=[("**.py", "python")], keywords=KEYWORDS)
    return {message for _file, _line, message, _comments, _context in found}


def singulars(texts: Iterable[str | tuple[str, str]]) -> set[str]:
    return {text[0] if isinstance(text, tuple) else text for text in texts}


@pytest.fixture(scope="module")
def chinese() -> Catalog:
    with (CATALOGUES / "zh_Hans" / "LC_MESSAGES" / "messages.po").open("rb") as file:
        return read_po(file)


def key(message: Message) -> str:
    return message.id[0] if isinstance(message.id, tuple | list) else message.id


def translation(message: Message) -> str:
    return message.string[0] if isinstance(message.string, tuple | list) else message.string


def test_every_word_has_a_translation_and_no_translation_is_left_over(chinese: Catalog) -> None:
    translated = {key(message) for message in chinese if message.id and translation(message)}
    assert singulars(said()) == translated


def test_every_count_has_a_translation_of_its_plural(chinese: Catalog) -> None:
    """One entry serves the word alone and the count, but only one that has a plural is found by a count."""
    counted = {text for text in said() if isinstance(text, tuple)}
    assert counted <= {tuple(message.id) for message in chinese if isinstance(message.id, tuple | list)}
    with speaking("zh"):
        assert (
            [ngettext("Overflow", "Overflows", number) for number in (1, 4)]
            == ["溢出"] * 2
            == [gettext("Overflow")] * 2
        )


def test_a_translation_fills_in_what_the_original_does(chinese: Catalog) -> None:
    for message in chinese:
        if message.id:
            assert sorted(PLACE.findall(translation(message))) == sorted(PLACE.findall(key(message))), message.id


def test_what_runs_is_what_was_translated(chinese: Catalog) -> None:
    compiled = io.BytesIO()
    write_mo(compiled, chinese)
    compiled.seek(0)
    with (CATALOGUES / "zh_Hans" / "LC_MESSAGES" / "messages.mo").open("rb") as file:
        runs = {str(message.id): translation(message) for message in read_mo(file) if message.id}
    fresh = {str(message.id): translation(message) for message in read_mo(compiled) if message.id}
    assert runs == fresh, f"run: {COMPILE}"


@pytest.fixture
def client(redis_url: str) -> Iterator[FlaskClient]:
    store = RedisRunStore(redis_url)
    server = create_app(AppConfig(redis_url=redis_url), store).server
    yield server.test_client()
    close(server)
    store.close()


def language_of(client: FlaskClient, accepted: str, query: str = "") -> str:
    """Language of the document, and that its words are in it."""
    document = client.get(f"/{query}", headers={"Accept-Language": accepted}).text
    said = re.search(r'<html lang="([^"]*)">.* data-words="([^"]*)"', document, re.S)
    assert said is not None
    assert json.loads(unescape(said[2]))["off"] == {"en": "off", "zh-Hans": "关"}[said[1]]
    return said[1]


@pytest.mark.parametrize(
    ("accepted", "language"),
    [("zh-CN,zh;q=0.9,en;q=0.8", "zh-Hans"), ("en-GB,zh;q=0.5", "en"), ("fr-FR", "en"), ("", "en")],
)
def test_the_browser_chooses_the_language(client: FlaskClient, accepted: str, language: str) -> None:
    assert language_of(client, accepted) == language


def test_the_reader_chooses_over_the_browser(client: FlaskClient) -> None:
    client.set_cookie(COOKIE, "zh")
    assert language_of(client, "en") == "zh-Hans"
    assert language_of(client, "zh", "?lang=en-GB") == "en"  # and a link over both
    client.set_cookie(COOKIE, "xx")
    assert language_of(client, "en") == "en"
    assert language_of(client, "zh", "?lang=xx") == "zh-Hans"


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        ({"Accept-Language": "zh-CN"}, "没有任务 'none'；已有任务：暂无。"),
        ({"Accept-Language": "en-GB"}, "There is no run 'none'; known runs: none yet."),
        ({}, "There is no run 'none'; known runs: none yet."),
    ],
)
def test_an_error_is_told_in_the_language_of_who_asks(client: FlaskClient, headers: dict[str, str], said: str) -> None:
    reply = client.get("/api/runs/none", headers=headers)
    assert (reply.status_code, reply.json) == (404, {"error": said})


def test_a_store_that_is_away_is_told_in_the_language_of_who_asks(tmp_path: Path) -> None:
    address = f"unix://{tmp_path}/none"
    store = RedisRunStore(address)
    server = create_app(AppConfig(redis_url=address), store).server
    replies = [server.test_client().get("/api/runs", headers={"Accept-Language": one}) for one in ("zh", "en")]
    assert [(one.status_code, one.json["error"]) for one in replies if one.json] == [
        (503, "Redis 没有响应（ConnectionError）；恢复后页面会自动刷新。"),
        (503, "Redis does not answer (ConnectionError); pages fill again when it is back."),
    ]
    close(server)
    store.close()
