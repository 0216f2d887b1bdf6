"""Rows C4, C5, C10, C11, C12, C13 and A9: what stands for a person, and where it must not go."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
import redis
from flask import Flask
from flask.sessions import SecureCookieSessionInterface
from itsdangerous import URLSafeSerializer, URLSafeTimedSerializer

from app.access.policy import is_code
from app.access.secret import NAME, kept_key
from app.access.session import SALT
from app.access.weak import WELL_KNOWN
from app.api.guard import content_policy
from app.config import AppConfig
from app.factory import create_app
from app.launch.entry import entry
from app.launch.options import parse
from app.server_log import safe
from app.store import RedisRunStore
from collector.wire.records import RunId
from tests.support import guarded
from tests.support.guarded import PASSWORD, TOKEN, VIEWER_TOKEN, bearer, calls, field_of, free_port, gunicorn, log_in
from tests.support.seed import Seed, straight
from tests.support.serving import EventStream
from tests.support.waiting import eventually

pytestmark = pytest.mark.timeout(240)  # servers are started, which may take long beside other tests

COOKIE = "tidewatch_session_web"
KEYS = [
    *WELL_KNOWN.split(),
    "\2\1thisismyscretkey\1\2\\e\\y\\y\\h",  # Superset's, over the years
    "CHANGE_ME_TO_A_COMPLEX_RANDOM_SECRET",
    "thisISaSECRET_1234",
    "YOUR_OWN_RANDOM_GENERATED_SECRET_KEY",
    "TEST_NON_DEV_SECRET",
    '_5#y2L"F4Q8z\n\xec]/',  # Flask's handbook
    "192b9bdd22ab9ed4d12e236c78afcb9a393ec15f71bbf5dc987d54727823bcbf",
    "",
    "\0" * 32,
    "0" * 64,
]


def test_c4_no_well_known_key_signs_a_cookie_that_counts(closed: Flask) -> None:
    assert len(KEYS) >= 100
    owner = closed.test_client()
    log_in(owner, PASSWORD)
    kept = owner.get_cookie(COOKIE)
    assert kept
    held = URLSafeSerializer("any").load_payload(kept.value.rpartition(".")[0].encode())  # what a real one says
    thief = closed.test_client()
    for key in KEYS:
        for cookie in (one for said in (held, {"role": "editor"}) for one in forged(key, said)):
            thief.set_cookie(COOKIE, cookie)
            thief.set_cookie("session", cookie)
            assert thief.get("/api/runs").status_code == 401, key
    assert owner.get("/api/runs").status_code == 200


def forged(key: str, held: object) -> Iterator[str]:
    for salt in (SALT, "itsdangerous", "cookie-session"):
        options = {"key_derivation": "hmac", "digest_method": hashlib.sha256}
        yield str(URLSafeSerializer(key, salt=salt, signer_kwargs=options).dumps(held))
        yield str(URLSafeTimedSerializer(key, salt=salt).dumps(held))
    flask = Flask("evil")
    flask.secret_key = key or "x"
    signer = SecureCookieSessionInterface().get_signing_serializer(flask)
    assert signer
    yield str(signer.dumps({"role": "editor"}))


def test_c4_each_installation_has_a_key_of_its_own(tmp_path: Path) -> None:
    keys = {kept_key(tmp_path / str(one)) for one in range(20)}
    assert len(keys) == 20
    assert stat.S_IMODE((tmp_path / "0" / NAME).stat().st_mode) == 0o600
    assert AppConfig().secret != AppConfig().secret


def test_c4_a_viewer_s_cookie_makes_no_editor(closed: Flask) -> None:
    client = closed.test_client()
    log_in(client, VIEWER_TOKEN)
    kept = client.get_cookie(COOKIE)
    assert kept
    payload, _, signature = kept.value.rpartition(".")
    serializer = URLSafeSerializer("any")
    held = serializer.load_payload(payload.encode())
    held[1] = "editor"
    changed = serializer.dump_payload(held).decode()
    thief = closed.test_client()
    for cookie in (f"{changed}.{signature}", f"{changed}.", changed, f"{payload}.{signature[::-1]}"):
        thief.set_cookie(COOKIE, cookie)
        assert thief.get("/api/runs").status_code == 401


def test_c5_a_changed_token_ends_its_sessions_and_their_open_streams(redis_client: redis.Redis, redis_url: str) -> None:
    Seed(redis_client).points(straight(range(1, 20)))
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "token"
        file.write_text(TOKEN)
        with gunicorn(redis_url, TIDEWATCH_TOKEN_FILE=str(file)) as served:
            cookie = served.ask(f"/?token={TOKEN}")[1]["Set-Cookie"].split(";")[0]
            by_cookie, by_token = {"Cookie": cookie}, bearer(TOKEN)
            with (
                EventStream(served.port, "/api/runs/gpt/stream", by_cookie) as one,
                EventStream(served.port, "/api/runs/gpt/stream", by_token) as two,
            ):
                assert (one.status, two.status) == (200, 200)
                file.write_text(VIEWER_TOKEN)
                eventually(lambda: served.ask("/api/runs", by_cookie)[0] == 401, seconds=10)
                assert served.ask("/api/runs", by_token)[0] == 401
                assert served.ask("/api/runs", bearer(VIEWER_TOKEN))[0] == 200
                for stream in (one, two):
                    stream.socket.settimeout(40)
                    assert ends(stream)  # within 60 s: asked every 15


def ends(stream: EventStream) -> bool:
    """Reads to the end of the answer; a socket that stays open raises TimeoutError."""
    while line := stream.file.readline():
        if line.strip() == b"0":  # the chunk that ends it
            return True
    return True


def test_c5_so_does_another_token_at_the_next_start(redis_url: str, tmp_path: Path) -> None:
    store = RedisRunStore(redis_url)
    signing = kept_key(tmp_path)  # the same at both starts
    before, after = (guarded.config(TIDEWATCH_TOKEN=one) for one in (TOKEN, VIEWER_TOKEN[::-1]))
    clients = [create_app(with_key(one, signing), store).server.test_client() for one in (before, before, after)]
    log_in(clients[0], TOKEN)
    kept = clients[0].get_cookie(COOKIE)
    assert kept
    for client in clients[1:]:
        client.set_cookie(COOKIE, kept.value)
    assert [one.get("/api/runs").status_code for one in clients] == [200, 200, 401]
    store.close()


def with_key(config: AppConfig, signing: bytes) -> AppConfig:
    return AppConfig(host=config.host, access=config.access, secret=signing)


AWAY = [
    "//evil.test",
    "///evil.test",
    "/\\evil.test",
    "\\\\evil.test",
    "/\t/evil.test",
    "\t//evil.test",
    "/%09/evil.test",
    "https:evil.test",
    "https://evil.test",
    "https:/evil.test",
    "HTTPS://evil.test/run/x",
    "http:\\\\evil.test",
    "javascript:alert(1)",
    "data:text/html,x",
    "//evil.test/%2f..",
    "/..//evil.test",
    "/.//evil.test",
    "/%2e%2e//evil.test",
    "@evil.test",
    ".evil.test",
    "//localhost@evil.test",
    "/\r\nLocation: https://evil.test",
    "/run/x\r\nSet-Cookie: a=b",
    "\ufeff//evil.test",
    "/／evil.test",
    "http://localhost.evil.test",
]


@pytest.mark.parametrize("to", AWAY)
def test_c10_the_login_leads_to_no_other_site(closed: Flask, to: str) -> None:
    client = closed.test_client()
    page = client.get("/login", query_string={"next": to})
    for reply in (
        client.post("/login", data={"secret": PASSWORD, "form": field_of(page, "form"), "next": to}),
        closed.test_client().get("/login", query_string={"token": TOKEN, "next": to}),
    ):
        assert reply.status_code == 303
        led = urlsplit(urljoin("http://localhost/login", reply.headers["Location"].replace("\\", "/")))
        assert (led.scheme, led.netloc) == ("http", "localhost")
        assert led.path in ("/", "/%09/evil.test")  # which is an address of ours, and of no page
        assert "a=b" not in str(reply.headers)


@pytest.mark.parametrize(
    "path", ["//evil.test", "//evil.test/%2f..", "/%2f%2fevil.test", "/\\evil.test", "/%5cevil.test"]
)
def test_c10_neither_does_the_address_that_was_asked_for(closed: Flask, path: str) -> None:
    client = closed.test_client()
    for asked in (path, f"{path}?token={TOKEN}"):
        reply = client.get(f"http://localhost{asked}" if asked.startswith("//") else asked)
        led = urljoin("http://localhost/", reply.headers.get("Location", "/").replace("\\", "/"))
        assert urlsplit(led).netloc == "localhost"


def test_c11_no_address_and_no_token_goes_to_another_site(closed: Flask) -> None:
    for endpoint, method, path in calls(closed):
        with closed.test_client().open(path, method=method, headers=bearer(TOKEN)) as reply:
            # The forms' own pages: under no-referrer a browser says "Origin: null" with what it sends.
            allowed = ("same-origin",) if endpoint.startswith("access.log") else ("no-referrer",)
            assert reply.headers["Referrer-Policy"] in (*allowed, "no-referrer"), path
    assert "connect-src 'self'" in content_policy([])
    assert "form-action 'self'" in content_policy([])


def test_c11_the_token_of_a_link_is_in_no_page(closed: Flask) -> None:
    client = closed.test_client()
    reply = client.get(f"/run/gpt?token={TOKEN}", follow_redirects=True)
    assert reply.status_code == 200
    assert TOKEN not in reply.request.url
    assert TOKEN.encode() not in reply.data
    assert TOKEN not in str(reply.headers)


def test_c11_scripts_ask_this_server_alone() -> None:
    """What carries the seal is sent to our own origin: assets/access.js looks at every address."""
    script = (Path(__file__).resolve().parents[2] / "assets/access.js").read_text()
    assert "!isOurs" in script
    assert "location.origin" in script


class Broken(RedisRunStore):
    """A store that fails in a way that nobody expected."""

    def runs(self) -> list[RunId]:
        raise RuntimeError(f"boom: token={TOKEN} Authorization: Bearer {TOKEN}\x1b[2J")


def test_c12_an_error_tells_no_secret_to_anybody(
    redis_url: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    store = Broken(redis_url)
    server = create_app(guarded.config(), store).server
    client = server.test_client()
    log_in(client, PASSWORD)
    kept = client.get_cookie(COOKIE)
    assert kept
    seal = server.test_client()
    with caplog.at_level(logging.DEBUG):
        replies = [
            client.get("/api/runs", headers={**bearer(TOKEN), "X-Tidewatch-Token": "sealed-sealed"}),
            client.get("/", headers={"Accept": "text/html"}),
            seal.get("/api/runs?share=/s/AAAABBBBCCCCDDDD", headers=bearer(TOKEN)),
            client.get("/metrics"),
        ]
    assert 500 in {one.status_code for one in replies}
    said = "".join(one.get_data(as_text=True) + str(one.headers) for one in replies)
    printed = capfd.readouterr()
    logged = "".join(safe_lines(caplog)) + printed.out + printed.err
    for secret in (TOKEN, PASSWORD, kept.value, "AAAABBBBCCCCDDDD", "sealed-sealed"):
        assert secret not in said
        assert secret not in logged
    assert "boom" not in said
    assert "Traceback" not in said
    assert "\x1b" not in logged
    assert "boom" in logged  # who runs it can see why
    store.close()


def safe_lines(caplog: pytest.LogCaptureFixture) -> Iterator[str]:
    """What the server's own handler writes."""
    from flask.logging import default_handler

    for record in caplog.records:
        yield default_handler.format(record) + "\n"


