"""What each channel is really posted, over real connections, and where nothing is posted to."""

from __future__ import annotations

import base64
import email
import hashlib
import hmac
import logging
import socket
from email import policy as mail_policy

import pytest

from app.diagnosis.notify import carrier as carriers
from app.diagnosis.notify.carrier import Carrier, hand_over, plugin_of
from app.diagnosis.notify.guard import Refused, guarded, place
from app.diagnosis.notify.message import Block, Message
from app.diagnosis.notify.target import BadTarget, masked, secrets_of, target
from tests.support.hook import hook, mailbox

NOW = 1_780_000_000.25
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
MESSAGE = Message(
    "3f2a9c0d1e4b",
    "llama-7b",
    "[警告] llama-7b：损失尖峰",
    "warning",
    (Block("损失尖峰", ("第 31,219 步损失为 5.1",)),),
    (Block("处理建议", ("若已自行恢复：只记录。",)), Block("梯度裁剪", code="training:\n  max_norm: 1.0")),
    "https://watch.example/run/llama-7b?view=1..2&alert=a",
    "在观潮中打开",
    "消息 3f2a9c0d1e4b",
)


def carrier(url: str, secret: str = "") -> Carrier:
    return Carrier(target(url, secret), allow_internal=True, clock=lambda: NOW)


def test_feishu_gets_a_signed_card_of_plain_text_with_a_button() -> None:
    with hook() as chat:
        told = carrier(f"feishu+{chat.url}/open-apis/bot/v2/hook/abcdef", "hush").send(MESSAGE)
    assert told.taken
    (posted,) = chat.posted
    body = posted.json
    sign = hmac.new(b"1780000000\nhush", b"", hashlib.sha256).digest()
    assert (body["timestamp"], body["sign"]) == ("1780000000", base64.b64encode(sign).decode())
    card = body["card"]
    assert body["msg_type"] == "interactive"
    assert card["header"] == {"title": {"tag": "plain_text", "content": MESSAGE.title}, "template": "orange"}
    text, action = card["elements"]
    assert text["text"]["tag"] == "plain_text"
    assert "第 31,219 步损失为 5.1" in text["text"]["content"]
    assert action["actions"][0]["url"] == MESSAGE.link
    assert "损失".encode() in posted.body


def test_dingtalk_gets_markdown_and_its_signature_in_the_query_encoded_once() -> None:
    with hook() as chat:
        told = carrier(f"dingtalk+{chat.url}/robot/send?access_token=abcdef", "SECret").send(MESSAGE)
    assert told.taken
    (posted,) = chat.posted
    sign = hmac.new(b"SECret", b"1780000000250\nSECret", hashlib.sha256).digest()
    assert posted.query == {
        "access_token": "abcdef",
        "timestamp": "1780000000250",
        "sign": base64.b64encode(sign).decode(),
    }
    assert posted.json["msgtype"] == "markdown"
    assert posted.json["markdown"]["title"] == MESSAGE.title
    assert f"[在观潮中打开]({MESSAGE.link})" in posted.json["markdown"]["text"]
    assert posted.json["at"] == {"isAtAll": False}


def test_wecom_gets_markdown_that_it_has_room_for() -> None:
    long = Message("id", "r", MESSAGE.title, "critical", MESSAGE.blocks, (Block("损失" * 3000),) * 3, foot="消息 id")
    with hook() as chat:
        assert carrier(f"wecom+{chat.url}/cgi-bin/webhook/send?key=k").send(long).taken
    body = chat.posted[0].json
    assert body["msgtype"] == "markdown"
    assert len(body["markdown"]["content"].encode()) <= 4096
    assert body["markdown"]["content"].endswith("消息 id")


def test_wecom_knows_code_in_a_line_alone() -> None:
    with hook() as chat:
        assert carrier(f"wecom+{chat.url}/cgi-bin/webhook/send?key=k").send(MESSAGE).taken
    content = chat.posted[0].json["markdown"]["content"]
    assert "```" not in content
    assert "`training:`\n`  max_norm: 1.0`" in content


