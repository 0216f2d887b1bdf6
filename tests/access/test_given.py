"""What the environment says of who may come in."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.access.given import SECRETS
from app.config import SETTINGS, AppConfig, BadSetting
from tests.support.guarded import PASSWORD, TOKEN, WORDS

NEAR = {"TIDEWATCH_HOST": "127.0.0.1"}


@pytest.mark.parametrize(
    ("environ", "is_open"),
    [
        ({}, True),
        ({"TIDEWATCH_HOST": "localhost"}, True),
        ({"TIDEWATCH_HOST": "::1"}, True),
        ({"TIDEWATCH_HOST": "127.0.0.2", "TIDEWATCH_ALLOWED_HOSTS": "localhost,[::1]"}, True),
        ({"TIDEWATCH_HOST": "0.0.0.0"}, False),
        ({"TIDEWATCH_HOST": "::"}, False),
        ({"TIDEWATCH_HOST": "10.1.2.3"}, False),
        ({"TIDEWATCH_HOST": "127.evil.test"}, False),
        ({"TIDEWATCH_HOST": "localhost.evil.test"}, False),
        ({"TIDEWATCH_ALLOWED_HOSTS": "dash.example.com"}, False),  # a proxy leads there
        ({"TIDEWATCH_TOKEN": TOKEN}, False),  # who sets one means it
        ({"TIDEWATCH_VIEWER_PASSWORD": PASSWORD}, False),
        ({"TIDEWATCH_AUTH": "token"}, False),
        ({"TIDEWATCH_HOST": "0.0.0.0", "TIDEWATCH_AUTH": "none"}, True),
        ({"TIDEWATCH_AUTH": "none", **WORDS}, True),
    ],
)
def test_when_a_password_is_needed(environ: dict[str, str], is_open: bool) -> None:
    assert AppConfig.from_environ(environ).is_open is is_open


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"TIDEWATCH_AUTH": "off"}, "TIDEWATCH_AUTH is 'off'; one of auto, none, token"),
        ({"TIDEWATCH_TOKEN": "changeme"}, "TIDEWATCH_TOKEN is well known"),
        ({"TIDEWATCH_TOKEN": "short-One2"}, "TIDEWATCH_TOKEN is too short"),
        ({"TIDEWATCH_PASSWORD": "aaaaaaaaaaaa"}, "TIDEWATCH_PASSWORD is of too few different characters"),
        ({"TIDEWATCH_TOKEN": TOKEN, "TIDEWATCH_TOKEN_FILE": "/x"}, "are both set"),
    ],
)
def test_what_cannot_be_used_is_said_without_the_secret(environ: dict[str, str], said: str) -> None:
    with pytest.raises(BadSetting) as error:
        AppConfig.from_environ(environ)
    assert said in str(error.value)
    assert TOKEN not in str(error.value)


def test_no_secret_is_in_what_a_configuration_prints(tmp_path: Path) -> None:
    config = AppConfig.from_environ(WORDS)
    printed = repr(config)
    assert [one for one in WORDS.values() if one in printed] == []
    assert config.secret.hex() not in printed
    assert repr(config.secret) not in printed


def test_every_secret_has_a_setting_and_a_file() -> None:
    known = {one.name for one in SETTINGS}
    assert {name.removesuffix("_FILE") for name in SECRETS} <= known
    assert {f"{name}_FILE" for name in WORDS} <= SECRETS