@pytest.mark.parametrize(
    "line",
    [
        f"Exception on /?token={TOKEN}&x=1",
        f"GET /run/x?a=b&token={TOKEN} HTTP/1.1",
        f"Authorization: Bearer {TOKEN}",
        f"'Cookie': 'tidewatch_session_8050={TOKEN}; tidewatch_language=en'",
        f"/s/{TOKEN}/api/runs",
        f"/mon/s/{TOKEN}",
    ],
)
def test_c12_a_line_of_the_log_hides_what_an_address_holds(line: str) -> None:
    assert TOKEN not in safe(line)
    assert "•••" in safe(line)


def test_c12_under_gunicorn_neither_errors_nor_the_access_log_hold_one(redis_url: str) -> None:
    with gunicorn(redis_url, "--access-logfile", "-", TIDEWATCH_TOKEN=TOKEN) as served:
        served.ask(f"/?token={TOKEN}")
        served.ask("/s/AAAABBBBCCCCDDDDEEEE")
        served.ask("/api/runs", bearer(TOKEN))
        served.ask("/x%1b[2J%0d%0aforged:%20line")
        eventually(lambda: "forged" in served.text, seconds=10)
        text = served.text
    assert TOKEN not in text
    assert "AAAABBBBCCCCDDDDEEEE" not in text
    assert "\x1b" not in text
    assert not re.search("^forged", text, re.MULTILINE)