def test_json_is_signed_over_time_and_body_and_carries_an_id() -> None:
    with hook() as machine:
        assert carrier(f"json+{machine.url}/alerts", "key").send(MESSAGE).taken
    (posted,) = machine.posted
    stamp = posted.headers["X-Tidewatch-Timestamp"]
    expected = hmac.new(b"key", stamp.encode() + b"." + posted.body, hashlib.sha256).hexdigest()
    assert posted.headers["X-Tidewatch-Signature"] == f"sha256={expected}"
    assert posted.headers["X-Tidewatch-Id"] == posted.json["id"] == MESSAGE.id
    assert posted.json["run"] == "llama-7b"
    assert posted.json["findings"] == [{"heading": "损失尖峰", "lines": ["第 31,219 步损失为 5.1"]}]


def test_slack_gets_its_own_markup_by_apprise() -> None:
    plugin = plugin_of(target("https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ"))
    with hook() as chat:
        plugin.webhook_url = chat.url  # the one address of Slack's is apprise's own
        chat.reply = b"ok"
        assert hand_over(plugin, MESSAGE).taken
    (posted,) = chat.posted
    assert posted.path == "/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ"
    (told,) = posted.json["attachments"]
    assert told["title"] == MESSAGE.title
    assert "*损失尖峰*" in told["text"]
    assert "|在观潮中打开>" in told["text"]
    assert "github" not in posted.body.decode()


def test_mail_goes_to_a_mail_server_with_the_picture() -> None:
    with_curve = Message("id", "r", MESSAGE.title, "warning", MESSAGE.blocks, foot="消息 id", picture=PNG)
    with mailbox() as (port, mails):
        told = carrier(f"mailto://127.0.0.1:{port}/?from=tidewatch@a.example&to=team@b.example&mode=insecure").send(
            with_curve
        )
    assert told.taken, told.said
    mail = email.message_from_string(mails[0], policy=mail_policy.default)
    assert mail["Subject"] == MESSAGE.title
    assert mail["To"] == "team@b.example"
    kinds = {part.get_content_type(): part for part in mail.walk()}
    assert kinds["image/png"].get_content() == PNG
    assert "第 31,219 步损失为 5.1" in kinds["text/plain"].get_content()


@pytest.mark.parametrize(
    ("kind", "reply"),
    [
        ("feishu", b'{"code": 19021, "msg": "sign match fail"}'),
        ("dingtalk", b'{"errcode": 310000}'),
        ("wecom", b"oops"),
    ],
)
def test_a_refusal_with_status_200_is_a_refusal(kind: str, reply: bytes) -> None:
    with hook() as chat:
        chat.reply = reply
        told = carrier(f"{kind}+{chat.url}/abcdefgh").send(MESSAGE)
    assert not told.taken
    assert reply.decode() in told.said


@pytest.mark.parametrize("status", [400, 404, 429, 500])
def test_an_error_is_a_refusal(status: int) -> None:
    with hook() as chat:
        chat.status = status
        told = carrier(f"json+{chat.url}/abcdefgh").send(MESSAGE)
    assert (told.taken, f"HTTP {status}" in told.said) == (False, True)


@pytest.mark.parametrize("kind", ["json", "apprise"])
def test_a_redirect_is_not_followed(kind: str) -> None:
    with hook() as chat, hook() as other:
        chat.status, chat.headers = 302, {"Location": f"{other.url}/stolen"}
        address = chat.url if kind == "json" else f"json://127.0.0.1:{chat.port}/x"
        told = carrier(address).send(MESSAGE)
    assert not told.taken
    assert len(chat.posted) == 1
    assert other.posted == []


def test_nobody_there_is_an_answer() -> None:
    with hook() as chat:
        gone = chat.url
    told = carrier(gone).send(MESSAGE)
    assert not told.taken
    assert "ConnectionRefusedError" in told.said


# ---- where nothing is sent ----


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:{port}/x",
        "http://localhost:{port}/x",
        "http://2130706433:{port}/x",
        "http://0x7f.1:{port}/x",
        "http://[::ffff:127.0.0.1]:{port}/x",
        "http://0.0.0.0:{port}/x",
        "json://127.0.0.1:{port}/x",
        "feishu+http://127.0.0.1:{port}/x",
    ],
)
def test_nothing_is_sent_into_the_network_unless_it_is_allowed(address: str) -> None:
    with hook() as chat:
        told = Carrier(target(address.format(port=chat.port))).send(MESSAGE)
        assert chat.posted == []
    assert not told.taken
    assert "allow_internal: true" in told.said


