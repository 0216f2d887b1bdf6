"""``python -m app.diagnosis test-notify``, as people run it, and the worker's own configuration."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from app.config import BadSetting
from app.diagnosis.config import WorkerConfig
from app.diagnosis.notify.settings import BadAlerts
from tests.support.hook import hook

ROOT = Path(__file__).resolve().parents[3]


def test_notify(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "app.diagnosis", "test-notify", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=50, check=False)


test_notify.__test__ = False  # type: ignore[attr-defined]


def test_a_sample_is_sent_and_the_answer_is_told_without_secrets() -> None:
    with hook() as chat:
        chat.reply = b'{"code": 0, "msg": "success"}'
        done = test_notify(
            f"feishu+{chat.url}/hook/V3RYS3CRETT0KEN", "--lang", "zh", "--allow-internal", "--secret", "KEY99"
        )
    assert (done.returncode, done.stderr) == (0, "")
    assert '"msg": "success"' in done.stdout
    assert "V3RYS3CRETT0KEN" not in done.stdout
    (posted,) = chat.posted
    assert posted.json["card"]["header"]["title"]["content"] == "[警告] 测试消息：损失尖峰"
    assert "sign" in posted.json


def test_a_sample_has_a_picture_where_the_channel_takes_one() -> None:
    with hook() as chat:
        done = test_notify(f"wecom+{chat.url}/hook", "--allow-internal")
    assert (done.returncode, done.stderr) == (0, "")
    assert [one.json["msgtype"] for one in chat.posted] == ["markdown", "image"]


def test_a_refusal_is_told_with_another_exit_code() -> None:
    with hook() as chat:
        chat.reply = b'{"errcode": 310000, "errmsg": "sign not match"}'
        done = test_notify(f"dingtalk+{chat.url}/robot", "--allow-internal")
    assert done.returncode == 1
    assert "sign not match" in done.stdout


def test_an_address_within_the_network_is_refused_with_what_to_do() -> None:
    with hook() as chat:
        done = test_notify(chat.url)
        assert chat.posted == []
    assert done.returncode == 1
    assert "--allow-internal" in done.stdout


def test_what_is_no_address_is_a_sentence() -> None:
    done = test_notify("nonsense")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("test-notify: The address is none:")


def test_the_worker_says_what_is_wrong_in_its_file_and_ends(tmp_path: Path, redis_url: str) -> None:
    file = tmp_path / "alerts.yaml"
    file.write_text("channels:\n  - name: team\n")
    command = [sys.executable, "-m", "app.diagnosis", "--alerts", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == 2
    assert f"{file}, line 2: This channel has no address" in done.stderr


def test_the_configuration_comes_from_the_environment_or_an_argument(tmp_path: Path) -> None:
    file = tmp_path / "alerts.yaml"
    file.write_text("channels: [{name: team, url: https://alerts.example/x}]\n")
    found = WorkerConfig.from_environ({"TIDEWATCH_ALERTS": str(file), "TIDEWATCH_URL": "https://watch.example/tw/"})
    assert ([one.name for one in found.alerts.channels], found.home) == (["team"], "https://watch.example/tw/")
    assert WorkerConfig.from_environ({"TIDEWATCH_ALERTS": "/none"}, file).alerts == found.alerts
    assert WorkerConfig.from_environ({}).alerts.channels == ()
    with pytest.raises(BadAlerts, match="cannot be read"):
        WorkerConfig.from_environ({"TIDEWATCH_ALERTS": str(tmp_path / "none")})


@pytest.mark.parametrize("text", ["watch.example", "ftp://x", "https://x/?a=b", "javascript:alert(1)"])
def test_an_address_of_the_pages_is_one(text: str) -> None:
    with pytest.raises(BadSetting, match="an address such as"):
        WorkerConfig.from_environ({"TIDEWATCH_URL": text})