NGINX = """
daemon off; pid {place}/pid; error_log {place}/error.log; worker_processes 1;
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_body_temp_path {place}/a; proxy_temp_path {place}/b; fastcgi_temp_path {place}/c;
  uwsgi_temp_path {place}/d; scgi_temp_path {place}/e;
  proxy_cache_path {place}/cache keys_zone=all:1m;
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://127.0.0.1:{behind};
      proxy_set_header Host $http_host;
      proxy_cache all;
      proxy_cache_valid any 10m;
      {more}
      add_header X-Cache $upstream_cache_status always;
    }}
  }}
}}
"""


@contextmanager
def cache_before(behind: int, more: str) -> Iterator[int]:
    """nginx that keeps all that it may."""
    with tempfile.TemporaryDirectory() as place:
        port = free_port()
        config = Path(place) / "nginx.conf"
        config.write_text(NGINX.format(place=place, port=port, behind=behind, more=more))
        Path(place).chmod(0o755)
        command = ["nginx", "-e", f"{place}/error.log", "-c", str(config)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            yield port
        finally:
            process.terminate()
            process.wait(timeout=10)


@pytest.mark.parametrize(
    "more",
    ["", "proxy_ignore_headers Cache-Control Expires Set-Cookie;"],
    ids=["a cache that obeys", "a cache that was told to ignore what forbids it"],
)
def test_c13_no_proxy_gives_one_visitor_s_page_to_another(redis_url: str, more: str) -> None:
    with gunicorn(redis_url, TIDEWATCH_TOKEN=TOKEN) as served, cache_before(served.port, more) as port:
        direct, served.port = served.port, port
        eventually(lambda: answers(served), seconds=10)
        cookie = served.ask(f"/?token={TOKEN}")[1]["Set-Cookie"].split(";")[0]
        for path in ("/", "/api/runs", "/api/openapi.json", "/metrics"):
            for mine in ({"Cookie": cookie}, bearer(TOKEN)):
                assert [served.ask(path, mine)[0] for _ in range(2)] == [200, 200]
                status, headers, body = served.ask(path)
                assert status in (303, 401), (path, headers)
                assert "data-seal" not in body
        served.port = direct


def answers(served: guarded.Served) -> bool:
    try:
        return served.ask("/livez")[0] == 200
    except OSError:
        return False


def test_c13_every_answer_but_code_is_for_its_reader_alone(closed: Flask) -> None:
    for endpoint, method, path in calls(closed):
        with closed.test_client().open(path, method=method, headers=bearer(TOKEN)) as reply:
            if is_code(endpoint, "/"):
                continue
            assert reply.headers["Cache-Control"] == "no-store", path
            assert {"Cookie", "Authorization"} <= set(reply.headers["Vary"].split(", ")), path


def test_a9_the_key_is_nowhere_that_is_served_or_followed(tmp_path: Path) -> None:
    root = tmp_path / "output"
    inside = root / "data"
    inside.mkdir(parents=True)
    options = parse([str(root)], {})
    told = entry(options, {"TIDEWATCH_DATA_DIR": str(inside)}, inside, root)
    assert len(told.environ["TIDEWATCH_SECRET"]) == 64  # the process has one, and no file does
    assert "no signing key is kept there" in " ".join(told.warnings)
    assert list(inside.iterdir()) == []
    outside = entry(options, {}, tmp_path / "home", root)
    assert "TIDEWATCH_SECRET" not in outside.environ
    assert outside.warnings == ()
    assert told.environ["TIDEWATCH_SECRET"] not in repr(told)


@pytest.mark.parametrize(
    "path",
    [
        f"/assets/{NAME}",
        f"/assets/../{NAME}",
        f"/assets/..%2f{NAME}",
        f"/assets/%2e%2e/{NAME}",
        f"/assets/%252e%252e/{NAME}",
        f"/assets/..%5c{NAME}",
        f"/assets//{{data}}/{NAME}",
        f"/bundle/../{NAME}",
        f"/_dash-component-suites/dash/../../{NAME}",
        "/assets/.env",
        "/assets/.git/config",
        "/.env",
    ],
)
def test_a9_no_address_leads_to_it(redis_url: str, tmp_path: Path, path: str) -> None:
    key = kept_key(tmp_path)
    store = RedisRunStore(redis_url)
    client = create_app(with_key(guarded.config(), key), store).server.test_client()
    with client.get(path.format(data=tmp_path), headers=bearer(TOKEN)) as reply:
        assert reply.status_code in (400, 404)
        assert key not in reply.get_data()
    store.close()


def test_a9_the_file_is_for_its_user_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        kept_key(tmp_path / "data")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "data" / NAME).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