def test_a_name_that_leads_elsewhere_the_second_time_gets_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """DNS rebinding: whoever looked before would have seen an address outside."""
    answers = iter(["93.184.216.34", "127.0.0.1"])

    def resolved(host: str, port: int, *_: object, **__: object) -> list[tuple[object, ...]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers), port))]

    with hook() as chat:
        monkeypatch.setattr(socket, "getaddrinfo", resolved)
        assert place(socket.getaddrinfo("rebinding.example", chat.port)[0][4][0]) == "outside"  # type: ignore[arg-type]
        told = Carrier(target(f"json+http://rebinding.example:{chat.port}/x")).send(MESSAGE)
        assert chat.posted == []
    assert (told.taken, "127.0.0.1" in told.said) == (False, True)


def test_mail_is_guarded_too() -> None:
    with mailbox() as (port, mails):
        told = Carrier(target(f"mailto://127.0.0.1:{port}/?from=a@a.example&to=b@b.example&mode=insecure")).send(
            MESSAGE
        )
        assert mails == []
    assert not told.taken
    assert "allow_internal" in told.said


@pytest.mark.parametrize(
    ("address", "where"),
    [
        ("8.8.8.8", "outside"),
        ("2001:4860:4860::8888", "outside"),
        ("127.0.0.1", "inside"),
        ("10.0.0.5", "inside"),
        ("192.168.1.1", "inside"),
        ("100.64.0.1", "inside"),
        ("::1", "inside"),
        ("fd12::1", "inside"),
        ("::ffff:10.0.0.1", "inside"),
        ("64:ff9b::7f00:1", "inside"),
        ("2002:7f00:0001::", "inside"),
        ("169.254.169.254", "never"),
        ("::ffff:169.254.169.254", "never"),
        ("fe80::1%eth0", "never"),
        ("fd00:ec2::254", "never"),
        ("100.100.100.200", "never"),
        ("0.0.0.0", "never"),
        ("::", "never"),
        ("224.0.0.1", "never"),
        ("metadata.google.internal", "never"),
        ("a local socket", "never"),
    ],
)
def test_addresses_are_told_apart(address: str, where: str) -> None:
    assert place(address) == where


def test_metadata_is_refused_even_where_the_network_is_allowed() -> None:
    told = carrier("http://169.254.169.254/latest/meta-data").send(MESSAGE)
    assert (told.taken, "169.254.169.254" in told.said) == (False, True)


def test_a_proxy_is_asked_to_post_and_told_who_asks() -> None:
    with hook() as proxy:
        through = proxy.url.replace("http://", "http://me:pass%20word@")
        told = Carrier(target("json+http://alerts.example/x?key=KEYKEY"), proxy=through).send(MESSAGE)
    assert told.taken
    (posted,) = proxy.posted
    assert posted.path == "http://alerts.example/x?key=KEYKEY"
    assert posted.headers["Host"] == "alerts.example"
    assert base64.b64decode(posted.headers["Proxy-Authorization"].split()[1]) == b"me:pass word"


def test_a_proxy_is_asked_for_a_tunnel_and_its_refusal_is_told() -> None:
    with hook() as proxy:
        told = Carrier(target("https://alerts.example/x"), proxy=proxy.url).send(MESSAGE)
    assert (told.taken, "Tunnel connection failed" in told.said) == (False, True)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "169.254.169.254", "[::1]", "localhost", "2130706433", "0x7f.1", "127.1"]
)
def test_no_proxy_is_asked_for_an_address_within_the_network(host: str) -> None:
    with hook() as proxy:
        told = Carrier(target(f"http://{host}/x"), proxy=proxy.url).send(MESSAGE)
        assert proxy.posted == []
    assert (told.taken, "inside the network" in told.said) == (False, True)


def test_the_guard_is_of_its_thread_and_of_its_block() -> None:
    with hook() as chat:
        with guarded(allow_internal=False), pytest.raises(Refused):
            carriers.post(carriers.request(target(chat.url), MESSAGE, NOW))
        assert carriers.post(carriers.request(target(chat.url), MESSAGE, NOW))[0] == 200


# ---- addresses and secrets ----


@pytest.mark.parametrize(
    ("text", "kind", "url"),
    [
        ("https://open.feishu.cn/open-apis/bot/v2/hook/t", "feishu", "https://open.feishu.cn/open-apis/bot/v2/hook/t"),
        ("https://open.larksuite.com/open-apis/bot/v2/hook/t", "feishu", None),
        ("https://oapi.dingtalk.com/robot/send?access_token=t", "dingtalk", None),
        ("https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=t", "wecom", None),
        ("https://hooks.slack.com/services/a/b/c", "apprise", None),
        ("https://alerts.example/x", "json", None),
        ("feishu://tok-en", "feishu", "https://open.feishu.cn/open-apis/bot/v2/hook/tok-en"),
        ("lark://tok", "feishu", "https://open.larksuite.com/open-apis/bot/v2/hook/tok"),
        ("dingtalk://s3@tok", "dingtalk", "https://oapi.dingtalk.com/robot/send?access_token=tok"),
        ("wecombot://tok", "wecom", "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=tok"),
        ("wecom+http://gateway.lan/x", "wecom", "http://gateway.lan/x"),
        ("mailtos://a:b@c.example", "apprise", None),
    ],
)
def test_an_address_says_what_it_is(text: str, kind: str, url: str | None) -> None:
    found = target(text)
    assert (found.kind, found.url) == (kind, url or text)


def test_the_secret_of_a_short_address_is_found() -> None:
    assert target("dingtalk://s3@tok").secret == "s3"
    assert target("feishu://tok?secret=s4").secret == "s4"
    assert target("feishu://tok?secret=s4", "s5").secret == "s5"


@pytest.mark.parametrize(
    "text", ["", "team", "https://", "fish+https://x/y", "feishu://", "json+ftp://x", "file:///etc/x"]
)
def test_what_is_no_address_is_told_in_a_sentence(text: str) -> None:
    with pytest.raises(BadTarget, match=r"^[A-Z“].*\.$"):
        target(text)


SECRET_ADDRESSES = [
    ("https://open.feishu.cn/open-apis/bot/v2/hook/0a1b2c3d-4e5f", "hush-hush", ("0a1b2c3d-4e5f", "hush-hush")),
    (
        "https://user:pa%20ss@h.example/services/T0KENT0KEN?access_token=QUERYTOKEN",
        "",
        ("pa%20ss", "pa ss", "T0KENT0KEN", "QUERYTOKEN"),
    ),
    (
        "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ",
        "",
        ("T1JJ3T3L2", "A1BRTD4JD", "TIiajkdnlazkcOXrIdevi7FQ"),
    ),
    ("mailtos://me:passw0rd@mail.example?to=a@b.example", "", ("passw0rd",)),
]


@pytest.mark.parametrize(("text", "secret", "parts"), SECRET_ADDRESSES)
def test_no_secret_is_shown(text: str, secret: str, parts: tuple[str, ...]) -> None:
    one = target(text, secret)
    said = masked(f"could not reach {text} with {secret or 'nothing'} {' '.join(parts)}", secrets_of(one))
    for part in parts:
        assert part not in said
        assert part not in one.shown


def test_what_a_channel_or_an_error_repeats_of_a_secret_is_masked(caplog: pytest.LogCaptureFixture) -> None:
    with hook() as chat, caplog.at_level(logging.DEBUG):
        chat.status, chat.reply = 400, b"no such hook: /hook/V3RYS3CRETT0KEN"
        told = carrier(f"json+{chat.url}/hook/V3RYS3CRETT0KEN").send(MESSAGE)
        Carrier(target("lark://bad token/V3RYS3CRETT0KEN")).send(MESSAGE)
        Carrier(target("slack://V3RYS3CRETT0KEN")).send(MESSAGE)
    assert "V3RYS3CRETT0KEN" not in told.said
    assert "V3RYS3CRETT0KEN" not in caplog.text


def test_an_address_that_apprise_does_not_know_is_told() -> None:
    told = Carrier(target("pigeon://roof")).send(MESSAGE)
    assert (told.taken, "appriseit.com" in told.said) == (False, True)
